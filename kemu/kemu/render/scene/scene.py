"""A position as a scene: its views as boards, what the views say beside them, whose turn it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from itertools import compress
from typing import Any

from kemu_engine.interp.machine import Machine
from kemu_engine.kernel import nodes as k
from kemu_engine.play.retained import Changes
from kemu_engine.play.state import State

from kemu.render.scene.canvas import Canvas
from kemu.render.scene.data import Scene, Seat, as_json
from kemu.render.scene.palette import colours
from kemu.render.scene.picks import picks
from kemu.render.turn import on_turn, who
from kemu.render.words import ending, ranked_by


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


class Scenes:
    """The scenes of one position after another: what looks the same is the same object. All are of one
    program."""

    def __init__(self, program: k.Program) -> None:
        changes = Changes(program)
        self.canvases = [Canvas(program, changes, view) for view in program.views]
        self.last: tuple[State, dict[str, Any]] | None = None

    def another(self) -> Scenes:
        """Those of another game, from where this one stands."""
        copy = Scenes.__new__(Scenes)
        copy.canvases, copy.last = [each.another() for each in self.canvases], self.last
        return copy

    def as_json(self, state: State) -> dict[str, Any]:
        """For the json module; not to be changed. Raises FaultError."""
        if self.last is None or not _same(self.last[0], state):
            found = self.of(state)
            names = {each.name for each in found.boards}
            boards = [each.as_json() for each in self.canvases if each.view.name in names]
            self.last = (state, as_json(found, boards))
        return self.last[1]

    def of(self, state: State) -> Scene:
        """Raises FaultError."""
        self.last = None
        program = state.program
        drawn = [each.look(state) for each in self.canvases]
        seen = list(compress(self.canvases, drawn)) or self.canvases
        seats = {each.element: each for canvas in seen for each in canvas.beside("seat")}
        shades = colours(program.players)
        shades |= {name: each.fill for name, each in seats.items() if each.fill and each.fill[0] != "@"}
        lines = _said(state, seen)
        notes = {
            player: [line[found.end() :] for line in lines if (found := about(player, line))]
            for player in shades
        }
        for name, each in seats.items():
            notes[name] = [part for part in each.text.split("; ") if part] + notes[name]
        mover = state.actor or on_turn(state)
        places = state.result.places if state.result is not None else {}
        boards = tuple(board for each in seen if (board := each.board(state, shades)).shapes)
        return Scene(
            program.game,
            status(state),
            tuple(
                Seat(player, shades[player], player == mover, places.get(player, 0), tuple(notes[player]))
                for player in program.players
            ),
            boards,
            tuple(line for line in lines if not any(about(player, line) for player in program.players)),
            picks(state, _elements(seen)),
        )


def _elements(seen: Sequence[Canvas]) -> Mapping[str, Set[str]]:
    """The elements that are drawn, by domain."""
    names = {name for each in seen for name in each.elements}
    parts = {name: [each.elements[name].keys() for each in seen if name in each.elements] for name in names}
    return {name: each[0] if len(each) == 1 else set().union(*each) for name, each in parts.items()}


def _said(state: State, seen: Iterable[Canvas]) -> list[str]:
    """What stands beside the boards: the notes of a view, or its lines if it has none."""
    found: list[str] = []
    for each in seen:
        notes = [note.text for note in each.beside("note")]
        spoken = notes or each.beside("seat")
        found += notes if spoken else each.said(state)
    return [line for line in found if line]


def _same(one: State, other: State) -> bool:
    """Whether it is known at once that two states are the same."""
    return one is other or (
        one.vars is other.vars and one.block == other.block and one.locals == other.locals
    )


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
    if not line.startswith(player):
        return None
    return re.match(rf"{re.escape(player)}\b(?:[:,]? +)", line)
