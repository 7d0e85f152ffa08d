"""States in few bits, equal states in equal ones: how they are packed, and the same in Python.

First come the variables that anything writes, then the number of the stop, then its live locals. A number
takes the bits of its interval, truth one, a set one for each element. Of an array with masks come the lowest
bits of all elements, then the next ones; of another one element after element.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.limits import NotCovered
from kemu_engine.kernel.snapshots import Snapshots
from kemu_engine.kernel.values import Cells
from kemu_engine.kernel.walk import written
from kemu_engine.run.wasm.emit.unit import Unit


def bits(type_: k.Type) -> int:
    """How many bits a value takes."""
    match type_:
        case k.Bool():
            return 1
        case k.Set():
            return type_.size
        case k.Int(low, high):
            return (high - low).bit_length()
        case k.History():
            raise NotCovered("a history of what has been")


def low(type_: k.Type) -> int:
    return type_.low if isinstance(type_, k.Int) else 0


def unset(type_: k.Type) -> k.Type:
    """The type of a local that may not have been set, and is 0 then."""
    return k.Int(min(type_.low, 0), max(type_.high, 0)) if isinstance(type_, k.Int) else type_


@dataclass(frozen=True, slots=True)
class Packing:
    """How the states of a program are packed, in `size` bytes."""

    program: k.Program
    stops: list[int]  # the blocks that are stops, in the order of their numbers
    vars: list[tuple[int, bool]]  # the variables that anything writes, and whether there are masks of them

    @property
    def size(self) -> int:
        """A multiple of 4."""
        program, count = self.program, self.stop_bits
        for number, _ in self.vars:
            var = program.vars[number]
            count += bits(var.type) * (1 if var.length is None else var.length)
        live = [[unset(program.locals[each].type) for each in program.blocks[at].live] for at in self.stops]
        count += max(sum(map(bits, types)) for types in live)
        return max(4, -(-count // 32) * 4)

    @property
    def stop_bits(self) -> int:
        return (len(self.stops) - 1).bit_length()

    def groups(self, var: int, masked: bool) -> Iterator[tuple[list[int], int, int]]:
        """Elements of a variable that lie together, and which of their bits, as first and number."""
        type_, length = self.program.vars[var].type, self.program.vars[var].length
        wide = bits(type_)
        if masked:
            for bit in range(wide):
                yield list(range(length or 0)), bit, 1
            return
        for at in range(1 if length is None else length):
            yield [at], 0, wide

    def read(self, data: bytes) -> tuple[int, tuple[Cells, ...], tuple[int, ...]]:
        """The block, the variables and the live locals of a packed state, as in `State`."""
        rest = int.from_bytes(data, "little")

        def take(count: int) -> int:
            nonlocal rest
            value = rest & (1 << count) - 1
            rest >>= count
            return value

        found: list[Cells] = [var.initial for var in self.program.vars]
        for number, masked in self.vars:
            var = self.program.vars[number]
            cells: list[int] = [low(var.type)] * (1 if var.length is None else var.length)
            for elements, first, count in self.groups(number, masked):
                for at in elements:
                    cells[at] += take(count) << first
            found[number] = cells[0] if var.length is None else tuple(cells)
        block = self.stops[take(self.stop_bits)]
        types = [unset(self.program.locals[local].type) for local in self.program.blocks[block].live]
        return block, tuple(found), tuple(take(bits(type_)) + low(type_) for type_ in types)

    def write(self, block: int, vars: tuple[Cells, ...], locals: tuple[int, ...]) -> bytes:
        """The packed state."""
        whole = at = 0

        def put(value: int, count: int) -> None:
            nonlocal whole, at
            whole |= (value & (1 << count) - 1) << at
            at += count

        for number, masked in self.vars:
            given = vars[number]
            assert not isinstance(given, Snapshots), "a history is not packed"
            cells = given if isinstance(given, tuple) else (given,)
            for elements, first, count in self.groups(number, masked):
                for element in elements:
                    put(cells[element] - low(self.program.vars[number].type) >> first, count)
        put(self.stops.index(block), self.stop_bits)
        for local, value in zip(self.program.blocks[block].live, locals, strict=True):
            type_ = unset(self.program.locals[local].type)
            put(value - low(type_), bits(type_))
        return whole.to_bytes(self.size, "little")


def packing(unit: Unit, stops: list[int], aside: int = -1) -> Packing:
    """How the states of a program are packed that has these stops; a variable may be left `aside`."""
    touched = sorted({var for block in unit.program.blocks for var in written(block.code)} - {aside})
    return Packing(unit.program, stops, [(var, unit.slots[var].masks >= 0) for var in touched])
