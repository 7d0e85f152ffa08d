"""What a view draws, as shapes: where places lie, things side by side, in heaps and in stacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import ceil, hypot, sqrt

from kemu_engine.play.figures import Figure

from kemu.base.kept import Kept
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


class Shapes:
    """The shapes of what a view draws, on a `ground`, in one state after another: of what is the same figure,
    lying in the same way, the same shapes."""

    def __init__(self, ground: str) -> None:
        self.ground = ground
        self.colours: Mapping[str, str] = {}
        self.shapes = Kept(partial(_shape, ground, self.colours))
        self.laid: dict[tuple[int, int, int], tuple[Shape, list[Shape]]] = {}

    def another(self) -> Shapes:
        """Those of another game, from where this one stands."""
        copy = Shapes(self.ground)
        copy.colours, copy.shapes, copy.laid = self.colours, self.shapes.another(), self.laid
        return copy

    def of(self, figures: Iterable[Figure], colours: Mapping[str, str]) -> list[Shape]:
        """In the order of the figures; `colours` of players."""
        if colours != self.colours:
            self.colours, self.shapes = colours, Kept(partial(_shape, self.ground, colours))
        drawn = [each for each in figures if each.shape not in BESIDE]
        pairs = list(zip(drawn, self.shapes.of(drawn), strict=True))
        total: Counter[tuple[str, tuple[Point, ...]]] = Counter()
        for figure, shape in pairs:
            if figure.laid:
                total[figure.laid, shape.at] += figure.count
        lying: Counter[tuple[str, tuple[Point, ...]]] = Counter()
        laid, self.laid = self.laid, {}
        found: list[Shape] = []
        for figure, shape in pairs:
            if not figure.laid:
                found.append(shape)
                continue
            place = (figure.laid, shape.at)
            key = (id(shape), lying[place], total[place])
            self.laid[key] = laid.get(key) or (shape, list(_laid(shape, figure, *key[1:])))
            found += self.laid[key][1]
            lying[place] += figure.count
        return found


def _place(point: tuple[int, int, float, float], ground: str) -> Point:
    """Where a point lies: on hexes the columns stand upright, and go half a place down to the right."""
    x, y, right, down = point
    if ground == "hexes":
        return (x * sqrt(3) / 2 + right, y + x / 2 + down)
    return (x + right, y + down)


def _shape(ground: str, colours: Mapping[str, str], figure: Figure) -> Shape:
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
        figure.text,
        figure.turn,
        figure.domain,
        figure.element,
    )


def _colour(name: str, colours: Mapping[str, str]) -> str:
    return colours[name[1:]] if name.startswith("@") else name


def _laid(shape: Shape, figure: Figure, before: int, total: int) -> Iterator[Shape]:
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
