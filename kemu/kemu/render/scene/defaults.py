"""A view without a word about drawing: squares, on them pieces in their owners' colours, or text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.play.view import Mark, Value, mark

from kemu.render.board import Labels, Place, labels
from kemu.render.owners import owner
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
        Shape("square", (place,), fill="cell", edge="line", domain=mark.domain, element=mark.element)
        for place, mark in sorted(ground.items(), key=lambda pair: (pair[0][1], pair[0][0]))
    ]
    named = all(player in PIECES for player in players)
    for place, each in top.items():
        if each.mark.glyph.strip() not in BARE:
            alone = len(signs[each.owner] - {*BARE}) == 1
            found += _lying(place, each, colours, named, alone)
    return found + list(_labels(labels(mark for mark in ground.values()), list(ground)))


def seen(program: k.Program, value: Value, spot: k.Spot) -> Seen | None:
    """What a spot shows, if anything."""
    shown = mark(value, spot)
    if shown is None:
        return None
    fixed = all(isinstance(each, k.Const) for each in (spot.when, spot.x, spot.y, spot.glyph))
    return Seen(shown, owner(program, value, spot.glyph), fixed and shown.glyph.strip() not in BARE)


def _lying(place: Place, seen: Seen, colours: Mapping[str, str], named: bool, alone: bool) -> Iterator[Shape]:
    """What lies on a place: a disc in its owner's colour, with its sign if there are several; letters of
    players who are no colours, and what is nobody's, as text."""
    mark, text = seen.mark, seen.mark.glyph.strip()
    if seen.owner is not None and named:
        fill = colours[seen.owner]
        yield Shape(
            "disc",
            (place,),
            (PIECE, PIECE),
            fill,
            text="" if alone else text,
            domain=mark.domain,
            element=mark.element,
        )
    else:
        fill = "quiet" if seen.fixed else "ink" if seen.owner is None else colours[seen.owner]
        high = LABEL if seen.fixed else LETTER
        yield Shape(
            "text", (place,), (PIECE, high), fill, text=text, domain=mark.domain, element=mark.element
        )


def _labels(names: Labels, places: list[Place]) -> Iterator[Shape]:
    """The coordinates, above and to the left."""
    top = min((y for _, y in places), default=0) - MARGIN
    left = min((x for x, _ in places), default=0) - MARGIN
    for x, name in names.columns.items():
        yield Shape("text", ((x, top),), (0.9, LABEL), "quiet", text=name)
    for y, name in names.rows.items():
        yield Shape("text", ((left, y),), (0.9, LABEL), "quiet", text=name)
