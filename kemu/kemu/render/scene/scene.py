"""A position as a scene: its views as boards, what the views say beside them, whose turn it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from kemu_engine.kernel import nodes as k
from kemu_engine.play.state import State
from kemu_engine.play.view import view as pictures

from kemu.render.scene import defaults
from kemu.render.scene.data import Board, Point, Scene, Seat, Shape
from kemu.render.scene.palette import colours
from kemu.render.scene.picks import picks
from kemu.render.turn import on_turn, who
from kemu.render.words import ending, ranked_by


def scene(state: State) -> Scene:
    """The picture of a position, as whoever `state.program`'s views are for sees it. Raises FaultError."""
    program = state.program
    shades = colours(program.players)
    lines = [line.strip() for picture in pictures(state) for line in picture.lines]
    said = {player: tuple(_said(player, lines)) for player in program.players}
    mover = state.actor or on_turn(state)
    places = state.result.places if state.result is not None else {}
    return Scene(
        program.game,
        status(state),
        tuple(
            Seat(player, shades[player], player == mover, places.get(player, 0), said[player])
            for player in program.players
        ),
        tuple(board for view in program.views if (board := _board(state, view, shades)).shapes),
        tuple(line for line in lines if line and not any(_about(player, line) for player in said)),
        picks(state),
    )


def status(state: State) -> str:
    """`white is to move: place`, `chance is at roll`, `white wins`."""
    if state.result is not None:
        return ending(state.result, ranked_by(state))
    if state.actor is None:
        return who(state)
    names = dict.fromkeys(action.name for action in state.actions())
    return f"{who(state)}: {', '.join(name.replace('_', ' ') for name in names)}"


def _said(player: str, lines: Iterable[str]) -> Iterable[str]:
    """The lines about a player, without his name before them."""
    for line in lines:
        if found := _about(player, line):
            yield line[found.end() :]


def _about(player: str, line: str) -> re.Match[str] | None:
    return re.match(rf"{re.escape(player)}\b(?:[:,]? +)", line)


def _board(state: State, view: k.View, shades: Mapping[str, str]) -> Board:
    found = tuple(defaults.shapes(state, view, shades))
    return Board(view.name, _box(found), found)


def _box(shapes: Iterable[Shape]) -> tuple[float, float, float, float]:
    """Left, top, width and height of what the shapes take up."""
    corners = [corner for shape in shapes for corner in _corners(shape)]
    if not corners:
        return (0.0, 0.0, 0.0, 0.0)
    left, top = (min(corner[axis] for corner in corners) for axis in (0, 1))
    right, bottom = (max(corner[axis] for corner in corners) for axis in (0, 1))
    return (left, top, right - left, bottom - top)


def _corners(shape: Shape) -> Iterable[Point]:
    wide, high = shape.size
    for x, y in shape.at:
        yield (x - wide / 2, y - high / 2)
        yield (x + wide / 2, y + high / 2)
