"""Chance and random players at the table: what they do follows from the seed and the number of the step.

So a saved game goes on as it would have gone on, and a decision made again meets the same answer.
"""

from __future__ import annotations

from kemu_engine.kernel.rng import CHANCE, PLAYERS, Stream
from kemu_engine.play.draw import drawn
from kemu_engine.play.state import State


def pick(state: State, seed: int, step: int) -> str:
    """The text of the outcome, or of a random player's action, in a state that step number `step` (from 0)
    leaves."""
    index = drawn(state, Stream(seed, step, CHANCE), Stream(seed, step, PLAYERS))
    return state.moves()[index].text
