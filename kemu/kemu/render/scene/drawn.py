"""What a view draws, as shapes: where places lie, things side by side, in heaps and in stacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import ceil, hypot, sqrt

from kemu_engine.play.figures import Figure

from kemu.render.scene.data import Point, Shape

SIZES: dict[str, tuple[float, float]] = {
    "disc": (0.8, 0.8), "ring": (0.8, 0.8), "tile": (0.9, 0.9), "card": (0.62, 0.88), "die": (0.6, 0.6),
    "symbol": (0.8, 0.8), "text": (0.9, 0.34), "line": (0.06, 0.06), "curve": (0.06, 0.06),
    "arrow": (0.4, 0.8),
}  # fmt: skip
"""The size of each shape if none is said, in places; of others 1."""
LETTERS = 4  # for how many of them there is room, if only the height of a text is said
BESIDE = ("seat", "note")
APART, RISE = 1.08, 0.22  # from middle to middle: in a row, in widths; in a stack, in heights
CROWDED = 0.94  # in a heap, from middle to middle, in widths


def _place(point: tuple[int, int, float, float], ground: str) -> Point:
    """Where a point lies: on hexes the columns stand upright, and go half a place down to the right."""
    x, y, right, down = point
    if ground == "hexes":
        return (x * sqrt(3) / 2 + right, y + x / 2 + down)
    return (x + right, y + down)


def shape(ground: str, colours: Mapping[str, str], figure: Figure) -> Shape:
    """The shape of a figure; of one that is laid, where its first thing lies. `colours` of players."""
    wide, high = SIZES.get(figure.shape, (1.0, 1.0))
    if figure.shape == "text" and len(figure.size) == 1:  # how high its letters are
        wide, high = LETTERS * figure.size[0], figure.size[0]
    elif figure.size:
        wide, high = (
            figure.size[0],
            figure.size[-1] if len(figure.size) == 2 else high * figure.size[0] / wide,
        )
    return Shape(
        figure.shape,
        tuple(_place(point, ground) for point in figure.points),
        (wide, high),
        _colour(figure.fill, colours),
        _colour(figure.edge, colours),
        figure.text if figure.shape == "symbol" else figure.text.replace("_", " "),  # names of things
        figure.turn,
        figure.domain,
        figure.element,
        figure.owner,
    )


def _colour(name: str, colours: Mapping[str, str]) -> str:
    return colours[name[1:]] if name.startswith("@") else name


def laid(shape: Shape, figure: Figure, before: int, total: int) -> Iterator[Shape]:
    """The thing as many times as it lies there; `before` of `total` lie there already."""
    x, y = shape.at[0]
    for number in range(before, before + figure.count):
        right, down = LAID[figure.laid](shape, number, total)
        yield replace(shape, at=((x + right, y + down),))


def _in_a_row(shape: Shape, number: int, total: int) -> Point:
    """To the right, or to the second place that is told."""
    wide, high = shape.size
    if len(shape.at) == 1:
        return number * APART * wide, 0.0
    (x, y), (to_x, to_y) = shape.at
    right, down = to_x - x, to_y - y
    step = number * APART * (wide if abs(right) >= abs(down) else high) / (hypot(right, down) or 1.0)
    return step * right, step * down


def _in_a_heap(shape: Shape, number: int, total: int) -> Point:
    """In rows round the place, as square as can be, the last one in its middle."""
    wide, high = shape.size
    across = ceil(sqrt(total))
    row, column = divmod(number, across)
    rows = ceil(total / across)
    here = across if row < rows - 1 else total - across * (rows - 1)
    return (column - (here - 1) / 2) * CROWDED * wide, (row - (rows - 1) / 2) * CROWDED * high


def _in_a_stack(shape: Shape, number: int, total: int) -> Point:
    return 0.0, -number * RISE * shape.size[1]


LAID: dict[str, Callable[[Shape, int, int], Point]] = {
    "row": _in_a_row, "heap": _in_a_heap, "stack": _in_a_stack,
}  # fmt: skip
