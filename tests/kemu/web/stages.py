"""How long each stage of a server's work takes, while it is at it: where slow moves spend their time."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable
from typing import Any

from kemu.table.session import Session
from kemu.web.hall import Hall
from kemu.web.journal import Journal
from kemu.web.place import Table

TICK = 0.01  # seconds between looks at whether the loop is late
SYNCHRONOUS = {"rules": (Session, "apply"), "positions told": (Table, "prepare")}
ASYNCHRONOUS = {
    "a move, as a whole": (Hall, "_act"), "waiting to be written": (Journal, "_write"),
    "a transaction": (Journal, "_transaction"), "a table opened": (Hall, "_opened"),
}  # fmt: skip


class Stages:
    """Begins to watch all halls of this process."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {}
        for name, (owner, attribute) in SYNCHRONOUS.items():
            setattr(owner, attribute, self._watched(name, getattr(owner, attribute)))
        for name, (owner, attribute) in ASYNCHRONOUS.items():
            setattr(owner, attribute, self._awaited(name, getattr(owner, attribute)))
        gc.callbacks.append(self._collected)
        begin = Hall.__init__

        def begun(hall: Hall, *arguments: Any) -> None:
            begin(hall, *arguments)
            self.late: asyncio.Task[None] | None = None
            keep = hall.keep_house

            async def kept() -> None:
                self.late = self.late or asyncio.create_task(self._late())
                await keep()

            hall.keep_house = kept  # type: ignore[method-assign]

        Hall.__init__ = begun  # type: ignore[assignment]

    def _note(self, name: str, began: float) -> None:
        self.times.setdefault(name, []).append(time.monotonic() - began)

    def _watched(self, name: str, does: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            began = time.monotonic()
            try:
                return does(*arguments)
            finally:
                self._note(name, began)

        return call

    def _awaited(self, name: str, does: Callable[..., Any]) -> Callable[..., Any]:
        async def call(*arguments: Any) -> Any:
            began = time.monotonic()
            try:
                return await does(*arguments)
            finally:
                self._note(name, began)

        return call

    def _collected(self, phase: str, told: dict[str, int]) -> None:
        if phase == "start":
            self.began = time.monotonic()
        else:
            self._note(f"garbage of generation {told['generation']}", self.began)

    async def _late(self) -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(TICK)
            self._note("the loop late", began + TICK)

    def told(self) -> str:
        """A line a stage: how often, and half, 99 % and all of them within so many milliseconds."""
        lines = []
        for name, times in sorted(self.times.items()):
            ordered = sorted(times)
            half, most, all_ = (1000 * ordered[int((len(ordered) - 1) * part)] for part in (0.5, 0.99, 1))
            lines.append(f"{name}: {len(times)} times, {half:.1f}, {most:.1f}, {all_:.1f} ms")
        return "\n".join(lines)
