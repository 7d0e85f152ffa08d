"""A view without a word about drawing: squares, on them pieces in their owners' colours, or text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kemu_engine.kernel import nodes as k
from kemu_engine.play.view import Mark, Value, mark

from kemu.render.board import Place, labels
from kemu.render.owners import owner, reads
from kemu.render.scene.data import Shape
from kemu.render.scene.palette import PIECES

BARE = ("", ".", " ")
"""Glyphs of a place where nothing lies."""
PIECE, LETTER, LABEL = 0.8, 0.62, 0.36  # of a place, in height
MARGIN = 0.85  # from the outermost places to their labels


@dataclass(frozen=True, slots=True)
class Seen:
    """A glyph that is shown, and whose it is. `fixed`: it is there in every position, the same."""

    mark: Mark
    owner: str | None
    fixed: bool


def shapes(every: Sequence[Seen], players: Sequence[str], colours: Mapping[str, str]) -> list[Shape]:
    """The shapes of what is seen of a view without drawing words."""
    top = {(each.mark.x, each.mark.y): each for each in every}  # a later glyph covers an earlier one
    ground = {(each.mark.x, each.mark.y): each.mark for each in reversed(every) if not each.fixed}
    signs: dict[str | None, set[str]] = {}
    for each in every:
        signs.setdefault(each.owner, set()).add(each.mark.glyph.strip())
    found = [
        _square(place, mark.domain, mark.element)
        for place, mark in sorted(ground.items(), key=lambda pair: (pair[0][1], pair[0][0]))
    ]
    named = all(player in PIECES for player in players)
    for place, each in top.items():
        if each.mark.glyph.strip() not in BARE:
            alone = len(signs[each.owner] - {*BARE}) == 1
            colour = "" if each.owner is None else colours[each.owner]
            found.append(_lying(place, each, colour, named, alone))
    return [*found, *_labelled(tuple(Mark(each.element, *place, "") for place, each in ground.items()))]


class Seeing:
    """What the spots of a program's views show."""

    def __init__(self, program: k.Program) -> None:
        self.program = program
        self.reads: dict[int, Sequence[k.Load | k.At]] = {}  # of each spot

    def __call__(self, value: Value, spot: k.Spot) -> Seen | None:
        """What a spot shows, if anything."""
        shown = mark(value, spot)
        if shown is None:
            return None
        if id(spot) not in self.reads:
            self.reads[id(spot)] = list(reads(spot.glyph))
        fixed = all(isinstance(each, k.Const) for each in (spot.when, spot.x, spot.y, spot.glyph))
        whose = owner(self.program, value, self.reads[id(spot)])
        return Seen(shown, whose, fixed and shown.glyph.strip() not in BARE)


@lru_cache(1 << 12)
def _square(place: Place, domain: str, element: str) -> Shape:
    return Shape("square", (place,), fill="cell", edge="line", domain=domain, element=element)


@lru_cache(1 << 12)
def _lying(place: Place, seen: Seen, colour: str, named: bool, alone: bool) -> Shape:
    """What lies on a place: a disc in its owner's colour, with its sign if there are several; letters of
    players who are no colours, and what is nobody's, as text."""
    mark, text = seen.mark, seen.mark.glyph.strip()
    if seen.owner is not None and named:
        kind, high, fill, text = "disc", PIECE, colour, "" if alone else text
    else:
        kind, high = "text", LABEL if seen.fixed else LETTER
        fill = "quiet" if seen.fixed else colour or "ink"
    return Shape(kind, (place,), (PIECE, high), fill, text=text, domain=mark.domain, element=mark.element)


@lru_cache(256)
def _labelled(marks: tuple[Mark, ...]) -> tuple[Shape, ...]:
    """The coordinates, above and to the left."""
    names = labels(marks)
    top = min((mark.y for mark in marks), default=0) - MARGIN
    left = min((mark.x for mark in marks), default=0) - MARGIN
    return (
        *(Shape("text", ((x, top),), (0.9, LABEL), "quiet", text=name) for x, name in names.columns.items()),
        *(Shape("text", ((left, y),), (0.9, LABEL), "quiet", text=name) for y, name in names.rows.items()),
    )
