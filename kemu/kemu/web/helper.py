"""Another process that answers one question after another, so that nobody waits for the wishes of another."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from threading import Thread
from typing import Any

Answering = Callable[[Any], Any]


class Lost(Exception):
    """There was no answer; the message says why."""


class Helper:
    """The process begins with the first question, and again after it was lost; it ends with this one, however
    that ends. `make` gives, over there, what answers; `humble`: others go first where cores are short."""

    def __init__(self, make: Callable[[], Answering], humble: bool = False) -> None:
        self.make, self.humble = make, humble
        self.thread = ThreadPoolExecutor(1)
        self.process: SpawnProcess | None = None
        self.pipe: Connection | None = None
        self.closed = False

    async def ask(self, question: object, seconds: float) -> Any:
        """Raises what answering raises; Lost if that takes longer than so many seconds."""
        return await asyncio.get_running_loop().run_in_executor(self.thread, self._asked, question, seconds)

    def begin(self) -> None:
        """Begins the process, so that the first question need not wait for that."""
        self.thread.submit(self._begun)

    def close(self) -> None:
        """Whoever waits for an answer has none."""
        self.closed = True
        if (process := self.process) is not None:
            process.kill()
        self.thread.shutdown(cancel_futures=True)
        self._ended()

    def _asked(self, question: object, seconds: float) -> Any:
        try:
            pipe = self._begun()
            pipe.send(question)
            if not pipe.poll(seconds):
                raise TimeoutError(f"it took more than {seconds:.0f} seconds")
            good, found = pipe.recv()
        except Exception as error:  # the process has ended, or nobody can read what it says
            self._ended()
            raise Lost(f"no answer: {str(error) or 'the process has ended'}") from None
        if not good:
            raise found
        return found

    def _begun(self) -> Connection:
        """The process is there."""
        if self.process is not None and not self.process.is_alive():  # it ended while nobody asked
            self._ended()
        if self.pipe is None:
            spawning = get_context("spawn")
            pipe, theirs = spawning.Pipe()
            process = spawning.Process(target=_answers, args=(theirs, self.make, self.humble), daemon=True)
            process.start()
            theirs.close()  # so that each hears of the other's end
            self.pipe, self.process = pipe, process
        if self.closed:
            self._ended()
            raise EOFError
        return self.pipe

    def _ended(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
        if self.pipe is not None:
            self.pipe.close()
        self.process = self.pipe = None


def _answers(pipe: Connection, make: Callable[[], Answering], humble: bool) -> None:
    """Over there."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this
    Thread(target=_ends_with_the_other, daemon=True).start()
    if humble and hasattr(os, "nice"):
        os.nice(10)
    answer = make()
    while True:
        try:
            question = pipe.recv()
            try:
                told = True, answer(question)
            except Exception as error:
                told = False, error
            pipe.send(told)
        except (EOFError, OSError):  # nobody is there any more
            return


def _ends_with_the_other() -> None:
    """Over there: also in the middle of an answer."""
    if (other := parent_process()) is not None:
        other.join()
        os._exit(1)
