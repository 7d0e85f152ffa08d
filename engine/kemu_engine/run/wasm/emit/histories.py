"""Histories in WebAssembly: a log of snapshots, and beside it one of their hashes.

In memory a history is where among the hashes it begins and where it ends. A note is written behind the end,
and to forget is to begin there, so that what a trial does is undone when these two come back: what is behind
the end is nothing. A game that fills its log is lost, and another reader plays it.
"""

from __future__ import annotations

from kemu_engine.kernel.rng import mix
from kemu_engine.kernel.snapshots import Snapshots
from kemu_engine.run.wasm.asm.binary import I32, I64
from kemu_engine.run.wasm.emit.layout import AT_ONCE, WORD, Log
from kemu_engine.run.wasm.emit.values import Values

END = 4  # bytes from where a history keeps its beginning to where it keeps its end


class Histories:
    """Writes what is done with the histories of a program."""

    def __init__(self, values: Values) -> None:
        self.values, self.unit, self.f = values, values.unit, values.f

    def times(self, var: int) -> None:
        """Leaves how often the present is in a history."""
        f, log = self.f, self.unit.logs[var]
        hash_, at, end, count = self._hash(log), f.new(I32), f.new(I32), f.new()
        for local, offset in ((at, 0), (end, END)):
            f.i32(0)
            f.access("i32.load", self.unit.slots[var].at + offset)
            f.set(local)
        f.i64(0)
        f.set(count)
        with f.block() as done, f.loop() as again:
            f.get(at)
            f.get(end)
            f.op("i32.ge_u")
            f.br_if(done)
            self._any_of(at, hash_)
            with f.when():
                for ahead in range(0, WORD.size * AT_ONCE, WORD.size):
                    self._compared(log, at, ahead, end, hash_, count)
            f.get(at)
            f.i32(WORD.size * AT_ONCE)
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

    def _any_of(self, at: int, hash_: int) -> None:
        """Whether a hash is among those compared at once."""
        f = self.f
        for ahead in range(0, AT_ONCE, 2):
            f.get(at)
            f.vector("v128.load", WORD.size * ahead)
            f.get(hash_)
            f.vector("i64x2.splat")
            f.vector("i64x2.eq")
            if ahead:
                f.vector("v128.or")
        f.vector("v128.any_true")

    def _compared(self, log: Log, at: int, ahead: int, end: int, hash_: int, count: int) -> None:
        """Counts one snapshot, if it is one, and the present one."""
        f, place = self.f, self.f.new(I32)
        f.get(at)
        f.i32(ahead)
        f.op("i32.add")
        f.tee(place)
        f.get(end)
        f.op("i32.lt_u")
        f.get(place)
        f.access("i64.load", 0)
        f.get(hash_)
        f.op("i64.eq", "i32.and")
        with f.when():
            self._same(log, self._snapshot(log, place))
            f.get(count)
            f.op("i64.add")
            f.set(count)

    def note(self, var: int) -> None:
        f, slot, log = self.f, self.unit.slots[var], self.unit.logs[var]
        end, hash_ = f.new(I32), self._hash(log)
        f.i32(0)
        f.access("i32.load", slot.at + END)
        f.tee(end)
        f.i32(log.hashes.at + log.hashes.size)
        f.op("i32.eq")
        with f.when():
            self.values.fault(self.unit.no_room)
        f.get(end)
        f.get(hash_)
        f.access("i64.store", 0)
        place = self._snapshot(log, end)
        for number, piece in enumerate(log.pieces):
            f.get(place)
            self._load(*piece)
            f.access("i64.store", WORD.size * number)
        f.i32(0)
        f.get(end)
        f.i32(WORD.size)
        f.op("i32.add")
        f.access("i32.store", slot.at + END)

    def forget(self, var: int) -> None:
        slot = self.unit.slots[var]
        self.f.i32(0)
        self.f.i32(0)
        self.f.access("i32.load", slot.at + END)
        self.f.access("i32.store", slot.at)

    # ------------------------------------------------------------------------------------------ snapshots

    def _snapshot(self, log: Log, at: int) -> int:
        """A local with where the snapshot is whose hash is there."""
        f, place = self.f, self.f.new(I32)
        f.get(at)
        f.i32(log.hashes.at)
        f.op("i32.sub")
        f.i32(len(log.pieces))
        f.op("i32.mul")
        f.i32(log.snapshots)
        f.op("i32.add")
        f.set(place)
        return place

    def _load(self, address: int, bits: int) -> None:
        self.f.i32(0)
        self.f.access(WORD.load, address)
        if bits >> 63 == 0:
            self.f.i64(bits)
            self.f.op("i64.and")

    def _hash(self, log: Log) -> int:
        """A local with the hash of the present: the sum of its words, each times a number of its own."""
        f, hash_ = self.f, self.f.new()
        f.i64(0)
        for number, piece in enumerate(log.pieces):
            self._load(*piece)
            f.i64(odd(number))
            f.op("i64.mul", "i64.add")
        f.set(hash_)
        return hash_

    def _same(self, log: Log, place: int) -> None:
        """Leaves 1 if the snapshot there is the present one, else 0."""
        f = self.f
        f.i64(0)
        for number, piece in enumerate(log.pieces):
            f.get(place)
            f.access(WORD.load, WORD.size * number)
            self._load(*piece)
            f.op("i64.xor", "i64.or")
        f.op("i64.eqz", "i64.extend_i32_u")


def odd(number: int) -> int:
    """The factor of a word of a snapshot."""
    return mix(number + 1) | 1
