"""What a view draws in a state, as data: discs, lines, texts at places."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin, tau

from kemu_engine.kernel import nodes as k
from kemu_engine.play.view import Value, written

HUNDRED = 100


@dataclass(frozen=True, slots=True)
class Figure:
    """Something that is drawn: `points` in places, those of a view "on hexes" as `hexes` counts them, each
    with what is added to it once it is known where places lie (to the right, down; in places). `size`: none,
    one or two numbers, in places; `turn`: degrees clockwise; `laid`: "row", "heap", "stack" or "", of `count`
    equal things, those at one place together. Colours are names, or `@` and that of a
    player; `text` is what is written
    on it, of a symbol its name. `owner`: for which player the element is drawn here, if elsewhere for
    another."""

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
    owner: str = ""


def figure(value: Value, node: k.Figure) -> Figure | None:
    """What is drawn, if anything."""
    if not value(node.when):
        return None
    turn = 0.0
    if node.turn is not None:
        part, whole = map(value, node.turn)
        turn = 360 * part / whole if whole else 0.0
    return Figure(
        node.shape,
        node.element,
        node.domain,
        tuple(_point(value, point) for point in node.points),
        _name(value, node.fill),
        _name(value, node.edge),
        tuple(value(each) / HUNDRED for each in node.size),
        turn,
        node.laid,
        value(node.count),
        written(value, node.parts).strip(),
        node.owner,
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
