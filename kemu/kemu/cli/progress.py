"""What people see on stderr while a command works: how far it is, and what it is trying."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from kemu.render.console import console, terminal


class Watch:
    """A line that says what is going on; nothing at all if nobody is watching."""

    def __init__(self) -> None:
        said = (TextColumn("{task.fields[done]}"), TextColumn("{task.description}"))
        columns = (SpinnerColumn(), *said, TimeElapsedColumn())
        paper = console(stderr=True)
        self.progress = Progress(*columns, console=paper, transient=True, disable=not terminal())
        self.task = self.progress.add_task("getting ready", done="")

    def __enter__(self) -> Watch:
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()

    def show(self, text: str) -> None:
        """Says what is going on now."""
        self.progress.update(self.task, description=text)

    def count(self, done: int, total: int) -> None:
        """Says how many are done, of how many."""
        self.progress.update(self.task, done=f"{done} of {total}" if total else str(done))

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """What is written within stands above the line."""
        self.progress.stop()
        try:
            yield
        finally:
            self.progress.start()


@contextmanager
def interrupted_by_sigterm() -> Iterator[None]:
    """Whoever asks the process to end interrupts what is done within, as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(_: int, __: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
