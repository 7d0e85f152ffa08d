"""Conditions with long sums: how many symbols of a family have a value, and what little else speaks of
the sums, one by one for each value of a symbol that all of a sum depends on."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from kemu_checker.sums import Sum, added, scaled, total_of
from kemu_checker.symbols import Symbol, Term, Truth
from kemu_checker.terms import Terms

_SIZE = 60  # terms of a part that is looked at, but for those that a sum is made of
_SMALL = 8  # terms of an atom of such a sum; values of a symbol that are looked at one by one
MANY = 16  # values of a symbol, if each makes all of a condition short
LONG = 12  # atoms of a sum whose symbols are counted
_MOST = 3  # so many with a value are looked for

Impossible = Callable[[list[Truth]], bool]


def light(parts: Iterable[Truth]) -> list[Term]:
    """The conjuncts that are short."""
    return [term for term in conjuncts_of(parts) if _short(term, _SIZE)]


def _short(term: Term, size: int) -> bool:
    seen, todo = {term}, [term]
    while todo:
        if len(seen) > size:
            return False
        each = todo.pop()
        if each.kind in ("and", "or"):
            todo += (part for part in each.args if part not in seen)
            seen.update(each.args)
        elif each.kind != "in" and (size == _SMALL or not all(map(_small, held_in(each.args[0])))):
            return False
    return True


def _small(term: Term) -> bool:
    return _short(term, _SMALL)


def held_in(total: Sum) -> list[Term]:
    return [held for held, _ in total.atoms if held is not None]


def long_sums(conjuncts: Iterable[Term]) -> Iterator[Sum]:
    """The long sums that they compare to 0."""
    for term in parts_of(conjuncts):
        if is_long(term):
            yield term.args[0]


def is_long(term: Term) -> bool:
    """Whether it compares a long sum to 0."""
    return term.kind not in ("and", "or", "in") and len(term.args[0].atoms) >= LONG


def parts_of(terms: Iterable[Term]) -> Iterator[Term]:
    """They and what they are made of, each once: many share their parts."""
    seen = dict.fromkeys(terms)
    todo = list(seen)[::-1]
    while todo:
        term = todo.pop()
        yield term
        if term.kind in ("and", "or"):
            more = [part for part in term.args if part not in seen]
            seen.update(dict.fromkeys(more))
            todo += more[::-1]


def conjuncts_of(parts: Iterable[Truth]) -> list[Term]:
    """What holds if all of these do."""
    todo, found = [part for part in parts if type(part) is not int], dict[Term, None]()
    while todo:
        term = todo.pop()
        if term.kind == "and":
            todo += term.args
        else:
            found[term] = None
    return list(found)


def shared(conjuncts: Iterable[Term], most: int = _SMALL) -> Symbol | None:
    """A symbol that all of a long sum depends on, if it has so few values."""
    for total in long_sums(conjuncts):
        found = Counter(symbol for held in held_in(total) for symbol in symbols_of(held))
        for symbol, often in found.items():
            if often >= LONG and symbol.high - symbol.low < most:
                mixed = sum(symbol in symbols_of(held) for held in held_in(total) if held.kind != "in")
                if mixed >= LONG:
                    return symbol
    return None


def symbols_of(term: Term) -> set[Symbol]:
    return {part.args[0] for part in parts_of([term]) if part.kind == "in"}


class Given:
    """What is left of terms where symbols have values: of each, which many others share, once."""

    def __init__(self, terms: Terms, values: dict[Symbol, int]) -> None:
        self.terms, self.values = terms, values
        self._left: dict[Term, Truth] = {}

    def left(self, term: Truth) -> Truth:
        """What is left of a term."""
        if type(term) is int:
            return term
        found = self._left.get(term)
        if found is None:
            found = self._left[term] = self._of(term)
        return found

    def _of(self, term: Term) -> Truth:
        terms = self.terms
        match term.kind:
            case "in":
                symbol, mask = term.args
                return int(mask & self.values[symbol] != 0) if symbol in self.values else term
            case "and":
                return terms.every(map(self.left, term.args))
            case "or":
                return terms.some(map(self.left, term.args))
        parts = [Sum(term.args[0].const, {})]
        for (held, wide), factor in term.args[0].atoms.items():
            unit = Sum(0, {(None, wide): 1}) if wide else Sum(1, {})
            parts.append(scaled(terms.gated(1 if held is None else self.left(held), unit), factor))
        total = total_of(parts)
        if term.kind == "le":
            return terms.at_most_zero(total)
        zero = terms.is_zero(total)
        return zero if term.kind == "eq" else terms.negate(zero)


def counted(terms: Terms, conjuncts: Iterable[Term]) -> list[Sum]:
    """How many of the symbols in long sums have a value, for each value."""
    families: dict[tuple[int, int], dict[Symbol, None]] = {}
    for total in long_sums(conjuncts):
        for held in held_in(total):
            if held.kind == "in":
                symbol = held.args[0]
                families.setdefault((symbol.low, symbol.high), {})[symbol] = None
    return [
        total_of(terms.indicator(terms.member(symbol, 1 << n)) for symbol in family)
        for (low, high), family in families.items()
        for n in range(high - low + 1)
    ]


def at_least(terms: Terms, many: Sum, impossible: Impossible) -> Iterator[Truth]:
    """That it is a few at least; `impossible` knows the whole condition."""
    for bound in range(_MOST):
        fewer = terms.at_most_zero(added(many, Sum(-bound, {})))
        if not impossible([fewer]):
            return
        yield terms.negate(fewer)


def at_most(terms: Terms, many: Sum, impossible: Impossible) -> Iterator[Truth]:
    """That it is a few at most."""
    for bound in range(_MOST):
        fewer = terms.at_most_zero(added(many, Sum(-bound, {})))
        if impossible([terms.negate(fewer)]):
            yield fewer
            return


def split(terms: Terms, conjuncts: list[Term], most: int = _SMALL, depth: int = 2) -> Iterator[list[Truth]]:
    """The conjuncts, or if a symbol is shared, what is left of them for each of its values."""
    symbol = shared(conjuncts, most) if depth else None
    if symbol is None:
        yield list(conjuncts)
        return
    for mask in (1 << n for n in range(symbol.high - symbol.low + 1)):
        case = list(map(Given(terms, {symbol: mask}).left, conjuncts))
        if 0 not in case:
            known = terms.member(symbol, mask)
            left = [each for each in case if type(each) is not int]
            for each in split(terms, left, most, depth - 1):
                yield [known, *each]
