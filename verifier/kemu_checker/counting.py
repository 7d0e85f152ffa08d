"""Conditions with long sums: how many symbols of a family have a value, and what little else speaks of
the sums, one by one for each value of a symbol that all of a sum depends on."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from kemu_checker.terms import Sum, Symbol, Term, Terms, Truth, added, scaled, total_of

_SIZE = 60  # terms of a part that is looked at, but for those that a sum is made of
_SMALL = 8  # terms of an atom of such a sum; values of a symbol that are looked at one by one
MANY = 16  # values of a symbol, if each makes all of a condition short
_LONG = 12  # atoms of a sum whose symbols are counted
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
        elif each.kind != "in" and (size == _SMALL or not all(map(_small, _held(each.args[0])))):
            return False
    return True


def _small(term: Term) -> bool:
    return _short(term, _SMALL)


def _held(total: Sum) -> list[Term]:
    return [held for held, _ in total.atoms if held is not None]


def long_sums(conjuncts: Iterable[Term]) -> Iterator[Sum]:
    """The long sums that they compare to 0."""
    for term in _parts(conjuncts):
        if term.kind not in ("and", "or", "in") and len(term.args[0].atoms) >= _LONG:
            yield term.args[0]


def _parts(terms: Iterable[Term]) -> Iterator[Term]:
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


def differences(terms: Terms, parts: Iterable[Truth]) -> list[Truth]:
    """What follows from comparisons of long sums, others that are 0 taken away, or (where both are at most 0)
    others added: if it is much shorter."""
    conjuncts = conjuncts_of(parts)
    long = [term for term in conjuncts if term.kind in ("le", "eq", "ne") and _many(term.args[0])]
    long += _zero(terms, [term for term in long if term.kind == "le"])
    spoken = {term: _spoken(term.args[0]) for term in long}
    found = []
    for term in long:
        kinds = ("eq", "le") if term.kind == "le" else ("eq",)
        others = [each for each in long if each is not term and each.kind in kinds]
        near = [each for each in others if 2 * len(spoken[each] & spoken[term]) > len(spoken[each])]
        left = _shortened(terms, term.args[0], near)
        if 3 * len(left.atoms) < 2 * len(term.args[0].atoms):
            zero = terms.at_most_zero(left) if term.kind == "le" else terms.is_zero(left)
            found.append(terms.negate(zero) if term.kind == "ne" else zero)
    return found


def _zero(terms: Terms, at_most: list[Term]) -> list[Term]:
    """The sums that are 0 because they are at most 0 and at least 0."""
    known, found = set(at_most), dict[Term, None]()
    for term in at_most:
        if terms.at_most_zero(scaled(term.args[0], -1)) in known:
            zero = terms.is_zero(term.args[0])
            if type(zero) is not int:
                found[zero] = None
    return list(found)


def _many(total: Sum) -> bool:
    return len(total.atoms) >= _LONG


def _spoken(total: Sum) -> set[Symbol | Term]:
    """What it is made of, as far as that is seen at once."""
    parts = [part for held in _held(total) for part in (held.args if held.kind in ("and", "or") else (held,))]
    return {part.args[0] if part.kind == "in" else part for part in parts}


def _shortened(terms: Terms, total: Sum, others: list[Term]) -> Sum:
    """The sum and others that are 0, taken away or added, or at most 0, added: as far as it gets shorter."""
    while True:
        tried = [
            _joined(terms, total, each.args[0], factor)
            for each in others
            for factor in ((1, -1) if each.kind == "eq" else (1,))
        ]
        best = min(tried, key=lambda each: len(each.atoms), default=total)
        if len(best.atoms) >= len(total.atoms):
            return total
        total = best


def _joined(terms: Terms, one: Sum, other: Sum, factor: int) -> Sum:
    """One plus so many times the other, worked out once."""
    key = one, other, factor
    if key not in terms.joined:
        terms.joined[key] = paired(terms, added(one, other, factor))
    return terms.joined[key]


def paired(terms: Terms, total: Sum) -> Sum:
    """The same sum: a truth value less one that is seen to imply it is the first without the other, and two
    that are seen to exclude each other are 1 less that neither holds."""
    const, weights, masks = total.const, dict[Term, int](), dict[tuple[Symbol, int], int]()
    wide = {atom: factor for atom, factor in total.atoms.items() if atom[0] is None or atom[1] is not None}
    for (held, symbol), factor in total.atoms.items():
        if held is None or symbol is not None:
            continue
        if held.kind == "in" and not masks.get((held.args[0], factor), 0) & held.args[1]:
            masks[held.args[0], factor] = masks.get((held.args[0], factor), 0) | held.args[1]
        elif held.kind == "or" and type(terms.negate(held)) is not int:
            const += factor
            weights[terms.negate(held)] = weights.get(terms.negate(held), 0) - factor
        else:
            weights[held] = weights.get(held, 0) + factor
    for (symbol, factor), mask in masks.items():
        every = terms.member(symbol, mask)
        if type(every) is int:
            const += factor
        else:
            weights[every] = weights.get(every, 0) + factor
    for part, factor in list(weights.items()):
        if part.kind != "and" or not factor or weights.get(part) != factor:
            continue
        for other, weight in weights.items():
            if other is part or abs(weight) != abs(factor):
                continue
            rest = _between(terms, part, other, weight == factor)
            if rest is not None:
                del weights[part], weights[other]
                times, held = rest
                const += factor if weight == factor else 0
                if type(held) is int:
                    const += factor * times * held
                else:
                    weights[held] = weights.get(held, 0) + factor * times
                break
    parts = (scaled(_indicator(terms, term), factor) for term, factor in weights.items() if factor)
    return total_of([Sum(const, wide), *parts])


def _indicator(terms: Terms, term: Term) -> Sum:
    """1 where it holds, else 0; some values of a small symbol together, without its least."""
    if term.kind != "in":
        return terms.indicator(term)
    symbol, mask = term.args
    if mask & 1:
        return Sum(1, {(terms.member(symbol, symbol.full ^ mask), None): -1})
    return Sum(0, {(term, None): 1})


def _between(terms: Terms, part: Term, other: Term, same: bool) -> tuple[int, Truth] | None:
    """So many times what is one less the other where one is seen to imply the other, or (`same`) both together
    less 1 where they are seen to exclude each other."""
    if same:
        if _follows(part, terms.negate(other)):
            return -1, terms.both(terms.negate(part), terms.negate(other))
    elif _follows(part, other):
        return -1, terms.both(other, terms.negate(part))
    elif _follows(other, part):
        return 1, terms.both(part, terms.negate(other))
    return None


def _follows(one: Truth, other: Truth, depth: int = 3) -> bool:
    """Whether one is seen to imply the other."""
    if one is other or one == 0 or other == 1:
        return True
    if type(one) is int or type(other) is int or not depth:
        return False
    if one.kind == "in" and other.kind == "in":
        return one.args[0] is other.args[0] and not one.args[1] & ~other.args[1]
    if other.kind == "and" and len(other.args) <= _SMALL:
        return all(_follows(one, each, depth - 1) for each in other.args)
    if one.kind == "and" and any(_follows(each, other, depth - 1) for each in one.args):
        return True
    return other.kind == "or" and any(_follows(one, each, depth - 1) for each in other.args)


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
        found = Counter(symbol for held in _held(total) for symbol in _symbols(held))
        for symbol, often in found.items():
            if often >= _LONG and symbol.high - symbol.low < most:
                mixed = sum(symbol in _symbols(held) for held in _held(total) if held.kind != "in")
                if mixed >= _LONG:
                    return symbol
    return None


def _symbols(term: Term) -> set[Symbol]:
    return {part.args[0] for part in _parts([term]) if part.kind == "in"}


class Given:
    """What is left of short terms where a symbol has a value: of each, which many others share, once."""

    def __init__(self, terms: Terms, symbol: Symbol, mask: int) -> None:
        self.terms, self.symbol, self.mask = terms, symbol, mask
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
                return int(term.args[1] & self.mask != 0) if term.args[0] is self.symbol else term
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
        for held in _held(total):
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
        case = list(map(Given(terms, symbol, mask).left, conjuncts))
        if 0 not in case:
            known = terms.member(symbol, mask)
            left = [each for each in case if type(each) is not int]
            for each in split(terms, left, most, depth - 1):
                yield [known, *each]
