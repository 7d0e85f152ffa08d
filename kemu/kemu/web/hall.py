"""Tables for people who come over a network: by secret links, a seat each. Whatever is confirmed is written
down before (journal.py); a table that nobody has used for a while is put away and comes back from there."""

from __future__ import annotations

import asyncio
import hmac
import re
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from kemu_engine.play.state import FaultError
from msgspec import json

from kemu.base import save_files
from kemu.base.library import BadInput, shown
from kemu.base.opening import name_of
from kemu.table.session import Session, Step
from kemu.table.visibility import has_secrets
from kemu.web import why
from kemu.web.games import Shelf, sets
from kemu.web.instances import Instances, Make, Workshop
from kemu.web.journal import Journal, Link
from kemu.web.limits import Buckets, Limits
from kemu.web.place import Stream, Table

KINDS = ("human", "guest", "random")
"""Who can sit at a table: whoever opens it, somebody who is invited by a link, chance."""
TOKEN = re.compile(r"[A-Za-z0-9_-]{22}")
UNKNOWN = "nothing is known of this link: the table was put away, or the link is not whole"
QUIET = 15.0  # seconds after which those who are connected hear that the server is there
PAUSE = 8  # steps after which others have their turn
Answer = dict[str, Any]


def digest(token: object) -> bytes:
    """Under which a link is known; links themselves are kept nowhere. Raises BadInput."""
    if not isinstance(token, str) or not TOKEN.fullmatch(token):
        raise BadInput(UNKNOWN)
    return sha256(token.encode()).digest()


