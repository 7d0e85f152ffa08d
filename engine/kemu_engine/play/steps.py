"""Steps, and the lines of the rules that they run through.

A second program plays along: the same with one more state variable, a set of lines, into which every
statement of the rules puts its line once it is done. So any reader of programs can tell the lines, those
before a fault included. (Statements of functions and trials are no part of play's own way.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from kemu_engine.interp.frame import Faulted, Log, Write
from kemu_engine.interp.machine import Machine, origins
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.stop import Stop
from kemu_engine.play.game import Game
from kemu_engine.play.state import State

Taken = tuple[State | None, int, int]
"""What a step (or the opening) comes to: the state it leads to; or None, and the index of the fault it runs
into. The last: the lines on the way, as a mask."""


def lines_of(program: k.Program) -> dict[tuple[str, int], set[int]]:
    """The lines with a statement or an end of the rules on them, and the origins of these."""
    lines: dict[tuple[str, int], set[int]] = {}
    for block in program.blocks:
        found = list(origins(block.code))
        if isinstance(block.exit, k.End) and block.exit.origin >= 0:
            found.append(block.exit.origin)
        for origin in found:
            span = program.origins[origin].span
            if span.line:
                lines.setdefault((span.file, span.line), set()).add(origin)
    return dict(sorted(lines.items()))


class Steps:
    """Follows the steps of a game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        lines = lines_of(game.program).values()
        self._bit = {origin: 1 << at for at, line in enumerate(lines) for origin in line}
        self._all = k.Set(max(1, len(lines)))

    def mask(self, origins: Iterable[int]) -> int:
        """The lines of these origins."""
        found = 0
        for origin in origins:
            found |= self._bit.get(origin, 0)
        return found

    def begin(self) -> Taken:
        """The opening."""
        return self._taken(self._machine.begin)

    def follow(self, state: State, index: int) -> Taken:
        """The step from a state by the choice at that index."""
        before = Stop(state.block, (*state.vars, 0), state.locals, state.player, state.choices)
        choice = state.choices[index]
        return self._taken(lambda log: self._machine.follow(before, choice, log))

    def _taken(self, run: Callable[[Log | None], Stop]) -> Taken:
        try:
            stop = run(None)
        except Faulted as faulted:
            log: Log = []
            with suppress(Faulted):
                run(log)
            last = len(self.game.program.vars)
            writes = (w for w in reversed(log) if isinstance(w, Write) and w.var == last)
            lines = (w.new for w in writes if isinstance(w.new, int))
            return None, faulted.index, next(lines, 0)
        met = stop.vars[-1]
        assert isinstance(met, int)
        exit = self.game.program.blocks[stop.block].exit
        if isinstance(exit, k.End):
            met |= self._bit.get(exit.origin, 0)
        own = Stop(stop.block, stop.vars[:-1], stop.locals, stop.actor, stop.choices)
        return State.at(self.game.machine, own), -1, met

    @cached_property
    def program(self) -> k.Program:
        """The program that plays along. From the beginning of a game on it keeps every line that was met,
        but for those of an end."""
        program = self.game.program
        note = k.Var("lines met", self._all, None, 0)
        blocks = tuple(replace(block, code=self._noted(block.code)) for block in program.blocks)
        return replace(program, vars=(*program.vars, note), blocks=blocks)

    def met(self, origins: Iterable[int]) -> k.Expr:
        """Whether, in that program, one of these lines was met."""
        lines = k.Op(self._all, "inter", (self._noted_lines, k.Const(self._all, self.mask(origins))))
        return k.Op(k.BOOL, "ne", (lines, k.Const(self._all, 0)))

    @cached_property
    def _machine(self) -> Machine:
        return Game(self.program, reader=self.game.reader).machine

    @property
    def _noted_lines(self) -> k.Load:
        return k.Load(self._all, len(self.game.program.vars))

    def _noted(self, code: k.Code) -> k.Code:
        """The code with a note behind every statement that has a line."""
        made: list[k.Stmt] = []
        for statement in code:
            if isinstance(statement, k.When):
                statement = replace(
                    statement, then=self._noted(statement.then), other=self._noted(statement.other)
                )
            elif isinstance(statement, k.For | k.Loop):
                statement = replace(statement, body=self._noted(statement.body))
            made.append(statement)
            if isinstance(statement, k.Assign | k.Writing) and statement.origin in self._bit:
                made.append(self._note(self._bit[statement.origin]))
        return tuple(made)

    def _note(self, bit: int) -> k.Store:
        var = len(self.game.program.vars)
        return k.Store(var, k.Op(self._all, "union", (self._noted_lines, k.Const(self._all, bit))))
