"""A picture as text: glyphs in rows and columns, with labels, and with what changed marked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rich.cells import cell_len

from engine.view import Mark, Picture

Place = tuple[int, int]  # column, row

WIDEST = 60  # more columns or rows than this are drawn without the empty ones between


@dataclass(frozen=True, slots=True)
class Labels:
    """What is written above the columns and before the rows; empty if the elements' names say nothing about
    them."""

    columns: dict[int, str]
    rows: dict[int, str]


def draw(picture: Picture, before: Picture | None = None) -> list[str]:
    """The glyphs of the picture as lines of text. Those that differ from `before` stand in brackets,
    `[x]`."""
    glyphs = placed(picture)
    changed = {place for place in glyphs if before is not None and placed(before).get(place) != glyphs[place]}
    return grid(glyphs, labels(picture.marks), changed) if glyphs else []


def placed(picture: Picture) -> dict[Place, str]:
    """The glyph at each place; of several at one place, the last."""
    return {(mark.x, mark.y): mark.glyph for mark in picture.marks}


def grid(glyphs: dict[Place, str], names: Labels, changed: set[Place]) -> list[str]:
    columns = axis({x for x, _ in glyphs})
    rows = axis({y for _, y in glyphs})
    stacked = all(label.isdecimal() for label in names.columns.values())
    width = max(
        [cell_len(text) for text in glyphs.values()]
        + [1 if stacked else cell_len(label) for label in names.columns.values()]
    )
    margin = max((cell_len(label) for label in names.rows.values()), default=0)
    lines = [" " * (margin + 1) + head for head in heads(columns, names.columns, width, stacked)]
    for y in rows:
        cells = [centred(glyphs.get((x, y), ""), width) for x in columns]
        edges = [
            edge((columns[i - 1], y) in changed if i else False, (x, y) in changed)
            for i, x in enumerate(columns)
        ]
        edges.append(edge((columns[-1], y) in changed, False))
        body = "".join(side + cell for side, cell in zip(edges, [*cells, ""], strict=True))
        lines.append((names.rows.get(y, "").rjust(margin) + body).rstrip())
    return lines


def axis(used: set[int]) -> list[int]:
    """The coordinates to draw, in order: all between the lowest and the highest, unless that would be mostly
    empty."""
    low, high = min(used), max(used)
    return list(range(low, high + 1)) if high - low < WIDEST else sorted(used)


def edge(left: bool, right: bool) -> str:
    """What stands between two neighbours of which the left, the right, both or none have changed."""
    return {(False, False): " ", (True, False): "]", (False, True): "[", (True, True): "|"}[left, right]


def heads(columns: list[int], names: dict[int, str], width: int, stacked: bool) -> list[str]:
    """The lines above the columns. Numbers are written downwards, so that a column may be one sign wide."""
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


def beside(blocks: list[list[str]], width: int, gap: int = 3) -> list[str]:
    """Blocks of text next to each other, as many to a row as fit in `width`, with an empty line between
    rows."""
    if not blocks:
        return []
    wide = max((cell_len(line) for block in blocks for line in block), default=0)
    fit = across(blocks, width, gap)
    lines: list[str] = []
    for start in range(0, len(blocks), fit):
        row = blocks[start : start + fit]
        lines += [""] if start else []
        for i in range(max(len(block) for block in row)):
            cells = [block[i] if i < len(block) else "" for block in row]
            lines.append((" " * gap).join(cell + " " * (wide - cell_len(cell)) for cell in cells).rstrip())
    return lines


def across(blocks: list[list[str]], width: int, gap: int = 3) -> int:
    """How many blocks stand in a row; at least one."""
    wide = max((cell_len(line) for block in blocks for line in block), default=0)
    return max(1, (width + gap) // (wide + gap))
