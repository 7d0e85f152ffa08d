"""Histories in WebAssembly: a log of snapshots, each behind its hash.

In memory a history is where in the log it begins and where it ends. A note is written behind the end, and to
forget is to begin there, so that what a trial does is undone when these two come back: what is behind the end
is nothing. A game that fills its log is lost, and another reader plays it.
"""

from __future__ import annotations

from kemu_engine.kernel.snapshots import Snapshots
from kemu_engine.kernel.walk import noted
from kemu_engine.run.wasm.asm.binary import I32, I64
from kemu_engine.run.wasm.emit.layout import WORD
from kemu_engine.run.wasm.emit.values import Values

MIX = 0x2545F4914F6CDD1D
END = 4  # bytes from where a history keeps its beginning to where it keeps its end


class Histories:
    """Writes what is done with the histories of a program."""

    def __init__(self, values: Values) -> None:
        self.values, self.unit, self.f = values, values.unit, values.f

    def times(self, var: int) -> None:
        """Leaves how often the present is in a history."""
        f, log = self.f, self.unit.logs[var]
        hash_, at, end, count = self._hash(var), f.new(I32), f.new(I32), f.new()
        for local, offset in ((at, 0), (end, END)):
            f.i32(0)
            f.access("i32.load", self.unit.slots[var].at + offset)
            f.set(local)
        f.i64(0)
        f.set(count)
        with f.block() as done, f.loop() as again:
            f.get(at)
            f.get(end)
            f.op("i32.eq")
            f.br_if(done)
            f.get(at)
            f.access("i64.load", 0)
            f.get(hash_)
            f.op("i64.eq")
            with f.when():
                self._same(var, at)
                f.get(count)
                f.op("i64.add")
                f.set(count)
            f.get(at)
            f.i32(log.row)
            f.op("i32.add")
            f.set(at)
            f.br(again)
        f.get(count)
        f.i64(Snapshots.MOST)
        f.op("i64.lt_u")
        with f.when(I64):
            f.get(count)
            f.otherwise()
            f.i64(Snapshots.MOST)

    def note(self, var: int) -> None:
        f, slot, log = self.f, self.unit.slots[var], self.unit.logs[var]
        end, hash_ = f.new(I32), self._hash(var)
        f.i32(0)
        f.access("i32.load", slot.at + END)
        f.tee(end)
        f.i32(log.area.at + log.area.size)
        f.op("i32.eq")
        with f.when():
            self.values.fault(self.unit.no_room)
        f.get(end)
        f.get(hash_)
        f.access("i64.store", 0)
        for number, word in enumerate(self._words(var), 1):
            f.get(end)
            self._load(*word)
            f.access("i64.store", 8 * number)
        f.i32(0)
        f.get(end)
        f.i32(log.row)
        f.op("i32.add")
        f.access("i32.store", slot.at + END)

    def forget(self, var: int) -> None:
        slot = self.unit.slots[var]
        self.f.i32(0)
        self.f.i32(0)
        self.f.access("i32.load", slot.at + END)
        self.f.access("i32.store", slot.at)

    # ------------------------------------------------------------------------------------------ snapshots

    def _words(self, var: int) -> list[tuple[int, int]]:
        """Where the words of a snapshot are now, and which of their bits belong to it."""
        found = []
        for each in noted(self.unit.program.vars, var):
            slot = self.unit.slots[each]
            size = slot.cell.size * (1 if slot.var.length is None else slot.var.length)
            found += [(slot.at + at, (1 << 8 * min(8, size - at)) - 1) for at in range(0, size, 8)]
        return found

    def _load(self, address: int, bits: int) -> None:
        self.f.i32(0)
        self.f.access(WORD.load, address)
        if bits >> 63 == 0:
            self.f.i64(bits)
            self.f.op("i64.and")

    def _hash(self, var: int) -> int:
        """A local with the hash of the present."""
        f, hash_ = self.f, self.f.new()
        f.i64(0)
        f.set(hash_)
        for word in self._words(var):
            f.get(hash_)
            self._load(*word)
            f.op("i64.xor")
            f.i64(MIX)
            f.op("i64.mul")
            f.tee(hash_)
            f.get(hash_)
            f.i64(29)
            f.op("i64.shr_u", "i64.xor")
            f.set(hash_)
        return hash_

    def _same(self, var: int, at: int) -> None:
        """Leaves 1 if the snapshot there is the present one, else 0."""
        f = self.f
        f.i64(0)
        for number, word in enumerate(self._words(var), 1):
            f.get(at)
            f.access(WORD.load, 8 * number)
            self._load(*word)
            f.op("i64.xor", "i64.or")
        f.op("i64.eqz", "i64.extend_i32_u")
