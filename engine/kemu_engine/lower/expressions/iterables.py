"""What comprehensions and loops run through, while they are lowered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.values.context import Env
from kemu_engine.lower.values.reps import Rep, Seq
from kemu_engine.static.values import Value


@dataclass(frozen=True, slots=True)
class Source:
    """What a clause runs through: the positions in `over` (a set over 0..size-1) at which `holds`; `item` is
    what stands at one.
    """

    size: int
    over: k.Expr
    item: Callable[[k.Expr], Rep]
    holds: Callable[[k.Expr], k.Expr]
    values: tuple[Value, ...] | None  # the items, where they are known
    listed: Seq | None = None  # the list, if it is one

    def fixed(self) -> bool:
        """Whether it runs through the same in every position."""
        probe = k.Local(k.Int(0, max(self.size - 1, 0)), 0)
        return self.over == build.full(self.size) and self.holds(probe) == build.TRUE


@dataclass(frozen=True, slots=True)
class Lap:
    """One clause or several merged: a binder, where it runs, and the scope in which conditions and element
    are lowered.
    """

    binder: k.Local
    over: k.Expr
    where: k.Expr
    scope: Env

    @property
    def empty(self) -> bool:
        """Whether there is never anything to run through: then nothing is bound in `scope`."""
        return self.over.type == k.Set(0)

    def fold(self, op: str, body: k.Expr = build.TRUE, size: int = 0) -> k.Expr:
        """`op` of the body; `size`: of the universe of a "set". The faults of what is run through remain,
        even if it is nothing.
        """
        made = build.fold(op, self.binder.id, self.over, self.where, body, size)
        return build.after(self.over, made) if self.empty else made
