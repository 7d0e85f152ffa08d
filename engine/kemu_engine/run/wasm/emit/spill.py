"""The live locals of a stop in memory, word after word, as long as no function is at work on the position."""

from __future__ import annotations

from collections.abc import Container

from kemu_engine.run.wasm.asm.binary import I32
from kemu_engine.run.wasm.emit.layout import words
from kemu_engine.run.wasm.emit.values import Values


class Spill:
    """Writes what puts them there, and what takes them from there."""

    def __init__(self, values: Values) -> None:
        self.unit, self.program, self.f = values.unit, values.program, values.f
        self.values = values

    def _held(self, block: int, wanted: Container[int]) -> list[tuple[int, int]]:
        """The words of those that are wanted: in which local, and where in memory."""
        found, at = [], self.unit.held
        for local in self.program.blocks[block].live:
            count = words(self.program.locals[local].type)
            if local in wanted:
                found += [(own, at + 8 * word) for word, own in enumerate(self.values.local(local))]
            at += 8 * count
        return found

    def put_down(self, block: int) -> None:
        """Locals to memory."""
        for own, at in self._held(block, self.program.blocks[block].live):
            self.f.i32(0)
            self.f.get(own)
            if self.f.type_of(own) == I32:
                self.f.op("i64.extend_i32_u")
            self.f.access("i64.store", at)

    def take_up(self, block: int, wanted: Container[int]) -> None:
        """Those that are wanted from memory."""
        for own, at in self._held(block, wanted):
            self.f.i32(0)
            self.f.access("i32.load" if self.f.type_of(own) == I32 else "i64.load", at)
            self.f.set(own)
