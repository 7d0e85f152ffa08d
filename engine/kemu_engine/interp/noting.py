"""Expressions that take note of what they read of a state, so that it is known when their values may be
others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kemu_engine.interp import compile_statements
from kemu_engine.interp.compile import Compiler
from kemu_engine.interp.frame import Frame
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.evaluate import Evaluate
from kemu_engine.kernel.walk import noted


@dataclass(slots=True)
class Noted(Frame):
    """A frame; `note` is told the number (Numbers) of each thing that is read."""

    note: Callable[[int], None] = lambda at: None


class Numbers:
    """Numbers of all that can be read of a state: the elements of variable v from `first[v]`, of local l at a
    stop `locals + l`, of where play stands `block`."""

    def __init__(self, program: k.Program) -> None:
        self.first: list[int] = []
        at = 0
        for var in program.vars:
            self.first.append(at)
            at += 1 if var.length is None else var.length
        self.locals = at
        self.block = at + len(program.locals)

    def changed(self, program: k.Program, old: Any, new: Any) -> set[int]:
        """Where two states or stops differ."""
        found: set[int] = set()
        for first, one, other in zip(self.first, old.vars, new.vars, strict=True):
            if one is other or one == other:
                continue
            if isinstance(one, tuple):
                found.update(first + at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
            else:
                found.add(first)
        if old.block != new.block or old.locals != new.locals:
            before, after = (
                dict(zip(program.blocks[each.block].live, each.locals, strict=True)) for each in (old, new)
            )
            found.update(
                self.locals + each for each in {*before, *after} if before.get(each, 0) != after.get(each, 0)
            )
        if old.block != new.block:
            found.add(self.block)
        return found


class Noting(Compiler):
    """Translates expressions for frames that note what is read; else it means the same."""

    def __init__(self, program: k.Program) -> None:
        super().__init__(program, False)
        self.numbers = Numbers(program)
        self._live = frozenset(local for block in program.blocks for local in block.live)
        self._plain = Compiler(program, False)

    def _expr(self, expr: k.Expr) -> Evaluate:
        if isinstance(expr, k.Local) and expr.id in self._live:
            local, number = expr.id, self.numbers.locals + expr.id

            def read(f: Noted) -> Any:
                f.note(number)
                return f.locals[local]

            return read
        return super()._expr(expr)

    def impure(self, expr: k.Expr) -> Evaluate:
        match expr:
            case k.Load(_, var):
                return self._reading(self._whole([var]), lambda f: f.vars[var])
            case k.At(_, var, index):
                at, first = self.expr(index), self.numbers.first[var]

                def element(f: Noted) -> Any:
                    place = at(f)
                    f.note(first + place)
                    return f.vars[var][place]

                return element
            case k.Times(_, var):
                vars = noted(self.program.vars, var)
                return self._reading(self._whole([var, *vars]), compile_statements.times(var, vars))
            case k.Trial():  # which writes to a frame of its own
                every = self._whole(range(len(self.program.vars)))
                return self._reading([*every, *self._locals()], self._plain.expr(expr))
            case _:
                return super().impure(expr)

    def _whole(self, vars: Sequence[int]) -> list[int]:
        """The numbers of all elements of these variables."""
        return [
            self.numbers.first[var] + at for var in vars for at in range(self.program.vars[var].length or 1)
        ]

    def _locals(self) -> list[int]:
        return [self.numbers.locals + local for local in self._live]

    def _reading(self, numbers: Sequence[int], value: Evaluate) -> Evaluate:
        def read(f: Noted) -> int:
            for number in numbers:
                f.note(number)
            return value(f)

        return read
