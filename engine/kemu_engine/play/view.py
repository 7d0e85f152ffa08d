"""What a game's views show in a state, as data: glyphs at places, lines of text."""

from __future__ import annotations

from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.text import as_text
from kemu_engine.play.state import State


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
    one."""

    name: str
    marks: tuple[Mark, ...]
    lines: tuple[str, ...]


def view(state: State) -> list[Picture]:
    """All views of the game in this state, in the order of the rules file. Raises FaultError."""
    return [_picture(state, each) for each in state.program.views]


def _picture(state: State, view: k.View) -> Picture:
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
    return Picture(view.name, marks, lines)


def written(state: State, parts: tuple[str | tuple[k.Expr, tuple[str, ...]], ...]) -> str:
    """The text that pieces make in a state."""
    return "".join(
        part if isinstance(part, str) else _written(state.evaluate(part[0]), *part) for part in parts
    )


def _written(value: int, expr: k.Expr, texts: tuple[str, ...]) -> str:
    if isinstance(expr.type, k.Bool) and texts:
        return texts[value]
    return as_text(value, expr.type, texts)
