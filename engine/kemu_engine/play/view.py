"""What a game's views show in a state, as data: glyphs at places, lines of text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.text import as_text
from kemu_engine.play.state import State

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
class Picture:
    """A view in one state. The marks stand in the order of the rules file; a later one covers an earlier
    one. What is drawn of it is told elsewhere (figures.py)."""

    name: str
    marks: tuple[Mark, ...]
    lines: tuple[str, ...]


def view(state: State) -> list[Picture]:
    """All views of the game in this state, in the order of the rules file. Raises FaultError."""
    with state.reading() as value:
        return [_picture(state, _quick(value), each) for each in state.program.views]


def _quick(value: Value) -> Value:
    """What is constant, as much of a picture is, needs no reading."""
    return lambda expr: int(expr.value) if isinstance(expr, k.Const) else value(expr)


def _picture(state: State, value: Value, view: k.View) -> Picture:
    marks = (mark(value, spot) for spot in view.spots)
    here = (line for line in view.lines if line.block in (-1, state.block))
    lines = tuple(written(value, line.parts) for line in here if value(line.when))
    return Picture(view.name, tuple(each for each in marks if each is not None), lines)


def mark(value: Value, spot: k.Spot) -> Mark | None:
    """What a spot shows, if anything."""
    if not value(spot.when):
        return None
    return Mark(spot.element, value(spot.x), value(spot.y), spot.texts[value(spot.glyph)], spot.domain)


def written(value: Value, parts: tuple[str | tuple[k.Expr, tuple[str, ...]], ...]) -> str:
    """The text that pieces make where expressions have these values."""
    return "".join(part if isinstance(part, str) else _written(value(part[0]), *part) for part in parts)


def _written(number: int, expr: k.Expr, texts: tuple[str, ...]) -> str:
    if isinstance(expr.type, k.Bool) and texts:
        return texts[number]
    return as_text(number, expr.type, texts)
