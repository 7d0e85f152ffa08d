"""What is drawn in a state: the index of a choice, from the streams of chance and of random players."""

from __future__ import annotations

from kemu_engine.kernel import draws
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.rng import Stream
from kemu_engine.play.state import State


def drawn(state: State, chance: Stream, players: Stream) -> int:
    """The index of a choice in a state that is no end."""
    stop = state.stop
    if isinstance(stop, k.Decide):
        return draws.action(players, state.program, stop, state.choices)
    return draws.outcome(chance, state.choices)
