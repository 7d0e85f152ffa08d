"""Kernel expressions as Python expressions, with lines before them where one expression is not enough."""

from __future__ import annotations

from collections.abc import Callable

from kemu_engine.kernel import nodes as k
from kemu_engine.opt.nodes import Named
from kemu_engine.run.python.loops import Loops
from kemu_engine.run.python.masks import Masks
from kemu_engine.run.python.operations import Operations
from kemu_engine.run.python.scope import DEEP
from kemu_engine.run.python.short_circuit import ShortCircuit
from kemu_engine.run.python.text import ATOM, UNARY, Text
from kemu_engine.run.python.values import Values


class Expressions:
    """Writes expressions. `hoisted`: what is worked out elsewhere already, by its name."""

    def __init__(
        self,
        values: Values,
        lazy: ShortCircuit,
        operations: Operations,
        masks: Masks,
        loops: Loops,
        hoisted: Callable[[k.Expr], Text | None],
    ) -> None:
        self.module, self.program = values.module, values.program
        self.scope, self.frame = values.scope, values.frame
        self.values = values
        self.lazy = lazy
        self.operations = operations
        self.masks = masks
        self.loops = loops
        self.hoisted = hoisted

    def expr(self, expr: k.Expr) -> Text:
        """The value of an expression."""
        match expr:
            case k.Const():
                return self._constant(expr)
            case k.Local(_, local) if local in self.scope.traits.named:
                return self._named(local, self.scope.traits.named[local])
            case k.Local(_, local):
                return Text(self.frame.local(local))
            case k.Load(_, var):
                return Text(self.frame.slot(var))
            case Named(_, (value,), local):
                return self._named(local, value)
        text = self.hoisted(expr) or self._expr(expr)
        return Text(self.scope.named(text)) if text.depth > DEEP else text

    def _named(self, local: int, value: k.Expr) -> Text:
        """A value with a name: by that, if it has been worked out on this way."""
        name = self.scope.known.get(local)
        return self.scope.define(local, self.values.expr(value)) if name is None else Text(name)

    def test(self, expr: k.Expr) -> Text:
        """An expression of which only counts whether it is true: a set stands for whether it has elements."""
        match expr:
            case k.Op(_, "and" | "or"):
                return self.lazy.connected(expr, self.values.test)
            case k.Op(_, "ne", (mask, k.Const(k.Set(), 0))):
                return self.values.expr(mask)
        return self.values.expr(expr)

    def _constant(self, const: k.Const) -> Text:
        value = const.value
        if isinstance(const.type, k.Bool):
            return Text("True" if value else "False")
        if isinstance(const.type, k.Set):
            if value.bit_length() > 64:
                return Text(self.module.constant(f"{value:#x}", "SET"))
            return Text(f"{value:#x}" if value > 9 else str(int(value)), UNARY)  # 7.bit_count is no Python
        return Text(str(value), ATOM if value >= 0 else UNARY)

    def _expr(self, expr: k.Expr) -> Text:
        match expr:
            case k.At(_, var, index):
                return self.values.item(self.frame.slot(var), self.values.expr(index))
            case k.Times(_, var):
                return Text(f"{self.frame.slot(var)}.times({self.frame.snapshot(var)})")
            case k.Lookup(_, table, index):
                return self.values.item(self.module.table(table), self.values.expr(index))
            case k.Intrinsic():
                return self.masks.mask(expr)
            case k.Op():
                return self.operations.operation(expr)
            case k.If():
                return self.lazy.if_(expr)
            case k.Fold():
                return self.loops.fold(expr)
            case k.Closure():
                return self.loops.closure(expr)
            case k.Let(_, local, value, body):
                return self.lazy.let(local, value, body)
            case k.Call():
                return self.lazy.call(expr)
            case k.Need():
                return self.lazy.need(expr)
            case k.Trial():
                return self.lazy.trial(expr)
        raise AssertionError(expr)
