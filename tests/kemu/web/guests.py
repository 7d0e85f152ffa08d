"""A hall with guests, without a network; and what its disk holds when it is killed."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from kemu.base.opening import ready
from kemu.web.games import Shelf
from kemu.web.hall import Hall
from kemu.web.journal import Journal
from kemu.web.limits import Limits
from kemu_engine.kernel.nodes import Program
from msgspec import json

from tests.kemu.web.told import changed

GUEST = "g" * 22
HOME = "192.0.2.1"


async def make(name: str, sets: tuple[str, ...]) -> Program:
    return ready(name, sets, None, None).program


def hall(path: Path, **limits: Any) -> Hall:
    found = replace(Limits(), **limits)
    return Hall(Shelf(), Journal(path, found.kept), found, make)


def after_a_kill(old: Path, new: Path, **limits: Any) -> Hall:
    """The hall that begins with what the disk holds now."""
    for end in ("", "-wal"):
        if Path(f"{old}{end}").exists():
            shutil.copy(f"{old}{end}", f"{new}{end}")
    return hall(new, **limits)


def run(body: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(body())  # type: ignore[arg-type]


async def opened(at: Hall, game: str = "tic-tac-toe", **more: object) -> tuple[str, str, str]:
    """A new table: the links of its first seat, of a guest who has come, of those who watch."""
    found = await at.ask("new", {"game": game, **more}, HOME)
    (invitation,) = found["invitations"].values()
    await at.ask("claim", {"table": invitation, "seat": GUEST}, HOME)
    return found["table"], GUEST, found["watch"]


class Following:
    """Somebody who is connected; `now`: what he has been told."""

    def __init__(self, at: Hall, token: str) -> None:
        self.events = at.follows({"table": token}, HOME)
        self.now: Any = None

    async def told(self) -> Any:
        event = json.decode((await asyncio.wait_for(anext(self.events), 60)).removeprefix(b"data: "))
        self.now = event["whole"] if "whole" in event else changed(self.now, event["change"])
        return self.now
