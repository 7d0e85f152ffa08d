"""Values of the kernel: what a variable may hold."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.snapshots import Snapshots

Cells = int | tuple[int, ...] | Snapshots
"""The value of a state variable: a scalar, the elements of an array, or a history."""


class BrokenProgram(Exception):
    """The program breaks the kernel's contract (seen in checked runs): an error of ours, not of the rules."""


@lru_cache(maxsize=1 << 16)
def elements(mask: int) -> tuple[int, ...]:
    """The elements of a set, ascending."""
    found = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return tuple(found)


def plain(cells: Cells) -> str:
    """The value of a variable in numbers: `3`, `0,1,1`, of a history `2*(0,1,1;3)` for each snapshot."""
    if isinstance(cells, Snapshots):
        noted = (f"{times}*({';'.join(map(plain, snapshot))})" for snapshot, times in cells.items())
        return "{" + "".join(sorted(noted)) + "}"
    return ",".join(str(int(cell)) for cell in cells) if isinstance(cells, tuple) else str(int(cells))


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
        return isinstance(value, Snapshots) and isinstance(type_, k.History)
    low, high = whole_numbers(type_)
    return low <= value <= high


def whole_numbers(type_: k.Type) -> tuple[int, int]:
    """The least and the greatest of the whole numbers that are values of the type, for those between are too;
    of a history, which has none, the greatest is less than the least."""
    match type_:
        case k.Bool():
            return 0, 1
        case k.Int(low, high):
            return low, high
        case k.Set(size):
            return 0, (1 << size) - 1
        case k.History():
            return 0, -1
