"""Processes beside this one. They leave Ctrl-C to it, from the moment they start."""

from __future__ import annotations

import gc
import multiprocessing
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any

CONTEXT = multiprocessing.get_context("spawn")
DIED = "its process has died"
SILENT = "its process does not answer"


def outcomes(
    size: int,
    work: Callable[..., Any],
    tasks: Iterable[tuple[Any, ...]],
    begin: Callable[..., None] | None = None,
    given: tuple[Any, ...] = (),
) -> Generator[tuple[int, Any]]:
    """What comes of each task in so many processes, by its number, as it comes (`Failed` too; what is told
    before is not heard). Whoever stops listening closes it: that stops the work."""
    waiting = enumerate(tasks)
    with closing(Crew(size, work, begin, given)) as crew:
        found: Mapping[Any, Any] = {}
        while True:
            while crew.free and (task := next(waiting, None)) is not None:
                crew.give(task[0], *task[1])
            yield from found.items()
            if crew.idle:
                return
            found = {at: one for at, one in crew.done(None).items() if not isinstance(one, Told)}


@contextmanager
def _deaf() -> Iterator[None]:
    """Ctrl-C does nothing meanwhile, nor in processes that are started, from then on (where this is not the
    main thread, from when they have begun)."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass(frozen=True, slots=True)
class Failed:
    """What comes of a task that raised an error, or whose process died or was given up: why."""

    error: str


@dataclass(frozen=True, slots=True)
class Told:
    """What is said of a task while it is under way."""

    what: Any


class Crew:
    """So many processes that do one task at a time each, `work(tell, *task)`, and may `tell` something before
    they are done; each begins with `begin(*given)`. One that dies takes only its own task with it, and
    another takes its place. To be closed in the end."""

    def __init__(
        self,
        size: int,
        work: Callable[..., Any],
        begin: Callable[..., None] | None = None,
        given: tuple[Any, ...] = (),
    ) -> None:
        self._size = size
        self._made = work, begin, given
        self._idle: list[tuple[BaseProcess, Connection]] = []
        self._busy: dict[Any, tuple[BaseProcess, Connection]] = {}

    @property
    def free(self) -> bool:
        """Whether there is one without a task."""
        return len(self._busy) < self._size

    @property
    def idle(self) -> bool:
        """Whether none has a task."""
        return not self._busy

    def give(self, key: Any, *task: Any) -> None:
        """A task for one that has none; what comes of it comes with the key."""
        while self._idle and self._idle[-1][1].poll():  # it says something unasked: that it has died
            _ended([self._idle.pop()])
        one = self._idle.pop() if self._idle else self._hired()
        self._busy[key] = one
        with suppress(OSError):  # it has died: that is found when it is waited for
            one[1].send(task)

    def done(self, timeout: float | None) -> Mapping[Any, Any]:
        """By key what has come of tasks, or was told, as soon as there is something; nothing if that takes
        longer than so many seconds."""
        keys = {one[1]: key for key, one in self._busy.items()}
        found: dict[Any, Any] = {}
        for connection in wait(list(keys), timeout):
            key = keys[connection]  # type: ignore[index]
            try:
                found[key] = self._busy[key][1].recv()
            except (EOFError, OSError):
                found[key] = self.given_up(key, DIED)
            else:
                if not isinstance(found[key], Told):
                    self._idle.append(self._busy.pop(key))
        return found

    def given_up(self, key: Any, why: str = SILENT) -> Failed:
        """Ends the process that has a task."""
        _ended([self._busy.pop(key)])
        return Failed(why)

    def close(self) -> None:
        """Ends all processes."""
        mine = [*self._idle, *self._busy.values()]
        self._idle, self._busy = [], {}
        _ended(mine)

    def _hired(self) -> tuple[BaseProcess, Connection]:
        here, there = CONTEXT.Pipe()
        process = CONTEXT.Process(target=_serve, args=(there, gc.get_threshold(), *self._made), daemon=True)
        with _deaf():
            process.start()
        there.close()
        return process, here


def _ended(crew: list[tuple[BaseProcess, Connection]]) -> None:
    for process, connection in crew:
        connection.close()
        process.kill()
    for process, _ in crew:
        process.join()
        process.close()


def _serve(
    connection: Connection,
    searches: tuple[int, int, int],
    work: Callable[..., Any],
    begin: Callable[..., None] | None,
    given: tuple[Any, ...],
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it was not started from the main thread
    gc.set_threshold(*searches)
    failed: Failed | None = None
    try:
        if begin is not None:
            begin(*given)
    except Exception as error:
        failed = Failed(f"{type(error).__name__}: {error}")

    def tell(what: Any) -> None:
        with suppress(OSError):  # who asked is gone
            connection.send(Told(what))

    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        try:
            answer = ForkingPickler.dumps(failed or work(tell, *task))
        except Exception as error:
            answer = ForkingPickler.dumps(Failed(f"{type(error).__name__}: {error}"))
        try:
            connection.send_bytes(answer)
        except OSError:  # who asked is gone
            return
