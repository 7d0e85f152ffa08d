"""The page, to whom it is given, and messages that are answered: nothing here knows of rules."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Container
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Lifespan

from kemu.render.scene.palette import GROUNDS, PIECES, css
from kemu.render.scene.symbols import SYMBOLS

LARGEST = 1 << 20  # bytes of a message
PATIENCE = 10.0  # seconds that a message may take to come
POLICY = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'"
KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript"}  # of files of the page
FIRST = "index.html"
Answer = dict[str, Any]
Answering = Callable[[Request, str, Answer], Awaitable[Response]]


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


def failed(why: str, status: int = 400) -> Response:
    told = why.encode("utf-8", "replace").decode()  # half a surrogate, quoted from a message, is no text
    return JSONResponse({"error": told}, status)
