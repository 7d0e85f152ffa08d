"""A position as a scene: its views as boards, what the views say beside them, whose turn it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt

from kemu_engine.play.state import State
from kemu_engine.play.view import Picture
from kemu_engine.play.view import view as pictures

from kemu.render.scene import defaults, drawn
from kemu.render.scene.data import Board, Point, Scene, Seat, Shape
from kemu.render.scene.palette import colours
from kemu.render.scene.picks import picks
from kemu.render.turn import on_turn, who
from kemu.render.words import ending, ranked_by

CORNERS = 2 / sqrt(3)  # of a hexagon: how much wider it is from corner to corner than from side to side


def scene(state: State) -> Scene:
    """The picture of a position, as whoever `state.program`'s views are for sees it. Raises FaultError."""
    program = state.program
    seen = drawn_ones(pictures(state, drawn=True))
    seats = {each.element: each for picture in seen for each in drawn.beside(picture, "seat")}
    shades = colours(program.players)
    shades |= {name: each.fill for name, each in seats.items() if each.fill and each.fill[0] != "@"}
    lines = said(seen)
    notes = {
        player: [line[found.end() :] for line in lines if (found := about(player, line))] for player in shades
    }
    for name, each in seats.items():
        notes[name] = [part for part in each.text.split("; ") if part] + notes[name]
    mover = state.actor or on_turn(state)
    places = state.result.places if state.result is not None else {}
    boards = tuple(board for picture in seen if (board := _board(state, picture, shades)).shapes)
    return Scene(
        program.game,
        status(state),
        tuple(
            Seat(player, shades[player], player == mover, places.get(player, 0), tuple(notes[player]))
            for player in program.players
        ),
        boards,
        tuple(line for line in lines if not any(about(player, line) for player in program.players)),
        picks(state, boards),
    )


def drawn_ones(seen: Sequence[Picture]) -> Sequence[Picture]:
    """Those of the views that say how they are drawn, if there are any: the others are for text."""
    return [each for each in seen if each.figures] or seen


def said(seen: Iterable[Picture]) -> list[str]:
    """What stands beside the boards: the notes of a view, or its lines if it has none."""
    found: list[str] = []
    for picture in seen:
        notes = [each.text for each in drawn.beside(picture, "note")]
        spoken = notes or drawn.beside(picture, "seat")
        found += notes if spoken else [line.strip() for line in picture.lines]
    return [line for line in found if line]


def status(state: State) -> str:
    """`white: place, pass`, `chance at roll`, `white wins`."""
    if state.result is not None:
        return ending(state.result, ranked_by(state))
    if state.actor is None:
        return who(state)
    names = dict.fromkeys(action.name for action in state.actions())
    return f"{who(state)}: {', '.join(name.replace('_', ' ') for name in names)}"


def about(player: str, line: str) -> re.Match[str] | None:
    """Whether a line begins with the name of a player, and where that ends."""
    return re.match(rf"{re.escape(player)}\b(?:[:,]? +)", line)


def _board(state: State, picture: Picture, shades: Mapping[str, str]) -> Board:
    if picture.figures:
        found = drawn.shapes(picture, shades)
    else:
        view = next(view for view in state.program.views if view.name == picture.name)
        found = defaults.shapes(state, view, shades)
    return Board(picture.name, _box(found), tuple(found))


def _box(shapes: Iterable[Shape]) -> tuple[float, float, float, float]:
    """Left, top, width and height of what the shapes take up."""
    corners = [corner for shape in shapes for corner in _corners(shape)]
    if not corners:
        return (0.0, 0.0, 0.0, 0.0)
    left, top = (min(corner[axis] for corner in corners) for axis in (0, 1))
    right, bottom = (max(corner[axis] for corner in corners) for axis in (0, 1))
    return (left, top, right - left, bottom - top)


def _corners(shape: Shape) -> Iterable[Point]:
    wide, high = (0.0, 0.0) if shape.kind == "polygon" else shape.size
    if shape.kind == "hexagon":
        wide *= CORNERS
    elif shape.kind == "text":
        wide = min(wide, high * len(shape.text))
    for x, y in shape.at:
        yield (x - wide / 2, y - high / 2)
        yield (x + wide / 2, y + high / 2)
