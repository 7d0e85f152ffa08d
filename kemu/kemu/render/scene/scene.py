"""A position as a scene: its views as boards, what the views say beside them, whose turn it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from math import sqrt
from typing import Any

from kemu_engine.interp.machine import Machine
from kemu_engine.kernel import nodes as k
from kemu_engine.play.figures import Figure, figure
from kemu_engine.play.retained import Reader, Retained
from kemu_engine.play.state import State
from kemu_engine.play.view import written

from kemu.base.kept import Kept
from kemu.render.scene import defaults, drawn
from kemu.render.scene.data import Board, Plain, Scene, Seat, Shape
from kemu.render.scene.palette import colours
from kemu.render.scene.picks import picks
from kemu.render.turn import on_turn, who
from kemu.render.words import ending, ranked_by

CORNERS = 2 / sqrt(3)  # of a hexagon: how much wider it is from corner to corner than from side to side


def scene(state: State) -> Scene:
    """The picture of a position, as whoever `state.program`'s views are for sees it. Raises FaultError."""
    return Scenes(state.program).of(state)


def begun(state: State) -> Scenes:
    """Scenes that begin here: what looks as where others of the same game began is not made again. Raises
    FaultError."""
    latest = _latest(state.machine)
    latest.as_json(state)
    return latest.another()


@lru_cache(maxsize=64)
def _latest(machine: Machine) -> Scenes:
    return Scenes(machine.program)


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a view draws; `number` of the view."""

    number: int
    figures: Sequence[Figure]

    def beside(self, shape: str) -> list[Figure]:
        """The seats, or the notes."""
        return [each for each in self.figures if each.shape == shape]


class Scenes:
    """The scenes of one position after another: what looks the same is the same object. All are of one
    program."""

    def __init__(self, program: k.Program) -> None:
        self.program = program
        views = program.views
        self.figures = Retained(program, [each for view in views for each in view.figures], figure)
        self.lines = Retained(program, [each for view in views for each in view.lines], line)
        self.spots = [Retained(program, view.spots, partial(defaults.seen, program)) for view in views]
        self.shapes = [drawn.Shapes(view.ground) for view in self.program.views]
        self.boxes = [Kept(_corners) for _ in self.program.views]
        self.plain = Plain()
        self.last: tuple[State, Scene, dict[str, Any]] | None = None

    def another(self) -> Scenes:
        """Those of another game, from where this one stands."""
        copy = Scenes.__new__(Scenes)
        copy.program = self.program
        copy.figures, copy.lines = self.figures.another(), self.lines.another()
        copy.spots = [each.another() for each in self.spots]
        copy.shapes = [each.another() for each in self.shapes]
        copy.boxes = [each.another() for each in self.boxes]
        copy.plain, copy.last = self.plain.another(), self.last
        return copy

    def as_json(self, state: State) -> dict[str, Any]:
        """For the json module; not to be changed. Raises FaultError."""
        if self.last is None or not _same(self.last[0], state):
            found = self.of(state)
            self.last = (state, found, self.plain.of(found))
        return self.last[2]

    def of(self, state: State) -> Scene:
        """Raises FaultError."""
        program = state.program
        seen = self._drawn(state)
        seats = {each.element: each for picture in seen for each in picture.beside("seat")}
        shades = colours(program.players)
        shades |= {name: each.fill for name, each in seats.items() if each.fill and each.fill[0] != "@"}
        lines = self._said(state, seen)
        notes = {
            player: [line[found.end() :] for line in lines if (found := about(player, line))]
            for player in shades
        }
        for name, each in seats.items():
            notes[name] = [part for part in each.text.split("; ") if part] + notes[name]
        mover = state.actor or on_turn(state)
        places = state.result.places if state.result is not None else {}
        boards = tuple(board for each in seen if (board := self._board(state, each, shades)).shapes)
        return Scene(
            program.game,
            status(state),
            tuple(
                Seat(player, shades[player], player == mover, places.get(player, 0), tuple(notes[player]))
                for player in program.players
            ),
            boards,
            tuple(line for line in lines if not any(about(player, line) for player in program.players)),
            picks(state, boards),
        )

    def _drawn(self, state: State) -> list[Drawn]:
        """The views that say how they are drawn, if there are any: the others are for text."""
        shown = iter(self.figures.of(state))
        every = [
            Drawn(at, [each for each in islice(shown, len(view.figures)) if each is not None])
            for at, view in enumerate(self.program.views)
        ]
        return [each for each in every if each.figures] or every

    def _said(self, state: State, seen: Iterable[Drawn]) -> list[str]:
        """What stands beside the boards: the notes of a view, or its lines if it has none."""
        found: list[str] = []
        for each in seen:
            notes = [note.text for note in each.beside("note")]
            spoken = notes or each.beside("seat")
            found += notes if spoken else self._lines(state, each.number)
        return [line for line in found if line]

    def _lines(self, state: State, number: int) -> list[str]:
        first = sum(len(view.lines) for view in self.program.views[:number])
        every = self.lines.of(state)[first : first + len(self.program.views[number].lines)]
        return [each.strip() for each in every if each is not None]

    def _board(self, state: State, picture: Drawn, shades: Mapping[str, str]) -> Board:
        at, view = picture.number, self.program.views[picture.number]
        if picture.figures:
            found = self.shapes[at].of(picture.figures, shades)
        else:
            every = [each for each in self.spots[at].of(state) if each is not None]
            found = defaults.shapes(every, self.program.players, shades)
        return Board(view.name, _box(self.boxes[at].of(found)), tuple(found))


def _same(one: State, other: State) -> bool:
    """Whether it is known at once that two states are the same."""
    return one is other or (
        one.vars is other.vars and one.block == other.block and one.locals == other.locals
    )


def line(value: Reader, node: k.Line) -> str | None:
    """A line of a view, if it is shown."""
    shown = node.block in (-1, value.block) and value(node.when)
    return written(value, node.parts) if shown else None


def status(state: State) -> str:
    """`white: place, pass`, `chance at roll`, `white wins`."""
    if state.result is not None:
        return ending(state.result, ranked_by(state))
    if state.actor is None:
        return who(state)
    arms = state.stop.arms if isinstance(state.stop, k.Decide) else ()
    names = dict.fromkeys(arms[choice.arm].name for choice in state.choices)
    return f"{who(state)}: {', '.join(name.replace('_', ' ') for name in names)}"


def about(player: str, line: str) -> re.Match[str] | None:
    """Whether a line begins with the name of a player, and where that ends."""
    return re.match(rf"{re.escape(player)}\b(?:[:,]? +)", line)


Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def _box(boxes: Sequence[Box]) -> Box:
    """Left, top, width and height of what takes up these boxes."""
    if not boxes:
        return (0.0, 0.0, 0.0, 0.0)
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    left, top = min(lefts), min(tops)
    return (left, top, max(rights) - left, max(bottoms) - top)


def _corners(shape: Shape) -> Box:
    wide, high = (0.0, 0.0) if shape.kind == "polygon" else shape.size
    if shape.kind == "hexagon":
        wide *= CORNERS
    elif shape.kind == "text":
        wide = min(wide, high * len(shape.text))
    across, down = zip(*shape.at, strict=True)
    return (min(across) - wide / 2, min(down) - high / 2, max(across) + wide / 2, max(down) + high / 2)
