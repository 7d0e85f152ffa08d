"""What people see on stderr while a command works: how far it is, and what it is trying."""

from __future__ import annotations

from types import TracebackType

from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from kemu.render.console import console, terminal


class Watch:
    """A line that says what is going on; nothing at all if nobody is watching."""

    def __init__(self) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        paper = console(stderr=True)
        self.progress = Progress(*columns, console=paper, transient=True, disable=not terminal())
        self.task = self.progress.add_task("getting ready")

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
