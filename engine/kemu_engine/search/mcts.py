"""Monte-Carlo tree search of any state: by WebAssembly if it can be had, else by Python."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from kemu_engine.kernel.limits import TOO_DEEP, NotCovered
from kemu_engine.kernel.rng import Stream
from kemu_engine.kernel.sight import secret
from kemu_engine.kernel.standing import drawn, standing
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State, stop_of
from kemu_engine.run.wasm.asm.runtime import NotInstalled, TooLong
from kemu_engine.run.wasm.programs.mcts import pays
from kemu_engine.run.wasm.programs.player import Player
from kemu_engine.run.wasm.programs.searcher import MEMORY, Searcher
from kemu_engine.search import by_states
from kemu_engine.search.doubts import grown
from kemu_engine.search.information_sets import InformationSets, known_at
from kemu_engine.search.thought import Branch, Thought, together
from kemu_engine.search.worlds import Worlds

LONGEST = 1000
"""Decisions after which a random game is cut off, and counts as it stands, or as even where that cannot be
read."""
FAR = 12
"""Decisions after which it is cut off, and counts as it stands, where that can be read and chance is at work:
what is further off is the less in the hands of players. (docs/bots.md says what was measured.)"""
SAMPLE = 256
"""Random games that show what is to be won in a game that pays."""
CALL = 0.02
"""Seconds that a call should take."""
PLAYOUTS = 10_000
"""Random games for a decision, if neither their number nor a time is given."""


class Search:
    """Searches states of one game. `threads`: how many trees grow side by side where time is the limit; None:
    one for each core; where there are secrets, always one. `reader`: what does it, WebAssembly or Python."""

    def __init__(self, game: Game, threads: int | None = None, memory: int = MEMORY) -> None:
        self.game = game
        self._threads = threads or cores()
        self._memory = memory // self._threads
        self._searchers: list[Searcher] = []
        self.scale = scale(game)
        self.standing = standing(game.program)
        self.longest = horizon(game)
        self.reader = "Python"
        self._secret = secret(game.program)
        self._worlds: dict[int, tuple[int, Worlds]] = {}
        if game.reader == "generated":
            with suppress(NotCovered, NotInstalled, *TOO_DEEP):
                self._searchers.append(self._searcher())
                self.reader = "WebAssembly"

    @property
    def stands(self) -> bool:
        """Whether random games are cut off and count as they stand, so that what a choice is worth says how
        far ahead one is, not how often one wins."""
        return self.longest < LONGEST

    def _searcher(self) -> Searcher:
        return Searcher(self.game.program, self.scale, self._memory)

    def think(
        self,
        state: State,
        playouts: int | None = None,
        seconds: float | None = None,
        seed: int = 0,
        number: int = 0,
    ) -> Thought:
        """What is best in a state that is no end, after so many random games, or so many seconds, whichever
        comes first. With `playouts` alone one tree grows, and the same seed and `number` (which of the
        searches of a seed it is) give the same answer; with `seconds` one on each thread. What is proved
        before is not thought about any longer. Where there are secrets only what the player knows counts who
        is to choose. Raises NoPast if that is not known."""
        if state.is_end:
            raise ValueError("the game is over: there is nothing to choose")
        if playouts is None and seconds is None:
            playouts = PLAYOUTS
        if len(state.choices) == 1:
            return Thought((Branch(0, 0.5),), 0)
        if self._secret:
            return self._by_information(state, playouts, seconds, seed, number)
        found: list[Thought] = []
        if self._searchers:
            found = self._by_threads(state, playouts, seconds, seed, number)
        if not found:
            return by_states.think(self, state, playouts, seconds, seed, number)
        return together(found)

    def _by_information(
        self, state: State, playouts: int | None, seconds: float | None, seed: int, number: int
    ) -> Thought:
        """From what the player knows who is to choose, on one thread."""
        due = None if seconds is None else time.monotonic() + seconds
        known, seer = known_at(self.game, state), state.player
        if self._worlds.get(seer, (None, None))[0] != seed:
            self._worlds[seer] = seed, Worlds(self.game, seer, seed)
        if self._searchers:
            self._searchers[0].seed(seed, number)
        chance, players = Stream(seed, number, 6), Stream(seed, number, 7)

        def played(state: State) -> list[float]:
            if self._searchers:
                return self._searchers[0].played(stop_of(state), self.longest)
            return by_states.played(state, self, chance, players, by_states.Distances())

        def ended(state: State) -> list[float]:
            return by_states.gains(self.game.program, state, self.scale)

        search = InformationSets(self.game, played, ended, seed, number)
        return search.think(self._worlds[seer][1], state, known, playouts, due)

    def _by_threads(
        self, state: State, playouts: int | None, seconds: float | None, seed: int, number: int
    ) -> list[Thought]:
        trees = 1 if seconds is None else self._threads
        while len(self._searchers) < trees:
            self._searchers.append(self._searcher())
        due = None if seconds is None else time.monotonic() + seconds
        if trees == 1:
            alone = _grown(self._searchers[0], state, playouts, due, seed, number, 0, self.longest)
            return [] if alone is None else [alone]
        share = None if playouts is None else -(-playouts // trees)
        with ThreadPoolExecutor(trees) as pool:
            jobs = [
                pool.submit(_grown, each, state, share, due, seed, number, at, self.longest)
                for at, each in enumerate(self._searchers)
            ]
            return [found for job in jobs if (found := job.result()) is not None]


def _grown(
    searcher: Searcher,
    state: State,
    playouts: int | None,
    due: float | None,
    seed: int,
    number: int,
    tree: int,
    longest: int,
) -> Thought | None:
    """What one tree says; None if the module has to give up."""
    grows = _Tree(searcher, longest)
    seconds = None if due is None else due - time.monotonic()
    try:
        if not searcher.begin(stop_of(state), seed, number, tree):
            return None
        return grown(grows, playouts, seconds)
    except TooLong:
        return grows.thought() if grows.games else None


@dataclass(slots=True)
class _Tree:
    """A tree in the memory of a module; its games are cut off after so many decisions. What plays raises
    TooLong."""

    searcher: Searcher
    longest: int
    games: int = 0

    def grow(self, most: int | None, until: float | None) -> bool:
        at_once = 32
        while most is None or self.games < most:
            began = time.monotonic()
            if until is not None and began >= until:
                break
            wanted = at_once if most is None else min(at_once, most - self.games)
            played = self.searcher.search(wanted, self.longest)
            self.games += played
            if played < wanted:
                return False
            spent = time.monotonic() - began
            aim = CALL if until is None else min(CALL, max(0.0005, (until - time.monotonic()) / 2))
            at_once = max(1, min(2 * at_once, int(wanted * aim / max(spent, 1e-6))))
        return True

    def thought(self) -> Thought:
        return Thought(tuple(Branch(*each) for each in self.searcher.branches()), self.games)

    def untried(self, number: int) -> list[int]:
        return self.searcher.untried(number)

    def through(self, number: int, reply: int) -> None:
        self.games += self.searcher.through(number, reply, self.longest)


def horizon(game: Game) -> int:
    """The decisions after which a random game is cut off. Where there are secrets it is played to its end:
    there nothing else was measured."""
    return FAR if drawn(game.program) and not secret(game.program) and legible(game) else LONGEST


def legible(game: Game) -> bool:
    """Whether who is ahead can be read at any time: if not at once, the end takes for granted what holds
    only there."""
    ending = standing(game.program)
    try:
        return ending is not None and game.initial().go_on(ending).is_end
    except FaultError:
        return False


def cores() -> int:
    """How many threads may run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def scale(game: Game) -> tuple[float, float]:
    """The least and the greatest payoff in some random games; 0 and 1 for a game that does not pay."""
    program = game.program
    if not any(pays(program, block.exit) for block in program.blocks):
        return 0.0, 1.0
    found: list[int] = []
    try:
        player = Player(program) if game.reader == "generated" else None
    except (NotCovered, NotInstalled, *TOO_DEEP):
        player = None
    if player is not None:
        for _, _, _, ending, told in player.playouts(0, 0, SAMPLE, LONGEST):
            if ending == "end" and pays(program, program.blocks[told[0]].exit):
                found += told[1][:: program.width]
    else:
        for number in range(SAMPLE // 16):
            with suppress(FaultError):
                found += by_states.payoffs(game, number, LONGEST)
    low, high = min(found, default=0), max(found, default=1)
    return (float(low), float(high)) if low < high else (low - 1.0, low + 1.0)