class Hall:
    """All tables of a server. `ask` and `follow` are what others may want of it."""

    def __init__(
        self, shelf: Shelf, journal: Journal, limits: Limits | None = None, make: Make | None = None
    ) -> None:
        self.shelf, self.journal, self.limits = shelf, journal, limits or Limits()
        self.instances = Instances(make or Workshop(self.limits.made))
        self.links = {link.digest: link for link in journal.links()}
        self.numbers = set(journal.numbers())
        self.next = max(self.numbers, default=0) + 1
        self.tables: dict[int, Table] = {}
        self.waking: dict[int, asyncio.Task[Table]] = {}
        self.described: dict[str, Answer] = {}
        self.claimed: set[bytes] = set()  # links that are being written down
        self.streams: list[Stream] = []
        self.seats = Buckets(self.limits.seat)
        self.addresses = Buckets(self.limits.address)
        self.opened = Buckets(self.limits.opened)

    async def ask(self, what: str, asked: Answer, address: str) -> Answer:
        """Carries out a request. Raises TooOften, BadInput and what blames the input."""
        if what in AT_A_TABLE:
            link = self._link(asked.get("table"), address)
            return await AT_A_TABLE[what](self, link, asked)
        self.addresses.spend(address)
        if what == "games":
            return {"games": self.shelf.names(), "chosen": self.shelf.extra or "", "together": True}
        if what == "about":
            return await self._about(self.shelf.checked(asked.get("game")))
        if what == "table":
            self.addresses.spend(address, 5)
            game = await self.instances.get(self.shelf.checked(asked.get("game")), sets(asked))
            return {"players": list(game.players), "kinds": list(KINDS)}
        if what == "new":
            self.opened.spend(address)
            return await asyncio.shield(asyncio.ensure_future(self._opened(asked)))
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
        self.seats.spend(known)
        return link

    async def _about(self, name: str) -> Answer:
        if name not in self.described:
            self.described[name] = {**await asyncio.to_thread(self.shelf.about, name), "kinds": KINDS}
        return self.described[name]

    # ------------------------------------------------------------------------------------- tables come and go

    async def _opened(self, asked: Answer) -> Answer:
        """A new table, with the links to it."""
        if len(self.numbers) >= self.limits.tables or self.journal.full:
            raise BadInput("all tables are taken: try again later")
        name = self.shelf.checked(asked.get("game"))
        game = await self.instances.get(name, sets(asked))
        kinds = _kinds(game.players, asked.get("seats"))
        seats = {player: "random" if kind == "random" else "human" for player, kind in kinds.items()}
        session = Session.new(game, seats, secrets.randbits(63))
        await self._goes_on(session)
        number, self.next = self.next, self.next + 1
        self.numbers.add(number)
        links: dict[str, Link] = {}
        tokens: dict[str, str] = {}
        for player, kind in [
            *((each, kind) for each, kind in kinds.items() if kind != "random"),
            ("", "watch"),
        ]:
            tokens[player] = secrets.token_urlsafe(16)
            kind = {"human": "seat", "guest": "invitation", "watch": "watch"}[kind]
            links[player] = Link(digest(tokens[player]), number, player, kind)
        settings = dict(text.split("=", 1) for text in sets(asked))
        try:
            await self.journal.opened(
                number, name, settings, seats, session.seed, links.values(), session.steps, time.time()
            )
        except BadInput:
            self.numbers.discard(number)
            raise
        self.links.update({link.digest: link for link in links.values()})
        table = self._here(number, session, name)
        mine = next((player for player, kind in kinds.items() if kind == "human"), "")
        invitations = {player: tokens[player] for player, link in links.items() if link.kind == "invitation"}
        return {
            "table": tokens[mine], "invitations": invitations, "watch": tokens[""], **_told(table, mine),
        }  # fmt: skip

    def _here(self, number: int, session: Session, name: str) -> Table:
        """The table, in memory; others may have to leave it."""
        quiet = sorted(
            (each for each in self.tables.values() if not each.streams), key=lambda each: each.used
        )
        for other in quiet[: max(0, len(self.tables) + 1 - self.limits.awake)]:
            self._asleep(other)
        invited = {
            link.player
            for link in self.links.values()
            if link.number == number and link.kind == "invitation" and link.taken is None
        }
        table = Table(number, session, name_of(name), self.shelf.phrases(name), invited)
        self.tables[number] = table
        return table

    def _asleep(self, table: Table) -> None:
        if not table.lock.locked():
            table.gone = True
            self.tables.pop(table.number, None)
            table.changed()

    async def _awake(self, number: int) -> Table:
        """The table, in memory. Raises BadInput."""
        table = self.tables.get(number)
        if table is None:
            if number not in self.waking:
                self.waking[number] = asyncio.create_task(self._woken(number))
            table = await asyncio.shield(self.waking[number])
        table.used = time.monotonic()
        return table

    async def _woken(self, number: int) -> Table:
        try:
            kept = self.journal.kept(number)
            if kept is None:
                raise BadInput(UNKNOWN)
            settings = tuple(f"{name}={value}" for name, value in sorted(kept.settings.items()))
            game = await self.instances.get(self.shelf.checked(kept.game), settings)
            try:
                session = Session.new(game, kept.seats, kept.seed)
                for at, step in enumerate(kept.steps):
                    if session.apply(step.text) != step:
                        raise BadInput(f"step {at + 1} is another's")
                    if at % PAUSE == 0:
                        await asyncio.sleep(0)
            except (ValueError, FaultError, BadInput) as error:
                raise BadInput(f"the rules have changed since this game was played: {error}") from None
            return self._here(number, session, kept.game)
        finally:
            del self.waking[number]

    async def keep_house(self) -> None:
        """Puts away what nobody uses."""
        now = time.time()
        stale = self.journal.stale(now - self.limits.forgotten, now - self.limits.unplayed)
        old = [number for number in stale if number not in self.tables or not self.tables[number].streams]
        await self.journal.forgotten(old)
        for number in old:
            self.numbers.discard(number)
            if number in self.tables:
                self._asleep(self.tables[number])
        gone = set(old)
        self.links = {known: link for known, link in self.links.items() if link.number not in gone}
        for table in list(self.tables.values()):
            if not table.streams and table.used < time.monotonic() - self.limits.asleep:
                self._asleep(table)

    # --------------------------------------------------------------------------------------------- at a table

    async def look(self, link: Link, asked: Answer) -> Answer:
        table = await self._awake(link.number)
        if link.kind == "invitation":
            _free(link)
            return {"invited": link.player, "game": table.session.game.title}
        async with table.lock:
            return _told(table, link.player)

    async def claim(self, link: Link, asked: Answer) -> Answer:
        """Somebody takes the seat that he is invited to; `seat` is the link that he will have, which nobody
        else knows, whoever invited him least of all."""
        if link.kind != "invitation":
            raise BadInput("this link is no invitation")
        mine = digest(asked.get("seat"))
        table = await self._awake(link.number)
        async with table.lock:
            if link.taken is None or not hmac.compare_digest(link.taken, mine):
                _free(link)
                if mine in self.links or mine in self.claimed:
                    raise BadInput("this link is known already")
                seat = Link(mine, link.number, link.player, "seat")
                self.claimed.add(mine)
                try:
                    await asyncio.shield(asyncio.ensure_future(self.journal.claimed(link, seat, time.time())))
                finally:
                    self.claimed.discard(mine)
                link.taken = mine
                self.links[mine] = seat
                table.invited.discard(link.player)
                table.changed()
            return _told(table, link.player)

    async def act(self, link: Link, asked: Answer) -> Answer:
        """What was asked for twice, because the answer was lost, is done once."""
        if link.kind != "seat":
            raise BadInput("whoever watches does not play" if link.kind == "watch" else "take the seat first")
        step, text = asked.get("step"), asked.get("action")
        if not isinstance(text, str):
            raise BadInput("an action is given as a text")
        if not isinstance(step, int) or isinstance(step, bool):
            raise BadInput("an action names the step that it is")
        table = await self._awake(link.number)
        return await asyncio.shield(asyncio.ensure_future(self._act(table, link.player, step, text)))

    async def _act(self, table: Table, player: str, step: int, text: str) -> Answer:
        async with table.lock:
            session = table.session
            if table.gone:
                raise BadInput("the game was put away meanwhile: try again")
            if 0 <= step < len(session.steps) and session.steps[step] == Step(player, text):
                return {"done": step + 1}
            if not session.waits or session.state.actor != player:
                raise BadInput("it is not for you to decide now")
            if step != len(session.steps):
                raise BadInput("the game has gone on meanwhile")
            try:
                session.apply(text)
                await self._goes_on(session)
            except BaseException:
                del session.steps[step:], session.states[step + 1 :]
                raise
            try:
                await self.journal.grown(table.number, step, session.steps[step:], time.time())
            except BadInput:  # nobody knows what is written: it comes back from there
                table.gone = True
                self.tables.pop(table.number, None)
                raise
            finally:
                table.changed()
        return {"done": step + 1}

    async def _goes_on(self, session: Session) -> None:
        """Chance and bots act until a person is to decide. Raises BadInput, FaultError."""
        while not session.state.is_end and not session.waits and len(session.steps) <= self.limits.steps:
            session.seed = secrets.randbits(63)  # another each time: what is to come follows from nothing
            next(session.advance())
            if len(session.steps) % PAUSE == 0:
                await asyncio.sleep(0)
        if len(session.steps) > self.limits.steps:
            raise BadInput(f"a game here has at most {self.limits.steps} steps")

    async def why(self, link: Link, asked: Answer) -> Answer:
        """What the rules say of step `at`, or of what can be done; where there are secrets, at the end."""
        table = await self._awake(link.number)
        self.seats.spend(link.digest, 4)
        async with table.lock:
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
        table = await self._awake(link.number)
        self.seats.spend(link.digest, 4)
        async with table.lock:
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
        if len(self.streams) >= self.limits.streams:
            raise BadInput("too many people are here: try again later")
        if sum(each.address == address for each in self.streams) >= self.limits.streams_of_address:
            raise BadInput("too many people are here from your address")
        return self._following(link, address)

    async def _following(self, link: Link, address: str) -> AsyncIterator[bytes]:
        stream = Stream(link.player, address)
        self.streams.append(stream)
        table, sent = None, -1
        try:
            while not stream.closed and link.digest in self.links:
                if table is None or table.gone:
                    table, sent = await self._awake(link.number), -1
                    self._joined(table, stream)
                stream.news.clear()
                async with table.lock:
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
        except (BadInput, FaultError) as error:
            yield b"data: " + json.encode({"error": str(error)}) + b"\n\n"
        finally:
            self.streams.remove(stream)
            if table is not None and stream in table.streams:
                table.streams.remove(stream)
                if link.player and not table.gone:
                    table.changed()

    def _joined(self, table: Table, stream: Stream) -> None:
        same = [each for each in table.streams if each.player == stream.player]
        most = self.limits.streams_of_seat if stream.player else self.limits.streams_of_address
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


def _told(table: Table, player: str) -> Answer:
    return table.place(player).now or {}


def _kinds(players: Sequence[str], asked: object) -> dict[str, str]:
    """Who sits where. Raises BadInput."""
    if asked is None:
        asked = {player: "guest" if at else "human" for at, player in enumerate(players)}
    if not isinstance(asked, dict) or set(asked) != set(players):
        raise BadInput(f"each player has a seat: {', '.join(players)}")
    for kind in asked.values():
        if kind not in KINDS:
            raise BadInput(f"nobody of the kind {shown(str(kind))} sits at this table")
    kinds = {player: asked[player] for player in players}
    if list(kinds.values()).count("human") > 1:
        raise BadInput("you can have one seat: the others are for guests, or play at random")
    if set(kinds.values()) == {"random"}:
        raise BadInput("somebody has to play")
    return kinds
