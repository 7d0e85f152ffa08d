"""A WebAssembly module at work, by wasmtime, where there is one for the machine."""

from __future__ import annotations

import ctypes
import threading
import time
from typing import Any
from weakref import WeakSet

from kemu_engine.support.time_limit import postponed

MISSING = "wasmtime does not run here"

PATIENCE = 10.0
"""After so many seconds a call is given up."""
LOOK = 0.2
"""Seconds between two looks at whether one is to be given up."""


def installed() -> bool:
    """Whether wasmtime runs here: it is installed, and made for this machine."""
    try:
        import wasmtime  # noqa: F401
    except (ImportError, OSError, RuntimeError):
        return False
    return True


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
        compiled = _compiled(self._store.engine, binary)
        self._exports = wasmtime.Instance(self._store, compiled, []).exports(self._store)
        self._memory: Any = self._exports["memory"]
        self._functions: dict[str, Any] = {}
        self._due = 0.0  # when a call is to be given up; 0 if there is none
        self._lock = threading.Lock()

    def call(self, name: str, *args: int) -> Any:
        """Calls a function. Raises TooLong."""
        if name not in self._functions:
            self._functions[name] = self._exports[name]
        _watch.over(self)
        with self._lock:
            self._due = time.monotonic() + PATIENCE
            self._store.set_epoch_deadline(1)
        try:
            return self._functions[name](self._store, *args)
        except self._trap as trap:
            if trap.trap_code is self._interrupted:
                raise TooLong from None
            raise
        finally:
            with self._lock:
                self._due = 0.0

    def give_up(self, now: float) -> None:
        """Interrupts a call if it is due."""
        with self._lock:
            if self._due and now > self._due:
                self._store.engine.increment_epoch()

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


_machine: dict[bytes, bytes] = {}
"""Machine code of the last modules, by module."""
_kept = threading.Lock()
KEPT = 4


def _compiled(engine: Any, binary: bytes) -> Any:
    """The module, compiled for an engine: each has its own clock, so that none is shared. Many may be at work
    at once, and compiling takes long."""
    import wasmtime

    code = _machine.get(binary)
    if code is not None:
        return wasmtime.Module.deserialize(engine, code)
    compiled = wasmtime.Module(engine, binary)
    with _kept:
        while len(_machine) >= KEPT:
            del _machine[next(iter(_machine))]
        _machine[binary] = bytes(compiled.serialize())
    return compiled


class Watch:
    """A thread that gives up the calls that take too long, as long as there are modules."""

    def __init__(self) -> None:
        self._all: WeakSet[Running] = WeakSet()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def over(self, running: Running) -> None:
        if running not in self._all or self._thread is None:
            with postponed(), self._lock:
                self._all.add(running)
                if self._thread is None:
                    self._thread = threading.Thread(target=self._look, daemon=True)
                    self._thread.start()

    def _look(self) -> None:
        while True:
            time.sleep(LOOK)
            with self._lock:
                running = list(self._all)
                if not running:
                    self._thread = None
                    return
            for each in running:
                each.give_up(time.monotonic())
            del running, each


_watch = Watch()
