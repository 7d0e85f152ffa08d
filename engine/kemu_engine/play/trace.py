"""Traces: a stretch of play, what every step changed, and which line of the rules did it. Data only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from kemu_engine.interp.frame import Log, Write
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.sight import secret, sees
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
    player: str | None = None
    """Who sees it so: then texts say what he is told, and changes are those that he sees. None: all."""

    @property
    def states(self) -> tuple[State, ...]:
        """From the start to the last state that there is."""
        after = (step.after for step in self.steps)
        return tuple(state for state in (self.start, *after) if state is not None)

    @property
    def final(self) -> State | None:
        return self.states[-1] if self.states else None


def trace(
    game: Game, steps: Iterable[Step | str], start: State | None = None, player: str | None = None
) -> Trace:
    """Plays the steps and notes what they do; it stops at the first fault.

    With a player, texts say what he is told (of what is chosen together, once all have chosen), and changes
    are those that he sees, in a game with secrets one for each place and without the lines that made them;
    the states are whole. Raises RecordError if a step is not possible, ValueError for
    a name that no player has.
    """
    opening: Log = []
    try:
        state = first = game.initial(opening) if start is None else start
    except FaultError as fault:
        return Trace(None, changes(game.program, opening), (), fault, player)
    seer = None if player is None else first.seat(player)
    done: list[TraceStep] = []
    fault_met = None
    for number, each in enumerate(steps, 1):
        before: State = state
        log: Log = []
        index = position(before, Step(each) if isinstance(each, str) else each, number)
        after: State | None = None
        try:
            after = state = before.follow(index, log)
        except FaultError as fault:
            fault_met = fault
            log = log if seer is None or not game.machine.secret else []
        text, changed = before.moves()[index].text, changes(game.program, log, seer)
        done.append(TraceStep(before.actor, text, before, after, changed))
        if after is None:
            break
    told = done if player is None else _as_told(done, player)
    return Trace(first, changes(game.program, opening, seer), tuple(told), fault_met, player)


def _as_told(steps: Sequence[TraceStep], player: str) -> Iterator[TraceStep]:
    """The steps with what a player is told of each: of what is chosen together all, once all have chosen."""
    for at, step in enumerate(steps):
        last = at
        while last + 1 < len(steps) and steps[last].before.together_with(steps[last + 1].before):
            last += 1
        after = steps[last].after
        if after is not None and step.before.told_together and not steps[last].before.together_with(after):
            yield step
        else:
            yield replace(step, text=step.before.told(step.before.index(step.text), player))


def changes(program: k.Program, log: Log, seer: int | None = None) -> tuple[Change, ...]:
    """The writes that changed something of the game, in their order, in words.

    Of player number `seer`, in a game with secrets: what is different for him in the end, in the order of the
    state, and not by which lines. In what order it was written, by which statements, and what it was in
    between might tell what they were decided by.
    """
    made = [w for w in log if isinstance(w, Write) and not program.vars[w.var].local]
    if seer is not None and secret(program):
        made = _net(write for write in made if sees(program.vars[write.var], write.element or 0, seer))
    return tuple(change(program, write) for write in made if write.old != write.new)


def _net(writes: Iterable[Write]) -> list[Write]:
    """One write for each cell that was written, in the order of the state, by no statement."""
    found: dict[tuple[int, int], Write] = {}
    for write in writes:
        cell = write.var, write.element or 0
        first = found.get(cell, write)
        found[cell] = Write(write.var, write.element, first.old, write.new, -1)
    return [found[cell] for cell in sorted(found)]


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
