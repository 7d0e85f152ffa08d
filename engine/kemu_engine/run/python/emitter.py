"""The emitter of one function: its parts, each built on those before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Protocol, TypeVar

from kemu_engine.kernel import nodes as k
from kemu_engine.run.python.cse import Scope
from kemu_engine.run.python.expressions import Expressions
from kemu_engine.run.python.frame import Frame
from kemu_engine.run.python.loops import Loops
from kemu_engine.run.python.masks import Masks
from kemu_engine.run.python.module import Module
from kemu_engine.run.python.operations import Operations
from kemu_engine.run.python.short_circuit import ShortCircuit
from kemu_engine.run.python.statements import Statements
from kemu_engine.run.python.text import Block, Names, Text
from kemu_engine.run.python.values import Values
from kemu_engine.support.stack import deep

Uses = Counter[int] | None
"""How often each definition is used, once a function has been written for the first time."""


def scope_of(module: Module, uses: Uses) -> Scope:
    """The scope of a new function."""
    return Scope(module.program, module.traits, Names(around=module.names), uses)


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


class Function(Protocol):
    """What writes a function."""

    scope: Scope

    def write(self) -> Block: ...


Made = TypeVar("Made", bound=Function)


def twice(make: Callable[[Uses], Made]) -> tuple[Made, Block]:
    """Writes a function, then writes it again with names for what proved to be used more than once."""
    with deep():
        first = make(None)
        first.write()
        second = make(first.scope.used)
        return second, second.write()
