"""Plays as data: recorded, replayed, traced from step to step, and drawn up for showing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from typing import Any

from kemu_engine.play import record as records
from kemu_engine.play import trace as traces
from kemu_engine.play import view as views
from kemu_engine.play.masked_view import masked
from kemu_engine.play.record import Record, Step
from kemu_engine.play.state import FaultError
from kemu_engine.play.state import State as Position
from kemu_engine.play.trace import Change
from kemu_engine.play.view import Picture

from kemu.api.action import Action
from kemu.api.game import Game, State

Done = Step | Action | str
"""What was done: by whom is known of a Step only."""


def record(game: Game, steps: Iterable[Done], start: State | None = None, note: str = "") -> Record:
    """A record of what was done in a game from its beginning, or from the state `start`."""
    return records.record(game._playable, map(_step, steps), _position(start), note)


def save_record(record: Record, path: str | PathLike[str]) -> None:
    """Writes a record as JSON; the file is there whole or not at all. Raises OSError."""
    records.save(record, path)


def load_record(path: str | PathLike[str], game: Game | None = None) -> Record:
    """Reads a record; if a game is given, one that belongs to it. Raises RecordError, or OSError if there is
    no such file."""
    return records.load(path, None if game is None else game._playable)


def replay(game: Game, record: Record) -> list[State]:
    """The states of a recorded game, from its start to the one after its last step.

    Raises RecordError if the record belongs to other rules or a step is not possible, FaultError if the
    rules break down.
    """
    return [State(game, each) for each in records.replay(game._playable, record)]


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step of a trace: who did what (`actor` None: chance), the states before and after it, and what it
    changed. If the rules broke down on the way, `after` is None, and the changes are those up to there."""

    actor: str | None
    text: str
    before: State
    after: State | None
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """A stretch of play, step by step.

    `start` is None if the rules broke down before anybody could act; `opening` is what the set-up changed
    (nothing if the trace begins elsewhere); `fault` is what the last step or the set-up ran into, if it did.
    """

    start: State | None
    opening: tuple[Change, ...]
    steps: tuple[TraceStep, ...]
    fault: FaultError | None

    @property
    def states(self) -> tuple[State, ...]:
        """From the start to the last state that there is."""
        after = (step.after for step in self.steps)
        return tuple(state for state in (self.start, *after) if state is not None)

    @property
    def final(self) -> State | None:
        """The last of the states."""
        return self.states[-1] if self.states else None


def trace(game: Game, steps: Iterable[Done], start: State | None = None, player: str | None = None) -> Trace:
    """Plays the steps and notes what each of them changes, and which line of the rules did it. It stops where
    the rules break down.

    With a player, texts are what he is told of each step (`?` if only that there was one; of what is chosen
    together all, once all have chosen), and changes are those that he sees; the states are whole. Raises
    RecordError if a step is not possible, ValueError for a name that no player has.
    """
    found = traces.trace(game._playable, map(_step, steps), _position(start), player)
    told = tuple(
        TraceStep(each.actor, each.text, State(game, each.before), _state(game, each.after), each.changes)
        for each in found.steps
    )
    return Trace(_state(game, found.start), found.opening, told, found.fault)


def view(state: State, player: str | None = None) -> list[Picture]:
    """What the views of the rules file show in a state: glyphs at places, and lines; with a player, what he
    may be shown, `?` for what he does not see. Raises FaultError, ValueError for a name that no player has.
    """
    position = state._position
    return views.view(position if player is None else masked(position, position.seat(player)))


def draw(state: State) -> str:
    """The position as an SVG picture, the text of a file: what notebooks show of a state. Raises
    FaultError."""
    return state._repr_svg_()


def scene(state: State) -> dict[str, Any]:
    """What that picture shows, as data for the json module: shapes with their places, players, notes
    (docs/drawing.md). Raises FaultError."""
    from kemu.render.scene import data
    from kemu.render.scene.scene import scene as of

    return data.as_json(of(state._position))


def _step(done: Done) -> Step:
    return done if isinstance(done, Step) else Step(str(done))


def _position(state: State | None) -> Position | None:
    return None if state is None else state._position


def _state(game: Game, position: Position | None) -> State | None:
    return None if position is None else State(game, position)
