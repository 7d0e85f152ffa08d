"""What a game's views show in a state, as data: glyphs at places, lines of text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, sin, tau

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.text import as_text
from kemu_engine.play.state import State

HUNDRED = 100
Value = Callable[[k.Expr], int]


@dataclass(frozen=True, slots=True)
class Mark:
    """A glyph at column `x`, row `y`; it shows the element of `domain` whose text is `element`."""

    element: str
    x: int
    y: int
    glyph: str
    domain: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """Something that is drawn: `points` in places, those of a view "on hexes" as `hexes` counts them, each
    with what is added to it once it is known where places lie (to the right, down; in places). `size`: none,
    one or two numbers, in places; `turn`: degrees clockwise; `laid`: "row", "heap", "stack" or "", of `count`
    equal things, those at one place together. Colours are names, or `@` and that of a
    player; `text` is what is written
    on it, of a symbol its name."""

    shape: str
    element: str
    domain: str
    points: tuple[tuple[int, int, float, float], ...]
    fill: str
    edge: str
    size: tuple[float, ...]
    turn: float
    laid: str
    count: int
    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A view in one state. The marks stand in the order of the rules file; a later one covers an earlier
    one. `figures`: what is drawn, if the view says so; `ground`: "hexes" or "squares", what places are."""

    name: str
    marks: tuple[Mark, ...]
    lines: tuple[str, ...]
    figures: tuple[Figure, ...] = ()
    ground: str = ""


def view(state: State, drawn: bool = False) -> list[Picture]:
    """All views of the game in this state, in the order of the rules file; with figures only if they are to
    be `drawn`, since there may be hundreds. Raises FaultError."""
    with state.reading() as value:
        return [_picture(state, _quick(value), each, drawn) for each in state.program.views]


def _quick(value: Value) -> Value:
    """What is constant, as much of a picture is, needs no reading."""
    return lambda expr: int(expr.value) if isinstance(expr, k.Const) else value(expr)


def _picture(state: State, value: Value, view: k.View, drawn: bool) -> Picture:
    marks = tuple(
        Mark(
            spot.element,
            value(spot.x),
            value(spot.y),
            spot.texts[value(spot.glyph)],
            spot.domain,
        )
        for spot in view.spots
        if value(spot.when)
    )
    here = (line for line in view.lines if line.block in (-1, state.block))
    lines = tuple(written(value, line.parts) for line in here if value(line.when))
    shown = (each for each in view.figures if drawn and value(each.when))
    figures = tuple(_figure(value, each) for each in shown)
    return Picture(view.name, marks, lines, figures, view.ground)


def _figure(value: Value, figure: k.Figure) -> Figure:
    turn = 0.0
    if figure.turn is not None:
        part, whole = map(value, figure.turn)
        turn = 360 * part / whole if whole else 0.0
    return Figure(
        figure.shape,
        figure.element,
        figure.domain,
        tuple(_point(value, point) for point in figure.points),
        _name(value, figure.fill),
        _name(value, figure.edge),
        tuple(value(each) / HUNDRED for each in figure.size),
        turn,
        figure.laid,
        value(figure.count),
        written(value, figure.parts).strip(),
    )


def _point(value: Value, point: k.Point) -> tuple[int, int, float, float]:
    right = down = 0.0
    for step in point.steps:
        first, *others = map(value, step)
        if len(others) == 1:
            right, down = right + first / HUNDRED, down + others[0] / HUNDRED
        elif others[1]:
            angle = tau * others[0] / others[1]
            right, down = right + first / HUNDRED * sin(angle), down - first / HUNDRED * cos(angle)
    return value(point.x), value(point.y), right, down


def _name(value: Value, named: k.Named | None) -> str:
    return "" if named is None else named.texts[value(named.index)]


def written(value: Value, parts: tuple[str | tuple[k.Expr, tuple[str, ...]], ...]) -> str:
    """The text that pieces make where expressions have these values."""
    return "".join(part if isinstance(part, str) else _written(value(part[0]), *part) for part in parts)


def _written(number: int, expr: k.Expr, texts: tuple[str, ...]) -> str:
    if isinstance(expr.type, k.Bool) and texts:
        return texts[number]
    return as_text(number, expr.type, texts)
