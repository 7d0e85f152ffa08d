"""A WebAssembly module at work, by wasmtime, which is optional (`pip install kemu[fast]`)."""

from __future__ import annotations

import ctypes
import threading
from importlib.util import find_spec
from typing import Any

MISSING = "wasmtime is not installed: `pip install 'kemu[fast]'` gets it"

PATIENCE = 10.0
"""After so many seconds a call is given up."""


def installed() -> bool:
    """Whether there is wasmtime."""
    return find_spec("wasmtime") is not None


class NotInstalled(Exception):
    """There is no wasmtime."""


def needed() -> None:
    """Raises NotInstalled."""
    if not installed():
        raise NotInstalled(MISSING)


class TooLong(Exception):
    """A call was given up."""


class Running:
    """An instance of a module. There must be wasmtime."""

    def __init__(self, binary: bytes) -> None:
        import wasmtime

        config = wasmtime.Config()
        config.epoch_interruption = True
        self._trap, self._interrupted = wasmtime.Trap, wasmtime.TrapCode.INTERRUPT
        self._store = wasmtime.Store(wasmtime.Engine(config))
        self._store.set_epoch_deadline(1)
        compiled = wasmtime.Module(self._store.engine, binary)
        self._exports = wasmtime.Instance(self._store, compiled, []).exports(self._store)
        self._memory: Any = self._exports["memory"]

    def call(self, name: str, *args: int) -> Any:
        """Calls a function. Raises TooLong."""
        function: Any = self._exports[name]
        clock = threading.Timer(PATIENCE, self._store.engine.increment_epoch)
        clock.daemon = True
        self._store.set_epoch_deadline(1)
        clock.start()
        try:
            return function(self._store, *args)
        except self._trap as trap:
            if trap.trap_code is self._interrupted:
                raise TooLong from None
            raise
        finally:
            clock.cancel()

    def read(self, at: int, size: int) -> bytes:
        """A copy of a part of memory."""
        return bytes(self._memory.read(self._store, at, at + size))

    def view(self, at: int, size: int) -> memoryview:
        """A part of memory itself, to read and to write; it holds as long as memory does not grow."""
        start = ctypes.addressof(self._memory.data_ptr(self._store).contents)
        part = (ctypes.c_ubyte * size).from_address(start + at)
        part.owner = self  # type: ignore[attr-defined]  # or memory would be gone before the view
        return memoryview(part).cast("B")

    @property
    def size(self) -> int:
        """Bytes of memory."""
        return int(self._memory.data_len(self._store))
