"""What a kernel program runs on: frames of state variables and locals, logged writes, faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.snapshots import Snapshots
from kemu_engine.kernel.values import Cells

Signal = Literal["break", "continue", "return"]


class Faulted(Exception):
    """The rules ran into Program.faults[index]; index -1: a fault of the interpreter's own, `silent_loop`.
    `offence`: the value that is at fault, in words, where the interpreter knows it."""

    def __init__(self, fault: k.Fault, index: int, offence: str = "") -> None:
        super().__init__(f"{fault.code}: {fault.message}")
        self.fault = fault
        self.index = index
        self.offence = offence


class TooMany(Exception):
    """There are more actions at a decision than MOST_ACTIONS; the message says where. No fault of the rules,
    but nobody goes on."""


@dataclass(frozen=True, slots=True)
class Write:
    """A write to a state variable; `element` is None for a scalar, `origin` an index into Program.origins."""

    var: int
    element: int | None
    old: int | Snapshots
    new: int | Snapshots
    origin: int


@dataclass(frozen=True, slots=True)
class Given:
    """A local was given a value."""

    local: int
    new: int


Log = list[Write | Given]
"""What code did, in order."""


@dataclass(slots=True)
class Frame:
    """State variables and locals at work. An array is a tuple until it is first written, then a list."""

    vars: list[Any]
    locals: list[Any]
    log: Log | None = None
    returned: int = 0

    def frozen(self) -> tuple[Cells, ...]:
        """The state variables as a value."""
        return tuple(tuple(cells) if type(cells) is list else cells for cells in self.vars)


Execute = Callable[[Frame], "Signal | None"]
