"""Traces: a stretch of play, what every step changed, and which line of the rules did it. Data only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kemu_engine.interp.frame import Log, Write
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.text import as_text, place
from kemu_engine.play.game import Game
from kemu_engine.play.record import Record, Step, position, record
from kemu_engine.play.state import FaultError, State


@dataclass(frozen=True, slots=True)
class Change:
    """A variable, or an element of one, that became something else: `stone[(1, 3)]`, `none`, `north`; and
    the place in the rules (with the statements cited there) that wrote it."""

    where: str
    old: str
    new: str
    origin: k.Origin | None


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step: who did what (actor None: chance), the states around it, what changed. `after` is None if
    the rules ran into a fault on the way; the changes are those up to there."""

    actor: str | None
    text: str
    before: State
    after: State | None
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """`start` is None if the set-up itself faults; `opening`: what the set-up changed (nothing if the
    trace starts elsewhere); `fault` is what the last step (or the set-up) ran into, if it did."""

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
        return self.states[-1] if self.states else None


def trace(game: Game, steps: Iterable[Step | str], start: State | None = None) -> Trace:
    """Plays the steps and notes what they do; it stops at the first fault.

    Raises RecordError if a step is not possible.
    """
    opening: Log = []
    try:
        state = first = game.initial(opening) if start is None else start
    except FaultError as fault:
        return Trace(None, changes(game.program, opening), (), fault)
    done: list[TraceStep] = []
    for number, each in enumerate(steps, 1):
        before: State = state
        log: Log = []
        wanted = Step(each) if isinstance(each, str) else each
        index = position(before, wanted, number)
        text = before.moves()[index].text
        try:
            state = before.follow(index, log)
        except FaultError as fault:
            done.append(TraceStep(before.actor, text, before, None, changes(game.program, log)))
            return Trace(first, changes(game.program, opening), tuple(done), fault)
        done.append(TraceStep(before.actor, text, before, state, changes(game.program, log)))
    return Trace(first, changes(game.program, opening), tuple(done), None)


def changes(program: k.Program, log: Log) -> tuple[Change, ...]:
    """The writes that changed something of the game, in their order, in words."""
    return tuple(
        change(program, write)
        for write in log
        if isinstance(write, Write) and write.old != write.new and not program.vars[write.var].local
    )


def change(program: k.Program, write: Write) -> Change:
    var = program.vars[write.var]
    origin = program.origins[write.origin] if write.origin >= 0 else None
    old, new = (as_text(value, var.type, var.texts) for value in (write.old, write.new))
    return Change(place(var, write.element), old, new, origin)


def record_of(game: Game, trace: Trace, note: str = "") -> Record:
    """The record of a trace, up to its fault if it has one; a fault comes again when the record is
    replayed."""
    steps = [Step(step.text, step.actor) for step in trace.steps]
    return record(game, steps, trace.start, note)
