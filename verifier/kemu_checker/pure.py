"""Unknown truth values that a condition wants one way only: it can hold if it can hold with them that way
(the pure literals of M. Davis, H. Putnam, 1960)."""

from collections.abc import Iterable

from kemu_checker.counting import Given
from kemu_checker.symbols import Symbol, Term, Truth
from kemu_checker.terms import Terms

_MOST = 100_000  # terms that are looked at
_BOTH = 3


def purified(terms: Terms, parts: Iterable[Truth]) -> list[Truth]:
    """The condition with such values as it wants them; symbols that something is assumed of stay unknown."""
    parts = list(parts)
    wanted = _wanted([(part, True) for part in parts if type(part) is not int])
    if wanted is None or not any(map(_single, wanted.values())):
        return parts
    assumed = _wanted([(each, True) for each in terms.assumed])
    if assumed is None:
        return parts
    fixed = {symbol: mask for symbol, mask in wanted.items() if _single(mask) and symbol not in assumed}
    return list(map(Given(terms, fixed).left, parts)) if fixed else parts


def _single(mask: int) -> bool:
    return mask != _BOTH


def _wanted(todo: list[tuple[Term, bool]]) -> dict[Symbol, int] | None:
    """Of each symbol of two values the set of those that are wanted by terms that are to hold, or not to
    hold; nothing if there are too many terms to say."""
    seen, found = set(todo), dict[Symbol, int]()
    while todo:
        term, holds = todo.pop()
        more: list[tuple[Term, bool]] = []
        match term.kind:
            case "and" | "or":
                more += ((each, holds) for each in term.args)
            case "in":
                symbol, mask = term.args
                if symbol.full == _BOTH:
                    found[symbol] = found.get(symbol, 0) | (mask if holds else _BOTH ^ mask)
            case kind:
                for (held, wide), factor in term.args[0].atoms.items():
                    if held is not None:
                        if kind != "le" or wide is not None:
                            more += ((held, True), (held, False))
                        else:
                            more.append((held, holds == (factor < 0)))
        for each in more:
            if each not in seen:
                seen.add(each)
                todo.append(each)
        if len(seen) > _MOST:
            return None
    return found
