"""What may be shown to whom: pictures and moves without what the person at the screen must not see."""

from __future__ import annotations

from typing import Literal

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.alike import follows_all
from kemu_engine.kernel.sight import on_the_table
from kemu_engine.kernel.text import UNSEEN
from kemu_engine.play.game import Game
from kemu_engine.play.masked_view import masked
from kemu_engine.play.state import State
from kemu_engine.play.view import Picture, view

from kemu.render.alike import one_rule
from kemu.render.board import Colour, Place
from kemu.render.colours import colours
from kemu.render.words import worded

WATCHING: Literal[""] = ""
"""In the place of a player's name: somebody who has no seat."""


def has_secrets(game: Game) -> bool:
    """Whether some player does not see some of the state."""
    return game.machine.secret


def legend(view: k.View) -> list[str]:
    """Lines of a view that are the same in every position: what its signs mean."""
    return [
        "".join(map(str, line.parts))
        for line in view.lines
        if line.block == -1
        and isinstance(line.when, k.Const)
        and line.when.value
        and all(isinstance(part, str) for part in line.parts)
    ]


class Sight:
    """A game as `viewer` sees it; None is someone who may see all."""

    def __init__(self, game: Game, viewer: str | None) -> None:
        self.viewer = viewer if has_secrets(game) else None

    def position(self, state: State) -> State:
        """The state with views that show only what the viewer sees."""
        return state if self.viewer is None else masked(state, state.seat(self.viewer or None))

    def pictures(self, state: State) -> list[Picture]:
        """The views, without what is drawn from state that the viewer does not see. Raises FaultError."""
        return view(self.position(state))

    def board(self, state: State) -> list[Picture]:
        """The pictures without their legends."""
        return [
            Picture(each.name, each.marks, tuple(line for line in each.lines if line not in told))
            for each, told in zip(self.pictures(state), map(legend, state.program.views), strict=True)
        ]

    def colours(self, state: State) -> dict[str, dict[Place, Colour]]:
        """The colours of what the pictures show. Raises FaultError."""
        return colours(self.position(state))

    def told(self, state: State, text: str) -> str:
        """How a move that was made in `state` is told: with `?` for what was secret about it."""
        if self.viewer is None:
            return text
        return state.told(state.index(text), self.viewer or None)

    def shows_rule(self, state: State) -> bool:
        """Whether the lines of the rules behind a stop may be shown: nobody learns by them which stop it
        is."""
        if self.viewer is None or one_rule(state.machine, state.block):
            return True
        return follows_all(state.program, state.seat(self.viewer or None))

    def facts(self, state: State) -> list[str]:
        """What the viewer knows and no view shows, `hand: ace, king`: all state if there are no views, else
        what others may not see."""
        if self.viewer is None and state.program.views:
            return []
        seen = state.to_json()["vars"] if self.viewer is None else self._observed(state)
        assert isinstance(seen, dict)
        table = (var for _, var in on_the_table(state.program))
        wanted = [var for var in table if var.seen is not None or not state.program.views]
        you = "you see " if self.viewer else ""
        held = {var.name: worded(self.own(seen[var.name])) for var in wanted}
        lines = [f"{you}{name}: {value}" for name, value in held.items()]
        return [line for line in lines if not line.endswith((": ", ": ?"))]

    def _observed(self, state: State) -> object:
        return state.observation(self.viewer or None)["vars"]

    def own(self, value: object) -> object:
        """A map of what each player has, as far as it is the viewer's, without numbers of things that he has
        none of."""
        if not self.viewer or not isinstance(value, dict):
            return value
        known = {key: each for key, each in value.items() if each != UNSEEN}
        if list(known) == [self.viewer]:
            return known[self.viewer]
        mine = f"{self.viewer}, "
        if not known or not all(key.startswith(mine) for key in known):
            return value
        return {key.removeprefix(mine): each for key, each in known.items() if each != 0 or each is False}
