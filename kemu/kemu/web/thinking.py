"""Bots at tables over a network: other processes search, a few at a time. Who opened many tables, or one at
which they think for long, waits for himself: each who opened tables has the same share of the time."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING

from kemu_engine.play.game import Game

from kemu.bots.named import bot
from kemu.table.session import Session
from kemu.web.helper import Helper
from kemu.web.instances import PATIENCE, Sets, program
from kemu.web.limits import Limits

if TYPE_CHECKING:  # the server itself searches nothing
    from kemu.bots.searching import MCTS

GAMES, TABLES = 4, 16  # that a process keeps in mind; tables of each game


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be chosen at a table, by a bot of such a kind, after these steps; `secret`: whether there is
    anything that others may not know."""

    table: int
    game: str
    sets: Sets
    seats: tuple[tuple[str, str], ...]
    steps: tuple[str, ...]
    kind: str
    secret: bool = False


@dataclass(slots=True)
class Known:
    """A game that was asked about; `searching` has what a search makes of its rules."""

    game: Game
    searching: MCTS
    tables: OrderedDict[int, Session] = field(default_factory=OrderedDict)


class Thinker:
    """What answers, in a process of its own. A search ends after so many `seconds`, half of them
    where there are secrets; `made`: seconds of computing that an instance is made in."""

    def __init__(self, seconds: float, made: float) -> None:
        self.seconds, self.made = seconds, made
        self.games: OrderedDict[tuple[str, Sets], Known] = OrderedDict()

    def __call__(self, asked: Question) -> str:
        """The action that the bot takes."""
        from kemu.bots.searching import MCTS

        known = self._known(asked)
        session = self._session(known, asked)
        player = bot(asked.kind, session.seed, threads=1)
        if isinstance(player, MCTS):
            most = self.seconds / 2 if asked.secret else self.seconds
            player.seconds = min(player.seconds or most, most)
            player.take_over(known.searching)
            known.searching = player
        player.turn = len(asked.steps)
        return str(player.choose(session.position))

    def _known(self, asked: Question) -> Known:
        from kemu.bots.searching import MCTS

        key = asked.game, asked.sets
        if key not in self.games:
            self.games[key] = Known(Game(program(*key, self.made)), MCTS())
        self.games.move_to_end(key)
        while len(self.games) > GAMES:
            self.games.popitem(last=False)
        return self.games[key]

    def _session(self, known: Known, asked: Question) -> Session:
        """The game so far, from where it is known; `seed`: of the bots at this table."""
        session = known.tables.pop(asked.table, None)
        if session is None:
            session = Session.new(known.game, dict(asked.seats), secrets.randbits(63))
        both = zip(session.steps, asked.steps, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0].text == pair[1], both))
        del session.steps[same:], session.states[same + 1 :]
        for text in asked.steps[same:]:
            session.apply(text)
        known.tables[asked.table] = session
        while len(known.tables) > TABLES:
            known.tables.popitem(last=False)
        return session


class Thinkers:
    """So many processes as search at once, and those who wait for them. `clock`, `sleep` in seconds."""

    def __init__(
        self,
        limits: Limits,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.sleep = sleep
        make = partial(Thinker, limits.thought, limits.made)
        self.helpers = [Helper(make, humble=True) for _ in range(limits.thinkers)]
        self.least, self.most, self.clock = limits.thought, PATIENCE * limits.made + limits.thought, clock
        self.idle = list(self.helpers)
        self.waiting: dict[bytes, deque[asyncio.Future[Helper]]] = {}
        self.had: dict[bytes, float] = {}  # of each opener, seconds of thinking
        self.now = 0.0  # what he had whose turn came last: nobody who comes has less, none is owed anything

    async def chosen(self, opener: bytes, asked: Question) -> str:
        """Raises Lost, and what the rules or the wish are to blame for. Where there are secrets, when it is
        told does not depend on them: a bot that has no choice has thought as long as one that has."""
        turn: asyncio.Future[Helper] = asyncio.get_running_loop().create_future()
        if opener not in self.waiting:
            self.had = {who: had for who, had in self.had.items() if had > self.now or who in self.waiting}
            self.had.setdefault(opener, self.now)
        self.waiting.setdefault(opener, deque()).append(turn)
        self._next()
        try:
            helper = await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._free(turn.result())
            raise
        began = self.clock()

        def answered(answer: asyncio.Future[str]) -> None:
            """Also if nobody waits for it any more."""
            more = self.clock() - began - self.least
            if more > 0:
                self.had[opener] = max(self.had.get(opener, 0.0), self.now) + more
            self._free(helper)
            if not answer.cancelled():
                answer.exception()  # so that nobody complains that it was not asked for

        answer = asyncio.ensure_future(helper.ask(asked, self.most))
        answer.add_done_callback(answered)
        hidden = asked.secret
        while hidden:
            await self.sleep(self.least)
            hidden = not answer.done()
        return str(await asyncio.shield(answer))

    def close(self) -> None:
        for helper in self.helpers:
            helper.close()

    def _free(self, helper: Helper) -> None:
        self.idle.append(helper)
        self._next()

    def _next(self) -> None:
        """Whoever has had least of those who opened their tables; of equals who waits longest. Each turn
        counts as the time that a search may take, or what more it took."""
        while self.idle and self.waiting:
            opener = min(self.waiting, key=lambda who: self.had.get(who, self.now))
            turns = self.waiting.pop(opener)
            turn = turns.popleft()
            if turns:
                self.waiting[opener] = turns
            if not turn.cancelled():
                self.now = max(self.now, self.had.get(opener, self.now))
                self.had[opener] = self.now + self.least
                turn.set_result(self.idle.pop())
