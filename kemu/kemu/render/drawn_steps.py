"""Positions of plays as pictures in one page of HTML: what looks the same is drawn once and used again."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from math import hypot

from kemu_engine.play.state import FaultError, State

from kemu.render.scene.data import Board, Scene, Shape
from kemu.render.scene.drawing import drawing, used
from kemu.render.scene.palette import css
from kemu.render.scene.scene import scene

UNIT = 40  # pixels of a place, as shapes are drawn
LARGEST, RIM = 520, 0.1  # pixels that a board takes up, at most; places around it
ALWAYS = ("ink", "quiet", "line", "cell", "hint", "magenta")
STYLE = """
.kemu { DAY }
@media (prefers-color-scheme: dark) { .kemu { NIGHT } }
.kemu text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
.kemu .mid { text-anchor: middle; }
.kemu .n { fill: none; stroke: var(--magenta); stroke-width: 2; stroke-dasharray: 5 3; }
"""
Looks = dict[tuple[str, str, str], tuple[Shape, ...]]
"""By board, domain and element."""


class DrawnSteps:
    """Pictures for one page."""

    def __init__(self) -> None:
        self.numbers: dict[Shape, int] = {}
        self.dots: dict[str, None] = {}  # colours of players
        self.last: tuple[State, Scene] | None = None

    def scene(self, state: State) -> Scene:
        """The picture; that after a step is the one before the next. Raises FaultError."""
        if self.last is None or self.last[0] is not state:
            self.last = (state, scene(state))
        return self.last[1]

    def dot(self, state: State, player: str) -> str:
        """The colour of a player."""
        try:
            seats = self.scene(state).seats
        except FaultError:
            return ""
        colour = next((seat.colour for seat in seats if seat.player == player), "")
        if not colour:
            return ""
        self.dots[colour] = None
        return f'<i class="kemu" style="background: var(--{colour})"></i>'

    def boards(self, state: State, before: State | None) -> str:
        """The boards of a position, with a ring round what looked otherwise before. Raises FaultError."""
        earlier = None if before is None else looks(self.scene(before))
        found = self.scene(state)
        boards = "".join(self._board(each, found, earlier) for each in found.boards)
        told = [f"{seat.player}: {note}" for seat in found.seats for note in seat.notes]
        told += found.notes
        below = f'<p class="soft">{escape(chr(10).join(told))}</p>' if told else ""
        return f'<div class="views">{boards}</div><div class="view">{below}</div>'

    def _board(self, board: Board, found: Scene, earlier: Looks | None) -> str:
        left, top, wide, high = board.box
        box = (left - RIM, top - RIM, wide + 2 * RIM, high + 2 * RIM)
        scale = min(1.0, LARGEST / (UNIT * max(box[2], box[3])))
        parts = [f'<use href="#d{self._number(shape)}"/>' for shape in board.shapes]
        if earlier is not None:
            now = looks(found, board)
            parts += rings([shapes[-1] for key, shapes in now.items() if earlier.get(key) != shapes])
        view = " ".join(f"{each * UNIT:.0f}" for each in box)
        width, height = (round(each * UNIT * scale) for each in box[2:])
        return (
            f'<svg class="kemu" viewBox="{view}" width="{width}" height="{height}" role="img" '
            f'aria-label="{escape(board.name)}">{"".join(parts)}</svg>'
        )

    def _number(self, shape: Shape) -> int:
        return self.numbers.setdefault(shape, len(self.numbers))

    def definitions(self) -> str:
        """What the pictures are made of; it stands once in the page."""
        if not self.numbers:
            return ""
        colours = [*ALWAYS, *self.dots, *(name for shape in self.numbers for name in used(shape))]
        day, night = css(dict.fromkeys(colours))
        style = STYLE.replace("DAY", day).replace("NIGHT", night)
        shapes = "".join(
            f'<g id="d{number}">{drawing(shape, UNIT)}</g>' for shape, number in self.numbers.items()
        )
        return (
            f'<style>{style}</style><svg class="kemu" width="0" height="0" style="position: absolute" '
            f'aria-hidden="true"><defs>{shapes}</defs></svg>'
        )


def looks(found: Scene, only: Board | None = None) -> Looks:
    """How each thing of the game looks: the shapes that show it."""
    every: Looks = {}
    for board in found.boards if only is None else (only,):
        for shape in board.shapes:
            if shape.element:
                key = (board.name, shape.domain, shape.element)
                every[key] = (*every.get(key, ()), shape)
    return every


def rings(shapes: Iterable[Shape]) -> list[str]:
    """Marks round things, but for small ones within large ones: a new tile is one change."""
    found: list[tuple[float, float, float]] = []
    for x, y, radius in sorted(map(_round, shapes), key=lambda each: -each[2]):
        if not any(
            large > 1.5 * radius and hypot(x - right, y - down) < large for right, down, large in found
        ):
            found.append((x, y, radius))
    return [
        f'<circle class="n" cx="{x * UNIT:.1f}" cy="{y * UNIT:.1f}" r="{radius * UNIT:.1f}"/>'
        for x, y, radius in found
    ]


def _round(shape: Shape) -> tuple[float, float, float]:
    """The middle of a thing, and the radius of the ring round it; in places."""
    x, y = (sum(point[axis] for point in shape.at) / len(shape.at) for axis in (0, 1))
    return x, y, 0.52 * min(1.0, max(0.3, min(shape.size)))
