"""Operations that the optimiser adds to the kernel: what masks say of all elements at once, and names.

Each is a k.Intrinsic. Those on sets give a value whatever the state; the vectoriser makes them of folds.
"""

from __future__ import annotations

from dataclasses import dataclass

from kemu_engine.kernel import nodes as k

Pattern = tuple[tuple[int, int], ...]
"""Where elements are needed: the number of a set, and how far from the place where the pattern lies; the
nearest first."""


@dataclass(frozen=True, slots=True)
class Cells(k.Intrinsic):
    """{i: vars[var][i] == args[0]}."""

    var: int


@dataclass(frozen=True, slots=True)
class Window(k.Intrinsic):
    """{i: args[1] + i in args[0]}."""


@dataclass(frozen=True, slots=True)
class RowsTouching(k.Intrinsic):
    """{i: tables[table][i] and args[0] have a common element}."""

    table: int


@dataclass(frozen=True, slots=True)
class RowsEqual(k.Intrinsic):
    """{i: tables[table][i] == args[0]}."""

    table: int


@dataclass(frozen=True, slots=True)
class Below(k.Intrinsic):
    """{i: i < args[0]}."""


@dataclass(frozen=True, slots=True)
class Point(k.Intrinsic):
    """{args[0]}, or nothing if it is not in 0..size-1."""


@dataclass(frozen=True, slots=True)
class Named(k.Intrinsic):
    """args[0], whatever it is; from here on the local, which is no other value's, holds it."""

    local: int


@dataclass(frozen=True, slots=True)
class Stencil(k.Intrinsic):
    """{i: one of the patterns lies in the sets args at i}. With each pattern the set of the places where it
    may lie, so that all its elements exist."""

    patterns: tuple[tuple[Pattern, int], ...]
