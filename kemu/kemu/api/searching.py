"""All states of a game, the ways to play it, and many games side by side."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike

from kemu_engine.batch import batch
from kemu_engine.batch import explore as states
from kemu_engine.batch import perft as ways
from kemu_engine.batch.explore import Explored
from kemu_engine.batch.perft import Depth
from kemu_engine.run.wasm.programs.explorer import MEMORY, MOST_STATES

from kemu.api.game import Game
from kemu.api.loading import meant
from kemu.base.words import counted


def explore(
    game: Game | str | PathLike[str], most: int = MOST_STATES, memory: int = MEMORY
) -> Iterator[Explored]:
    """Finds the states that the game can come to, and tells what is known so far again and again; at last
    all, or what could be found with `most` states and `memory` bytes."""
    return states.explore(meant(game)._playable, most, memory)


def perft(game: Game | str | PathLike[str], steps: int, memory: int = MEMORY) -> Iterator[Depth | None]:
    """Counts the sequences of 0, 1, 2 ... `steps` actions and outcomes, as long as there are any; None now
    and then in between, so that a program can show that it works. Raises OutOfRoom."""
    return ways.perft(meant(game)._playable, steps, memory)


class Batch(batch.Batch):
    __doc__ = batch.Batch.__doc__

    def __init__(self, game: Game | str | PathLike[str], games: int = 4096, seed: int = 0) -> None:
        if games < 1:
            raise ValueError(f"a batch has one game or more, not {games}")
        self.game = meant(game)
        super().__init__(self.game._playable, games, seed)

    def __repr__(self) -> str:
        return f"<Batch of {self.game.title}: {counted(self.games, 'game')}>"
