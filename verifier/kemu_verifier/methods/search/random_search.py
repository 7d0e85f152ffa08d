"""Random games: cheap witnesses and refutations, samples of reachable states, and statistics that are called
so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kemu_engine.kernel.rng import CHANCE, PLAYERS, Stream
from kemu_engine.play.draw import drawn
from kemu_engine.play.state import State
from kemu_engine.play.steps import Steps

from kemu_verifier.symbolic.deadline import Deadline

SEED = 1
LONGEST = 3_000  # stops, after which a random game is cut off


@dataclass(frozen=True, slots=True)
class Play:
    """A random game: its states, the choice made at each, the fault it ran into, and where it first came back
    to a state that it had been in (first visit, second visit). `met[i]`: the lines on the way to state i, as
    a mask; after a fault one more."""

    states: tuple[State, ...]
    choices: tuple[int, ...]
    fault: int | None
    circle: tuple[int, int] | None
    met: tuple[int, ...] = ()

    @property
    def ended(self) -> bool:
        return bool(self.states) and self.states[-1].is_end

    @property
    def whole(self) -> bool:
        """Whether it went on until it ended, met a fault, or had LONGEST stops."""
        return self.ended or self.fault is not None or len(self.states) > LONGEST


def play(
    steps: Steps, index: int, deadline: Deadline, longest: int = LONGEST, opening: Sequence[str] = ()
) -> Play:
    """Random game number `index`, after the choices of an opening."""
    players, chance = Stream(SEED, index, PLAYERS), Stream(SEED, index, CHANCE)
    states: list[State] = []
    choices: list[int] = []
    met: list[int] = []
    seen: dict[State, int] = {}
    circle = None
    state, fault, lines = steps.begin()
    while True:
        met.append(lines)
        if state is None:
            break
        if circle is None and state in seen:
            circle = (seen[state], len(states))
        seen.setdefault(state, len(states))
        states.append(state)
        if state.is_end or len(states) > longest or deadline.passed:
            break
        if len(choices) < len(opening):
            chosen = state.index(opening[len(choices)])
        else:
            chosen = drawn(state, chance, players)
        choices.append(chosen)
        state, fault, lines = steps.follow(state, chosen)
    return Play(tuple(states), tuple(choices), None if state is not None else fault, circle, tuple(met))


def plays(steps: Steps, most: int, deadline: Deadline) -> list[Play]:
    """Random games until there are enough or time is up; at least one."""
    made: list[Play] = []
    for index in range(most):
        made.append(play(steps, index, deadline))
        if deadline.passed:
            break
    return made


def confidence(games: int, decisions: int = 0, level: float = 0.99) -> str:
    """What `games` random games without a hit say: the chance of a hit in a random game is below this.
    `decisions`: how many were made in them, if that was counted."""
    bound = 1 - (1 - level) ** (1 / games)
    rarity = math.floor(1 / bound)
    made = f" with {decisions} decisions" if decisions else ""
    return f"in {games} random games{made} none; with {level:.0%} confidence fewer than 1 in {rarity} has one"
