"""What may be shown to whom: pictures and moves without what the person at the screen must not see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.sight import on_the_table
from kemu_engine.kernel.sight import secret as secret_in
from kemu_engine.kernel.text import UNSEEN
from kemu_engine.play.game import Game
from kemu_engine.play.state import State
from kemu_engine.play.view import Picture, view

from kemu.render.board import Colour, Place
from kemu.render.colours import colours
from kemu.render.words import worded

Part = str | tuple[k.Expr, tuple[str, ...]]


def has_secrets(game: Game) -> bool:
    """Whether some player does not see some of the state."""
    return secret_in(game.program)


class Sight:
    """A game as `viewer` sees it; None is someone who may see all."""

    def __init__(self, game: Game, viewer: str | None) -> None:
        self.viewer = viewer if has_secrets(game) else None
        self.game = game
        if self.viewer is not None:
            seer = game.players.index(self.viewer)
            views = tuple(without_secrets(game.program, each, seer) for each in game.program.views)
            self.game = Game(replace(game.program, views=views))

    def position(self, state: State) -> State:
        """The state with views that show only what the viewer sees."""
        return replace(state, machine=self.game.machine)

    def pictures(self, state: State) -> list[Picture]:
        """The views, without what is drawn from state that the viewer does not see. Raises FaultError."""
        return view(self.position(state))

    def colours(self, state: State) -> dict[str, dict[Place, Colour]]:
        """The colours of what the pictures show. Raises FaultError."""
        return colours(self.position(state))

    def told(self, state: State, text: str) -> str:
        """How a move that was made in `state` is told: with `?` for what was secret about it."""
        if self.viewer is None:
            return text
        return state.told(state.index(text), self.viewer)

    def facts(self, state: State) -> list[str]:
        """What the viewer knows and no view shows, `hand: ace, king`: all state if there are no views, else
        what others may not see."""
        if self.viewer is None and state.program.views:
            return []
        seen = state.to_json()["vars"] if self.viewer is None else state.observation(self.viewer)["vars"]
        assert isinstance(seen, dict)
        table = (var for _, var in on_the_table(state.program))
        wanted = [var for var in table if var.seen is not None or not state.program.views]
        you = "" if self.viewer is None else "you see "
        held = {var.name: worded(self.own(seen[var.name])) for var in wanted}
        lines = [f"{you}{name}: {value}" for name, value in held.items()]
        return [line for line in lines if not line.endswith((": ", ": ?"))]

    def own(self, value: object) -> object:
        """A map of what each player has, as far as it is the viewer's, without numbers of things that he has
        none of."""
        if self.viewer is None or not isinstance(value, dict):
            return value
        known = {key: each for key, each in value.items() if each != UNSEEN}
        mine = f"{self.viewer}, "
        if not known or not all(key.startswith(mine) for key in known):
            return value
        return {key.removeprefix(mine): each for key, each in known.items() if each != 0 or each is False}


def without_secrets(program: k.Program, each: k.View, seer: int) -> k.View:
    """The view with `?` for what is read from state that the player does not see; without what is there
    only because of it."""
    shown = (spot for spot in each.spots if not secret(program, (spot.when, spot.x, spot.y), seer))
    spots = tuple(
        replace(spot, glyph=build.integer(0), texts=(UNSEEN,)) if secret(program, spot.glyph, seer) else spot
        for spot in shown
    )
    said = (line for line in each.lines if not secret(program, line.when, seer))
    lines = tuple(replace(line, parts=hidden(program, line.parts, seer)) for line in said)
    figures = tuple(
        masked(program, figure, seer) for figure in each.figures if not placed(program, figure, seer)
    )
    return k.View(each.name, spots, lines, figures, each.ground)


def placed(program: k.Program, figure: k.Figure, seer: int) -> bool:
    """Whether where something is drawn, and whether and how, comes of what the player does not see."""
    return secret(program, (figure.when, figure.points, figure.size, figure.turn, figure.count), seer)


def masked(program: k.Program, figure: k.Figure, seer: int) -> k.Figure:
    """What is drawn, without colours that the player does not see and with `?` for such texts."""
    symbol = figure.shape == "symbol" and secret(program, figure.parts, seer)
    return replace(
        figure,
        shape="text" if symbol else figure.shape,
        fill=None if secret(program, figure.fill, seer) else figure.fill,
        edge=None if secret(program, figure.edge, seer) else figure.edge,
        parts=(UNSEEN,) if symbol else hidden(program, figure.parts, seer),
    )


def hidden(program: k.Program, parts: tuple[Part, ...], seer: int) -> tuple[Part, ...]:
    """The pieces of a line, one `?` for those in a row that the player does not see."""
    kept: list[Part] = []
    for part in parts:
        if not secret(program, part, seer):
            kept.append(part)
        elif kept[-1:] != [UNSEEN]:
            kept.append(UNSEEN)
    return tuple(kept)


def secret(program: k.Program, node: object, seer: int) -> bool:
    """Whether something of the view reads what the player does not see."""
    return any(hides(program, read, seer) for read in reads(program, node))


def hides(program: k.Program, read: k.Load | k.At | k.Local, seer: int) -> bool:
    if isinstance(read, k.Local):
        return program.locals[read.id].secret
    seen = program.vars[read.var].seen
    if seen is None:
        return False
    if isinstance(read, k.At) and isinstance(read.index, k.Const):
        return not seen[read.index.value] >> seer & 1
    return not all(mask >> seer & 1 for mask in seen)


def reads(program: k.Program, node: object) -> Iterator[k.Load | k.At | k.Local]:
    """Every reading in an expression, those inside the functions that it calls included."""
    if isinstance(node, k.Load | k.At | k.Local):
        yield node
    if isinstance(node, k.Call):
        yield from reads(program, program.functions[node.function].body)
    if isinstance(node, tuple):
        for item in node:
            yield from reads(program, item)
    elif is_dataclass(node):
        for field in fields(node):
            yield from reads(program, getattr(node, field.name))
