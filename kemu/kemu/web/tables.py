"""Tables that come and go: opened, asleep while nobody uses them, woken from the journal, given up."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any

from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError

from kemu.base.library import BadInput, shown
from kemu.base.opening import name_of
from kemu.findings.phrases import Phrases
from kemu.table.session import Session
from kemu.web.bots import Bots, thinking
from kemu.web.games import Shelf, sets
from kemu.web.instances import Instances, Make, Workshop
from kemu.web.journal import TABLE, Journal, Kept, Link, Opened, size
from kemu.web.limits import Limits, Turns
from kemu.web.place import Table
from kemu.web.shares import Shares

PEOPLE = ("human", "guest")
KINDS = (*PEOPLE, "random", "mcts:100", "mcts:1000", "mcts:10000", "mcts:1s")
"""Who can sit at a table: whoever opens it, somebody who is invited by a link, chance, bots that think."""
TOKEN = re.compile(r"[A-Za-z0-9_-]{22}")
SCARCE = (
    "the journal is nearly full, and tables opened from {} address hold their part of it: try again later"
)
TO_OPEN = 0.5  # of its part, up to which an address opens tables: games that go on have the rest
UNKNOWN = "nothing is known of this link: the table was put away, or the link is not whole"
WAKES = 4  # tables that are woken at a time: all at once, the first would be awake as late as the last
TURN = 0.02  # seconds after which others have their turn
AT_ONCE = 20  # tables that are given up in one transaction: while it is made nobody else has a turn
Answer = dict[str, Any]


def digest(token: object) -> bytes:
    """Under which a link is known; links themselves are kept nowhere. Raises BadInput."""
    if not isinstance(token, str) or not TOKEN.fullmatch(token):
        raise BadInput(UNKNOWN)
    return sha256(token.encode()).digest()


def opener(address: str) -> bytes:
    """What the journal keeps of the address that a table was opened from."""
    return sha256(address.encode()).digest()[:8]


class Tables:
    """All tables of a server, and the links to them."""

    def __init__(
        self, shelf: Shelf, journal: Journal, limits: Limits | None = None, make: Make | None = None
    ) -> None:
        self.shelf, self.journal, self.limits = shelf, journal, limits or Limits()
        self.workshop = Workshop(self.limits.made)
        self.instances = Instances(make or self.workshop)
        self.bots = Bots(self)
        self.names = shelf.names()  # a library does not change while it is served
        self.phrases: dict[str, Phrases] = {}
        self.links: dict[bytes, Link] = {}
        self.links_to: dict[int, list[Link]] = {}
        for link in journal.links():
            self._linked(link)
        known = journal.tables()
        self.numbers = {number: table.opener for number, table in known.items()}
        self.shares = Shares(known)
        self.over = dict.fromkeys(journal.over())
        self.next = journal.highest() + 1
        self.tables: dict[int, Table] = {}
        self.waking: dict[int, asyncio.Task[Table]] = {}
        self.wakes, self.wakes_of = asyncio.Semaphore(WAKES), Turns(self.limits.tables)
        self.lately: set[int] = set()  # held since the house was last kept

    def close(self) -> None:
        self.bots.close()
        self.workshop.close()
        self.journal.close()

    def _linked(self, link: Link) -> None:
        self.links[link.digest] = link
        self.links_to.setdefault(link.number, []).append(link)

    def _game(self, name: object) -> str:
        """Raises BadInput if there is no such game here."""
        if not isinstance(name, str) or name not in self.names:
            raise BadInput(f"there is no game {shown(str(name))} on this table")
        return name

    async def _opened(self, asked: Answer, address: str) -> Answer:
        """A new table, with the links to it."""
        name = self._game(asked.get("game"))
        who = opener(address)
        game = await self.instances.get(name, sets(asked), who)
        kinds = _kinds(game.players, asked.get("seats"))
        seats = {player: "human" if kind in PEOPLE else kind for player, kind in kinds.items()}
        session = Session.new(game, seats, secrets.randbits(63), self.limits.step)
        await self._goes_on(session)
        await self._makes_room(who)
        number, self.next = self.next, self.next + 1
        self.numbers[number] = who
        self.shares.opened(number, who, TABLE + size(session.steps))
        links: dict[str, Link] = {}
        tokens: dict[str, str] = {}
        for player, kind in [
            *((each, kind) for each, kind in kinds.items() if kind in PEOPLE),
            ("", "watch"),
        ]:
            tokens[player] = secrets.token_urlsafe(16)
            kind = {"human": "seat", "guest": "invitation", "watch": "watch"}[kind]
            links[player] = Link(digest(tokens[player]), number, player, kind)
        settings = dict(text.split("=", 1) for text in sets(asked))
        try:
            over = session.state.is_end
            row = Opened(number, name, settings, seats, session.seed, who, time.time(), over)
            await self.journal.opened(row, links.values(), session.steps)
        except BadInput:
            self._forgets(number)
            raise
        for link in links.values():
            self._linked(link)
        if over:
            self.over[number] = None
        table = self._here(number, session, name, sets(asked))
        mine = next((player for player, kind in kinds.items() if kind == "human"), "")
        invitations = {player: tokens[player] for player, link in links.items() if link.kind == "invitation"}
        return {
            "table": tokens[mine], "invitations": invitations, "watch": tokens[""], **told(table, mine),
        }  # fmt: skip

    def _forgets(self, number: int) -> None:
        self.over.pop(number, None)
        who = self.numbers.pop(number, None)
        if who is not None:
            self.shares.forgotten(number, who)
        for link in self.links_to.pop(number, ()):
            self.links.pop(link.digest, None)

    async def _makes_room(self, who: bytes) -> None:
        """Where there are too many tables, one that is over is given up: if need be, of who opens another.
        Raises BadInput if there is no room then."""
        await self._has_its_part(who, "your", TO_OPEN)
        mine = self.shares.tables[who] >= self.limits.tables_of_address
        if mine or len(self.numbers) >= self.limits.tables:
            await self._gives_up_over(1, lambda each: not mine or self.numbers[each] == who)
        if len(self.numbers) >= self.limits.tables:
            raise BadInput("all tables are taken: try again later")
        if self.shares.tables[who] >= self.limits.tables_of_address:
            raise BadInput(
                "too many tables are open from your address: those that are over, or not used, are given up"
            )

    async def _has_its_part(self, who: bytes, whose: str, part: float = 1.0) -> None:
        """Of a journal that is nearly full, games that are over are given up. Raises BadInput if it still
        is, and what was opened from an address holds more than so much of its part."""
        if self.journal.full:
            await self._gives_up_over(AT_ONCE, lambda each: True)
        if self.journal.full and self.shares.exceeded(who, self.journal.used, part):
            raise BadInput(SCARCE.format(whose))

    async def _gives_up_over(self, most: int, these: Callable[[int], bool]) -> None:
        """Some tables whose games are over and that nobody uses."""
        await self._gives_up([each for each in self.over if these(each) and not self._used(each)][:most])

    async def _gives_up(self, numbers: Sequence[int]) -> None:
        """In memory first: nothing more is done there."""
        for number in numbers:
            if number in self.tables:
                self._asleep(self.tables[number])
            self._forgets(number)
        if numbers:
            await self.journal.forgotten(numbers)

    def _here(self, number: int, session: Session, name: str, sets: tuple[str, ...]) -> Table:
        """The table, in memory; others may have to leave it."""
        if (too_many := len(self.tables) + 1 - self.limits.awake) > 0:
            quiet = [each for each in self.tables.values() if not each.streams]
            for other in sorted(quiet, key=lambda each: each.used)[:too_many]:
                self._asleep(other)
        invited = {
            link.player
            for link in self.links_to.get(number, ())
            if link.kind == "invitation" and link.taken is None
        }
        if name not in self.phrases:
            self.phrases[name] = self.shelf.phrases(name)
        table = Table(number, session, name_of(name), self.phrases[name], invited, name=name, sets=sets)
        self.tables[number] = table
        self.bots.think(table)
        return table

    def _asleep(self, table: Table) -> None:
        if not table.lock.locked():
            table.gone = True
            self.tables.pop(table.number, None)
            self.bots.rest(table.number)
            table.changed()

    async def _awake(self, number: int) -> Table:
        """The table, in memory. Raises BadInput."""
        if number not in self.numbers:
            raise BadInput(UNKNOWN)
        table = self.tables.get(number)
        if table is None:
            if number not in self.waking:
                self.waking[number] = asyncio.create_task(self._woken(number))
            table = await asyncio.shield(self.waking[number])
        table.used = time.monotonic()
        return table

    @asynccontextmanager
    async def held(self, number: int) -> AsyncIterator[Table]:
        """The table as it is written down; nothing else happens there meanwhile. Raises BadInput."""
        while True:
            table = await self._awake(number)
            async with table.lock:
                if table.gone:  # what it holds may not be written down
                    continue
                try:
                    yield table
                finally:
                    self.lately.add(number)
                return

    async def _woken(self, number: int) -> Table:
        try:
            kept = await asyncio.to_thread(self.journal.kept, number)
            if kept is None:
                raise BadInput(UNKNOWN)
            settings = tuple(f"{name}={value}" for name, value in sorted(kept.settings.items()))
            who = self.numbers.get(number, b"")
            async with self.wakes_of.of(who):
                game = await self.instances.get(self._game(kept.game), settings, who)
                async with self.wakes:
                    session = await _replayed(game, kept)
            session.patience = self.limits.step  # what was played is not refused now for having taken as long
            if number not in self.numbers:  # it was given up meanwhile
                raise BadInput(UNKNOWN)
            return self._here(number, session, kept.game, settings)
        finally:
            del self.waking[number]

    async def keep_house(self) -> None:
        """Puts away what nobody uses. A table at which something was done while the journal was searched
        stays."""
        self.lately.clear()
        now = time.time()
        forgotten, unplayed = now - self.limits.forgotten, now - self.limits.unplayed
        stale = await asyncio.to_thread(self.journal.stale, forgotten, unplayed)
        for at in range(0, len(stale), AT_ONCE):
            some = stale[at : at + AT_ONCE]
            await self._gives_up([each for each in some if not self._used(each) and each not in self.lately])
        for table in list(self.tables.values()):
            if not table.streams and table.used < time.monotonic() - self.limits.asleep:
                self._asleep(table)

    def _used(self, number: int) -> bool:
        table = self.tables.get(number)
        here = table is not None and (bool(table.streams) or table.lock.locked())
        return here or number in self.waking

    async def stepped(self, table: Table, step: int, text: str) -> None:
        """What follows when somebody has chosen; the table is held. Raises BadInput, IllegalAction,
        FaultError; then nothing has happened."""
        session, who = table.session, self.numbers[table.number]
        await self._has_its_part(who, "this table's")
        try:
            session.apply(text)
            await self._goes_on(session)
        except BaseException:
            del session.steps[step:], session.states[step + 1 :]
            raise
        over = session.state.is_end
        writing = asyncio.ensure_future(
            self.journal.grown(table.number, step, session.steps[step:], time.time(), over)
        )
        table.prepare()
        try:
            await writing
        except BadInput:  # nobody knows what is written: it comes back from there
            table.gone = True
            self.tables.pop(table.number, None)
            raise
        finally:
            table.tell()
        self.shares.grown(table.number, who, size(session.steps[step:]))
        if over:
            self.over[table.number] = None
        self.bots.think(table)

    async def _goes_on(self, session: Session) -> None:
        """Chance, and who plays at random, act until somebody else is to decide. Raises BadInput,
        FaultError."""
        turn = time.monotonic()
        while (
            not session.state.is_end
            and not session.waits
            and not thinking(session)
            and len(session.steps) <= self.limits.steps
        ):
            session.seed = secrets.randbits(63)  # another each time: what is to come follows from nothing
            next(session.advance())
            turn = await _passed(turn)
        if len(session.steps) > self.limits.steps:
            raise BadInput(f"a game here has at most {self.limits.steps} steps")


async def _replayed(game: Game, kept: Kept) -> Session:
    """Raises BadInput."""
    try:
        session = Session.new(game, kept.seats, kept.seed)
        turn = time.monotonic()
        for at, step in enumerate(kept.steps):
            if session.apply(step.text) != step:
                raise BadInput(f"step {at + 1} is another's")
            turn = await _passed(turn)
    except (ValueError, FaultError, BadInput) as error:
        raise BadInput(f"the rules have changed since this game was played: {error}") from None
    return session


async def _passed(turn: float) -> float:
    """Lets others have their turn if this one, that began then, was long; when it began that goes on now."""
    if time.monotonic() < turn + TURN:
        return turn
    await asyncio.sleep(0)
    return time.monotonic()


def told(table: Table, player: str) -> Answer:
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
        raise BadInput("you can have one seat: the others are for guests, or for bots")
    if not set(kinds.values()) & set(PEOPLE):
        raise BadInput("somebody has to play")
    return kinds
