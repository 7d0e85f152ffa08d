"""Whether an optimised program keeps the kernel's contract, and that of the nodes that the optimiser adds."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.values import BrokenProgram
from kemu_engine.kernel.verify import Checker
from kemu_engine.kernel.walk import parts
from kemu_engine.opt.nodes import Below, Cells, Named, Point, RowsEqual, RowsTouching, Stencil, Window
from kemu_engine.opt.sets.mask_arrays import maskable


def broken(program: k.Program) -> list[str]:
    """What is wrong with an optimised program, a sentence each; nothing if it is well formed."""
    return _looked_at(program).found


class Validator:
    """Looks at the programs that passes make of a source, each of the one before."""

    def __init__(self, source: k.Program) -> None:
        self._source = source
        self._last: _Optimized | None = None

    def look(self, program: k.Program) -> k.Program:
        """The program. Raises BrokenProgram if it has problems that the source does not have."""
        self._last = _looked_at(program, self._last)
        found = set(self._last.found)
        if found and (found := found - set(broken(self._source))):
            raise BrokenProgram("\n".join(sorted(found)))
        return program


def _looked_at(program: k.Program, before: _Optimized | None = None) -> _Optimized:
    played = replace(program, properties=(), examples=(), views=())  # claims stay as they are
    checker = _Optimized(played, before)
    checker.whole()
    return checker


class _Optimized(Checker):
    """Sets of different sizes may meet here: what the smaller one has no place for is not in it."""

    def alike(self, one: k.Type, other: k.Type) -> bool:
        return type(one) is type(other)

    def fits(self, inner: k.Type, outer: k.Type) -> bool:
        if isinstance(inner, k.Set) and isinstance(outer, k.Set):
            return inner.size <= outer.size
        return super().fits(inner, outer)

    @cached_property
    def _names(self) -> frozenset[int]:
        """Names are read behind the Let that gives them, too."""
        return frozenset(part.local for part in parts(self.program) if isinstance(part, Named | k.Let))

    def names(self) -> frozenset[int]:
        return self._names

    def intrinsic(self, expr: k.Intrinsic) -> None:
        if isinstance(expr, Named):
            (value,) = expr.args
            self.expr(value)
            self.contains(expr, value.type)
            if self.number(expr.local, self.program.locals, "local"):
                self.say(self.program.locals[expr.local].type != expr.type, "a name of another type")
        elif self.say(not isinstance(expr.type, k.Set), "{} gives {}", type(expr).__name__, expr.type):
            match expr:
                case Cells(args=(value,), var=var):
                    self.expr(value)
                    if self.number(var, self.program.vars, "variable"):
                        kept = self.program.vars[var]
                        self.say(not maskable(kept), "{} has no masks", kept.name)
                        self.contains(expr, k.Set(kept.length or 0))
                case Window(args=(items, start)):
                    self.size_of(items)
                    self.integer(start)
                case RowsTouching(args=(items,), table=table):
                    self.size_of(items)
                    self._rows(expr, table)
                case RowsEqual(args=(value,), table=table):
                    self.expr(value)
                    self._rows(expr, table)
                case Below(args=(value,)) | Point(args=(value,)):
                    self.integer(value)
                case Stencil(args=sets, patterns=patterns):
                    for each in sets:
                        self.size_of(each)
                    numbers = {number for pattern, _ in patterns for number, _ in pattern}
                    self.say(not numbers <= {*range(len(sets))}, "a pattern of a set that there is not")
                case _:
                    self.say(True, "{} of {} values", type(expr).__name__, len(expr.args))

    def _rows(self, expr: k.Expr, table: int) -> None:
        if self.number(table, self.program.tables, "table"):
            self.contains(expr, k.Set(len(self.program.tables[table].values)))

    def union(self, fold: k.Fold) -> None:
        size = self.size_of(fold.over)
        self.truth(fold.where)
        self.size_of(fold.body)
        self.binder(fold.binder, size or 0)
        self.contains(fold, fold.body.type)
