"""Games made ready for many tables: by another process, so that nobody waits for the wishes of another."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from itertools import islice

from kemu_engine.batch.playout import walk
from kemu_engine.interp.frame import TooMany
from kemu_engine.kernel.nodes import Program
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError
from kemu_engine.support.time_limit import OutOfTime, within

from kemu.base.library import BadInput
from kemu.base.opening import made, opened, ready, wanted
from kemu.web.helper import Answering, Helper, Lost
from kemu.web.limits import Turns

KEPT = 32
PLAYED, SOON = 300, 3.0  # steps of a random game that are played first; no more of them after so many seconds
QUEUE = 3  # wishes of one that wait
PATIENCE = 3  # times the seconds of computing: a process may have to wait for a core
Sets = tuple[str, ...]
Make = Callable[[str, Sets], Awaitable[Program]]


def program(name: str, sets: Sets, seconds: float) -> Program:
    """The program of an instance. It is kept only if no option but the number of players is asked for:
    strangers must not fill the folder of kept programs. Raises what blames the wish."""
    try:
        with within(seconds):
            if all(text.startswith("players=") for text in sets):
                return ready(name, sets, None, None).program
            rules = opened(name)
            return made(rules, wanted(rules, sets, None, None)).program
    except OutOfTime:
        raise BadInput("with these options the rules take too long to read") from None


class Workshop:
    """One process that makes programs, one after another."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.helper = Helper(partial(_maker, seconds))

    async def __call__(self, name: str, sets: Sets) -> Program:
        try:
            made: Program = await self.helper.ask((name, sets), PATIENCE * self.seconds)
        except Lost:
            raise BadInput("with these options the rules cannot be read here") from None
        return made

    def close(self) -> None:
        self.helper.close()


def _maker(seconds: float) -> Answering:
    def made(asked: tuple[str, Sets]) -> Program:
        return program(asked[0], asked[1], seconds)

    return made


def begun(program: Program) -> Game:
    """The game, with all prepared that its first play prepares: no table is to wait for another's first."""
    game = Game(program)
    due = time.monotonic() + SOON  # a thread does it, of which there are few
    with suppress(FaultError, TooMany):
        for _ in islice(walk(game, 0, 0), PLAYED):
            if time.monotonic() > due:
                break
    return game


class Instances:
    """Those that were asked for last."""

    def __init__(self, make: Make) -> None:
        self.make = make
        self.games: dict[tuple[str, Sets], Game] = {}
        self.coming: dict[tuple[str, Sets], asyncio.Task[Game]] = {}
        self.turns = Turns(QUEUE)

    async def get(self, name: str, sets: Sets, who: bytes = b"") -> Game:
        """What somebody asks for. Raises BadInput, RulesError, SettingError, TooOften."""
        key = (name, sets)
        game = self.games.pop(key, None)
        if game is None:
            if key not in self.coming:
                self.coming[key] = asyncio.create_task(self._made(key, who))
            game = await asyncio.shield(self.coming[key])
        self.games[key] = game
        while len(self.games) > KEPT:
            del self.games[next(iter(self.games))]
        return game

    async def _made(self, key: tuple[str, Sets], who: bytes) -> Game:
        try:
            async with self.turns.of(who):
                return await asyncio.to_thread(begun, await self.make(*key))
        finally:
            del self.coming[key]
