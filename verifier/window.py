"""Counterexamples to induction, shown: states as JSON, which may be unreachable."""

from __future__ import annotations

from typing import Any

from engine.frame import Faulted
from engine.game import Game
from engine.state import State
from verifier.symbolic.mapping import Valuation
from verifier.symbolic.transition import Transitions


def show(game: Game, transitions: Transitions, window: tuple[tuple[int, Valuation], ...]) -> tuple[Any, ...]:
    """The states of a window in order; one that the interpreter would not stand at is left out."""
    shown: list[Any] = []
    for block, values in window:
        vars, locals = transitions.layout.decode(block, values)
        try:
            stop = game.machine.advance(game.machine.frame(block, vars, locals), block)
        except Faulted:
            continue
        if stop.block == block:
            shown.append(State.at(game.machine, stop).to_json())
    return tuple(shown)
