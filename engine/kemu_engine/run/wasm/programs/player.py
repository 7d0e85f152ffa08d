"""Whole random games by WebAssembly."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.run.wasm.asm.runtime import NotInstalled as NotInstalled
from kemu_engine.run.wasm.asm.runtime import Running, TooLong, needed
from kemu_engine.run.wasm.asm.runtime import installed as installed
from kemu_engine.run.wasm.programs.play import ENDINGS, KEYS
from kemu_engine.run.wasm.programs.writer import BATCH, module

SECONDS = 0.1
"""How long a call should take: Python hears of nothing meanwhile."""
LONGEST = (1 << 63) - 1


Played = tuple[int, int, int, str, Any]
"""Decisions, actions at them, outcomes of chance, how it ended, and what is told of it: as `play` of
generated Python has it (run/python/playout.py). A game that is "lost" must be played by another
reader."""


class Player:
    """A module at work. Raises NotCovered, NotInstalled."""

    def __init__(self, program: k.Program) -> None:
        needed()
        self.program = program
        made = module(program, about=False)
        self.binary = made.binary
        self._running = Running(made.binary)
        self._size, self._records = made.size, made.records
        self._batch = 1  # games of a call, as many as turned out to take a short time

    def run(self, seed: int, first: int, number: int, longest: int) -> bytes:
        """The records of games of a seed, at most BATCH; those of lost games if it takes too long."""
        try:
            self._running.call("playouts", signed(seed), signed(first), number, min(longest, LONGEST))
        except TooLong:
            lost = ENDINGS.index("lost").to_bytes(4, "little") + bytes(self._size - 4)
            return lost * number
        return self._running.read(self._records, number * self._size)

    def playouts(self, seed: int, first: int, number: int, longest: int) -> Iterator[Played]:
        """Games number `first` and on of a seed."""
        record = struct.Struct(f"<iiqqq{(self._size - KEYS) // 8}q")
        for data in self.batches(seed, first, number, longest):
            for ending, told, decisions, branching, outcomes, *result in record.iter_unpack(data):
                name = ENDINGS[ending]
                what = (told, tuple(result)) if name == "end" else told if name == "fault" else None
                yield decisions, branching, outcomes, name, what

    def batches(self, seed: int, first: int, number: int, longest: int) -> Iterator[bytes]:
        """The records of these games, a tenth of a second's worth at a time."""
        at, end = first, first + number
        while at < end:
            batch = min(self._batch, end - at)
            began = time.perf_counter()
            data = self.run(seed, at, batch, longest)
            spent = time.perf_counter() - began
            yield data
            at += batch
            if spent >= SECONDS:
                self._batch = max(1, batch // 2)
            elif batch == self._batch:
                self._batch = min(BATCH, 2 * batch)


def signed(value: int) -> int:
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value
