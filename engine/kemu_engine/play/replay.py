"""Traces: what was done from the initial state on, as texts, and what the interpreter makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State


class ReplayError(Exception):
    """A trace that the interpreter does not confirm: an error of ours, never a verdict."""


@dataclass(frozen=True, slots=True)
class Replay:
    """The states of a trace, the first being the initial one; `fault` if the last step (or the set-up) ran
    into one.
    """

    steps: tuple[str, ...]
    states: tuple[State, ...]
    fault: int | None

    @property
    def last(self) -> State:
        return self.states[-1]

    @property
    def decisions(self) -> int:
        return sum(state.is_decision for state in self.states[: len(self.steps)])


def text_of(state: State, index: int) -> str:
    """The text of the choice at that index."""
    if state.is_decision:
        return state.actions()[index].text
    return state.outcomes()[index][0].text


def replay(game: Game, steps: Sequence[str]) -> Replay:
    """Plays the texts in the interpreter. Raises ReplayError if one of them is not possible, or comes after a
    fault."""
    states: list[State] = []
    fault = None
    try:
        states.append(game.initial([]))  # what is logged is interpreted
        for text in steps:
            states.append(states[-1].follow(states[-1].index(text), []))
    except FaultError as error:
        if len(states) < len(steps):
            raise ReplayError(f"step {len(states)} of {len(steps)} runs into {error}") from error
        fault = error.index
    except ValueError as error:
        raise ReplayError(f"step {len(states)} of {len(steps)}: {error}") from error
    return Replay(tuple(steps), tuple(states), fault)
