"""Coefficients with which a sum of measures falls, as far as the steps seen so far tell.

A z3 context of its own and effort counted in z3's own steps: the answer is the same on every machine, and
whatever was asked before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import z3

LARGEST, SIZE = 50, 1_000  # a coefficient: while they are looked for, and as a whole number
EFFORT = 2_000_000  # of z3's steps, for one question
HALVINGS = 6  # of the sum of the coefficients

Changes = list[tuple[int, ...]]
"""What steps do to each of some measures."""


def combination(
    width: int, ways: Sequence[Sequence[Sequence[Changes]]]
) -> tuple[list[int], list[int]] | None:
    """Small coefficients with which no change seen raises the sum, and as many kinds of step as can be lower
    it; None if none can. `ways[stop][way][kind]`: for each stop the ways of choosing there, of which one
    is taken (they come second), and for each the changes seen, by kind of step."""
    search = _Search(width, ways)
    search.lower_what_can_be()
    search.shrink()
    found = [] if search.model is None else [_fraction(search.value(coef)) for coef in search.coefs]
    scale = lcm(*(value.denominator for value in found))
    whole = [int(value * scale) for value in found]
    factor = gcd(*whole)
    if not factor or max(map(abs, whole)) // factor > SIZE:
        return None
    picked = [next(i for i, way in enumerate(here) if z3.is_true(search.value(way))) for here in search.taken]
    return [value // factor for value in whole], picked


class _Search:
    """Coefficients, and which way is taken at each stop; the last model is the best so far."""

    def __init__(self, width: int, ways: Sequence[Sequence[Sequence[Changes]]]) -> None:
        context = z3.Context()
        self.coefs = [z3.Real(f"c{at}", context) for at in range(width)]
        self.sizes = [z3.Real(f"s{at}", context) for at in range(width)]
        self.taken = [
            [z3.Bool(f"way{stop}.{way}", context) for way in range(len(here))]
            for stop, here in enumerate(ways)
        ]
        self.lowered: list[z3.BoolRef] = []  # by kind of step: that it lowers the sum by one at least
        self.model: z3.ModelRef | None = None
        self._solver = z3.Solver(ctx=context)
        self._solver.set("rlimit", EFFORT)
        for coef, size in zip(self.coefs, self.sizes, strict=True):
            self._solver.add(size >= coef, size >= -coef, size <= LARGEST)
        for stop, here in enumerate(ways):
            kinds = [z3.Bool(f"falls{stop}.{kind}", context) for kind in range(len(here[0]))]
            self.lowered += kinds
            self._solver.add(z3.Or(self.taken[stop]))
            for taken, way in zip(self.taken[stop], here, strict=True):
                self._solver.add([z3.Implies(taken, rule) for rule in self._rules(kinds, way)])

    def _rules(self, kinds: Sequence[z3.BoolRef], way: Sequence[Changes]) -> Iterator[z3.BoolRef]:
        """What has to hold if that way is taken."""
        for falls, vectors in zip(kinds, way, strict=True):
            for vector in dict.fromkeys(vectors):
                parts = [change * coef for change, coef in zip(vector, self.coefs, strict=True) if change]
                if parts:
                    yield z3.Sum(parts) <= 0
                    yield z3.Implies(falls, z3.Sum(parts) <= -1)
                else:
                    yield z3.Not(falls)

    def lower_what_can_be(self) -> None:
        """As many kinds of step as can be."""
        count, most = 0, len(self.lowered)
        while count < most and self._can(z3.AtLeast(*self.lowered, count + 1)):
            count = sum(z3.is_true(self.value(falls)) for falls in self.lowered)
        if count:
            self._solver.add(z3.AtLeast(*self.lowered, count))

    def shrink(self) -> None:
        """Smaller coefficients that do the same."""
        low, high = Fraction(0), Fraction(LARGEST * len(self.sizes))
        for _ in range(HALVINGS if self.model is not None else 0):
            middle = (low + high) / 2
            small = z3.Sum(self.sizes) <= z3.Q(middle.numerator, middle.denominator, self._solver.ctx)
            if self._can(small):
                high = sum((_fraction(self.value(size)) for size in self.sizes), Fraction(0))
            else:
                low = middle

    def value(self, expr: z3.ExprRef) -> Any:
        """Of an expression, in the best model."""
        assert self.model is not None
        return self.model.eval(expr, True)

    def _can(self, *assumed: z3.BoolRef) -> bool:
        """Whether this can hold, as far as is found out; the model is kept."""
        if self._solver.check(*assumed) != z3.sat:
            return False
        self.model = self._solver.model()
        return True


def _fraction(value: Any) -> Fraction:
    """A number of z3's."""
    return Fraction(value.numerator_as_long(), value.denominator_as_long())
