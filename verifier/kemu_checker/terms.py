"""Where truth values that are not known are made: simplified at once, equal ones made once."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from kemu_checker.limits import OutOfTime, TooLarge
from kemu_checker.sums import Atom, Sum, added, bounded, divided, scaled, total_of
from kemu_checker.symbols import Symbol, Term, Truth

_WIDE = 40  # a part with more parts is not looked into
_DUAL = 4  # among so many parts two are looked for that differ in what excludes the other


class Terms:
    """Where terms are made."""

    _busy: ClassVar["Terms | None"] = None  # those that time goes into

    def __init__(
        self, limit: int = 3_000_000, seconds: float = float("inf"), until: float = float("inf")
    ) -> None:
        self._left = seconds
        self._since = time.process_time()
        self._end = until
        self._made: dict[Any, Term] = {}
        self._sums: dict[Any, Sum] = {}
        self._forms: dict[Any, int] = {}
        self.joined: dict[tuple[Sum, Sum, int], Sum] = {}  # long sums added to others, as short as can be
        self._limit = limit
        self._count = self._ticks = 0
        self.assumed: list[
            Term
        ] = []  # what holds of symbols that stand for something; it never excludes a state
        self.guessed = False  # whether some symbol stands for more values than the thing itself can have

    @contextmanager
    def within(self, terms: int) -> Iterator[None]:
        """Raises TooLarge where more than so many new terms are made."""
        limit, self._limit = self._limit, min(self._limit, self._count + terms)
        try:
            yield
        finally:
            self._limit = limit

    def wait(self, seconds: float) -> None:
        """This much time was not spent on terms."""
        self._since += seconds

    def tick(self) -> None:
        """Something is done that may be done very often, and makes no terms where all is known."""
        self._ticks += 1
        if self._ticks % 1024 == 0:
            self.on_time()

    def on_time(self) -> None:
        """Raises OutOfTime where all time is over, TooLarge where that for these terms is."""
        if time.monotonic() > self._end:
            raise OutOfTime
        self._spent()

    def _spent(self) -> None:
        """Counts the time since the last look at it, unless other terms were made in between."""
        now = time.process_time()
        if Terms._busy is self:
            self._left -= now - self._since
        Terms._busy, self._since = self, now
        if self._left < 0:
            raise TooLarge(f"{self._count} terms, and no end of the steps of one stop")

    def _term(self, kind: str, args: tuple[Any, ...], key: Any) -> Term:
        key = (kind, key)
        term = self._made.get(key)
        if term is None:
            self._count += 1
            if self._count > self._limit:
                raise TooLarge(f"more than {self._limit} terms")
            if self._count % 1024 == 0:
                self.on_time()
            term = self._made[key] = Term(kind, args, self._count)
        return term

    def truth(self, name: str) -> Term:
        """A new unknown truth value."""
        found: Term = self.member(Symbol(name, 0, 1), 2)
        return found

    def member(self, symbol: Symbol, mask: int) -> Truth:
        """Whether a small symbol is one of these values."""
        if mask == 0:
            return 0
        if mask == symbol.full:
            return 1
        term = symbol.literals.get(mask)
        if term is None:
            self._count += 1
            term = symbol.literals[mask] = Term("in", (symbol, mask), self._count)
        return term

    def negate(self, term: Truth) -> Truth:
        """What holds where this does not."""
        if type(term) is int:
            return 1 - term
        found = term.negation
        if found is None:
            match term.kind:
                case "in":
                    symbol, mask = term.args
                    found = self.member(symbol, symbol.full ^ mask)
                case "and":
                    found = self._junction("or", [self.negate(each) for each in term.args])
                case "or":
                    found = self._junction("and", [self.negate(each) for each in term.args])
                case "le":
                    (total,) = term.args
                    found = self.at_most_zero(added(Sum(1, {}), total, -1))
                case _:
                    other = "ne" if term.kind == "eq" else "eq"
                    found = self._term(other, term.args, id(term.args[0]))
            if type(found) is not int:  # it may be seen only here that a term holds always, or never
                term.negation, found.negation = found, term
        return found

    def both(self, one: Truth, other: Truth) -> Truth:
        """One and the other."""
        if type(one) is int:
            return other if one else 0
        if type(other) is int:
            return one if other else 0
        return one if one is other else self._junction("and", (one, other))

    def either(self, one: Truth, other: Truth) -> Truth:
        """One or the other."""
        if type(one) is int:
            return 1 if one else other
        if type(other) is int:
            return 1 if other else one
        return one if one is other else self._junction("or", (one, other))

    def every(self, terms: Iterable[Truth]) -> Truth:
        """All of them."""
        return self._junction("and", terms)

    def some(self, terms: Iterable[Truth]) -> Truth:
        """At least one of them."""
        return self._junction("or", terms)

    def choose(self, test: Truth, then: Truth, other: Truth) -> Truth:
        """`then` if the test holds, else `other`."""
        if type(test) is int:
            return then if test else other
        if then is other or (type(then) is int and type(other) is int and then == other):
            return then
        return self.either(self.both(test, then), self.both(self.negate(test), other))

    def apart(self, one: Truth, other: Truth) -> tuple[Truth, Truth, Truth]:
        """What two terms that exclude each other have in common, and the rest of each."""
        first, second = self._conjuncts(one), self._conjuncts(other)
        shared = {term for term in first if term in second}
        rests = (self.every(term for term in each if term not in shared) for each in (first, second))
        return (self.every(shared), *rests)

    def _conjuncts(self, term: Truth) -> dict[Term, None]:
        if type(term) is int:
            return {}
        return dict.fromkeys(term.args if term.kind == "and" else (term,))

    def _junction(self, kind: str, terms: Iterable[Truth]) -> Truth:
        """A conjunction, or a disjunction, flat, with one literal for each symbol."""
        end = 0 if kind == "and" else 1
        masks: dict[Symbol, int] = {}
        others: dict[Term, None] = {}
        for term in terms:
            if type(term) is int:
                if term == end:
                    return end
                continue
            for each in term.args if term.kind == kind and len(term.args) <= _WIDE else (term,):
                if each.kind == "in":
                    symbol, mask = each.args
                    known = masks.get(symbol)
                    if known is not None:
                        mask = mask & known if end == 0 else mask | known
                        if mask == (0 if end == 0 else symbol.full):
                            return end
                    masks[symbol] = mask
                elif each.negation is not None and each.negation in others:
                    return end
                else:
                    others[each] = None
        parts = [self.member(symbol, mask) for symbol, mask in masks.items()]
        if others:
            self._compared(kind, others)
            resolved = _resolved(kind, others)
            if resolved is not None:
                return self._junction(kind, [*parts, *resolved[0], self._junction(*resolved[1])])
            kept = [self._left_of(each, kind, masks, others) for each in others]
            if any(new is not each for new, each in zip(kept, others, strict=True) if new is not None):
                return self._junction(kind, [*parts, *(each for each in kept if each is not None)])
            parts += (each for each in kept if each is not None)
        if not parts:
            return 1 - end
        if len(parts) == 1:
            return parts[0]
        parts.sort(key=_number)
        return self._term(kind, tuple(parts), tuple(map(_number, parts)))

    def _compared(self, kind: str, others: dict[Term, None]) -> None:
        """Of comparisons of one sum with different numbers leaves the one that decides."""
        compared = [term for term in others if term.kind == "le"]
        if len(compared) < 2:
            return
        deciding: dict[int, Term] = {}
        for term in compared:
            other = deciding.setdefault(self._form(term.args[0]), term)
            if other is not term:
                more = term.args[0].const > other.args[0].const
                loses, wins = (other, term) if more == (kind == "and") else (term, other)
                del others[loses]
                deciding[self._form(term.args[0])] = wins

    def _form(self, total: Sum) -> int:
        """The same number for sums that differ by a number only."""
        if total.form is None:
            key = frozenset((a[0] and a[0].number, a[1] and id(a[1]), k) for a, k in total.atoms.items())
            total.form = self._forms.setdefault(key, len(self._forms))
        return total.form

    def _left_of(
        self, term: Term, kind: str, masks: dict[Symbol, int], others: dict[Term, None]
    ) -> Truth | None:
        """What is left of a part beside the rest, nothing if it follows: a and (a or b) is a, and a and
        (not a or b) is a and b."""
        if term.kind not in ("and", "or") or term.kind == kind or len(term.args) > _WIDE:
            return term
        left = []
        for each in term.args:
            if each.kind == "in":
                symbol, mask = each.args
                known = masks.get(symbol)
                if known is not None:
                    if (known & ~mask if kind == "and" else mask & ~known) == 0:
                        return None
                    if not known & mask if kind == "and" else known | mask == symbol.full:
                        continue
            elif each in others:
                return None
            elif each.negation is not None and each.negation in others:
                continue
            left.append(each)
        return term if len(left) == len(term.args) else self._junction(term.kind, left)

    # Sums

    def _interned(self, total: Sum) -> Sum:
        key = (
            total.const,
            frozenset((a[0] and a[0].number, a[1] and id(a[1]), k) for a, k in total.atoms.items()),
        )
        return self._sums.setdefault(key, total)

    def at_most_zero(self, total: Sum) -> Truth:
        """total <= 0."""
        if total.high <= 0:
            return 1
        if total.low > 0:
            return 0
        low, parts = self.weighed(total)
        if parts:
            room, least, whole = -low, min(weight for _, weight in parts), sum(weight for _, weight in parts)
            if room < 0 or room >= whole:
                return int(room >= 0)
            if room < least:
                return self.every(self.negate(term) for term, _ in parts)
            if whole - room <= least:
                return self.some(self.negate(term) for term, _ in parts)
        total = self._interned(divided(total))
        return self._term("le", (total,), id(total))

    def is_zero(self, total: Sum) -> Truth:
        """total = 0."""
        if total.low > 0 or total.high < 0:
            return 0
        if not total.atoms:
            return int(total.const == 0)
        low, parts = self.weighed(total)
        if parts:
            high = low + sum(weight for _, weight in parts)
            if low > 0 or high < 0:
                return 0
            if low == 0:
                return self.every(self.negate(term) for term, _ in parts)
            if high == 0:
                return self.every(term for term, _ in parts)
            if len(parts) <= 2:
                return self._few(parts, -low)
        if total.atoms[min(total.atoms, key=_order)] < 0:
            total = scaled(total, -1)
        total = self._interned(total)
        return self._term("eq", (total,), id(total))

    def _few(self, parts: list[tuple[Truth, int]], goal: int) -> Truth:
        """Whether the weights of those that hold are this much together."""
        if not parts:
            return int(goal == 0)
        (term, weight), rest = parts[0], parts[1:]
        return self.choose(term, self._few(rest, goal - weight), self._few(rest, goal))

    def weighed(self, total: Sum) -> tuple[int, list[tuple[Truth, int]]]:
        """A number and positive weights of truth values, which are the sum together; values of a symbol that
        count the same are one truth value. No weights if a wide symbol is among the atoms."""
        masks: dict[tuple[Symbol, int], int] = {}
        found: list[tuple[Truth, int]] = []
        for (term, symbol), factor in total.atoms.items():
            if symbol is not None or term is None:
                return total.low, []
            if term.kind == "in" and term.args[1].bit_count() == 1:
                key = term.args[0], factor
                masks[key] = masks.get(key, 0) | term.args[1]
            else:
                found.append((term, factor))
        found += [(self.member(symbol, mask), factor) for (symbol, factor), mask in masks.items()]
        low = total.const + sum(min(factor, 0) for _, factor in found)
        return low, [(term, factor) if factor > 0 else (self.negate(term), -factor) for term, factor in found]

    def indicator(self, term: Truth) -> Sum:
        """1 where it holds, else 0. A small symbol's least value is written by the others."""
        if type(term) is int:
            return Sum(term, {})
        if term.kind == "in":
            symbol, mask = term.args
            const, factor = (1, -1) if mask & 1 else (0, 1)
            if mask & 1:
                mask ^= symbol.full
            atoms: dict[Atom, int] = {}
            while mask:
                bit = mask & -mask
                atoms[self.member(symbol, bit), None] = factor
                mask ^= bit
            return Sum(const, atoms)
        if term.negation is not None and term.negation.number < term.number:
            return Sum(1, {(term.negation, None): -1})
        return Sum(0, {(term, None): 1})

    def gated(self, term: Truth, total: Sum) -> Sum:
        """The sum where the term holds, else 0."""
        if type(term) is int:
            return total if term else Sum(0, {})
        if not total.atoms:
            return scaled(self.indicator(term), total.const)
        parts = [scaled(self.indicator(term), total.const)]
        for (held, symbol), factor in total.atoms.items():
            cond = term if held is None else self.both(term, held)
            if symbol is None:
                parts.append(scaled(self.indicator(cond), factor))
            elif type(cond) is not int or cond:
                parts.append(Sum(0, {(None if type(cond) is int else cond, symbol): factor}))
        return bounded(total_of(parts), min(total.floor, 0), max(total.ceiling, 0))


def _resolved(kind: str, others: dict[Term, None]) -> tuple[list[Term], tuple[str, list[Term]]] | None:
    """Of two parts of the other kind what both have, if their rests are each the negation of the other: (a
    and b) or (a and not b) is a. The parts that are left, and the kind and the parts of the new one."""
    dual = [term for term in others if term.kind in ("and", "or") and len(term.args) <= _WIDE]
    if not 2 <= len(dual) <= _DUAL:
        return None
    for one in dual:
        for other in dual:
            alone = set(other.args).difference(one.args) if one is not other else ()
            if len(alone) != 1:
                continue
            (each,) = alone
            rest = set(one.args).difference(other.args)
            opposite = each.negation
            if opposite is None:
                continue
            parts = set(opposite.args) if opposite.kind == one.kind else {opposite}
            if parts == rest:
                left = [term for term in others if term is not one and term is not other]
                return left, (one.kind, [term for term in one.args if term not in rest])
    return None


def _number(term: Term) -> int:
    return term.number


def _order(atom: Atom) -> tuple[int, str]:
    term, symbol = atom
    return (term.number if term else 0, symbol.name if symbol else "")
