"""The expressions that generated Python has beyond the kernel's, and how to walk through all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kemu_engine.kernel import nodes as k

Kind = Literal["cells", "window", "touching", "rows", "under", "point", "patterns"]


@dataclass(frozen=True, slots=True)
class Mask(k.Call):
    """A set as one operation on masks; masks.py makes them of folds. `function` is a variable or a table.

    cells: {i: vars[function][i] == args[0]}. window: {i: args[1] + i in args[0]}. touching: {i:
    tables[function][i] and args[0] have a common element}. rows: {i: tables[function][i] == args[0]}.
    under: {i: i < args[0]}. point: {args[0]}, or nothing if it is not in 0..size-1. patterns: {i: one of
    the patterns numbered `function` (places.py) lies in the sets args at i}.
    """

    kind: Kind = "cells"


@dataclass(frozen=True, slots=True)
class Gathered(k.Fold):
    """A fold of the operation `set` whose bodies are sets: their union."""
