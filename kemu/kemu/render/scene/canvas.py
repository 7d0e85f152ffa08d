"""One view, drawn in one state after another: only what looks otherwise is made anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from math import sqrt
from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.play.figures import Figure, figure
from kemu_engine.play.retained import Changes, Reader, Retained
from kemu_engine.play.state import State
from kemu_engine.play.view import written

from kemu.render.scene import defaults, drawn
from kemu.render.scene.data import Board, Point, Shape, board_as_json, part_as_json

CORNERS = 2 / sqrt(3)  # of a hexagon: how much wider it is from corner to corner than from side to side

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
Elements = dict[str, Counter[str]]
"""Elements that are shown, by domain, how often each."""
Lying = tuple[Shape, int, int] | None
"""A thing in a row, heap or stack, how many lie there before it, and in all."""


class Canvas:
    """`look` at a state, then ask what is there. Figures and shapes that are the same are the same object."""

    def __init__(self, program: k.Program, changes: Changes, view: k.View) -> None:
        self.view, self.players = view, program.players
        self.figures = Retained(changes, view.figures, figure)
        self.spots = Retained(changes, view.spots, defaults.Seeing(program))
        self.lines = Retained(changes, view.lines, line)
        self.aside = [at for at, each in enumerate(view.figures) if each.shape in drawn.BESIDE]
        self.laid = [at for at, each in enumerate(view.figures) if each.laid and at not in self.aside]
        self.stale: set[int] = set()  # figures that have changed since they were made shapes
        self.colours: Mapping[str, str] | None = None
        self.shown = False
        count = len(view.figures)
        self.base: list[Shape | None] = [None] * count
        self.lying: list[Lying] = [None] * count
        self.shapes: list[list[Shape]] = [[]] * count
        self.plain: list[list[dict[str, Any]]] = [[]] * count
        self.boxes: list[list[Box]] = [[]] * count
        self.usual: list[Shape] = []  # of a view that does not say how it is drawn; in these colours
        self.painted: Mapping[str, str] | None = None
        self.box: Box = (0.0, 0.0, 0.0, 0.0)
        self.drawn: Elements = {}  # of figures
        self.marked: Elements = {}  # of the usual shapes

    def another(self) -> Canvas:
        """One for another game, that stands where this one does."""
        copy = Canvas.__new__(Canvas)
        copy.__dict__.update(self.__dict__)
        copy.figures, copy.spots = self.figures.another(), self.spots.another()
        copy.lines, copy.stale = self.lines.another(), set(self.stale)
        copy.base, copy.lying = list(self.base), list(self.lying)
        copy.shapes, copy.plain, copy.boxes = list(self.shapes), list(self.plain), list(self.boxes)
        copy.drawn = {name: Counter(each) for name, each in self.drawn.items()}
        return copy

    @property
    def elements(self) -> Elements:
        """Those that are shown in the state looked at last."""
        return self.drawn if self.shown else self.marked

    def look(self, state: State) -> bool:
        """Whether anything is drawn. Raises FaultError."""
        made = self.figures.of(state)
        self.stale.update(self.figures.renewed)
        self.shown = any(each is not None for each in made)
        return self.shown

    def beside(self, shape: str) -> list[Figure]:
        """The seats, or the notes."""
        every = (self.figures.made[at] for at in self.aside)
        return [each for each in every if each is not None and each.shape == shape]

    def said(self, state: State) -> list[str]:
        """The lines of text. Raises FaultError."""
        return [each.strip() for each in self.lines.of(state) if each is not None]

    def board(self, state: State, colours: Mapping[str, str]) -> Board:
        """`colours` of players. Raises FaultError."""
        if self.shown:
            self._paint(range(len(self.base)) if colours != self.colours else sorted(self.stale), colours)
            shapes, boxes = tuple(chain.from_iterable(self.shapes)), list(chain.from_iterable(self.boxes))
        else:
            seen = [each for each in self.spots.of(state) if each is not None]
            if colours != self.painted or self.spots.renewed:
                self.painted, self.usual = colours, defaults.shapes(seen, self.players, colours)
                self.marked = {}
                _count(self.marked, self.usual, 1)
            shapes, boxes = tuple(self.usual), list(map(_corners, self.usual))
        self.box = _around(boxes)
        return Board(self.view.name, self.box, shapes)

    def as_json(self) -> dict[str, Any]:
        """The board, for the json module."""
        shapes = chain.from_iterable(self.plain) if self.shown else map(part_as_json, self.usual)
        return board_as_json(self.view.name, self.box, list(shapes))

    def _paint(self, which: Sequence[int], colours: Mapping[str, str]) -> None:
        again = False
        for at in which:
            found, node = self.figures.made[at], self.view.figures[at]
            if node.shape in drawn.BESIDE:
                continue
            base = None if found is None else drawn.shape(self.view.ground, colours, found)
            self.base[at] = base
            if node.laid:
                again = True
            else:
                self._put(at, [] if base is None else [base])
        if again:
            self._lay()
        self.colours = colours
        self.stale.clear()

    def _lay(self) -> None:
        """Things in rows, heaps and stacks, of which those at one place make room for each other."""
        total: Counter[tuple[str, tuple[Point, ...]]] = Counter()
        for at in self.laid:
            if (found := self.figures.made[at]) is not None and (base := self.base[at]) is not None:
                total[found.laid, base.at] += found.count
        before: Counter[tuple[str, tuple[Point, ...]]] = Counter()
        for at in self.laid:
            found, base = self.figures.made[at], self.base[at]
            if found is None or base is None:
                if self.lying[at] is not None:
                    self.lying[at] = None
                    self._put(at, [])
                continue
            place = (found.laid, base.at)
            lying = (base, before[place], total[place])
            before[place] += found.count
            if lying != self.lying[at] or found.count != len(self.shapes[at]):
                self.lying[at] = lying
                self._put(at, list(drawn.laid(base, found, *lying[1:])))

    def _put(self, at: int, shapes: list[Shape]) -> None:
        _count(self.drawn, self.shapes[at], -1)
        _count(self.drawn, shapes, 1)
        self.shapes[at] = shapes
        self.plain[at] = list(map(part_as_json, shapes))
        self.boxes[at] = list(map(_corners, shapes))


def _count(elements: Elements, shapes: Iterable[Shape], more: int) -> None:
    for each in shapes:
        if each.element:
            known = elements.setdefault(each.domain, Counter())
            known[each.element] += more
            if not known[each.element]:
                del known[each.element]
                if not known:
                    del elements[each.domain]


def line(value: Reader, node: k.Line) -> str | None:
    """A line of a view, if it is shown."""
    shown = node.block in (-1, value.block) and value(node.when)
    return written(value, node.parts) if shown else None


def _around(boxes: Iterable[Box]) -> Box:
    """Left, top, width and height of what takes up these boxes."""
    sides = list(zip(*boxes, strict=True))
    if not sides:
        return (0.0, 0.0, 0.0, 0.0)
    left, top = min(sides[0]), min(sides[1])
    return (left, top, max(sides[2]) - left, max(sides[3]) - top)


@lru_cache(1 << 14)
def _corners(shape: Shape) -> Box:
    wide, high = (0.0, 0.0) if shape.kind == "polygon" else shape.size
    if shape.kind == "hexagon":
        wide *= CORNERS
    elif shape.kind == "text":
        wide = min(wide, high * len(shape.text))
    across, down = zip(*shape.at, strict=True)
    return (min(across) - wide / 2, min(down) - high / 2, max(across) + wide / 2, max(down) + high / 2)
