"""Kernel expressions as WebAssembly."""

from __future__ import annotations

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.limits import NotCovered
from kemu_engine.kernel.walk import assigned, written
from kemu_engine.run.wasm.asm.binary import I32, I64
from kemu_engine.run.wasm.emit.layout import BITS, Area, cell, pieces, words
from kemu_engine.run.wasm.emit.patterns import Patterns
from kemu_engine.run.wasm.emit.values import FAULT

MOST_WORDS = 64
"""Words of a set that is kept in locals."""


class Expressions(Patterns):
    """Writes expressions."""

    def expr(self, expr: k.Expr) -> None:
        f = self.f
        if words(expr.type) > MOST_WORDS:
            raise NotCovered(f"sets of more than {MOST_WORDS * BITS:,} elements")
        if self.recalled(expr):
            return
        match expr:
            case k.Const(k.Bool(), value):
                f.i32(int(value))
            case k.Const(k.Set(), value):
                for word in pieces(value, words(expr.type)):
                    f.i64(word)
            case k.Const(_, value):
                f.i64(value)
            case k.Local(type_, local):
                own = self.local(local)
                self.push(own)
                self.fit(len(own), words(type_))
            case k.Load(_, var):
                f.i32(0)
                self.load(self.program.vars[var].type, self.unit.slots[var].at, words(expr.type))
            case k.At(_, var, index):
                slot = self.unit.slots[var]
                self.load(slot.var.type, self.place(slot.at, slot.cell.size, index), words(expr.type))
            case k.Lookup(_, table, index):
                at, type_ = self.unit.table(table, expr.type)
                self.load(type_, self.place(at, cell(type_).size, index), words(expr.type))
            case k.Op():
                if not self.sought(expr):
                    self.operation(expr)
            case k.If(type_, test, then, other):
                self._if(type_, test, then, other)
            case k.Fold():
                self.fold(expr)
            case k.Closure():
                self.closure(expr)
            case k.Let(type_, local, value, body):
                self.set_local(local, value)
                with self.without((local,)):
                    self.expr(body)
                self.fit(words(body.type), words(type_))
            case k.Intrinsic():
                self.mask(expr)
            case k.Call():
                self._call(expr)
            case k.Need(type_, test, value, fault):
                self.check(test, fault)
                self.expr(value)
                self.fit(words(value.type), words(type_))
            case k.Trial():
                self._trial(expr)

    def _if(self, type_: k.Type, test: k.Expr, then: k.Expr, other: k.Expr) -> None:
        f, count = self.f, words(type_)
        if count == 1:
            if self.cheap(then, other):
                for each in (then, other):
                    self.expr(each)
                    self.fit(words(each.type), 1)
                self.expr(test)
                f.op("select")
                return
            self.expr(test)
            with f.when(I32 if isinstance(type_, k.Bool) else I64):
                self.expr(then)
                self.fit(words(then.type), 1)
                f.otherwise()
                self.expr(other)
                self.fit(words(other.type), 1)
            return
        found = [f.new() for _ in range(count)]
        self.expr(test)
        with f.when():
            for at, each in enumerate((then, other)):
                if at:
                    f.otherwise()
                self.expr(each)
                self.fit(words(each.type), count)
                self.pop(found)
        self.push(found)

    def _call(self, call: k.Call) -> None:
        function = self.program.functions[call.function]
        for param, arg in zip(function.params, call.args, strict=True):
            self.expr(arg)
            self.fit(words(arg.type), words(self.program.locals[param].type))
        self.f.call(self.unit.function(call.function))
        if self.unit.may_fault(call.function):
            self.f.get_global(FAULT)
            self.f.br_if(self.faulted)
        count = words(function.type)
        if count > 1:
            # several words come back in memory
            self.f.i32(0)
            self.load(function.type, self.unit.returned(call.function), words(call.type))
        else:
            self.fit(count, words(call.type))

    def _trial(self, trial: k.Trial) -> None:
        """What it writes is put aside and put back."""
        f = self.f
        areas = [self.unit.slots[var].area for var in sorted(written(trial.body))]
        saved = [(area, self.unit.memory.take(area.size)) for area in areas]
        owns = [own for local in sorted(assigned(trial.body)) for own in self.local(local)]
        kept = [(own, f.new(f.type_of(own))) for own in owns]
        for own, copy in kept:
            f.get(own)
            f.set(copy)
        for area, at in saved:
            self.move(at, area)
        with self.without(assigned(trial.body), written(trial.body)):
            self.code(trial.body)
            self.expr(trial.test)
        for own, copy in kept:
            f.get(copy)
            f.set(own)
        for area, at in saved:
            self.move(area.at, Area(at, area.size))
