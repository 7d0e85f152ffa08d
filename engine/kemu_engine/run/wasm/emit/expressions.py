"""Kernel expressions as WebAssembly."""

from __future__ import annotations

from collections.abc import Callable

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.limits import NotCovered
from kemu_engine.kernel.walk import overwritten, written
from kemu_engine.opt.nodes import Named, Stencil
from kemu_engine.run.wasm.asm.binary import I32, I64
from kemu_engine.run.wasm.emit.folds import Folds
from kemu_engine.run.wasm.emit.histories import Histories
from kemu_engine.run.wasm.emit.layout import BITS, Area, cell, pieces, words
from kemu_engine.run.wasm.emit.loops import Loops
from kemu_engine.run.wasm.emit.masks import Masks
from kemu_engine.run.wasm.emit.operations import Operations
from kemu_engine.run.wasm.emit.patterns import Patterns
from kemu_engine.run.wasm.emit.values import FAULT, Values

MOST_WORDS = 64
"""Words of a set that is kept in locals."""


class Expressions:
    """Writes expressions; `code` writes that of Trials."""

    def __init__(
        self,
        values: Values,
        operations: Operations,
        loops: Loops,
        folds: Folds,
        masks: Masks,
        patterns: Patterns,
        code: Callable[[k.Code], None],
    ) -> None:
        self.unit, self.program, self.f = values.unit, values.program, values.f
        self.values = values
        self.operations = operations
        self.loops = loops
        self.folds = folds
        self.masks = masks
        self.patterns = patterns
        self.code = code
        self.histories = Histories(values)

    def expr(self, expr: k.Expr) -> None:
        f = self.f
        if words(expr.type) > MOST_WORDS:
            raise NotCovered(f"sets of more than {MOST_WORDS * BITS:,} elements")
        match expr:
            case k.Const(k.Bool(), value):
                f.i32(int(value))
            case k.Const(k.Set(), value):
                for word in pieces(value, words(expr.type)):
                    f.i64(word)
            case k.Const(_, value):
                f.i64(value)
            case k.Local(type_, local):
                own = self.values.local(local)
                self.values.push(own)
                self.values.fit(len(own), words(type_))
            case k.Load(_, var):
                f.i32(0)
                self.values.load(self.program.vars[var].type, self.unit.slots[var].at, words(expr.type))
            case k.At(_, var, index):
                slot = self.unit.slots[var]
                self.values.load(
                    slot.var.type, self.values.place(slot.at, slot.cell.size, index), words(expr.type)
                )
            case k.Times(_, var):
                self.histories.times(var)
            case k.Lookup(_, table, index):
                at, type_ = self.unit.table(table, expr.type)
                self.values.load(type_, self.values.place(at, cell(type_).size, index), words(expr.type))
            case k.Op():
                if not self.patterns.sought(expr) and not self.loops.meets(expr):
                    self.operations.operation(expr)
            case k.If(type_, test, then, other):
                self._if(type_, test, then, other)
            case k.Fold():
                self.folds.fold(expr)
            case k.Closure():
                self.loops.closure(expr)
            case k.Let(type_, local, value, body):
                self.values.set_local(local, value)
                self.expr(body)
                self.values.fit(words(body.type), words(type_))
            case Named(_, (value,), local):
                self.values.set_local(local, value)
                self.values.push(self.values.local(local))
            case Stencil():
                self.patterns.anywhere(expr)
            case k.Intrinsic():
                self.masks.mask(expr)
            case k.Call():
                self._call(expr)
            case k.Need(type_, test, value, fault):
                self.values.check(test, fault)
                self.expr(value)
                self.values.fit(words(value.type), words(type_))
            case k.Trial():
                self._trial(expr)

    def _if(self, type_: k.Type, test: k.Expr, then: k.Expr, other: k.Expr) -> None:
        f, count = self.f, words(type_)
        if count == 1:
            if self.operations.cheap(then, other):
                came_out = f.new(I32)
                self.expr(test)
                f.set(came_out)
                for each in (then, other):
                    self.expr(each)
                    self.values.fit(words(each.type), 1)
                f.get(came_out)
                f.op("select")
                return
            self.expr(test)
            with f.when(I32 if isinstance(type_, k.Bool) else I64):
                self.expr(then)
                self.values.fit(words(then.type), 1)
                f.otherwise()
                self.expr(other)
                self.values.fit(words(other.type), 1)
            return
        found = [f.new() for _ in range(count)]
        self.expr(test)
        with f.when():
            for at, each in enumerate((then, other)):
                if at:
                    f.otherwise()
                self.expr(each)
                self.values.fit(words(each.type), count)
                self.values.pop(found)
        self.values.push(found)

    def _call(self, call: k.Call) -> None:
        function = self.program.functions[call.function]
        for param, arg in zip(function.params, call.args, strict=True):
            self.expr(arg)
            self.values.fit(words(arg.type), words(self.program.locals[param].type))
        self.f.call(self.unit.function(call.function))
        if self.unit.may_fault(call.function):
            self.f.get_global(FAULT)
            self.f.br_if(self.values.faulted)
        count = words(function.type)
        if count > 1:
            # several words come back in memory
            self.f.i32(0)
            self.values.load(function.type, self.unit.returned(call.function), words(call.type))
        else:
            self.values.fit(count, words(call.type))

    def _trial(self, trial: k.Trial) -> None:
        """What it writes is put aside and put back."""
        f = self.f
        areas = [self.unit.slots[var].area for var in sorted(written(trial.body))]
        saved = [(area, self.unit.memory.take(area.size)) for area in areas]
        named = self.unit.optimized.named.keys()
        owns = [own for local in sorted(overwritten(trial.body) - named) for own in self.values.local(local)]
        kept = [(own, f.new(f.type_of(own))) for own in owns]
        for own, copy in kept:
            f.get(own)
            f.set(copy)
        for area, at in saved:
            self.values.move(at, area)
        self.code(trial.body)
        self.expr(trial.test)
        self.values.fit(words(trial.test.type), words(trial.type))
        for own, copy in kept:
            f.get(copy)
            f.set(own)
        for area, at in saved:
            self.values.move(area.at, Area(at, area.size))
