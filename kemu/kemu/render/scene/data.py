"""A scene: what a picture of a position shows, as plain data that any renderer draws (docs/drawing.md).

All is told in places: one place is the distance of two neighbours on the board, x grows to the right and y
downwards. Colours are names of the palette, never numbers, so that a page has its own light and dark.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Literal

FORMAT: Literal["kemu-scene"] = "kemu-scene"
VERSION = 1
ROUNDED = 3  # decimals of a coordinate

Point = tuple[float, float]  # to the right, down; in places


@dataclass(frozen=True, slots=True)
class Shape:
    """Something drawn at `at`: one point, its middle; or, of a line, a curve, an arrow or a polygon, several.

    `size`: width and height in places, of a line its width. `fill`, `edge`: colours of the palette, "" for
    the usual one. `text`: what is written on it, the pips of a die, the name of a symbol. `turn`: degrees
    clockwise. `element` of `domain`: what of the game it shows, if it does; a parameter of an action that
    takes elements of the domain is picked there. `owner`: for which player it is shown here, if elsewhere for
    another; each picks his own.
    """

    kind: str
    at: tuple[Point, ...]
    size: Point = (1.0, 1.0)
    fill: str = ""
    edge: str = ""
    text: str = ""
    turn: float = 0.0
    domain: str = ""
    element: str = ""
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Board:
    """What one view shows. `box`: left, top, width and height of what its shapes take up. A later shape
    covers an earlier one."""

    name: str
    box: tuple[float, float, float, float]
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Seat:
    """A player. `place`: his rank once the game is over, 1 for the first; 0 before. `notes`: what the view
    says of him."""

    player: str
    colour: str
    to_move: bool
    place: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pick:
    """A parameter of an action that can be done now is picked on shapes that show these domains."""

    action: str
    parameter: str
    domains: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """A position. `status`: whose turn it is, or how the game ended; `notes`: what else is to be said."""

    game: str
    status: str
    seats: tuple[Seat, ...]
    boards: tuple[Board, ...]
    notes: tuple[str, ...] = ()
    picks: tuple[Pick, ...] = ()


def as_json(scene: Scene, boards: list[Any] | None = None) -> dict[str, Any]:
    """A scene for the json module; fields that are empty are left out. `boards`, if they are known."""
    if boards is None:
        parts = ((each.name, each.box, list(map(part_as_json, each.shapes))) for each in scene.boards)
        boards = [board_as_json(*each) for each in parts]
    every = {field.name: getattr(scene, field.name) for field in fields(scene)}
    plain = {name: boards if name == "boards" else _plain(each) for name, each in every.items()}
    return {"format": FORMAT, "version": VERSION, **_told(plain)}


def board_as_json(name: str, box: tuple[float, float, float, float], shapes: list[Any]) -> dict[str, Any]:
    return {"name": name, "box": _plain(box), "shapes": shapes}


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, ROUNDED) + 0.0
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return part_as_json(value) if isinstance(value, Shape | Seat | Pick) else value


@lru_cache(1 << 14)  # many tables show the same
def part_as_json(part: Shape | Seat | Pick) -> dict[str, Any]:
    """A shape, a seat, a pick; not to be changed."""
    return _told({field.name: _plain(getattr(part, field.name)) for field in fields(part)})


def _told(pairs: dict[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in pairs.items() if each not in ("", 0, [], False)}
