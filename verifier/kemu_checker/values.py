"""What operators do to values, known and unknown (cases.py)."""

from collections.abc import Callable, Iterator
from functools import cached_property, reduce

from kemu_checker.cases import Known, Value, bits, high, low, packed
from kemu_checker.forms import formed, moved
from kemu_checker.sums import Sum, added, scaled, total_of
from kemu_checker.symbols import Symbol, Truth

_PAIRS = 160  # of values of two integers that are compared one by one


class Values(Known):
    """The operators; equal to the kernel's where all is known."""

    @cached_property
    def unary(self) -> dict[str, tuple[Callable[[int], int], Callable[[Value], Value]]]:
        """By their names, what they do to a number and to what is not known."""
        return {
            "not": (lambda a: 1 - a, lambda a: self.terms.negate(self.truth(a))),
            "neg": (lambda a: -a, self.neg),
            "abs": (abs, self.abs),
            "card": (int.bit_count, self.card),
        }

    @cached_property
    def binary(self) -> dict[str, tuple[Callable[[int, int], int], Callable[[Value, Value], Value]]]:
        """The same of those of two values."""
        return {
            "add": (int.__add__, self.add),
            "sub": (int.__sub__, self.sub),
            "mul": (int.__mul__, self.mul),
            "div": (int.__floordiv__, self.div),
            "mod": (int.__mod__, self.mod),
            "min": (min, self.min),
            "max": (max, self.max),
            "eq": (lambda a, b: int(a == b), self.equal),
            "ne": (lambda a, b: int(a != b), lambda a, b: self.terms.negate(self.equal(a, b))),
            "lt": (lambda a, b: int(a < b), self.less),
            "le": (lambda a, b: int(a <= b), self.at_most),
            "in": (lambda a, b: b >> a & 1 if a >= 0 else 0, self.member),
            "union": (int.__or__, self.union),
            "inter": (int.__and__, self.inter),
            "diff": (lambda a, b: a & ~b, self.diff),
            "subset": (lambda a, b: int(a & ~b == 0), self.subset),
        }

    def add(self, one: Value, other: Value) -> Value:
        """one + other."""
        if self._narrow(one, other):
            return formed(self._pairs(one, other, int.__add__), lambda: moved(one, other, 1))
        return self._with_cases(self._tidy(added(self.sum(one), self.sum(other))), one, other, 1)

    def sub(self, one: Value, other: Value) -> Value:
        """one - other."""
        if self._narrow(one, other):
            return formed(self._pairs(one, other, int.__sub__), lambda: moved(one, other, -1))
        return self._with_cases(self._tidy(added(self.sum(one), self.sum(other), -1)), one, other, -1)

    def neg(self, one: Value) -> Value:
        """-one."""
        return self.map(int.__neg__, one) if self._few(one) else self._with_cases(scaled(one, -1), 0, one, -1)

    def abs(self, one: Value) -> Value:
        """The amount of it."""
        if self._few(one):
            return self.map(abs, one)
        return self.choose(self.at_most(0, one), one, self.neg(one))

    def min(self, one: Value, other: Value) -> Value:
        """The lesser."""
        return self.choose(self.at_most(one, other), one, other)

    def max(self, one: Value, other: Value) -> Value:
        """The greater."""
        return self.choose(self.at_most(one, other), other, one)

    def mul(self, one: Value, other: Value) -> Value:
        """one * other."""
        if type(one) is int:
            one, other = other, one
        if type(other) is int:
            if self._few(one):
                return self.map(lambda n: n * other, one)
            return self._with_cases(self._tidy(scaled(one, other)), 0, one, other)
        if not self._few(other):
            one, other = other, one
        return self.merge([(cond, self.mul(one, n)) for n, cond in self.listed(other)])

    def div(self, one: Value, other: Value) -> Value:
        """one // other, rounded down; what it is if other is 0 does not matter."""
        return self._divide(one, other)[0]

    def mod(self, one: Value, other: Value) -> Value:
        """What is left of one."""
        return self._divide(one, other)[1]

    def _divide(self, one: Value, other: Value) -> tuple[Value, Value]:
        if self._few(one) and self._few(other):
            pairs = [
                (a, b, self.terms.both(c, d)) for a, c in self.listed(one) for b, d in self.listed(other) if b
            ]
            if not pairs:
                return 0, 0
            quotients, rests = ([(c, f(a, b)) for a, b, c in pairs] for f in (int.__floordiv__, int.__mod__))
            return self.merge(quotients), self.merge(rests)
        results = [(cond, self._divide_by(one, n)) for n, cond in self.listed(other) if n]
        quotient, rest = (
            self.merge([(c, r[0]) for c, r in results]),
            self.merge([(c, r[1]) for c, r in results]),
        )
        return quotient, rest

    def _divide_by(self, one: Value, divisor: int) -> tuple[Value, Value]:
        """one = divisor * quotient + rest holds of two new symbols."""
        whole = added(self.sum(one), Sum(0, {}))  # bounds of what it is made of: they hold in every state
        ends = sorted((whole.low // divisor, whole.high // divisor))
        quotient = self.unknown("Int", tuple(ends), "quotient")
        rest = self.unknown("Int", (0, divisor - 1) if divisor > 0 else (divisor + 1, 0), "rest")
        made = self.sum(self.add(self.mul(quotient, divisor), rest))
        held = self.terms.is_zero(added(whole, made, -1))
        if type(held) is not int:
            self.terms.assumed.append(held)
        return quotient, rest

    def _narrow(self, one: Value, other: Value) -> bool:
        """Whether a sum is better known case by case."""
        if not (self._few(one) and self._few(other)):
            return False
        if type(one) is int or type(other) is int:
            return True
        return self._of_one(one) is self._of_one(other) is not None

    def _of_one(self, value: Value) -> Symbol | None:
        """The symbol that all conditions speak of, if it is one."""
        symbols = {cond.args[0] if cond.kind == "in" else None for _, cond in self.listed(value)}
        return symbols.pop() if len(symbols) == 1 else None

    def _pairs(self, one: Value, other: Value, function: Callable[[int, int], int]) -> Value:
        table: dict[int, list[Truth]] = {}
        for a, first in self.listed(one):
            for b, second in self.listed(other):
                held = self.terms.both(first, second)
                if type(held) is not int or held:
                    table.setdefault(function(a, b), []).append(held)
        return self.cases({n: self.terms.some(conds) for n, conds in table.items()})

    def at_most(self, one: Value, other: Value) -> Truth:
        """one <= other."""
        if high(one) <= low(other):
            return 1
        if low(one) > high(other):
            return 0
        if self._few(one) and self._few(other):
            first, second = self.listed(one), self.listed(other)
            if len(first) * len(second) <= _PAIRS:
                return self.terms.some(
                    self.terms.both(cond, self.terms.some(d for m, d in second if n <= m))
                    for n, cond in first
                )
        return self.terms.at_most_zero(added(self.sum(one), self.sum(other), -1))

    def less(self, one: Value, other: Value) -> Truth:
        """one < other."""
        return self.terms.negate(self.at_most(other, one))

    def member(self, index: Value, members: Value) -> Truth:
        """Whether the index is in the set; false outside of it."""
        if type(index) is int:
            if type(members) is int:
                return members >> index & 1 if index >= 0 else 0
            return members[index] if 0 <= index < len(members) else 0
        if self.loose and self.many(index):
            self.terms.guessed = True
            return self.terms.truth("a member")
        if type(members) is int and self.many(index):
            return self.terms.some(
                self.terms.both(self.at_most(first, index), self.at_most(index, last))
                for first, last in runs(members)
            )
        return self.terms.some(
            self.terms.both(cond, self.member(n, members)) for n, cond in self.listed(index)
        )

    def single(self, index: Value, size: int) -> Value:
        """The set of this one element."""
        if type(index) is int:
            return 1 << index if index >= 0 else 0
        known = dict(self.listed(index))
        return packed(known.get(i, 0) for i in range(size))

    def card(self, members: Value) -> Value:
        """How many are in the set."""
        if type(members) is int:
            return members.bit_count()
        return self._tidy(total_of(self.terms.indicator(each) for each in members))

    def union(self, one: Value, other: Value) -> Value:
        """In one or the other."""
        return self._bitwise(one, other, int.__or__, self.terms.either)

    def inter(self, one: Value, other: Value) -> Value:
        """In both."""
        return self._bitwise(one, other, int.__and__, self.terms.both)

    def diff(self, one: Value, other: Value) -> Value:
        """In one and not in the other."""
        return self._bitwise(
            one, other, lambda a, b: a & ~b, lambda a, b: self.terms.both(a, self.terms.negate(b))
        )

    def subset(self, one: Value, other: Value) -> Truth:
        """All of one are in the other."""
        rest = self.diff(one, other)
        if type(rest) is int:
            return int(rest == 0)
        return self.terms.negate(self.terms.some(rest))

    def _bitwise(
        self,
        one: Value,
        other: Value,
        known: Callable[[int, int], int],
        each: Callable[[Truth, Truth], Truth],
    ) -> Value:
        if type(one) is int and type(other) is int:
            return known(one, other)
        size = len(one if type(one) is tuple else other)
        return packed(map(each, bits(one, size), bits(other, size)))

    def all_of(self, values: list[Truth]) -> Truth:
        """All hold."""
        return reduce(self.terms.both, values, 1)


def runs(mask: int) -> Iterator[tuple[int, int]]:
    """The first and the last number of each row of neighbours in a set that is known."""
    first = 0
    while mask:
        gap = (mask & -mask).bit_length() - 1
        mask >>= gap
        length = (~mask & mask + 1).bit_length() - 1
        yield first + gap, first + gap + length - 1
        mask >>= length
        first += gap + length
