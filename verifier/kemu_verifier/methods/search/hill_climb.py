"""Random games that climb: at every stop, of some choices that which leads nearest to the goal.

What is not found so may still be there. Chance is taken to be kind: what it may bring, a game may show.
"""

from __future__ import annotations

from collections.abc import Callable

from kemu_engine.kernel.rng import PLAYERS, Stream
from kemu_engine.play.replay import text_of
from kemu_engine.play.state import State
from kemu_engine.play.steps import Steps

from kemu_verifier.symbolic.deadline import Deadline

SEED = 2
LONGEST = 1_000  # stops, after which a game is given up
LOOKED = 12  # choices that are tried at a stop
RANDOM = 8  # of so many choices one is made at random
NOWHERE = 1 << 40


def climb(
    steps: Steps, far: Callable[[State], int], there: Callable[[State], bool], deadline: Deadline
) -> list[str] | None:
    """A game that gets there; None if time is over before one is found. `far` is how far a state is from the
    goal."""
    index = 0
    while not deadline.passed and steps.begin()[0] is not None:
        index += 1
        found = _game(steps, far, there, Stream(SEED, index, PLAYERS), deadline)
        if found is not None:
            return found
    return None


def _game(
    steps: Steps,
    far: Callable[[State], int],
    there: Callable[[State], bool],
    draws: Stream,
    deadline: Deadline,
) -> list[str] | None:
    state, _, _ = steps.begin()
    made: list[str] = []
    while state is not None and len(made) <= LONGEST:
        if there(state):
            return made
        if state.is_end or deadline.passed:
            return None
        open_ = [at for at, choice in enumerate(state.choices) if not state.is_chance or choice.weight > 0]
        chosen = open_[draws.below(len(open_))]
        if len(open_) > 1 and draws.below(RANDOM):
            chosen = _nearest(steps, state, far, _some(open_, draws))
        made.append(text_of(state, chosen))
        state, _, _ = steps.follow(state, chosen)
    return None


def _some(open_: list[int], draws: Stream) -> list[int]:
    """Some of them, in an order drawn."""
    left, found = list(open_), list[int]()
    while left and len(found) < LOOKED:
        found.append(left.pop(draws.below(len(left))))
    return found


def _nearest(steps: Steps, state: State, far: Callable[[State], int], tried: list[int]) -> int:
    """The first of those that lead nearest."""

    def after(choice: int) -> int:
        led, _, _ = steps.follow(state, choice)
        return NOWHERE if led is None else far(led)

    return min(tried, key=after)
