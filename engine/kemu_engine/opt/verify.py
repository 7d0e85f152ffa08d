"""Whether an optimised program keeps the kernel's contract, and that of the nodes that the optimiser adds."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.values import BrokenProgram
from kemu_engine.kernel.verify import Checker, problems
from kemu_engine.kernel.walk import parts
from kemu_engine.opt.nodes import Below, Cells, Named, Point, RowsEqual, RowsTouching, Stencil, Window
from kemu_engine.opt.sets.mask_arrays import maskable


def broken(program: k.Program) -> list[str]:
    """What is wrong with an optimised program, a sentence each; nothing if it is well formed."""
    played = replace(program, properties=(), examples=(), views=())  # claims stay as they are
    return problems(played, _Optimized)


def verified(program: k.Program, source: k.Program) -> k.Program:
    """The program, if it has no problems that the source does not have. Raises BrokenProgram."""
    found = set(broken(program))
    if found and (found := found - set(broken(source))):
        raise BrokenProgram("\n".join(sorted(found)))
    return program


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
        elif self.say(not isinstance(expr.type, k.Set), f"{type(expr).__name__} gives {expr.type}"):
            match expr:
                case Cells(args=(value,), var=var):
                    self.expr(value)
                    if self.number(var, self.program.vars, "variable"):
                        kept = self.program.vars[var]
                        self.say(not maskable(kept), f"{kept.name} has no masks")
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
                    self.say(True, f"{type(expr).__name__} of {len(expr.args)} values")

    def _rows(self, expr: k.Expr, table: int) -> None:
        if self.number(table, self.program.tables, "table"):
            self.contains(expr, k.Set(len(self.program.tables[table].values)))

    def union(self, fold: k.Fold) -> None:
        size = self.size_of(fold.over)
        self.truth(fold.where)
        self.size_of(fold.body)
        self.binder(fold.binder, size or 0)
        self.contains(fold, fold.body.type)
