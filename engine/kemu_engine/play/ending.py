"""Why a game ended: the conditions of the rules that led to its end, and what made them hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kemu_grammar.game.marked import Marked
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Span

from kemu_engine.interp.frame import Faulted, Log, Write
from kemu_engine.kernel import nodes as k
from kemu_engine.play.game import Game
from kemu_engine.play.refusal import Facts
from kemu_engine.play.state import State
from kemu_engine.play.stepping import marks_of


@dataclass(frozen=True, slots=True)
class Reason:
    """`condition` is where a test stands that held (None: there was none), `statement` where what it led to:
    the end, or a call of the rule that has it. `asked`: the functions that held in it; `places`: the parts of
    the state that it read, `stone[(1, 3)]`."""

    statement: Span
    condition: Span | None
    asked: tuple[str, ...] = ()
    places: tuple[str, ...] = ()


def reasons(game: Game, rules: Marked, steps: Sequence[str]) -> list[Reason]:
    """Of a game that has ended by these steps, from the call in the main rules to the end. `game`: an
    instance of the marked rules. Raises IllegalAction."""
    state = game.initial()
    for text in steps[:-1]:
        state = state.apply(text)
    log: Log = []
    state.follow(state.index(steps[-1]), log)
    marks = marks_of(game.program)
    passed = [
        (at, each.element)
        for at, each in enumerate(log)
        if isinstance(each, Write) and each.var == marks and each.element is not None
    ]
    tests = dict(_tests(rules))
    found = []
    for at, number in _calls(rules, passed):
        statement = rules.statements[number]
        test = tests.get(id(statement))
        place = None if test is None else test.span
        asked, places = _held(game, state, log[:at], number) if test is not None else ((), ())
        found.append(Reason(statement.span, place, asked, places))
    return found[::-1]


def _calls(rules: Marked, passed: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The end, and the calls of rules that led there, the last one first."""
    wanted = None
    for at, number in reversed(passed):
        statement = rules.statements[number]
        ends = isinstance(statement, t.End) if wanted is None else _calls_rule(statement, wanted)
        if ends:
            yield at, number
            wanted = rules.rules[number]
            if wanted == "rules":
                return


def _calls_rule(statement: t.Statement, name: str) -> bool:
    value = statement.value if isinstance(statement, t.Do | t.Assign) else None
    return isinstance(value, t.Call) and value.value == t.Name(name)


def _tests(rules: Marked) -> Iterator[tuple[int, t.Expr]]:
    """For the first statements of an `if`, and those after them, the test that they stand under."""
    for statement in rules.statements:
        if isinstance(statement, t.If):
            for test, block in statement.branches:
                for each in block:
                    yield id(each), test


def _held(game: Game, state: State, log: Log, number: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The functions and the places behind the test that led to the statement of this number, if play went
    there by a branch that begins with it."""
    program = game.program
    split = next((block.exit for block in program.blocks if _leads_to(program, block.exit, number)), None)
    if not isinstance(split, k.Split):
        return (), ()
    frame = game.machine.frame(state.block, state.vars, state.locals)
    for each in log:
        if isinstance(each, Write):
            _write(frame.vars, each)
        else:
            frame.locals[each.local] = each.new
    facts = Facts(state, frame, whole=True)
    try:
        read = tuple(dict.fromkeys(place for place, _ in facts.behind(split.test, True)))
    except Faulted:
        return (), ()
    return tuple(dict.fromkeys(function.name for function in facts.asked)), read


def _leads_to(program: k.Program, exit: k.Exit, number: int) -> bool:
    """Whether the branch where a test holds begins with the mark of that number."""
    first = program.blocks[exit.then].code[:1] if isinstance(exit, k.Split) else ()
    match first:
        case (k.Put(var, k.Const(value=value)),):
            return var == marks_of(program) and value == number
    return False


def _write(vars_: list[object], write: Write) -> None:
    cells = vars_[write.var]
    if write.element is None or not isinstance(cells, tuple | list):
        vars_[write.var] = write.new
    else:
        vars_[write.var] = (*cells[: write.element], write.new, *cells[write.element + 1 :])
