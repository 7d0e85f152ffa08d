"""An example of marked rules, statement by statement: which were run, what each changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from kemu_grammar.game.marked import MARKS

from kemu_engine.interp.frame import Given, Log, Write
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.text import as_text
from kemu_engine.play.examples import Part
from kemu_engine.play.game import Game
from kemu_engine.play.state import State
from kemu_engine.play.trace import Change, change


@dataclass(frozen=True, slots=True)
class Stepped:
    """A statement that was run: the number of its mark, None for what comes before the first. `changes`: of
    state variables and of the names of rules, these by themselves. `state`: where play stands, with the state
    variables as they are after it; None where play came to no stop."""

    statement: int | None
    changes: tuple[Change, ...]
    state: State | None


def stepped(game: Game, part: Part, names: frozenset[str]) -> Iterator[Stepped]:
    """The statements that a part of an example ran. `names`: of the locals to tell of, as
    `Marked.locals` has them."""
    program = game.program
    marks = marks_of(program)
    state = part.before or part.after
    vars_: list[Any] = (
        [var.initial for var in program.vars] if part.before is None else list(part.before.vars)
    )
    here: int | None = None
    told: list[Change] = []
    for each in part.log:
        if isinstance(each, Write) and each.var == marks:
            if here is not None or told:
                yield Stepped(here, tuple(told), state and replace(state, vars=tuple(vars_)))
            here, told = each.element, []
        elif isinstance(each, Write):
            vars_[each.var] = _written(vars_[each.var], each)
            told += _changed(program, each)
        else:
            told += _given(program, each, names)
    if here is not None or told:
        yield Stepped(here, tuple(told), part.after or (state and replace(state, vars=tuple(vars_))))


def marks_of(program: k.Program) -> int:
    """The variable that holds the marks."""
    return next(at for at, var in enumerate(program.vars) if var.name == MARKS)


def marks_left(program: k.Program, log: Log) -> Iterator[int]:
    """The numbers of the statements that were come to."""
    marks = marks_of(program)
    for each in log:
        if isinstance(each, Write) and each.var == marks and each.element is not None:
            yield each.element


def _written(cells: Any, write: Write) -> Any:
    if write.element is None or not isinstance(cells, tuple):
        return write.new
    return (*cells[: write.element], write.new, *cells[write.element + 1 :])


def _changed(program: k.Program, write: Write) -> Iterator[Change]:
    var = program.vars[write.var]
    if write.old != write.new and write.var != program.result and not (var.local and " " in var.name):
        told = change(program, write)
        yield replace(told, where=told.where.partition(".")[2]) if var.local else told


def _given(program: k.Program, given: Given, names: frozenset[str]) -> Iterator[Change]:
    info = program.locals[given.local]
    rule, _, rest = info.name.partition(".")
    name, _, part = rest.partition(".")
    if f"{rule}.{name}" in names:
        where = f"{name}[{part[1:]}]" if part[1:].isdecimal() else rest
        yield Change(where, "", as_text(given.new, info.type, info.texts), None)
