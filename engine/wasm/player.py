"""Runs WebAssembly modules by wasmtime, which is optional (`pip install kemu[fast]`)."""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from engine import kernel as k
from engine.wasm.play import ENDINGS, KEYS
from engine.wasm.writer import BATCH, module

MISSING = "wasmtime is not installed: `pip install 'kemu[fast]'` gets it"

SECONDS = 0.1
"""How long a call should take: Python hears of nothing meanwhile."""
PATIENCE = 10.0
"""After so many seconds a call is given up."""
LONGEST = (1 << 63) - 1


def installed() -> bool:
    """Whether there is wasmtime."""
    return find_spec("wasmtime") is not None


class NotInstalled(Exception):
    """There is no wasmtime."""


Played = tuple[int, int, int, str, Any]
"""Decisions, actions at them, outcomes of chance, how it ended, and what is told of it: as `play` of
generated Python has it (engine/generated/fused.py). A game that is "lost" must be played by another
reader."""


class Player:
    """A module at work. Raises NotCovered, NotInstalled."""

    def __init__(self, program: k.Program) -> None:
        try:
            import wasmtime
        except ImportError:
            raise NotInstalled(MISSING) from None
        self.program = program
        made = module(program)
        self.binary = made.binary
        config = wasmtime.Config()
        config.epoch_interruption = True
        self._trap = wasmtime.Trap
        self._store = wasmtime.Store(wasmtime.Engine(config))
        self._store.set_epoch_deadline(1)
        compiled = wasmtime.Module(self._store.engine, self.binary)
        exports = wasmtime.Instance(self._store, compiled, []).exports(self._store)
        self._memory: Any = exports["memory"]
        self._playouts: Any = exports["playouts"]
        self._size, self._records = made.size, made.records

    def run(self, seed: int, first: int, number: int, longest: int) -> bytes:
        """The records of games of a seed, at most BATCH; those of lost games if it takes too long."""
        clock = threading.Timer(PATIENCE, self._store.engine.increment_epoch)
        clock.daemon = True
        self._store.set_epoch_deadline(1)
        clock.start()
        try:
            self._playouts(self._store, _signed(seed), _signed(first), number, min(longest, LONGEST))
        except self._trap:
            lost = ENDINGS.index("lost").to_bytes(4, "little") + bytes(self._size - 4)
            return lost * number
        finally:
            clock.cancel()
        return bytes(self._memory.read(self._store, self._records, self._records + number * self._size))

    def playouts(self, seed: int, first: int, number: int, longest: int) -> Iterator[Played]:
        """Games number `first` and on of a seed; about a tenth of a second's worth at a time."""
        record = struct.Struct(f"<iiqqq{(self._size - KEYS) // 8}q")
        at, end, batch = first, first + number, 1
        while at < end:
            batch = min(batch, end - at)
            began = time.perf_counter()
            data = self.run(seed, at, batch, longest)
            spent = time.perf_counter() - began
            for ending, told, decisions, branching, outcomes, *result in record.iter_unpack(data):
                name = ENDINGS[ending]
                what = (told, tuple(result)) if name == "end" else told if name == "fault" else None
                yield decisions, branching, outcomes, name, what
            at += batch
            batch = min(BATCH, 2 * batch) if spent < SECONDS else max(1, batch // 2)


def _signed(value: int) -> int:
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value
