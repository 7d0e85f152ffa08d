"""A picture as text: glyphs in rows and columns, with labels, and with what changed marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

import click
from kemu_engine.play.view import Mark, Picture
from rich.cells import cell_len

Place = tuple[int, int]  # column, row
Colour = str | int  # as click takes them
Element = tuple[str, str]  # of a domain: its name, and the element's text

UNBOUNDED = 1_000_000  # a width that everything fits
WIDEST = 60  # more columns or rows than this are drawn without the empty ones between


@dataclass(frozen=True, slots=True)
class Labels:
    """What is written above the columns and before the rows; empty if the elements' names say nothing about
    them."""

    columns: dict[int, str]
    rows: dict[int, str]


def draw(
    picture: Picture,
    before: Picture | None = None,
    width: int = UNBOUNDED,
    colours: Mapping[Place, Colour] | None = None,
    offered: Set[Element] = frozenset(),
) -> list[str]:
    """The glyphs of the picture as lines of text. Those that differ from `before` stand in brackets,
    `[x]`; those that show something `offered` in round ones, `(x)`. What is wider than `width` is drawn in
    strips, one below the other. `colours`: of places."""
    glyphs = placed(picture)
    if not glyphs:
        return []
    earlier = glyphs if before is None else placed(before)
    marks = {place: "[]" for place, glyph in glyphs.items() if earlier.get(place) != glyph}
    marks |= {(mark.x, mark.y): "()" for mark in picture.marks if (mark.domain, mark.element) in offered}
    return grid(Drawing(glyphs, labels(picture.marks), marks, colours or {}), width)


def placed(picture: Picture) -> dict[Place, str]:
    """The glyph at each place; of several at one place, the last. Empty glyphs take no place."""
    glyphs = {(mark.x, mark.y): mark.glyph for mark in picture.marks}
    return {place: glyph for place, glyph in glyphs.items() if glyph}


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a grid is drawn of; `marks`: the brackets around places."""

    glyphs: Mapping[Place, str]
    names: Labels
    marks: Mapping[Place, str]
    colours: Mapping[Place, Colour]


