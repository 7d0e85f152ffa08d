"""Bots at tables over a network: other processes search, a few at a time. Who opened many tables waits for
himself: those who wait are served in turn by who opened their table."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict, deque
from dataclasses import dataclass
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

GAMES, TABLES = 4, 64  # that a process keeps in mind


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be chosen at a table, by a bot of such a kind, after these steps."""

    table: int
    game: str
    sets: Sets
    seats: tuple[tuple[str, str], ...]
    steps: tuple[str, ...]
    kind: str


class Thinker:
    """What answers, in a process of its own. A search ends after so many `seconds`; `made`: seconds of
    computing that an instance is made in."""

    def __init__(self, seconds: float, made: float) -> None:
        self.seconds, self.made = seconds, made
        self.games: OrderedDict[tuple[str, Sets], tuple[Game, MCTS]] = OrderedDict()
        self.tables: OrderedDict[int, Session] = OrderedDict()

    def __call__(self, asked: Question) -> str:
        """The action that the bot takes."""
        from kemu.bots.searching import MCTS

        game, before = self._game(asked)
        session = self._session(game, asked)
        player = bot(asked.kind, session.seed, threads=1)
        if isinstance(player, MCTS):
            player.seconds = min(player.seconds or self.seconds, self.seconds)
            player.take_over(before)
            self.games[asked.game, asked.sets] = game, player
        player.turn = len(asked.steps)
        return str(player.choose(session.position))

    def _game(self, asked: Question) -> tuple[Game, MCTS]:
        from kemu.bots.searching import MCTS

        key = asked.game, asked.sets
        if key not in self.games:
            self.games[key] = Game(program(*key, self.made)), MCTS()
        self.games.move_to_end(key)
        while len(self.games) > GAMES:
            self.games.popitem(last=False)
        return self.games[key]

    def _session(self, game: Game, asked: Question) -> Session:
        """The game so far, from where it is known; `seed`: of the bots at this table."""
        session = self.tables.pop(asked.table, None)
        if session is None:
            session = Session.new(game, dict(asked.seats), secrets.randbits(63))
        both = zip(session.steps, asked.steps, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0].text == pair[1], both))
        del session.steps[same:], session.states[same + 1 :]
        for text in asked.steps[same:]:
            session.apply(text)
        self.tables[asked.table] = session
        while len(self.tables) > TABLES:
            self.tables.popitem(last=False)
        return session


class Thinkers:
    """So many processes as search at once, and those who wait for them."""

    def __init__(self, limits: Limits) -> None:
        make = partial(Thinker, limits.thought, limits.made)
        self.helpers = [Helper(make, humble=True) for _ in range(limits.thinkers)]
        self.seconds = PATIENCE * limits.made + limits.thought
        self.idle = list(self.helpers)
        self.waiting: OrderedDict[bytes, deque[asyncio.Future[Helper]]] = OrderedDict()

    async def chosen(self, opener: bytes, asked: Question) -> str:
        """Raises Lost, and what the rules or the wish are to blame for."""
        turn: asyncio.Future[Helper] = asyncio.get_running_loop().create_future()
        self.waiting.setdefault(opener, deque()).append(turn)
        self._next()
        try:
            helper = await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._free(turn.result())
            raise
        try:
            return str(await helper.ask(asked, self.seconds))
        finally:
            self._free(helper)

    def close(self) -> None:
        for helper in self.helpers:
            helper.close()

    def _free(self, helper: Helper) -> None:
        self.idle.append(helper)
        self._next()

    def _next(self) -> None:
        """Whoever waits longest of those who opened their tables."""
        while self.idle and self.waiting:
            opener, turns = self.waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self.waiting[opener] = turns
            if not turn.cancelled():
                turn.set_result(self.idle.pop())
