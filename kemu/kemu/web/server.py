"""The local server: a page, and a game for each tab that asks for one. One request is done after another, in
the main thread, where rules that run in circles are stopped."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Container
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from kemu_engine.interp.frame import TooMany
from kemu_engine.lower.settings import SettingError
from kemu_engine.play.state import FaultError, IllegalAction
from kemu_engine.support.time_limit import TooSlow
from kemu_grammar.source.diagnostics import RulesError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Lifespan

from kemu.base import save_files
from kemu.base.library import BadInput, shown
from kemu.render.scene.palette import GROUNDS, PIECES, css
from kemu.render.scene.symbols import SYMBOLS
from kemu.table.hint import Adviser
from kemu.table.session import CannotUndo
from kemu.table.visibility import has_secrets
from kemu.web import why
from kemu.web.games import Shelf
from kemu.web.position import Seated

LARGEST = 1 << 20  # bytes of a message
PATIENCE = 10.0  # seconds that a message may take to come
TABLES = 32  # at once; the one that was used least lately makes room
POLICY = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'"
KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript"}  # of files of the page
FIRST = "index.html"
Answer = dict[str, Any]


@dataclass(slots=True)
class Room:
    """All games that go on here, by their secret names."""

    shelf: Shelf
    tables: dict[str, Seated] = field(default_factory=dict)
    adviser: Adviser = field(default_factory=Adviser)

    def do(self, what: str, asked: Answer) -> Answer:
        """Carries out a request. Raises BadInput and what blames the input."""
        if what == "games":
            return {"games": self.shelf.names(), "chosen": self.shelf.extra or ""}
        if what == "about":
            return self.shelf.about(asked.get("game"))
        if what == "table":
            return self.shelf.table(asked)
        if what == "new":
            return self._sat(self.shelf.begun(asked))
        if what == "load":
            return self._sat(self.shelf.loaded(asked.get("saved")))
        name = asked.get("table")
        table = self.tables.pop(name, None) if isinstance(name, str) else None
        if table is None or not isinstance(name, str):
            raise BadInput("this game is not here any more: begin a new one, or load a saved one")
        self.tables[name] = table  # now the one used last
        if what in AT_A_TABLE:
            return AT_A_TABLE[what](self, table, asked)
        raise BadInput(f"nobody here knows how to {shown(what)}")

    def _sat(self, table: Seated) -> Answer:
        while len(self.tables) >= TABLES:
            del self.tables[next(iter(self.tables))]
        name = secrets.token_urlsafe(16)
        self.tables[name] = table
        return {"table": name, **table.message()}

    def look(self, table: Seated, asked: Answer) -> Answer:
        return table.message()

    def act(self, table: Seated, asked: Answer) -> Answer:
        text = asked.get("action")
        if not table.session.waits or table.hands_over:
            raise BadInput("it is not for you to decide now")
        if asked.get("step") != len(table.session.steps):
            raise BadInput("the game has gone on meanwhile")
        if not isinstance(text, str):
            raise BadInput("an action is given as a text")
        table.session.apply(text)
        return table.message()

    def go(self, table: Seated, asked: Answer) -> Answer:
        """Chance, and the next step of a bot."""
        for step in table.session.advance():
            if step.actor is not None:
                break
        return table.message()

    def undo(self, table: Seated, asked: Answer) -> Answer:
        table.session.undo()
        return table.message()

    def sit(self, table: Seated, asked: Answer) -> Answer:
        """The player who is to decide has come to the page."""
        if asked.get("player") != table.hands_over or not table.hands_over:
            raise BadInput("nobody is waited for")
        table.viewer = table.hands_over
        return table.message()

    def hint(self, table: Seated, asked: Answer) -> Answer:
        if not table.session.waits or table.hands_over:
            raise BadInput("it is not for you to decide now")
        return {"hints": self.adviser.hints(table.session.position)}

    def why(self, table: Seated, asked: Answer) -> Answer:
        """What the rules say of step `at`, or, without one, of what can be done now."""
        session, at = table.session, asked.get("at")
        if at is None:
            if not session.waits or table.hands_over:
                raise BadInput("it is not for you to decide now")
            return why.offered(session.state)
        if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at < len(session.steps):
            raise BadInput("there is no such step")
        return why.behind(session, at, table.sight)

    def save(self, table: Seated, asked: Answer) -> Answer:
        """The whole game, for those who may know it all."""
        session = table.session
        if has_secrets(session.game) and not session.state.is_end:
            raise BadInput(
                "this game has secrets, and a saved game holds them all: it can be saved at its end"
            )
        return {"saved": save_files.text(session.saved(table.rules))}


AT_A_TABLE: dict[str, Callable[[Room, Seated, Answer], Answer]] = {
    "look": Room.look, "act": Room.act, "go": Room.go, "undo": Room.undo, "sit": Room.sit, "hint": Room.hint,
    "save": Room.save, "why": Room.why,
}  # fmt: skip


Answering = Callable[[Request, str, Answer], Awaitable[Response]]


def application(shelf: Shelf, hosts: frozenset[str]) -> Starlette:
    """The server; `hosts`: under which names it may be called, `127.0.0.1:8000`."""
    room = Room(shelf)

    async def answer(request: Request, what: str, asked: Answer) -> Response:
        return answered(room, what, asked)

    return page(answer, hosts)


def page(
    answer: Answering, hosts: Container[str], scheme: str = "http", largest: int = LARGEST,
    lifespan: Lifespan[Starlette] | None = None,
) -> Starlette:  # fmt: skip
    """The page, and messages that are answered. `hosts`, `scheme`: what stands in the addresses by which it
    may be called; `largest`: bytes of a message."""

    async def site(request: Request) -> Response:
        name = request.path_params.get("file", FIRST)
        every = files("kemu.web").joinpath("site").iterdir()
        found = next((each for each in every if each.name == name), None)
        kind = KINDS.get(name.rpartition(".")[2])
        if found is None or kind is None:
            return failed("there is no such page", 404)
        return Response(found.read_bytes(), media_type=kind)

    async def drawing(request: Request) -> Response:
        day, night = css([*PIECES, *GROUNDS])
        return JSONResponse({"symbols": SYMBOLS, "day": day, "night": night})

    async def done(request: Request) -> Response:
        body = await read(request, largest)
        if body is None:
            return failed(f"a message has at most {largest} bytes", 413)
        try:
            asked = json.loads(body)
        except (ValueError, RecursionError):
            return failed("this is no JSON")
        if not isinstance(asked, dict):
            return failed("a message is an object of JSON")
        return await answer(request, request.path_params["what"], asked)

    async def guarded(request: Request, call: Callable[[Request], Awaitable[Response]]) -> Response:
        why = foreign(request, hosts, scheme)
        response = failed(why, 403) if why else await call(request)
        response.headers["Content-Security-Policy"] = POLICY
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["Cache-Control"] = "no-store"
        return response

    def route(path: str, call: Callable[[Request], Awaitable[Response]], method: str) -> Route:
        async def endpoint(request: Request) -> Response:
            return await guarded(request, call)

        return Route(path, endpoint, methods=[method])

    app = Starlette(
        routes=[
            route("/drawing.json", drawing, "GET"),
            route("/do/{what}", done, "POST"),
            route("/", site, "GET"),
            route("/{file}", site, "GET"),
        ],
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # nobody is sent to an address that he made up
    return app


def foreign(request: Request, hosts: Container[str], scheme: str) -> str:
    """Why a request is not from the page itself; "" if it is. Another site's page cannot name our host as its
    origin, and a name that only points here is none of ours."""
    if request.headers.get("host", "") not in hosts:
        return "this server answers only under its own name"
    if request.method == "POST":
        origin = request.headers.get("origin")
        if origin is not None and not (
            origin.startswith(f"{scheme}://") and origin.removeprefix(f"{scheme}://") in hosts
        ):
            return "only this server's own page may play here"
        if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return "only this server's own page may play here"
        if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
            return "messages are JSON"
    return ""


async def read(request: Request, largest: int) -> bytes | None:
    """The message; None if it is too large, or takes too long to come."""
    parts = bytearray()
    try:
        async with asyncio.timeout(PATIENCE):
            async for part in request.stream():
                parts += part
                if len(parts) > largest:
                    return None
    except TimeoutError:
        return None
    return bytes(parts)


BLAMING = (
    FaultError, RulesError, BadInput, SettingError, IllegalAction, CannotUndo, TooMany, TooSlow, OSError,
)  # fmt: skip
"""What blames the input."""


def answered(room: Room, what: str, asked: Answer) -> Response:
    """What is said to a request: the answer, or the one thing that is wrong with it."""
    try:
        return JSONResponse(room.do(what, asked))
    except BLAMING as error:
        return refused(error)


def refused(error: Exception) -> Response:
    if isinstance(error, FaultError):
        return failed(f"the rules break down: {error.message}")
    if isinstance(error, OSError):
        return failed(f"a file cannot be read: {error.strerror or error}")
    return failed(str(error))


def failed(why: str, status: int = 400) -> Response:
    told = why.encode("utf-8", "replace").decode()  # half a surrogate, quoted from a message, is no text
    return JSONResponse({"error": told}, status)
