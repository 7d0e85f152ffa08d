"""All states that a game can come to, breadth first: how many there are, of what kind, how far away."""

from __future__ import annotations

import time
from collections.abc import Iterator
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


@dataclass(slots=True)
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
    levels: list[int] = field(default_factory=list)
    faults: dict[int, int] = field(default_factory=dict)
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
        found = Explored("WebAssembly", explorer.count, explorer.expanded)
        found.decisions, found.chances, found.ends = explorer.kinds
        found.actions, found.outcomes, _ = explorer.moves
        found.widest, found.faults = explorer.widest, explorer.faults
        ends = [0, *explorer.levels]
        if explorer.count > ends[-1]:
            ends.append(explorer.count)
        found.levels = [end - start for start, end in pairwise(ends)]
        found.complete, found.full, found.memory = explorer.complete, explorer.full, explorer.size
        yield found
        if explorer.complete or explorer.full or explorer.count >= most or explorer.lost:
            return
        began = time.perf_counter()
        explorer.expand(explorer.expanded + lap, most)
        spent = time.perf_counter() - began
        lap = 2 * lap if spent < SECONDS / 2 else max(1, lap // 2) if spent > 2 * SECONDS else lap


def by_states(game: Game, most: int) -> Iterator[Explored]:
    """The same by the states of a game."""
    found = Explored("generated Python" if game.reader == "generated" else "the interpreter")
    try:
        first = game.initial()
    except FaultError as error:
        found.faults[error.index] = 1
        found.complete = True
        yield found
        return
    known, level, told = {first}, [first], time.perf_counter()
    found.count, found.levels = 1, [1]
    while level and found.count < most:
        following: list[State] = []
        for state in level:
            if found.count >= most:
                break
            _look_at(state, known, following, found)
            found.count = len(known)
            if time.perf_counter() - told > SECONDS:
                yield found
                told = time.perf_counter()
        else:
            found.complete = not following
        level = following
        if level:
            found.levels.append(len(level))
    yield found


def _look_at(state: State, known: set[State], following: list[State], found: Explored) -> None:
    """Takes a state into account, and finds its successors."""
    found.expanded += 1
    choices = len(state.choices)
    found.widest = max(found.widest, choices)
    if state.is_decision:
        found.decisions += 1
        found.actions += choices
    elif state.is_chance:
        found.chances += 1
        found.outcomes += choices
    else:
        found.ends += 1
    for index in range(choices):
        try:
            after = state.follow(index)
        except FaultError as error:
            found.faults[error.index] = found.faults.get(error.index, 0) + 1
            continue
        if after not in known:
            known.add(after)
            following.append(after)
