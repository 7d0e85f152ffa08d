"""Another process that answers one question after another, so that nobody waits for the wishes of another."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any

Answering = Callable[[Any], Any]


class Lost(Exception):
    """There was no answer: it took too long, or the process broke down."""


class Helper:
    """The process begins with the first question, and again after it was lost; it ends with this one, however
    that ends. `make` gives, over there, what answers; `humble`: others go first where cores are short."""

    def __init__(self, make: Callable[[], Answering], humble: bool = False) -> None:
        self.make, self.humble = make, humble
        self.thread = ThreadPoolExecutor(1)
        self.process: SpawnProcess | None = None
        self.pipe: Connection | None = None

    async def ask(self, question: object, seconds: float) -> Any:
        """Raises what answering raises; Lost if that takes longer than so many seconds."""
        return await asyncio.get_running_loop().run_in_executor(self.thread, self._asked, question, seconds)

    def begin(self) -> None:
        """Begins the process, so that the first question need not wait for that."""
        self.thread.submit(lambda: self.pipe or self._begun())

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
        self.thread.shutdown(cancel_futures=True)

    def _asked(self, question: object, seconds: float) -> Any:
        try:
            pipe = self.pipe or self._begun()
            pipe.send(question)
            if not pipe.poll(seconds):
                raise EOFError
            good, found = pipe.recv()
        except (EOFError, OSError):
            self._ended()
            raise Lost from None
        if not good:
            raise found
        return found

    def _begun(self) -> Connection:
        spawning = get_context("spawn")
        self.pipe, theirs = spawning.Pipe()
        self.process = spawning.Process(target=_answers, args=(theirs, self.make, self.humble), daemon=True)
        self.process.start()
        theirs.close()  # so that each hears of the other's end
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
