"""The local server: the page at once, and what plays (room.py) as soon as it is read. Requests are done one
after another, in the main thread, where rules that run in circles are stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from kemu.web.page import Answer, page

if TYPE_CHECKING:
    from kemu.web.room import Room

SEEN = 0.2  # seconds after which a board is on the screen


def application(game: str | None, hosts: frozenset[str]) -> Starlette:
    """The server; `game`: what the command named; `hosts`: under which names it may be called,
    `127.0.0.1:8000`."""
    rooms: list[Room] = []

    async def answer(request: Request, what: str, asked: Answer) -> Response:
        if not rooms:
            await read()
        from kemu.web.games import Shelf
        from kemu.web.room import Room, answered

        if not rooms:
            rooms.append(Room(Shelf(game)))
        response = answered(rooms[0], what, asked)
        if what == "new":
            asyncio.get_running_loop().call_later(SEEN, rooms[0].prepare)
        return response

    @asynccontextmanager
    async def living(_: Starlette) -> AsyncIterator[None]:
        reading = asyncio.create_task(read())
        yield
        await reading

    return page(answer, hosts, lifespan=living)


async def read() -> None:
    """Imports what plays, by another thread: the page is given out meanwhile."""
    await asyncio.to_thread(import_module, "kemu.web.room")
