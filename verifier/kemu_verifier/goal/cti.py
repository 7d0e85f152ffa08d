"""Counterexamples to induction, shown: states as JSON, which may be unreachable."""

from __future__ import annotations

from typing import Any

from kemu_engine.interp.frame import Faulted
from kemu_engine.play.game import Game
from kemu_engine.play.state import State

from kemu_verifier.symbolic.mapping import Valuation
from kemu_verifier.symbolic.transition import Transitions


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
