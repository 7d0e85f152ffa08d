"""All states that a game can come to, breadth first: how many there are, of what kind, how far away."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise

from kemu_engine.kernel.limits import TOO_DEEP, NotCovered
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State
from kemu_engine.run.wasm.asm.runtime import NotInstalled, TooLong
from kemu_engine.run.wasm.programs.explorer import MEMORY, MOST_STATES, Explorer

SECONDS = 0.1
"""How long to search before telling what is known."""


@dataclass(frozen=True, slots=True)
class Explored:
    """What is known of a game's states. Two are equal if all that matters for the rest of the game is.

    `count`: states found, of which `expanded` were looked at: decisions, chance nodes and ends, with so many
    actions and outcomes. `levels`: how many states are so far from the first; of the last ones some may be
    missing as long as it is not `complete`. `faults`: steps at which the rules break down, by the number of
    the fault (-1: the interpreter's own). `full`: it stopped because memory does not suffice. `memory`:
    bytes that the states and their table take, if it is known. `reader`: what did it.
    """

    reader: str
    count: int = 0
    expanded: int = 0
    decisions: int = 0
    chances: int = 0
    ends: int = 0
    actions: int = 0
    outcomes: int = 0
    widest: int = 0
    levels: tuple[int, ...] = ()
    faults: Mapping[int, int] = field(default_factory=dict)
    complete: bool = False
    full: bool = False
    memory: int | None = None

    @property
    def depth(self) -> int:
        """The greatest distance of a state from the first."""
        return max(0, len(self.levels) - 1)


def explore(game: Game, most: int = MOST_STATES, memory: int = MEMORY) -> Iterator[Explored]:
    """What is known so far, again and again; at last all, or what could be found out with `most` states and
    so many bytes of memory. By WebAssembly if it can be had, else by the game's own reader."""
    if game.reader == "generated":
        with suppress(NotCovered, NotInstalled, TooLong, *TOO_DEEP):
            explorer = Explorer(game.program, memory)
            for found in _by_module(explorer, min(most, MOST_STATES)):
                if explorer.lost:
                    break
                yield found
            else:
                return
    yield from by_states(game, most)


def _by_module(explorer: Explorer, most: int) -> Iterator[Explored]:
    lap = 64
    while True:
        yield _told(explorer)
        if explorer.complete or explorer.full or explorer.count >= most or explorer.lost:
            return
        began = time.perf_counter()
        explorer.expand(explorer.expanded + lap, most)
        spent = time.perf_counter() - began
        lap = 2 * lap if spent < SECONDS / 2 else max(1, lap // 2) if spent > 2 * SECONDS else lap


def _told(explorer: Explorer) -> Explored:
    """What a module knows so far."""
    decisions, chances, ends = explorer.kinds
    actions, outcomes, _ = explorer.moves
    bounds = [0, *explorer.levels]
    if explorer.count > bounds[-1]:
        bounds.append(explorer.count)
    return Explored(
        "WebAssembly",
        explorer.count,
        explorer.expanded,
        decisions,
        chances,
        ends,
        actions,
        outcomes,
        explorer.widest,
        tuple(end - start for start, end in pairwise(bounds)),
        dict(explorer.faults),
        explorer.complete,
        explorer.full,
        explorer.size,
    )


def by_states(game: Game, most: int) -> Iterator[Explored]:
    """The same by the states of a game."""
    search = _Search(game)
    told = time.perf_counter()
    while search.level and len(search.known) < most:
        following: list[State] = []
        for state in search.level:
            if len(search.known) >= most:
                break
            search.expand(state, following)
            if time.perf_counter() - told > SECONDS:
                yield search.found()
                told = time.perf_counter()
        else:
            search.complete = not following
        search.level = following
        if following:
            search.levels.append(len(following))
    yield search.found()


class _Search:
    """Breadth-first search by states: what it knows, and the level that it has to look at."""

    def __init__(self, game: Game) -> None:
        self.reader = "generated Python" if game.reader == "generated" else "the interpreter"
        self.level: list[State] = []
        self.known: set[State] = set()
        self.levels: list[int] = []
        self.faults: Counter[int] = Counter()
        self.kinds: Counter[str] = Counter()
        self.widest = 0
        self.complete = False
        try:
            self.level.append(game.initial())
            self.known.update(self.level)
            self.levels.append(1)
        except FaultError as error:
            self.faults[error.index] += 1
            self.complete = True

    def expand(self, state: State, following: list[State]) -> None:
        """Takes a state into account, and finds its successors."""
        choices = len(state.choices)
        self.widest = max(self.widest, choices)
        if state.is_end:
            self.kinds["ends"] += 1
        else:
            self.kinds["decisions" if state.is_decision else "chances"] += 1
            self.kinds["actions" if state.is_decision else "outcomes"] += choices
        for index in range(choices):
            try:
                after = state.follow(index)
            except FaultError as error:
                self.faults[error.index] += 1
                continue
            if after not in self.known:
                self.known.add(after)
                following.append(after)

    def found(self) -> Explored:
        kinds = self.kinds
        return Explored(
            self.reader,
            len(self.known),
            kinds["decisions"] + kinds["chances"] + kinds["ends"],
            kinds["decisions"],
            kinds["chances"],
            kinds["ends"],
            kinds["actions"],
            kinds["outcomes"],
            self.widest,
            tuple(self.levels),
            dict(self.faults),
            self.complete,
        )
