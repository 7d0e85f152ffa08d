"""Kernel statements as Python statements."""

from __future__ import annotations

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import Ids, overwritten, written
from kemu_engine.run.python.loops import Loops
from kemu_engine.run.python.masks import masks_of
from kemu_engine.run.python.text import SHIFT, Text
from kemu_engine.run.python.values import Values


class Statements:
    """Writes code."""

    def __init__(self, values: Values, loops: Loops) -> None:
        self.module, self.program = values.module, values.program
        self.scope, self.frame = values.scope, values.frame
        self.values = values
        self.loops = loops

    def code(self, code: k.Code) -> None:
        for statement in code:
            if isinstance(statement, k.Assign | k.Writing):
                self.scope.comment(statement.origin)
            self.statement(statement)

    def statement(self, statement: k.Stmt) -> None:
        match statement:
            case k.Assign(local, value):
                self._assign(local, value)
            case k.Store(var, value):
                text = self.values.expr(value)
                interval = self.scope.ranges.interval(value) if isinstance(value.type, k.Int) else None
                self.scope.touch(vars=(var,))
                self.frame.store(var, text)
                if interval is not None:
                    here = k.Load(self.program.vars[var].type, var)
                    self.scope.ranges.known.note(self.scope.key(here), interval)
            case k.Put():
                self._put(statement)
            case k.Fill():
                self._fill(statement)
            case k.Note(var):
                new = f"{self.frame.slot(var)}.noted({self.frame.snapshot(var)})"
                self.scope.touch(vars=(var,))
                self.frame.store(var, Text(new))
            case k.Forget(var):
                self.scope.touch(vars=(var,))
                self.frame.store(var, Text("EMPTY"))
            case k.When(test, then, other):
                self._when(test, then, other)
            case k.For(local, over, body):
                self._for(local, over, body)
            case k.Loop(bound, body, fault):
                self._enter(overwritten(body), written(body))
                with self.scope.branch() as lines:
                    self.code(body)
                self._enter(overwritten(body), written(body))
                self.scope.block(f"for _ in range({bound}):", lines)
                self.scope.block("else:", [f"fault({fault})"])
            case k.Break():
                self.scope.line("break")
            case k.Continue():
                self.scope.line("continue")
            case k.Return(value):
                self.scope.line(f"return {self.values.expr(value).text}")
            case k.Check(k.Const(_, 0), fault):
                self.scope.line(f"fault({fault})")
            case k.Check(test, fault):
                if self.scope.ranges.outcome(test) is not True or not self.scope.traits.of(test).total:
                    self.scope.block(f"if {self.values.test(build.no(test)).text}:", [f"fault({fault})"])
                self.scope.ranges.assume(test, True)

    def _enter(self, locals: Ids, vars: Ids) -> None:
        """At the head of a loop, or after it: what it sets may be anything."""
        self.scope.touch(locals, vars)

    # ------------------------------------------------------------------------------------------ writing

    def _assign(self, local: int, value: k.Expr) -> None:
        text = self.values.expr(value)
        if local in self.scope.traits.named:
            self.scope.define(local, text)
            return
        interval = self.scope.ranges.interval(value) if isinstance(value.type, k.Int) else None
        self.scope.touch((local,))
        self.frame.set_local(local, text)
        if interval is not None:
            here = k.Local(self.program.locals[local].type, local)
            self.scope.ranges.known.note(self.scope.key(here), interval)

    def _put(self, put: k.Put) -> None:
        index, value = self.values.parts((put.index, put.value))
        array = self.frame.slot(put.var)
        if index.fragile and value.fragile:
            index = Text(self.scope.named(index, "i"))
        if self.module.masked(put.var):
            index = Text(self.scope.named(index, "i"))
            masks = self.frame.mask_slot(put.var)
            value = value if value.plain else Text(self.scope.named(value, "new"))
            bit = self.scope.named(Text(f"1 << {index.text}", SHIFT), "bit")
            old = self._old(put)
            self.scope.line(f"{masks}[{f'{array}[{index.text}]' if old is None else old}] ^= {bit}")
            self.scope.line(f"{masks}[{value.text}] |= {bit}")
        self.scope.line(f"{array}[{index.text}] = {value.text}")
        self.scope.touch(vars=(put.var,))

    def _old(self, put: k.Put) -> int | None:
        """What is known to stand where something is put."""
        var = self.program.vars[put.var]
        if not isinstance(var.type, k.Int):
            return None
        low, high = self.scope.ranges.interval(k.At(var.type, put.var, put.index))
        return low if low == high else None

    def _fill(self, fill: k.Fill) -> None:
        var = self.program.vars[fill.var]
        array, length = self.frame.slot(fill.var), var.length or 0
        if (
            self.scope.traits.of(fill.value).total
            and fill.binder not in self.scope.traits.of(fill.value).locals
        ):
            self.scope.line(f"{array}[:] = [{self.values.expr(fill.value).text}] * {length}")
        else:
            self._elementwise(fill, array, length)
        if self.module.masked(fill.var):
            masks, number = self.frame.mask_slot(fill.var), masks_of(var.type)
            if isinstance(fill.value, k.Const):
                found = ["0"] * number
                found[fill.value.value] = f"{(1 << length) - 1:#x}"
                self.scope.line(f"{masks}[:] = [{', '.join(found)}]")
            else:
                self.scope.line(f"{masks}[:] = masks({array}, {number})")
        self.scope.touch(vars=(fill.var,))

    def _elementwise(self, fill: k.Fill, array: str, length: int) -> None:
        with self.frame.bound(fill.binder) as name, self.scope.branch() as body:
            value = self.values.expr(fill.value)
        if not body:
            self.scope.line(f"{array}[:] = [{value.text} for {name} in range({length})]")
            return
        new = self.scope.names.give("new")
        body.append(f"{new}.append({value.text})")
        self.scope.line(f"{new} = []")
        self.scope.block(f"for {name} in range({length}):", body)
        self.scope.line(f"{array}[:] = {new}")

    # ------------------------------------------------------------------------------------------ control

    def _when(self, test: k.Expr, then: k.Code, other: k.Code) -> None:
        outcome = self.scope.ranges.outcome(test)
        if outcome is not None and self.scope.traits.of(test).total:
            self.code(then if outcome else other)
            return
        if not then:
            test, then, other = build.no(test), other, ()
        text = self.values.test(test)
        with self.scope.branch() as lines:
            self.scope.ranges.assume(test, True)
            self.code(then)
        self.scope.block(f"if {text.text}:", lines)
        if other:
            with self.scope.branch() as lines:
                self.scope.ranges.assume(test, False)
                self.code(other)
            self.scope.block("else:", lines)
        both = then + other
        self.scope.touch(overwritten(both), written(both))
        traits = self.scope.traits.of(test)
        if not traits.locals & overwritten(both) and not traits.vars & written(both):
            for code, came_out in ((then, False), (other, True)):
                if leaves(code):
                    self.scope.ranges.assume(test, came_out)

    def _for(self, local: int, over: k.Expr, body: k.Code) -> None:
        sets = overwritten(body) | {local}
        source = self.loops.source(over)
        self._enter(sets, written(body))
        name = self.frame.local(local)
        with self.scope.branch() as lines:
            self.code(body)
        self._enter(sets, written(body))
        self.scope.block(f"for {name} in {source}:", lines)
        self.frame.after_loop(local)


def leaves(code: k.Code) -> bool:
    """Whether code never comes to its end."""
    return bool(code) and isinstance(code[-1], k.Return | k.Break | k.Continue)
