"""What a game's views show in a state, as data: glyphs at places, lines of text."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin, tau

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.text import as_text
from kemu_engine.play.state import State

HUNDRED = 100


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
    return [_picture(state, each, drawn) for each in state.program.views]


def _picture(state: State, view: k.View, drawn: bool) -> Picture:
    marks = tuple(
        Mark(
            spot.element,
            state.evaluate(spot.x),
            state.evaluate(spot.y),
            spot.texts[state.evaluate(spot.glyph)],
            spot.domain,
        )
        for spot in view.spots
        if state.evaluate(spot.when)
    )
    here = (line for line in view.lines if line.block in (-1, state.block))
    lines = tuple(written(state, line.parts) for line in here if state.evaluate(line.when))
    shown = (each for each in view.figures if drawn and state.evaluate(each.when))
    figures = tuple(_figure(state, each) for each in shown)
    return Picture(view.name, marks, lines, figures, view.ground)


def _figure(state: State, figure: k.Figure) -> Figure:
    turn = 0.0
    if figure.turn is not None:
        part, whole = map(state.evaluate, figure.turn)
        turn = 360 * part / whole if whole else 0.0
    return Figure(
        figure.shape,
        figure.element,
        figure.domain,
        tuple(_point(state, point) for point in figure.points),
        _name(state, figure.fill),
        _name(state, figure.edge),
        tuple(state.evaluate(each) / HUNDRED for each in figure.size),
        turn,
        figure.laid,
        state.evaluate(figure.count),
        written(state, figure.parts).strip(),
    )


def _point(state: State, point: k.Point) -> tuple[int, int, float, float]:
    right = down = 0.0
    for step in point.steps:
        first, *others = map(state.evaluate, step)
        if len(others) == 1:
            right, down = right + first / HUNDRED, down + others[0] / HUNDRED
        elif others[1]:
            angle = tau * others[0] / others[1]
            right, down = right + first / HUNDRED * sin(angle), down - first / HUNDRED * cos(angle)
    return state.evaluate(point.x), state.evaluate(point.y), right, down


def _name(state: State, named: k.Named | None) -> str:
    return "" if named is None else named.texts[state.evaluate(named.index)]


def written(state: State, parts: tuple[str | tuple[k.Expr, tuple[str, ...]], ...]) -> str:
    """The text that pieces make in a state."""
    return "".join(
        part if isinstance(part, str) else _written(state.evaluate(part[0]), *part) for part in parts
    )


def _written(value: int, expr: k.Expr, texts: tuple[str, ...]) -> str:
    if isinstance(expr.type, k.Bool) and texts:
        return texts[value]
    return as_text(value, expr.type, texts)
