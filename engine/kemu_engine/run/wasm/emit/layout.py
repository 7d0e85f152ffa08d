"""Where things are in the module's memory, and how they are kept there.

A number takes 1, 2, 4 or 8 bytes, truth 1, a set whole words of 8 bytes; arrays lie without gaps. Beside an
array of few values of which something is asked for all elements at once there is a set for each value: of the
elements that have it (`masks`). What is asked for all state at once (a new game, a trial) lies together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.limits import NotCovered
from kemu_engine.kernel.snapshots import Snapshots
from kemu_engine.opt.sets.mask_arrays import values

BITS = 64
MOST_BYTES = 256 << 20
ROOM = 4096  # snapshots of a game in one history
MOST_ROW = 4096  # bytes of one of them
AT_ONCE = 4  # hashes that are compared at once


def words(type_: k.Type) -> int:
    """How many words of 64 bits hold a set."""
    return max(1, -(-type_.size // BITS)) if isinstance(type_, k.Set) else 1


def pieces(value: int, count: int) -> list[int]:
    """A mask as words, the lowest first."""
    return [value >> BITS * at & (1 << BITS) - 1 for at in range(count)]


@dataclass(frozen=True, slots=True)
class Cell:
    """How an element is kept: in how many bytes, and by what it is loaded and stored (sets: word by word)."""

    size: int
    load: str
    store: str


WORD = Cell(8, "i64.load", "i64.store")
TRUTH = Cell(1, "i32.load8_u", "i32.store8")
WIDTHS = ((8, 1), (16, 2), (32, 4))


def cell(type_: k.Type) -> Cell:
    match type_:
        case k.Bool():
            return TRUTH
        case k.Set():
            return Cell(8 * words(type_), WORD.load, WORD.store)
        case k.Int(low, high):
            for bits, size in WIDTHS:
                if low >= 0 and high < 1 << bits:
                    return Cell(size, f"i64.load{bits}_u", f"i64.store{bits}")
                if -(1 << bits - 1) <= low and high < 1 << bits - 1:
                    return Cell(size, f"i64.load{bits}_s", f"i64.store{bits}")
            return WORD
        case k.History():
            return WORD


def packed(type_: k.Type, items: tuple[int, ...]) -> bytes:
    """Elements as they are kept."""
    size = cell(type_).size
    return b"".join((int(item) & (1 << 8 * size) - 1).to_bytes(size, "little") for item in items)


@dataclass(frozen=True, slots=True)
class Area:
    """Bytes of memory."""

    at: int
    size: int


Piece = tuple[int, int]
"""Where a word is, and which of its bits count."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a state variable is. `masks`: where the sets of the elements by their values begin, -1 if there
    are none; `area`: all of it together."""

    var: k.Var
    at: int
    cell: Cell
    area: Area
    masks: int = -1

    @property
    def row(self) -> int:
        """Bytes of one of the sets."""
        return 8 * words(k.Set(self.var.length or 0))

    @property
    def lowest(self) -> int:
        return values(self.var.type).start

    def snapshot(self) -> list[Piece]:
        """The fewest words that tell what it holds: it all, or the sets of all values but one. (Sets of one
        word do not count: they may be kept elsewhere.)"""
        size = self.cell.size * (1 if self.var.length is None else self.var.length)
        whole = [(self.at + at, (1 << 8 * min(8, size - at)) - 1) for at in range(0, size, 8)]
        if self.masks < 0 or self.row == WORD.size:
            return whole
        sets = self.row * (len(values(self.var.type)) - 1)
        return min(whole, [(self.masks + at, (1 << BITS) - 1) for at in range(0, sets, 8)], key=len)


@dataclass(frozen=True, slots=True)
class Log:
    """Where the hashes of the snapshots of a history are, and the snapshots; `pieces`: what these are made
    of. Behind the hashes is room for as many as are compared at once."""

    hashes: Area
    snapshots: int
    pieces: tuple[Piece, ...]

    @property
    def row(self) -> int:
        """Bytes of a snapshot."""
        return WORD.size * len(self.pieces)


class Memory:
    """Gives out memory, from address 16 on, so that no valid address is 0."""

    def __init__(self) -> None:
        self.top = 1 << 12
        self.data: list[tuple[int, bytes]] = []
        self._known: dict[bytes, int] = {}

    def take(self, size: int) -> int:
        """The address of as many bytes, all zero, at a multiple of 16."""
        at = self.top
        self.top = at + -(-size // 16) * 16
        if self.top > MOST_BYTES:
            raise NotCovered(f"more than {MOST_BYTES >> 20} megabytes of state and tables")
        return at

    def static(self, data: bytes) -> int:
        """The address of these bytes."""
        if data not in self._known:
            self._known[data] = self.take(len(data) + 8)
            self.data.append((self._known[data], data))
        return self._known[data]

    def slot(self, var: k.Var, masked: bool) -> Slot:
        kept, number = cell(var.type), 1 if var.length is None else var.length
        at = self.take(kept.size * number)
        masks = self.take(8 * words(k.Set(number)) * len(values(var.type))) if masked else -1
        return Slot(var, at, kept, Area(at, self.top - at), masks)

    def log(self, slots: list[Slot], vars: tuple[int, ...]) -> Log:
        """Room for snapshots of these variables."""
        pieces = tuple(piece for at in vars for piece in slots[at].snapshot())
        row = WORD.size * len(pieces)
        if row > MOST_ROW:
            raise NotCovered(f"a history of more than {MOST_ROW:,} bytes a time")
        hashes = Area(self.take(WORD.size * (ROOM + AT_ONCE)), WORD.size * ROOM)
        return Log(hashes, self.take(ROOM * row), pieces)


def initial(slots: list[Slot], logs: Mapping[int, Log]) -> bytes:
    """The state as a game begins: the slots lie one behind the other."""
    start = slots[0].area.at if slots else 0
    end = slots[-1].area.at + slots[-1].area.size if slots else 0
    out = bytearray(end - start)
    for var, slot in enumerate(slots):
        given = slot.var.initial
        if isinstance(given, Snapshots):
            out[slot.at - start : slot.at - start + 8] = 2 * logs[var].hashes.at.to_bytes(4, "little")
            continue
        items = given if isinstance(given, tuple) else (given,)
        data = packed(slot.var.type, items)
        out[slot.at - start : slot.at - start + len(data)] = data
        if slot.masks >= 0:
            for number, value in enumerate(values(slot.var.type)):
                mask = sum(1 << i for i, item in enumerate(items) if item == value)
                at = slot.masks - start + number * slot.row
                out[at : at + slot.row] = mask.to_bytes(slot.row, "little")
    return bytes(out)
