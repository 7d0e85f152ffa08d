"""Long sums made shorter: by what other sums say, and by which of their parts imply or exclude others."""

from collections.abc import Callable, Iterable, Iterator

from kemu_checker.counting import LONG, conjuncts_of, held_in, is_long, parts_of, symbols_of
from kemu_checker.sums import Sum, added, scaled, total_of
from kemu_checker.symbols import Symbol, Term, Truth
from kemu_checker.terms import Terms

_FEW = 8  # conjuncts of a term of which each has to follow
_GATHERED = 120  # atoms of a sum of which each is asked whether it can hold

Impossible = Callable[[list[Truth]], bool]


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
        if 3 * len(left.atoms) < 2 * len(term.args[0].atoms) or (_wide(term.args[0]) and not _wide(left)):
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
    return len(total.atoms) >= LONG


def _wide(total: Sum) -> bool:
    return any(symbol is not None for _, symbol in total.atoms)


def _spoken(total: Sum) -> set[Symbol | Term]:
    """What it is made of: the small symbols, and the parts that are seen at once and speak of none."""
    held = held_in(total)
    parts = [part for each in held for part in (each.args if each.kind in ("and", "or") else (each,))]
    symbols = {part.args[0] for part in parts_of(held) if part.kind == "in"}
    return symbols | {part for part in parts if part.kind not in ("in", "and", "or")}


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
    inside: dict[Symbol, list[Term]] = {}
    for term in weights:
        if term.kind == "in":
            inside.setdefault(term.args[0], []).append(term)
    for part, factor in list(weights.items()):
        if part.kind != "and" or not factor or weights.get(part) != factor:
            continue
        for other in _near(terms, part, inside):
            weight = weights.get(other, 0)
            if abs(weight) != abs(factor):
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


def _near(terms: Terms, part: Term, inside: dict[Symbol, list[Term]]) -> Iterator[Term]:
    """What may imply a conjunction, follow from it or exclude it: its parts, their contraries, and
    memberships of symbols that it speaks of at once."""
    seen: set[Symbol] = set()
    for each in part.args:
        yield each
        yield terms.negate(each)
        for one in (each, *each.args) if each.kind in ("and", "or") else (each,):
            if one.kind == "in" and one.args[0] not in seen:
                seen.add(one.args[0])
                yield from inside.get(one.args[0], ())


def _between(terms: Terms, part: Term, other: Term, same: bool) -> tuple[int, Truth] | None:
    """So many times what is one less the other where one is seen to imply the other, or (`same`) both
    together less 1 where they are seen to exclude each other."""
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
    if other.kind == "and" and len(other.args) <= _FEW:
        return all(_follows(one, each, depth - 1) for each in other.args)
    if one.kind == "and" and any(_follows(each, other, depth - 1) for each in one.args):
        return True
    return other.kind == "or" and any(_follows(one, each, depth - 1) for each in other.args)


def gathered(terms: Terms, conjuncts: Iterable[Term], impossible: Impossible) -> list[Truth]:
    """Comparisons of long sums once more, shorter by what the solver knows: of two parts that speak of one
    symbol and of which one implies the other only what is between them is left, what cannot hold is left out,
    and parts of which no two hold are one."""
    found = []
    for term in conjuncts:
        if term.kind not in ("le", "eq") or not is_long(term):
            continue
        total = paired(terms, term.args[0])
        if len(total.atoms) > _GATHERED:
            continue
        left = _gathered(terms, total, impossible)
        if 2 * len(left.atoms) < len(total.atoms):
            found.append(terms.at_most_zero(left) if term.kind == "le" else terms.is_zero(left))
    return found


def _gathered(terms: Terms, total: Sum, impossible: Impossible) -> Sum:
    wide = {atom: factor for atom, factor in total.atoms.items() if atom[1] or not atom[0]}
    weights = {held: factor for (held, symbol), factor in total.atoms.items() if held and not symbol}
    parts = [Sum(total.const, wide)]
    spoken = {held: symbols_of(held) for held in weights if held.kind != "in"}
    for held in [held for held in weights if held.kind == "in"]:
        for other in [each for each, symbols in spoken.items() if held.args[0] in symbols]:
            if other in weights and abs(weights[other]) == abs(weights[held]):
                factor, outside = weights[other], weights[other] == weights[held]
                whole = terms.negate(held) if outside else held
                for one, more, times in ((other, whole, -factor), (whole, other, factor)):
                    if impossible([one, terms.negate(more)]):
                        rest = terms.both(more, terms.negate(one))
                        parts += [scaled(terms.indicator(rest), times), Sum(factor if outside else 0, {})]
                        del weights[held], weights[other]
                        break
            if held not in weights:
                break
    parts += (scaled(_indicator(terms, held), factor) for held, factor in weights.items())
    return _at_most_one(terms, total_of(parts), impossible)


def _at_most_one(terms: Terms, total: Sum, impossible: Impossible) -> Sum:
    """The same sum: without parts that cannot hold, and those as one of which no two hold."""
    groups: dict[int, list[Term]] = {}
    wide = {atom: factor for atom, factor in total.atoms.items() if atom[1] or not atom[0]}
    parts = [Sum(total.const, wide)]
    for (held, symbol), factor in total.atoms.items():
        if held is None or symbol is not None:
            continue
        if held.kind == "or" and type(terms.negate(held)) is not int:  # the other way round
            held, factor = terms.negate(held), -factor
            parts.append(Sum(-factor, {}))
        if not impossible([held]):
            groups.setdefault(factor, []).append(held)
    for factor, group in groups.items():
        every = total_of(_indicator(terms, each) for each in group)
        if impossible([terms.negate(terms.at_most_zero(added(every, Sum(-1, {}))))]):
            every = terms.indicator(terms.some(group))
        parts.append(scaled(every, factor))
    return total_of(parts)
