"""What a kernel program runs on: frames of state variables and locals, logged writes, faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from kemu_engine.kernel import nodes as k

Cells = int | tuple[int, ...]
"""The value of a state variable: a scalar, or the elements of an array."""

Signal = Literal["break", "continue", "return"]


class Faulted(Exception):
    """The rules ran into Program.faults[index]; index -1: a fault of the interpreter's own, `silent_loop`."""

    def __init__(self, fault: k.Fault, index: int) -> None:
        super().__init__(f"{fault.code}: {fault.message}")
        self.fault = fault
        self.index = index


MOST_ACTIONS = 1 << 20


class TooMany(Exception):
    """There are more actions at a decision than MOST_ACTIONS; the message says where. No fault of the rules,
    but nobody goes on."""


class BrokenProgram(Exception):
    """The program breaks the kernel's contract (seen in checked runs): an error of ours, not of the rules."""


@dataclass(frozen=True, slots=True)
class Write:
    """A write to a state variable; `element` is None for a scalar, `origin` an index into Program.origins."""

    var: int
    element: int | None
    old: int
    new: int
    origin: int


@dataclass(slots=True)
class Frame:
    """State variables and locals at work. An array is a tuple until it is first written, then a list."""

    vars: list[Any]
    locals: list[Any]
    log: list[Write] | None = None
    returned: int = 0

    def frozen(self) -> tuple[Cells, ...]:
        """The state variables as a value."""
        return tuple(tuple(cells) if type(cells) is list else cells for cells in self.vars)


Evaluate = Callable[[Frame], int]
Execute = Callable[[Frame], "Signal | None"]
Elements = Callable[[Frame], Iterable[int]]


@lru_cache(maxsize=1 << 16)
def elements(mask: int) -> tuple[int, ...]:
    """The elements of a set, ascending."""
    found = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return tuple(found)


def set_of(values: Iterable[int]) -> int:
    mask = 0
    for value in values:
        mask |= 1 << value
    return mask


def holds(element: int, mask: int) -> bool:
    """Whether the set holds the element; never, if the element is negative or beyond its size."""
    return element >= 0 and mask >> element & 1 == 1


def is_of(value: object, type_: k.Type) -> bool:
    """Whether `value` is a value of the type."""
    if not isinstance(value, int):
        return False
    match type_:
        case k.Bool():
            return value in (0, 1)
        case k.Int(low, high):
            return low <= value <= high
        case k.Set(size):
            return 0 <= value < 1 << size
