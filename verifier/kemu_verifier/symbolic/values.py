"""Symbolic values: truth is a literal, a set a tuple of literals, an integer guarded cases or a linear sum.

`Cases` pairs each possible value with the literal under which it holds; under the assumptions in force
exactly one of them does.
This one-hot form is what makes lookups and comparisons fold; wide integers and long sums are `Lin`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kemu_verifier.symbolic.mapping import arithmetic
from kemu_verifier.symbolic.terms import DIV, FALSE, MOD, MUL, TRUE, Lin, Lit, Terms

WIDE = 400  # the most values that an integer in one-hot form may have
INDEX = 8192  # the same, where it says which of many things is meant
PRODUCT = 8192  # the most pairs of cases that an operation may combine
SHORT = 8  # sums of at most so many literals are put into one-hot form


@dataclass(frozen=True, slots=True)
class Cases:
    """(value, literal) by ascending value; the literals exclude each other and one of them holds."""

    pairs: tuple[tuple[int, Lit], ...]


Number = Cases | Lin
Value = Lit | Number | tuple[Lit, ...]


class TooLarge(Exception):
    """The symbolic reading of something would not fit; the message says of what."""


def constant(value: int) -> Cases:
    return Cases(((value, TRUE),))


def fixed(value: Number) -> int | None:
    """The value, if there is but one."""
    if isinstance(value, Cases):
        return value.pairs[0][0] if len(value.pairs) == 1 else None
    return value.const if not value.terms else None


class Numbers:
    """Operations on values over one store of terms."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.wide = WIDE

    def collect(self, pairs: Iterable[tuple[int, Lit]]) -> Cases:
        """Cases from pairs in any order; guards of equal values are joined."""
        guards: dict[int, list[Lit]] = {}
        for value, lit in pairs:
            if lit != FALSE:
                guards.setdefault(value, []).append(lit)
        made = [(value, self.terms.disj(lits)) for value, lits in sorted(guards.items())]
        sure = [pair for pair in made if pair[1] == TRUE]
        return Cases(tuple(sure[:1] or made or [(0, TRUE)]))

    def lin(self, value: Number) -> Lin:
        if isinstance(value, Lin):
            return value
        low = value.pairs[0][0]
        return self.terms.sum(low, [(v - low, lit) for v, lit in value.pairs[1:]])

    def span(self, value: Number) -> tuple[int, int]:
        if isinstance(value, Cases):
            return value.pairs[0][0], value.pairs[-1][0]
        return self.terms.range(value)

    def cases(self, value: Number) -> Cases:
        """One-hot form, whatever it costs."""
        if isinstance(value, Cases):
            return value
        low, high = self.span(value)
        if high - low >= self.wide:
            raise TooLarge(f"an integer over {low}..{high} is used where every value counts")
        return self.collect((v, self.equal_const(value, v)) for v in range(low, high + 1))

    # ------------------------------------------------------------------------------------------ choice

    def merge(self, test: Lit, then: Value, other: Value) -> Value:
        """`then` if the literal holds, else `other`."""
        if test == TRUE or then == other:
            return then
        if test == FALSE:
            return other
        if isinstance(then, int):
            assert isinstance(other, int)
            return self.terms.ite(test, then, other)
        if isinstance(then, tuple):
            assert isinstance(other, tuple)
            return tuple(
                a if a == b else self.terms.ite(test, a, b) for a, b in zip(then, other, strict=True)
            )
        assert isinstance(other, Cases | Lin)
        return self.merge_numbers(test, then, other)

    def merge_numbers(self, test: Lit, then: Number, other: Number) -> Number:
        if isinstance(then, Cases) and isinstance(other, Cases):
            left, right = dict(then.pairs), dict(other.pairs)
            values = sorted(left.keys() | right.keys())
            if len(values) <= self.wide:
                ite = self.terms.ite
                pairs = [(v, ite(test, left.get(v, FALSE), right.get(v, FALSE))) for v in values]
                return Cases(tuple(pair for pair in pairs if pair[1] != FALSE))
        return self.terms.ite_lin(test, self.lin(then), self.lin(other))

    def select(self, index: Number, options: list[Value]) -> Value:
        """options[index]"""
        pairs = [(i, lit) for i, lit in self.cases(index).pairs if 0 <= i < len(options)]
        if not pairs:
            return options[0]
        first = options[pairs[0][0]]
        if isinstance(first, int):
            return self.terms.disj([self.terms.both(lit, options[i]) for i, lit in pairs])  # type: ignore[arg-type]
        if isinstance(first, tuple):
            columns: list[list[Lit]] = [[] for _ in first]
            for i, lit in pairs:
                for column, bit in zip(columns, options[i], strict=True):  # type: ignore[arg-type]
                    if bit != FALSE:
                        column.append(self.terms.both(lit, bit))
            return tuple(map(self.terms.disj, columns))
        if all(isinstance(options[i], Cases) for i, _ in pairs):
            both = self.terms.both
            return self.collect((v, both(lit, g)) for i, lit in pairs for v, g in options[i].pairs)  # type: ignore[union-attr]
        if self.terms.linear:
            numbers = [(lit, self.lin(options[i])) for i, lit in pairs]  # type: ignore[arg-type]
            return self.terms.total((1, self.terms.times(lit, value)) for lit, value in numbers)
        result = options[pairs[-1][0]]
        for i, lit in reversed(pairs[:-1]):
            result = self.merge(lit, options[i], result)
        return result

    # ------------------------------------------------------------------------------------------ arithmetic

    def binary(self, op: str, a: Number, b: Number) -> Number:
        if a == b and op in ("sub", "min", "max"):
            return constant(0) if op == "sub" else a
        if isinstance(a, Cases) and isinstance(b, Cases) and len(a.pairs) * len(b.pairs) <= PRODUCT:
            function = _FUNCTIONS[op]
            both = self.terms.both
            made = self.collect(
                (function(x, y), both(p, q))
                for x, p in a.pairs
                for y, q in b.pairs
                if op not in _PARTIAL or y
            )
            if len(made.pairs) <= self.wide:
                return made
        return self._linear(op, self.lin(a), self.lin(b))

    def _linear(self, op: str, a: Lin, b: Lin) -> Lin:
        terms = self.terms
        if op == "add":
            return terms.plus(a, b)
        if op == "sub":
            return terms.plus(a, b, -1)
        if op in ("min", "max"):
            smaller = terms.le0(terms.plus(a, b, -1))
            return terms.ite_lin(smaller, a, b) if op == "min" else terms.ite_lin(smaller, b, a)
        (low, high), (lowest, highest) = terms.range(a), terms.range(b)
        if op == "mul":
            ends = [x * y for x in (low, high) for y in (lowest, highest)]
            return arithmetic(terms, MUL, a, b, (min(ends), max(ends)))
        most = max(abs(low), abs(high), abs(lowest), abs(highest)) + 1
        return arithmetic(terms, DIV if op == "div" else MOD, a, b, (-most, most))

    def unary(self, op: str, a: Number) -> Number:
        if isinstance(a, Cases):
            return self.collect((abs(v) if op == "abs" else -v, lit) for v, lit in a.pairs)
        minus = self.terms.plus(Lin(0), a, -1)
        if op == "neg":
            return minus
        return self.terms.ite_lin(self.terms.le0(a), minus, a)

    def total(self, const: int, pairs: list[tuple[int, Lit]], lins: list[Lin]) -> Number:
        """const + the sum of coefficient * literal + the sum of the lins."""
        if not lins and len(pairs) <= SHORT:
            result = constant(const)
            for coef, lit in pairs:
                result = self.binary("add", result, Cases(_two(coef, lit)))  # type: ignore[assignment]
            return result
        value = self.terms.sum(const, pairs)
        for part in lins:
            value = self.terms.plus(value, part)
        return value

    # ------------------------------------------------------------------------------------------ comparison

    def equal_const(self, value: Number, const: int) -> Lit:
        if isinstance(value, Cases):
            return next((lit for v, lit in value.pairs if v == const), FALSE)
        shifted = Lin(value.const - const, value.terms)
        return self.terms.both(self.terms.le0(shifted), self.terms.le0(self.terms.plus(Lin(0), shifted, -1)))

    def equal(self, a: Value, b: Value) -> Lit:
        if a == b:
            return TRUE
        if isinstance(a, int):
            assert isinstance(b, int)
            return self.terms.iff(a, b)
        if isinstance(a, tuple):
            assert isinstance(b, tuple)
            return self.terms.conj([self.terms.iff(x, y) for x, y in zip(a, b, strict=True)])
        assert isinstance(b, Cases | Lin)
        if isinstance(a, Cases) and isinstance(b, Cases):
            right = dict(b.pairs)
            both = self.terms.both
            return self.terms.disj([both(lit, right[v]) for v, lit in a.pairs if v in right])
        return self.equal_const(self.terms.plus(self.lin(a), self.lin(b), -1), 0)

    def less_equal(self, a: Number, b: Number) -> Lit:
        if isinstance(a, Cases) and isinstance(b, Cases) and len(a.pairs) * len(b.pairs) <= PRODUCT:
            return self._stairs(a, b)
        return self.terms.le0(self.terms.plus(self.lin(a), self.lin(b), -1))

    def _stairs(self, a: Cases, b: Cases) -> Lit:
        """a <= b: for every value of a, one of b that is not below it."""
        found = []
        for value, lit in a.pairs:
            above = [guard for other, guard in b.pairs if other >= value]
            if len(above) == len(b.pairs):
                found.append(lit)
            elif above:
                found.append(self.terms.both(lit, self.terms.disj(above)))
        return self.terms.disj(found)

    def extreme(self, op: str, options: list[tuple[Lit, Number]]) -> Number:
        """The least or greatest of the numbers whose literal holds; anything if there are none."""
        options = [(lit, value) for lit, value in options if lit != FALSE]
        if not options:
            return constant(0)
        if not all(isinstance(value, Cases) for _, value in options):
            return self._extreme_by_pairs(op, options)
        guards: dict[int, list[Lit]] = {}
        for lit, value in options:
            for v, guard in value.pairs:  # type: ignore[union-attr]
                guards.setdefault(v, []).append(self.terms.both(lit, guard))
        order = sorted(guards, reverse=op == "max")
        pairs, none_yet = [], TRUE
        for v in order:
            here = self.terms.disj(guards[v])
            pairs.append((v, self.terms.both(none_yet, here)))
            none_yet = self.terms.both(none_yet, -here)
        pairs[-1] = (pairs[-1][0], self.terms.either(pairs[-1][1], none_yet))
        return self.collect(pairs)

    def _extreme_by_pairs(self, op: str, options: list[tuple[Lit, Number]]) -> Number:
        some, best = options[0]
        for lit, value in options[1:]:
            better = self.merge_numbers(some, self.binary(op, best, value), value)
            best = self.merge_numbers(lit, better, best)
            some = self.terms.either(some, lit)
        return best


def _two(coef: int, lit: Lit) -> tuple[tuple[int, Lit], ...]:
    if lit == TRUE:
        return ((coef, TRUE),)
    if lit == FALSE or coef == 0:
        return ((0, TRUE),)
    return tuple(sorted([(0, -lit), (coef, lit)]))


_PARTIAL = ("div", "mod")
_FUNCTIONS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "min": min,
    "max": max,
}
