"""The emitter of one function: its parts, each built on those before it."""

from __future__ import annotations

from kemu_engine.kernel import nodes as k
from kemu_engine.run.wasm.asm.binary import Function
from kemu_engine.run.wasm.emit.expressions import Expressions
from kemu_engine.run.wasm.emit.folds import Folds
from kemu_engine.run.wasm.emit.loops import Loops
from kemu_engine.run.wasm.emit.masks import Masks
from kemu_engine.run.wasm.emit.operations import Operations
from kemu_engine.run.wasm.emit.patterns import Patterns
from kemu_engine.run.wasm.emit.statements import Statements
from kemu_engine.run.wasm.emit.unit import Unit
from kemu_engine.run.wasm.emit.values import Values


class Emitter:
    """Writes expressions and code into a function; `returns`: the number of the function of the rules that it
    is, if it is one. Expressions and code nest: the parts come back to `expr` and `code` for what is in them.
    """

    def __init__(self, unit: Unit, f: Function, returns: int = -1) -> None:
        self.unit = unit
        self.f = f
        self.values = Values(unit, f, self.expr)
        self.operations = Operations(self.values)
        self.loops = Loops(self.values, self.operations)
        self.expressions = Expressions(
            self.values, self.operations, self.loops,
            Folds(self.values, self.operations, self.loops), Masks(self.values), Patterns(self.values),
            self.code,
        )  # fmt: skip
        self.statements = Statements(self.values, self.loops, returns)

    def expr(self, expr: k.Expr) -> None:
        """Leaves the words of a value on the stack."""
        self.expressions.expr(expr)

    def code(self, code: k.Code) -> None:
        self.statements.code(code)
