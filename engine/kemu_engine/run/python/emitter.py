"""The emitter of one function: its parts, each built on those before it."""

from __future__ import annotations

from collections.abc import Callable

from kemu_engine.kernel import nodes as k
from kemu_engine.run.python.expressions import Expressions
from kemu_engine.run.python.frame import Frame
from kemu_engine.run.python.loops import Loops
from kemu_engine.run.python.masks import Masks
from kemu_engine.run.python.module import Module
from kemu_engine.run.python.operations import Operations
from kemu_engine.run.python.scope import Scope
from kemu_engine.run.python.short_circuit import ShortCircuit
from kemu_engine.run.python.statements import Statements
from kemu_engine.run.python.text import Names, Text
from kemu_engine.run.python.values import Values


def scope_of(module: Module) -> Scope:
    """The scope of a new function."""
    return Scope(module.program, module.traits, Names(around=module.names))


class Emitter:
    """Writes expressions and code into a function. Expressions and code nest: the parts come back to `expr`,
    `test` and `code` for what is in them. `hoisted`: what is worked out elsewhere already, by its name.
    """

    def __init__(self, frame: Frame, hoisted: Callable[[k.Expr], Text | None] = lambda expr: None) -> None:
        self.module, self.scope, self.frame = frame.module, frame.scope, frame
        self.values = Values(frame.module, frame.scope, frame, self.expr, self.test)
        self.lazy = ShortCircuit(self.values, self.code)
        self.loops = Loops(self.values)
        self.expressions = Expressions(
            self.values,
            self.lazy,
            Operations(self.values, self.lazy),
            Masks(self.values),
            self.loops,
            hoisted,
        )
        self.statements = Statements(self.values, self.loops)

    def expr(self, expr: k.Expr) -> Text:
        """The value of an expression."""
        return self.expressions.expr(expr)

    def test(self, expr: k.Expr) -> Text:
        """An expression of which only counts whether it is true."""
        return self.expressions.test(expr)

    def code(self, code: k.Code) -> None:
        self.statements.code(code)
