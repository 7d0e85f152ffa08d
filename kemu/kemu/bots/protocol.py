"""What a bot is; and the one that chooses at random."""

from __future__ import annotations

from typing import Protocol

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.draws import action
from kemu_engine.kernel.rng import PLAYERS, Stream

from kemu.api.action import Action
from kemu.api.game import State


class Bot(Protocol):
    """A program that plays. Any object with this method is one."""

    def choose(self, state: State) -> Action | int | str:
        """What it does in a state at which a player is to decide (`state.actor`): a legal action, its number
        or its text. In a game with secrets a fair bot looks only at what this player may know:
        `state.actions()`, `state.observation(state.actor)`, `state.information_state(state.actor)`."""


class Repeatable(Bot, Protocol):
    """A bot that makes the same choices again if `turn`, how many it has made, is set back."""

    turn: int


class Random:
    """Every legal action is equally likely. The same seed gives the same choices, one after another; `turn`
    is how many it has made."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.turn = 0

    def choose(self, state: State) -> int:
        """The number of a legal action."""
        position = state._position
        stop = position.stop
        if not isinstance(stop, k.Decide):
            raise ValueError("nobody is to decide here")
        stream = Stream(self.seed, self.turn, PLAYERS)
        self.turn += 1
        return state.legal()[action(stream, position.program, stop, position.choices)]

    def __repr__(self) -> str:
        return f"Random(seed={self.seed})"
