"""Values, known and unknown.

A value is a number as long as it is known. Else a truth value is a Term, an integer Cases or a Sum, a set a
tuple with one truth value for each element.
"""

from collections.abc import Callable
from math import prod
from typing import Any

from kemu_checker.forms import Form, either, formed, picked
from kemu_checker.limits import TooLarge
from kemu_checker.sums import Sum, added, bounded, scaled, total_of
from kemu_checker.symbols import SMALL, Symbol, Term, Truth
from kemu_checker.terms import Terms

FEW = 24  # values of an unknown number that are looked at one by one, if they have no names
_CASES = 64  # numbers that are taken together case by case
_LISTED = 2000  # numbers that an integer is looked at for one by one: those of a long table, too
_LOOSELY = 40  # the same of what is worked out loosely
_LONG = 24  # atoms of a sum that gets a name where it holds on some ways only
_JOINT = 600  # so many values of a few integers together are looked at one by one


class Cases:
    """One of a few numbers, each with its condition, ascending; exactly one condition holds. `form`: the
    same as another integer and a little more, if it is known to be that."""

    __slots__ = ("form", "table")

    def __init__(self, table: tuple[tuple[int, Truth], ...]) -> None:
        self.table = table
        self.form: Form | None = None


Value = Any
Bits = tuple[Truth, ...]


def low(value: Value) -> int:
    """The least that it can be."""
    if type(value) is int:
        return value
    if type(value) is Cases:
        return value.table[0][0]
    return value.low if type(value) is Sum else 0


def high(value: Value) -> int:
    """The greatest that it can be."""
    if type(value) is int:
        return value
    if type(value) is Cases:
        return value.table[-1][0]
    return value.high if type(value) is Sum else 1


