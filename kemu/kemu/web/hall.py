"""What people who come over a network may ask: for a table, and at one, by the secret link to a seat.
Whatever is confirmed is written down before (journal.py)."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

from kemu_engine.play.state import FaultError
from msgspec import json

from kemu.base import save_files
from kemu.base.library import BadInput, shown
from kemu.table.session import Step
from kemu.table.visibility import has_secrets
from kemu.web import why
from kemu.web.games import Shelf, sets
from kemu.web.instances import Make
from kemu.web.journal import Journal, Link
from kemu.web.limits import Buckets, Limits, TooOften
from kemu.web.place import Stream, Table
from kemu.web.tables import KINDS, UNKNOWN, Answer, Tables, digest, opener, told

ELSEWHERE = "Your seat is open in too many other windows, so it was closed in this one."
QUIET = 15.0  # seconds after which those who are connected hear that the server is there


class Hall(Tables):
    """All tables of a server. `ask` and `follow` are what others may want of it."""

    def __init__(
        self, shelf: Shelf, journal: Journal, limits: Limits | None = None, make: Make | None = None
    ) -> None:
        super().__init__(shelf, journal, limits, make)
        self.described: dict[str, Answer] = {}
        self.claimed: set[bytes] = set()  # links that are being written down
        self.streams: Counter[str] = Counter()  # by address
        self.seats = Buckets(self.limits.seat)
        self.addresses = Buckets(self.limits.address)
        self.at_tables = Buckets(self.limits.at_tables)
        self.opened = Buckets(self.limits.opened)

    async def ask(self, what: str, asked: Answer, address: str) -> Answer:
        """Carries out a request. Raises TooOften, BadInput and what blames the input."""
        if what in AT_A_TABLE:
            link = self._link(asked.get("table"), address)
            return await AT_A_TABLE[what](self, link, asked)
        self.addresses.spend(address)
        if what == "games":
            return {"games": self.names, "chosen": self.shelf.extra or "", "together": True}
        if what == "about":
            return await self._about(self._game(asked.get("game")))
        if what == "table":
            self.addresses.spend(address, 5)
            game = await self.instances.get(self._game(asked.get("game")), sets(asked), opener(address))
            return {"players": list(game.players), "kinds": list(KINDS)}
        if what == "new":
            self.opened.spend(address)
            return await asyncio.shield(asyncio.ensure_future(self._opened(asked, address)))
        raise BadInput(f"nobody here knows how to {shown(what)}")

    def _link(self, token: object, address: str) -> Link:
        """Raises BadInput, TooOften."""
        try:
            known = digest(token)
            link = self.links.get(known)
            if link is None or not hmac.compare_digest(link.digest, known):
                raise BadInput(UNKNOWN)
        except BadInput:
            self.addresses.spend(address, 5)
            raise
        self.at_tables.spend(address)
        self.seats.spend(known)
        return link

    async def _about(self, name: str) -> Answer:
        if name not in self.described:
            self.described[name] = {**await asyncio.to_thread(self.shelf.about, name), "kinds": KINDS}
        return self.described[name]

    # --------------------------------------------------------------------------------------------- at a table

    async def look(self, link: Link, asked: Answer) -> Answer:
        async with self.held(link.number) as table:
            if link.kind == "invitation":
                _free(link)
                return {"invited": link.player, "game": table.session.game.title}
            return told(table, link.player)

    async def claim(self, link: Link, asked: Answer) -> Answer:
        """Somebody takes the seat that he is invited to; `seat` is the link that he will have, which nobody
        else knows, whoever invited him least of all."""
        if link.kind != "invitation":
            raise BadInput("this link is no invitation")
        mine = digest(asked.get("seat"))
        return await asyncio.shield(asyncio.ensure_future(self._claim(link, mine)))

    async def _claim(self, link: Link, mine: bytes) -> Answer:
        async with self.held(link.number) as table:
            if link.taken is None or not hmac.compare_digest(link.taken, mine):
                _free(link)
                if mine in self.links or mine in self.claimed:
                    raise BadInput("this link is known already")
                seat = Link(mine, link.number, link.player, "seat")
                self.claimed.add(mine)
                try:
                    await self.journal.claimed(link, seat, time.time())
                finally:
                    self.claimed.discard(mine)
                link.taken = mine
                self._linked(seat)
                table.invited.discard(link.player)
                table.changed()
            return told(table, link.player)

    async def act(self, link: Link, asked: Answer) -> Answer:
        """What was asked for twice, because the answer was lost, is done once."""
        if link.kind != "seat":
            raise BadInput("whoever watches does not play" if link.kind == "watch" else "take the seat first")
        step, text = asked.get("step"), asked.get("action")
        if not isinstance(text, str):
            raise BadInput("an action is given as a text")
        if not isinstance(step, int) or isinstance(step, bool):
            raise BadInput("an action names the step that it is")
        return await asyncio.shield(asyncio.ensure_future(self._act(link.number, link.player, step, text)))

    async def _act(self, number: int, player: str, step: int, text: str) -> Answer:
        async with self.held(number) as table:
            session = table.session
            if 0 <= step < len(session.steps) and session.steps[step] == Step(player, text):
                return {"done": step + 1}
            if not session.waits or session.state.actor != player:
                raise BadInput("it is not for you to decide now")
            if step != len(session.steps):
                raise BadInput("the game has gone on meanwhile")
            await self.stepped(table, step, text)
        return {"done": step + 1}

    async def why(self, link: Link, asked: Answer) -> Answer:
        """What the rules say of step `at`, or of what can be done; where there are secrets, at the end."""
        self.seats.spend(link.digest, 4)
        async with self.held(link.number) as table:
            session, at = table.session, asked.get("at")
            place = table.place(link.player)
            if link.kind == "invitation" or (has_secrets(session.game) and not session.state.is_end):
                raise BadInput("this game has secrets, and reasons could tell them: ask at its end")
            if at is None:
                if not place.decides:
                    raise BadInput("it is not for you to decide now")
                return why.offered(session.state)
            if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at < len(session.steps):
                raise BadInput("there is no such step")
            return why.behind(session, at, place.sight)

    async def save(self, link: Link, asked: Answer) -> Answer:
        self.seats.spend(link.digest, 4)
        async with self.held(link.number) as table:
            session = table.session
            if has_secrets(session.game) and not session.state.is_end:
                raise BadInput(
                    "this game has secrets, and a saved game holds them all: it can be saved at its end"
                )
            if link.kind == "invitation":
                raise BadInput("take the seat first")
            return {"saved": save_files.text(session.saved(table.rules))}

    def follows(self, asked: Answer, address: str) -> AsyncIterator[bytes]:
        """What happens at a table, for somebody who has a link to it. Raises BadInput, TooOften."""
        link = self._link(asked.get("table"), address)
        if link.kind == "invitation":
            raise BadInput("take the seat first")
        if self.streams.total() >= self.limits.streams:
            raise TooOften("too many people are here: try again later")
        if self.streams[address] >= self.limits.streams_of_address:
            raise TooOften("too many people are here from your address")
        table = self.tables.get(link.number)
        if not link.player and table is not None and table.watchers >= self.limits.streams_of_watchers:
            raise TooOften("too many people watch this game: try again later")
        return self._following(link, address)

    async def _following(self, link: Link, address: str) -> AsyncIterator[bytes]:
        stream = Stream(link.player)
        self.streams[address] += 1
        table, sent = None, -1
        try:
            while not stream.closed and link.digest in self.links:
                stream.news.clear()
                async with self.held(link.number) as now:
                    if now is not table:
                        table, sent = now, -1
                        self._joined(table, stream)
                    place = table.place(link.player)
                if sent != place.count:
                    fits = sent == place.count - 1 and place.change
                    told = {"change": place.change} if fits else {"whole": place.now}
                    sent = place.count
                    yield b"data: " + json.encode(told) + b"\n\n"
                try:
                    async with asyncio.timeout(QUIET):
                        await stream.news.wait()
                except TimeoutError:
                    table.used = time.monotonic()
                    yield b": here\n\n"
            if stream.closed:
                yield b"data: " + json.encode({"error": ELSEWHERE, "ended": True}) + b"\n\n"
        except (BadInput, FaultError, TooOften) as error:
            yield b"data: " + json.encode({"error": str(error)}) + b"\n\n"
        finally:
            self.streams[address] -= 1
            if not self.streams[address]:
                del self.streams[address]
            if table is not None and stream in table.streams:
                table.streams.remove(stream)
                if link.player and not table.gone:
                    table.changed()

    def _joined(self, table: Table, stream: Stream) -> None:
        same = [each for each in table.streams if each.player == stream.player]
        most = self.limits.streams_of_seat if stream.player else len(same) + 1
        for old in same[: max(0, len(same) + 1 - most)]:
            old.closed = True
            old.news.set()
            table.streams.remove(old)
        table.streams.append(stream)
        if stream.player and not same:
            table.changed()


AT_A_TABLE: Mapping[str, Callable[[Hall, Link, Answer], Awaitable[Answer]]] = {
    "look": Hall.look, "act": Hall.act, "claim": Hall.claim, "why": Hall.why, "save": Hall.save,
}  # fmt: skip


def _free(link: Link) -> None:
    if link.taken is not None:
        raise BadInput("this seat is taken already; if not by you, tell whoever invited you")
