"""`kemu table --serve`: the hall (hall.py) over HTTP, for browsers that come through a proxy or as they are.

Secrets of links are told in the bodies of messages only: no address, no log, no other site learns them. What
happens at a table comes as one long answer of server-sent events."""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
from collections.abc import AsyncIterator, Callable, Container
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import json
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from kemu.base.library import BadInput, shown
from kemu.web.connections import Gate, guarded, home
from kemu.web.games import Shelf
from kemu.web.hall import Hall
from kemu.web.journal import Journal
from kemu.web.limits import Limits, TooOften
from kemu.web.page import Answer, failed, page
from kemu.web.room import refused

LOG = logging.getLogger("uvicorn.error")
HOUSE = 300.0  # seconds between times at which what nobody uses is put away
GARBAGE = (2_000, 5, 1_000_000)
"""Python's thresholds for garbage that goes in circles: what lives long, as a thousand tables do, is not
searched again and again, for a second each time, but every so many times that the house is kept (DEEP)."""
DEEP = 24
HERE = ("127.0.0.1", "::1", "::ffff:127.0.0.1")
"""Whose word is taken for who asks: a proxy's on this machine."""


@dataclass(frozen=True, slots=True)
class Numbers(Container[str]):
    """All names that are numbers, `192.0.2.1:8000`: nobody can make these point elsewhere."""

    port: int

    def __contains__(self, host: object) -> bool:
        name, _, port = str(host).rpartition(":")
        if not name:
            name, port = port, "80"
        try:
            ip_address(name.strip("[]"))
        except ValueError:
            return False
        return port == str(self.port)


@dataclass(frozen=True, slots=True)
class Where:
    """Where a server listens, and under which names people know it."""

    host: str
    port: int
    hosts: Container[str]
    scheme: str
    address: str


def where(text: str, public: str | None) -> Where:
    """`HOST:PORT`, and the address that people type, if it is another. Raises BadInput."""
    host, sign, number = text.rpartition(":")
    host = host.strip("[]")
    if not sign or not host or not number.isdecimal() or not 0 < int(number) < 65536:
        raise BadInput(f"where to serve is said as HOST:PORT, 127.0.0.1:8000, not as {shown(text)}")
    port = int(number)
    if public is not None:
        wrong = BadInput(f"the public address is like https://kemu.example.org, not {shown(public)}")
        try:
            parts = urlsplit(public)
            port_of = parts.port
        except ValueError:  # half a bracket, a port that is none
            raise wrong from None
        more = parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc
        if parts.scheme not in ("http", "https") or not parts.hostname or port_of == 0 or more:
            raise wrong
        usual = {"http": ":80", "https": ":443"}[parts.scheme]
        name = parts.netloc.lower().removesuffix(usual)
        return Where(host, port, frozenset({name}), parts.scheme, f"{parts.scheme}://{name}/")
    shown_host = f"[{host}]" if ":" in host else host
    try:
        anywhere = ip_address(host).is_unspecified
    except ValueError:
        anywhere = False
    names = {f"{shown_host}:{port}".lower()} | ({shown_host.lower()} if port == 80 else set())
    hosts: Container[str] = Numbers(port) if anywhere else frozenset(names)
    return Where(host, port, hosts, "http", f"http://{shown_host}:{port}/")


def served(hall: Hall, place: Where, gate: Gate | None = None) -> Starlette:
    """The server; `gate`: through which people come."""

    async def answer(request: Request, what: str, asked: Answer) -> Response:
        address = caller(request)
        try:
            if what == "follow":
                events = hall.follows(asked, address)
                return StreamingResponse(
                    events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
                )
            return Response(json.encode(await hall.ask(what, asked, address)), media_type="application/json")
        except TooOften as error:
            return failed(str(error), 429)
        except Exception as error:
            return refused(error)

    @asynccontextmanager
    async def living(_: Starlette) -> AsyncIterator[None]:
        async def keeping() -> None:
            for times in count():
                try:
                    await hall.keep_house()
                except Exception as error:  # whatever it is, the house is kept the next time
                    LOG.error("what nobody uses could not be put away: %s", error)
                if times % DEEP == 0:
                    gc.collect()
                await asyncio.sleep(HOUSE)

        tasks = [asyncio.create_task(keeping())]
        if gate is not None:
            tasks.append(asyncio.create_task(gate.sweeping()))
        yield
        for task in tasks:
            task.cancel()
        hall.close()

    return page(answer, place.hosts, place.scheme, hall.limits.message, living)


def caller(request: Request) -> str:
    """Who asks, as far as the network tells."""
    return home(request.client.host) if request.client is not None else ""


def run(
    game: str | None,
    place: Where,
    journal: Path,
    limits: Limits | None = None,
    begun: Callable[[], None] = lambda: None,
) -> None:
    """Serves until it is ended; `begun` is called when it listens. Raises BadInput."""
    import uvicorn
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    limits = limits or Limits()
    listening = bound(place)
    many_files()
    hall = Hall(Shelf(game), Journal(journal, limits.kept), limits)
    gc.set_threshold(*GARBAGE)
    gate = Gate(limits)
    config = uvicorn.Config(
        served(hall, place, gate), http=guarded(AutoHTTPProtocol, gate),
        host=place.host, port=place.port, log_level="error", access_log=False, ws="none",
        server_header=False, timeout_graceful_shutdown=2, timeout_keep_alive=75,
        h11_max_incomplete_event_size=32_768, forwarded_allow_ips=list(HERE),
    )  # fmt: skip
    hall.workshop.helper.begin()
    begun()
    with listening:
        uvicorn.Server(config).run(sockets=[listening])


def bound(place: Where) -> socket.socket:
    """What listens there. Raises BadInput."""
    try:
        family, kind, *_, address = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(2048)
    except OSError as error:
        raise BadInput(f"{place.host}:{place.port} cannot be used: {error.strerror or error}") from None
    return listening


def many_files() -> None:
    """As many open connections as the system allows at all."""
    try:
        import resource
    except ImportError:  # there is no such limit
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