def grid(drawing: Drawing, width: int) -> list[str]:
    """All columns side by side, or as many to a strip as fit."""
    names = drawing.names
    columns = axis({x for x, _ in drawing.glyphs})
    rows = axis({y for _, y in drawing.glyphs})
    stacked = all(label.isdecimal() for label in names.columns.values())
    cell = max(
        [cell_len(text) for text in drawing.glyphs.values()]
        + [1 if stacked else cell_len(label) for label in names.columns.values()]
    )
    margin = max((cell_len(label) for label in names.rows.values()), default=0)
    fit = max(1, (width - margin - 1) // (cell + 1))
    unnamed = not names.columns
    out: list[str] = []
    for start in range(0, len(columns), fit):
        strip = columns[start : start + fit]
        out += [""] if start else []
        out += [beyond(start, columns, margin + 1 + len(columns) * (cell + 1))] if unnamed and start else []
        out += [" " * (margin + 1) + head for head in heads(strip, names.columns, cell, stacked)]
        out += [
            (rightwards(names.rows.get(y, ""), margin) + row(drawing, strip, y, cell)).rstrip() for y in rows
        ]
        while not out[-1]:
            out.pop()
    return out


def beyond(start: int, columns: list[int], wide: int) -> str:
    """The line above a strip whose columns have no labels; `wide`: how much the whole would take."""
    return f"(from column {start + 1} of {len(columns)}; {wide} characters wide, all would fit)"


def row(drawing: Drawing, columns: list[int], y: int, width: int) -> str:
    """A row of cells, with what stands between them."""
    cells = [
        painted(centred(drawing.glyphs.get((x, y), ""), width), drawing.colours.get((x, y))) for x in columns
    ]
    marked = ["", *(drawing.marks.get((x, y), "") for x in columns), ""]
    edges = [edge(left, right) for left, right in pairwise(marked)]
    return "".join(side + cell for side, cell in zip(edges, [*cells, ""], strict=True))


def painted(cell: str, colour: Colour | None) -> str:
    glyph = cell.strip()
    return cell.replace(glyph, click.style(glyph, fg=colour)) if colour is not None and glyph else cell


def axis(used: set[int]) -> list[int]:
    """The coordinates to draw, in order: all between the lowest and the highest, unless that would be mostly
    empty."""
    low, high = min(used), max(used)
    return list(range(low, high + 1)) if high - low < WIDEST else sorted(used)


def edge(left: str, right: str) -> str:
    """What stands between two neighbours, given the brackets around each, if any."""
    return "|" if left and right else left[1:] or right[:1] or " "


def heads(columns: list[int], names: dict[int, str], width: int, stacked: bool) -> list[str]:
    """The lines above the columns. Numbers are written downwards, so that a column may be one character
    wide."""
    if not names:
        return []
    if not stacked:
        return [" ".join(centred(names.get(x, ""), width) for x in columns).rstrip()]
    height = max(len(label) for label in names.values())
    written = [names.get(x, "").rjust(height) for x in columns]
    return [" ".join(centred(label[i], width) for label in written).rstrip() for i in range(height)]


def centred(text: str, width: int) -> str:
    free = max(width - cell_len(text), 0)
    return " " * (free // 2) + text + " " * (free - free // 2)


def rightwards(text: str, width: int) -> str:
    return " " * (width - cell_len(text)) + text


# ---------------------------------------------------------------------------------------------- labels


def labels(marks: Iterable[Mark]) -> Labels:
    """Labels taken from the names of the elements shown: "(3, 1)" names its column and its row, "a" the one
    it lies in.

    A label is used only if everything in its column or row agrees on it.
    """
    names = [(mark.x, mark.y, parts(mark.element)) for mark in marks]
    kinds = {len(name) for _, _, name in names}
    if kinds == {2}:
        for first, second in ((0, 1), (1, 0)):
            columns = agreed((x, name[first]) for x, _, name in names)
            rows = agreed((y, name[second]) for _, y, name in names)
            if columns and rows:
                return Labels(columns, rows)
    if kinds == {1}:
        if len({y for _, y, _ in names}) == 1:
            return Labels(agreed(((x, name[0]) for x, _, name in names), longest=3), {})
        if len({x for x, _, _ in names}) == 1:
            return Labels({}, agreed((y, name[0]) for _, y, name in names))
    return Labels({}, {})


def parts(element: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in re.sub(r"^\((.*)\)$", r"\1", element).split(","))


def agreed(pairs: Iterable[tuple[int, str]], longest: int = 12) -> dict[int, str]:
    """The one label of each coordinate, different coordinates having different ones; nothing if there is no
    such thing."""
    found: dict[int, str] = {}
    for coordinate, label in pairs:
        if found.setdefault(coordinate, label) != label or len(label) > longest:
            return {}
    return found if len(set(found.values())) == len(found) else {}


# ---------------------------------------------------------------------------------------------- side by side


def columns_of(text: str) -> int:
    """How many columns of a terminal a text takes; colours take none."""
    return cell_len(click.unstyle(text))


def beside(blocks: list[list[str]], width: int, gap: int = 3) -> list[str]:
    """Blocks of text next to each other, all as wide as the widest, as many to a row as fit in `width`, with
    an empty line between rows."""
    fit = across(blocks, width, gap)
    return stacked([blocks[start : start + fit] for start in range(0, len(blocks), fit)], widest(blocks), gap)


def flowing(blocks: list[list[str]], width: int, gap: int = 3) -> list[str]:
    """The same for blocks that keep their own width."""
    rows: list[list[list[str]]] = []
    taken = width + 1
    for block in blocks:
        taken += gap + widest([block])
        if taken > width:
            rows.append([])
            taken = widest([block])
        rows[-1].append(block)
    return stacked(rows, 0, gap)


def stacked(rows: Sequence[Sequence[list[str]]], wide: int, gap: int) -> list[str]:
    """Rows of blocks, each block at least so wide."""
    lines: list[str] = []
    for number, each in enumerate(rows):
        lines += [""] if number else []
        widths = [max(wide, widest([block])) for block in each]
        for i in range(max(len(block) for block in each)):
            cells = [block[i] if i < len(block) else "" for block in each]
            padded = [cell + " " * (w - columns_of(cell)) for cell, w in zip(cells, widths, strict=True)]
            lines.append((" " * gap).join(padded).rstrip())
    return lines


def widest(blocks: Iterable[list[str]]) -> int:
    return max((columns_of(line) for block in blocks for line in block), default=0)


def across(blocks: list[list[str]], width: int, gap: int = 3) -> int:
    """How many blocks stand in a row; at least one."""
    return max(1, (width + gap) // (widest(blocks) + gap))
