"""Which values are the same: value numbers, and versions of the locals and variables that they depend on."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from kemu_engine.kernel import nodes as k
from kemu_engine.opt.analysis.expression_analysis import ExpressionAnalysis
from kemu_engine.opt.analysis.range_analysis import Key

Marks = dict[int, int]
"""The last version of each local n, at n, and of each variable n, at ~n."""


class Versions:
    """How often locals and variables have been set, at one place of a program."""

    def __init__(self, traits: ExpressionAnalysis) -> None:
        self.traits = traits
        self._numbers = count(1)
        self._last: Marks = {}

    def key(self, expr: k.Expr) -> Key:
        """What tells the value of an expression, here and now, from others."""
        traits, last = self.traits.of(expr), self._last
        named = self.traits.named
        return (
            traits.number,
            tuple([last.get(each, 0) for each in sorted(traits.locals) if each not in named]),
            tuple([last.get(~each, 0) for each in sorted(traits.vars)]),
        )

    def of_local(self, local: int) -> int:
        return self._last.get(local, 0)

    def touch(self, locals: Iterable[int] = (), vars: Iterable[int] = ()) -> None:
        """What was known of these is known no longer."""
        for local in locals:
            self._last[local] = next(self._numbers)
        for var in vars:
            self._last[~var] = next(self._numbers)

    def mark(self) -> Marks:
        return dict(self._last)

    def back(self, mark: Marks) -> None:
        """Everything is again as it was."""
        self._last = mark

    def merge(self, mark: Marks) -> None:
        """Forgets what has been set since, on one way or another."""
        for key, version in self._last.items():
            if mark.get(key) != version:
                self._last[key] = next(self._numbers)