class Known:
    """Values as far as they are known, and what becomes of them where ways meet."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.local_sizes: list[int | None] = []  # of locals and variables that are sets
        self.var_sizes: list[int | None] = []
        self.loose = False  # whether what would take long may be any value
        self.few = SMALL  # values of an unknown integer that are looked at one by one

    def unknown(self, kind: str, args: tuple[Any, ...], name: str, named: bool = False) -> Value:
        """Any value of a type; `named`: its values have names, so that nobody adds them up."""
        if kind == "Bool":
            return self.terms.truth(name)
        if kind == "Set":
            return tuple(self.terms.truth(f"{name}/{i}") for i in range(args[0]))
        lowest, highest = args
        if lowest == highest:
            return lowest
        return self.integer(Symbol(name, lowest, highest), SMALL if named else self.few)

    def integer(self, symbol: Symbol, few: int = SMALL) -> Value:
        """The value of a symbol, one by one if they are so few."""
        if symbol.high - symbol.low >= few:
            return Sum(0, {(None, symbol): 1})
        values = range(symbol.low, symbol.high + 1)
        return Cases(tuple((n, self.terms.member(symbol, 1 << (n - symbol.low))) for n in values))

    def cases(self, table: dict[int, Truth]) -> Value:
        """The integer with these conditions."""
        kept = (
            sorted((n, cond) for n, cond in table.items() if type(cond) is not int or cond) if table else []
        )
        for n, cond in kept:
            if type(cond) is int:
                return n
        if not kept:
            return min(table, default=0)  # nowhere: any value will do
        return kept[0][0] if len(kept) == 1 else Cases(tuple(kept))

    def sum(self, value: Value) -> Sum:
        """The integer as a sum."""
        if type(value) is Sum:
            return value
        if type(value) is int:
            return Sum(value, {})
        if type(value) is Term:
            return self.terms.indicator(value)
        if value.form is not None and len(value.form.picks) == 1:
            return added(self.sum(value.form.picks[0][1]), value.form.more)
        first = value.table[0][0]
        parts = [scaled(self.terms.indicator(cond), n - first) for n, cond in value.table[1:]]
        return total_of([Sum(first, {}), *parts])

    def listed(self, value: Value) -> list[tuple[int, Truth]]:
        """All that the integer can be, each with its condition."""
        if type(value) is int:
            return [(value, 1)]
        if type(value) is Cases:
            return list(value.table)
        if type(value) is Term:
            return [(0, self.terms.negate(value)), (1, value)]
        if value.cases is not None:
            return self._joint(*value.cases)
        if value.high - value.low > _LISTED:
            raise TooLarge(f"a number with {value.high - value.low + 1} values is looked at one by one")
        found = ((n, self.terms.is_zero(added(value, Sum(-n, {})))) for n in range(value.low, value.high + 1))
        return [(n, cond) for n, cond in found if type(cond) is not int or cond]

    def many(self, value: Value, size: int | None = None) -> bool:
        """Whether an integer has more values than are looked at one by one; `size`: of those below it."""
        most = _LOOSELY if self.loose else _LISTED
        if type(value) is not Sum or value.cases is not None or value.high - value.low <= most:
            return False
        return size is None or min(value.high, size - 1) - max(value.low, 0) > most

    def _joint(self, const: int, parts: "tuple[tuple[Cases, int], ...]") -> list[tuple[int, Truth]]:
        """All that the sum of a few integers can be."""
        table: dict[int, Truth] = {const: 1}
        for value, factor in parts:
            more: dict[int, list[Truth]] = {}
            for n, cond in table.items():
                for m, held in value.table:
                    more.setdefault(n + m * factor, []).append(self.terms.both(cond, held))
            table = {n: self.terms.some(conds) for n, conds in more.items()}
        return sorted((n, cond) for n, cond in table.items() if type(cond) is not int or cond)

    def _with_cases(self, total: Value, one: Value, other: Value, factor: int) -> Value:
        """The total, which is one and a multiple of the other, with the integers that it is made of: if they
        are few, they say where it lies."""
        first, second = _cases(one), _cases(other)
        if type(total) is not Sum or first is None or second is None:
            return total
        parts = dict(first[1])
        for value, times in second[1]:
            parts[value] = parts.get(value, 0) + times * factor
        return of_cases(total, first[0] + second[0] * factor, parts)

    def within(self, value: Value, least: int, most: int) -> Value:
        """The integer where it is known to lie there: nothing else is looked at one by one."""
        if type(value) is not Sum or (least <= value.low and value.high <= most):
            return value
        if most - least > _LISTED:
            raise TooLarge(f"a number with {most - least + 1} values is looked at one by one")
        numbers = range(max(least, value.low), min(most, value.high) + 1)
        return self.cases({n: self.terms.is_zero(added(value, Sum(-n, {}))) for n in numbers})

    def _tidy(self, total: Sum) -> Value:
        return total if total.atoms else total.const

    def _few(self, value: Value) -> bool:
        return type(value) is int or type(value) is Cases or type(value) is Term

    def map(self, function: Callable[[int], int], value: Value) -> Value:
        """The function, case by case."""
        return self.pick(value, function)

    def pick(self, value: Value, function: Callable[[int], Value], size: int | None = None) -> Value:
        """What the function gives for the integer, which is looked at one by one; `size` is that of sets."""
        found = [(cond, function(n)) for n, cond in self.listed(value)]
        if size is None and all(type(each) is int for _, each in found):
            table: dict[int, list[Truth]] = {}
            for cond, each in found:
                table.setdefault(each, []).append(cond)
            if len(table) <= _LISTED:
                return self.cases({n: self.terms.some(conds) for n, conds in table.items()})
        return self.merge(found, size)

    def merge(self, found: list[tuple[Truth, Value]], size: int | None = None) -> Value:
        """The value whose condition holds; exactly one does."""
        if len(found) == 1:
            return found[0][1]
        return formed(self._merged(found, size), lambda: picked(found))

    def _merged(self, found: list[tuple[Truth, Value]], size: int | None) -> Value:
        terms, kinds = self.terms, {type(each) for _, each in found}
        if size is not None:
            rows = [(cond, bits(each, size)) for cond, each in found]
            return packed(terms.some(terms.both(cond, row[i]) for cond, row in rows) for i in range(size))
        if Term in kinds:
            return terms.some(terms.both(cond, self.truth(each)) for cond, each in found)
        if Sum not in kinds:
            table: dict[int, list[Truth]] = {}
            for cond, each in found:
                for n, held in self.listed(each):
                    table.setdefault(n, []).append(terms.both(cond, held))
            if len(table) <= _CASES:
                return self.cases({n: terms.some(conds) for n, conds in table.items()})
        base = self.sum(found[-1][1])
        parts = [self._gated(cond, added(self.sum(each), base, -1)) for cond, each in found[:-1]]
        return self._tidy(total_of([base, *parts]))

    def choose(self, test: Truth, then: Value, other: Value, size: int | None = None) -> Value:
        """`then` if the test holds, else `other`; `size` is that of sets."""
        if type(test) is int:
            return then if test else other
        if then is other or (type(then) is int and type(other) is int and then == other):
            return then
        if size is not None:
            pairs = zip(bits(then, size), bits(other, size), strict=True)
            return packed(self.terms.choose(test, a, b) for a, b in pairs)
        if type(then) is Term or type(other) is Term:
            return self.terms.choose(test, self.truth(then), self.truth(other))
        if self._few(then) and self._few(other):
            first, second = dict(self.listed(then)), dict(self.listed(other))
            table = {n: self.terms.choose(test, first.get(n, 0), second.get(n, 0)) for n in first | second}
            if len(table) <= _CASES:
                return formed(self.cases(table), lambda: either(self.terms, test, then, other))
        one, base = self.sum(then), self.sum(other)
        found = added(base, self._gated(test, added(one, base, -1)))
        return self._tidy(bounded(found, min(one.floor, base.floor), max(one.ceiling, base.ceiling)))

    def _gated(self, test: Truth, total: Sum) -> Sum:
        """The sum where the test holds, else 0; a long one as a new symbol that is said to be just that: else
        sums that ways after ways add to would become longer and longer."""
        gated = self.terms.gated(test, total)
        if type(test) is int or len(gated.atoms) < _LONG:
            return gated
        symbol = Symbol("a long sum", min(total.floor, 0), max(total.ceiling, 0))
        new = Sum(0, {(None, symbol): 1})
        held = self.terms.choose(test, self.terms.is_zero(added(total, new, -1)), self.terms.is_zero(new))
        if type(held) is not int:
            self.terms.assumed.append(held)
        return new

    def truth(self, value: Value) -> Truth:
        """A truth value, given as an integer 0 or 1."""
        if type(value) is Term or value in (0, 1):
            return value
        return self.equal(value, 1)

    def equal(self, one: Value, other: Value) -> Truth:
        """one == other, of one type."""
        if type(one) is tuple or type(other) is tuple:
            size = len(one if type(one) is tuple else other)
            pairs = zip(bits(one, size), bits(other, size), strict=True)
            return self.terms.every(self.same(a, b) for a, b in pairs)
        if type(one) is int and type(other) is int:
            return int(one == other)
        if type(one) in (int, Term) and type(other) in (int, Term):
            return self.same(one, other)
        if type(one) is Cases and type(other) is int:
            one, other = other, one
        if type(other) is Cases and type(one) is int:
            return next((cond for n, cond in other.table if n == one), 0)
        if type(one) is Cases and type(other) is Cases:
            known = dict(other.table)
            return self.terms.some(self.terms.both(cond, known[n]) for n, cond in one.table if n in known)
        return self.terms.is_zero(added(self.sum(one), self.sum(other), -1))

    def same(self, one: Truth, other: Truth) -> Truth:
        """Both or neither of two truth values."""
        return self.terms.choose(one, other, self.terms.negate(other))


def _cases(value: Value) -> tuple[int, tuple[tuple[Cases, int], ...]] | None:
    """A number and the integers, each so many times, that the value is the sum of; None if there are many."""
    if type(value) is int:
        return value, ()
    if type(value) is Cases:
        return 0, ((value, 1),)
    return value.cases if type(value) is Sum else None


def of_cases(total: Sum, const: int, parts: dict[Cases, int]) -> Sum:
    """The sum, of which it is noted what it is made of, if that is not too much."""
    kept = tuple((value, factor) for value, factor in parts.items() if factor)
    if prod(len(value.table) for value, _ in kept) > _JOINT:
        return total
    total.cases = const, kept
    reached = [[n * factor for n, _ in value.table] for value, factor in kept]
    total.low, total.high = const + sum(map(min, reached)), const + sum(map(max, reached))
    return total


def bits(members: Value, size: int) -> Bits:
    """The set as truth values."""
    return tuple(members >> i & 1 for i in range(size)) if type(members) is int else members


def packed(members: Any) -> Value:
    """The set with these truth values: a mask if all are known."""
    found = tuple(members)
    if all(type(each) is int for each in found):
        return sum(each << i for i, each in enumerate(found))
    return found
