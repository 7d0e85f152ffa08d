"""A scene as SVG that needs nothing else: boards side by side, players and notes beside them.

It follows the reader's choice of light or dark, says in its title and description what it shows, and names
what each thing on the board is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

from kemu.render.scene.data import Board, Scene, Seat
from kemu.render.scene.drawing import drawing, used
from kemu.render.scene.palette import css

LARGEST, FEWEST = 640, 6  # pixels that boards take up, if they can; places they are thought to have
LEAST = 16  # pixels of a place
GAP, PAD = 24, 20  # pixels between boards, around all
SIDE = 264  # pixels: the width of what stands beside the boards
LETTERS = 38  # of a note, in a line
LINE, HEAD = 18, 34  # pixels from line to line, of a player's name
ALWAYS = ("paper", "ink", "quiet", "line", "cell", "card", "hint")
STYLE = """
.kemu { DAY }
@media (prefers-color-scheme: dark) { .kemu { NIGHT } }
.kemu text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
.kemu .say { fill: var(--ink); font-size: 13px; } .kemu .soft { fill: var(--quiet); font-size: 13px; }
.kemu .name { fill: var(--ink); font-size: 15px; font-weight: 600; }
.kemu .title { fill: var(--ink); font-size: 15px; font-weight: 600; }
.kemu .mid { text-anchor: middle; }
"""


def svg(scene: Scene) -> str:
    """The text of the file."""
    return _Page(scene).text()


@dataclass(frozen=True, slots=True)
class Laid:
    """A board, where its top left corner comes to lie, and how many pixels a place is wide."""

    board: Board
    x: float
    y: float
    unit: float


def laid(boards: Sequence[Board]) -> tuple[list[Laid], float, float]:
    """Where boards lie, and how wide and high they are together: side by side as long as there is room, of
    several all in one scale."""
    if not boards:
        return [], 0, 0
    widest, highest = (max(board.box[axis] for board in boards) for axis in (2, 3))
    area = sum(board.box[2] * board.box[3] for board in boards)
    span = max(widest, highest, area**0.5)
    unit = max(LEAST, LARGEST / max(FEWEST, span))
    room = max(LARGEST * 1.1, widest * unit)
    found: list[Laid] = []
    x = y = wide = row = 0.0
    for board in boards:
        across, down = board.box[2] * unit, board.box[3] * unit
        if x and x + across > room:
            x, y, row = 0.0, y + row + GAP, 0.0
        found.append(Laid(board, x, y, unit))
        wide, row, x = max(wide, x + across), max(row, down), x + across + GAP
    return found, wide, y + row


class _Page:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.parts: list[str] = []

    def text(self) -> str:
        """The whole picture."""
        scene = self.scene
        boards, wide, high = laid(scene.boards)
        for each in boards:
            self._board(each)
        left = PAD + (wide + GAP if wide else 0)
        side = LETTERS if wide else 2 * LETTERS
        bottom = self._beside(left, side)
        width = round(left + SIDE * side / LETTERS + PAD)
        height = round(max(PAD + high, bottom) + PAD)
        told = "; ".join([scene.status, *self._told()])
        day, night = css(dict.fromkeys([*ALWAYS, *self._colours()]))
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" class="kemu" width="{width}" height="{height}" '
                f'viewBox="0 0 {width} {height}" role="img">',
                f"<title>{escape(scene.game)}: {escape(scene.status)}</title>",
                f"<desc>{escape(told)}</desc>",
                f"<style>{STYLE.replace('DAY', day).replace('NIGHT', night)}</style>",
                f'<rect width="{width}" height="{height}" rx="12" fill="var(--paper)"/>',
                *self.parts,
                "</svg>\n",
            ]
        )

    def _colours(self) -> Iterator[str]:
        for board in self.scene.boards:
            for shape in board.shapes:
                yield from used(shape)
        yield from (seat.colour for seat in self.scene.seats)

    def _told(self) -> Iterator[str]:
        for seat in self.scene.seats:
            yield from (f"{seat.player} {note}" for note in seat.notes)
        yield from self.scene.notes

    def _board(self, at: Laid) -> None:
        left, top = at.board.box[:2]
        x, y = PAD + at.x - left * at.unit, PAD + at.y - top * at.unit
        self.parts.append(f'<g transform="translate({x:.1f} {y:.1f})">')
        self.parts += (drawing(shape, at.unit) for shape in at.board.shapes)
        self.parts.append("</g>")

    # ---------------------------------------------------------------------------------------- beside

    def _beside(self, left: float, letters: int) -> float:
        """Whose turn it is, the players, the notes; where that ends."""
        y = PAD + 14.0
        y = self._said(wrap(self.scene.status, round(letters * 0.85)), left, y, "title") + 10
        for seat in self.scene.seats:
            y = self._seat(seat, left, y, letters)
        for note in self.scene.notes:
            y = self._said(wrap(note, letters), left, y, "soft")
        return y

    def _seat(self, seat: Seat, left: float, y: float, letters: int) -> float:
        ring = "var(--ink)" if seat.to_move else "var(--edge)"
        self.parts.append(
            f'<circle cx="{left + 9:.1f}" cy="{y - 5:.1f}" r="8" fill="var(--{seat.colour})" stroke="{ring}" '
            f'stroke-width="{2 if seat.to_move else 1}"/>'
        )
        place = f"  {_ordinal(seat.place)}" if seat.place else ""
        arrow = "  \N{BLACK LEFT-POINTING TRIANGLE}" if seat.to_move else ""
        self._said([f"{seat.player}{arrow}{place}"], left + 26, y, "name")
        lines = [part for note in seat.notes for part in wrap(note, letters - 4)]
        return self._said(lines, left + 26, y + LINE + 1, "say") + 12

    def _said(self, lines: Iterable[str], x: float, y: float, kind: str) -> float:
        for line in lines:
            self.parts.append(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(line)}</text>')
            y += LINE
        return y


def _ordinal(place: int) -> str:
    """`1st`, `2nd`."""
    return f"{place}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(place, 'th') }"
