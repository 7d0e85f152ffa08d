"""Kernel statements as Python statements."""

from __future__ import annotations

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import Ids, assigned, expressions, written
from kemu_engine.run.python.loops import Loops
from kemu_engine.run.python.masks import masks_of
from kemu_engine.run.python.text import SHIFT, Text


class Statements(Loops):
    """Writes code."""

    def code(self, code: k.Code) -> None:
        for statement in code:
            if isinstance(statement, k.Assign | k.Store | k.Put | k.Fill):
                self.comment(statement.origin)
            self.statement(statement)

    def statement(self, statement: k.Stmt) -> None:
        match statement:
            case k.Assign(local, value):
                self._assign(local, value)
            case k.Store(var, value):
                text = self.expr(value)
                interval = self.facts.interval(value) if isinstance(value.type, k.Int) else None
                self.touch(vars=(var,))
                self.store(var, text)
                if interval is not None:
                    here = k.Load(self.program.vars[var].type, var)
                    self.facts.known.note(self.key(here), interval)
            case k.Put():
                self._put(statement)
            case k.Fill():
                self._fill(statement)
            case k.When(test, then, other):
                self._when(test, then, other)
            case k.For(local, over, body):
                self._for(local, over, body)
            case k.Loop(bound, body, fault):
                self._enter(assigned(body), written(body))
                with self.branch() as lines:
                    self.code(body)
                self._enter(assigned(body), written(body))
                self.block(f"for _ in range({bound}):", lines)
                self.block("else:", [f"fault({fault})"])
            case k.Break():
                self.line("break")
            case k.Continue():
                self.line("continue")
            case k.Return(value):
                self.line(f"return {self.expr(value).text}")
            case k.Check(k.Const(_, 0), fault):
                self.line(f"fault({fault})")
            case k.Check(test, fault):
                if self.facts.outcome(test) is not True or not self.traits.of(test).total:
                    self.block(f"if {self.test(build.no(test)).text}:", [f"fault({fault})"])
                self.facts.assume(test, True)

    def _enter(self, locals: Ids, vars: Ids) -> None:
        """At the head of a loop, or after it: what it sets may be anything."""
        self.touch(locals, vars)

    # ------------------------------------------------------------------------------------------ writing

    def _assign(self, local: int, value: k.Expr) -> None:
        key, text = self.key(value), self.expr(value)
        reads_itself = local in self.traits.of(value).locals
        interval = self.facts.interval(value) if isinstance(value.type, k.Int) else None
        self.touch((local,))
        name = self.set_local(local, text)
        if not isinstance(value, k.Const | k.Local | k.Load) and not reads_itself:
            self.call_it(key, local, name)
        if interval is not None:
            here = k.Local(self.program.locals[local].type, local)
            self.facts.known.note(self.key(here), interval)

    def set_local(self, local: int, text: Text) -> str:
        name = self.local(local)
        if text.text != name:
            self.line(f"{name} = {text.text}")
        return name

    def store(self, var: int, text: Text) -> None:
        name = self.slot(var)
        if text.text != name:
            self.line(f"{name} = {text.text}")

    def _put(self, put: k.Put) -> None:
        index, value = self.parts((put.index, put.value))
        array = self.slot(put.var)
        if index.fragile and value.fragile:
            index = Text(self.named(index, "i"))
        if self.module.masked(put.var):
            index = Text(self.named(index, "i"))
            masks = self.mask_slot(put.var)
            value = value if value.plain else Text(self.named(value, "new"))
            bit = self.named(Text(f"1 << {index.text}", SHIFT), "bit")
            old = self._old(put)
            self.line(f"{masks}[{f'{array}[{index.text}]' if old is None else old}] ^= {bit}")
            self.line(f"{masks}[{value.text}] |= {bit}")
        self.line(f"{array}[{index.text}] = {value.text}")
        self.touch(vars=(put.var,))

    def _old(self, put: k.Put) -> int | None:
        """What is known to stand where something is put."""
        var = self.program.vars[put.var]
        if not isinstance(var.type, k.Int):
            return None
        low, high = self.facts.interval(k.At(var.type, put.var, put.index))
        return low if low == high else None

    def _fill(self, fill: k.Fill) -> None:
        var = self.program.vars[fill.var]
        array, length = self.slot(fill.var), var.length or 0
        if self.traits.of(fill.value).total and fill.binder not in self.traits.of(fill.value).locals:
            self.line(f"{array}[:] = [{self.expr(fill.value).text}] * {length}")
        else:
            self._elementwise(fill, array, length)
        if self.module.masked(fill.var):
            masks, number = self.mask_slot(fill.var), masks_of(var.type)
            if isinstance(fill.value, k.Const):
                found = ["0"] * number
                found[fill.value.value] = f"{(1 << length) - 1:#x}"
                self.line(f"{masks}[:] = [{', '.join(found)}]")
            else:
                self.line(f"{masks}[:] = masks({array}, {number})")
        self.touch(vars=(fill.var,))

    def _elementwise(self, fill: k.Fill, array: str, length: int) -> None:
        if length:
            self.first_lap((fill.value,), frozenset({fill.binder}), frozenset())
        self.ahead((fill.value,), frozenset({fill.binder}), frozenset())
        with self.bound(fill.binder) as name, self.branch() as body:
            value = self.expr(fill.value)
        if not body:
            self.line(f"{array}[:] = [{value.text} for {name} in range({length})]")
            return
        new = self.names.give("new")
        body.append(f"{new}.append({value.text})")
        self.line(f"{new} = []")
        self.block(f"for {name} in range({length}):", body)
        self.line(f"{array}[:] = {new}")

    # ------------------------------------------------------------------------------------------ control

    def _when(self, test: k.Expr, then: k.Code, other: k.Code) -> None:
        outcome = self.facts.outcome(test)
        if outcome is not None and self.traits.of(test).total:
            self.code(then if outcome else other)
            return
        if not then:
            test, then, other = build.no(test), other, ()
        text = self.test(test)
        with self.branch() as lines:
            self.facts.assume(test, True)
            self.code(then)
        self.block(f"if {text.text}:", lines)
        if other:
            with self.branch() as lines:
                self.facts.assume(test, False)
                self.code(other)
            self.block("else:", lines)
        both = then + other
        self.touch(assigned(both), written(both))
        traits = self.traits.of(test)
        if not traits.locals & assigned(both) and not traits.vars & written(both):
            for code, came_out in ((then, False), (other, True)):
                if leaves(code):
                    self.facts.assume(test, came_out)

    def _for(self, local: int, over: k.Expr, body: k.Code) -> None:
        sets = assigned(body) | {local}
        source = self.source(over)
        self.ahead(expressions(body), sets, written(body))
        self._enter(sets, written(body))
        name = self.local(local)
        with self.branch() as lines:
            self.code(body)
        self._enter(sets, written(body))
        self.block(f"for {name} in {source}:", lines)


def leaves(code: k.Code) -> bool:
    """Whether code never comes to its end."""
    return bool(code) and isinstance(code[-1], k.Return | k.Break | k.Continue)
