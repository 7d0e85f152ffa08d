"""What the parts of an emitter share: module, scope and frame, and the way back to any expression."""

from __future__ import annotations

from collections.abc import Callable

from kemu_engine.kernel import nodes as k
from kemu_engine.run.python.frame import Frame
from kemu_engine.run.python.module import Module
from kemu_engine.run.python.scope import Scope
from kemu_engine.run.python.text import ATOM, Text

Write = Callable[[k.Expr], Text]


class Values:
    """Writes values: `expr` that of an expression; `test` one of which only counts whether it is true, so
    that a set stands for whether it has elements."""

    def __init__(self, module: Module, scope: Scope, frame: Frame, expr: Write, test: Write) -> None:
        self.module = module
        self.program = module.program
        self.scope = scope
        self.frame = frame
        self.expr = expr
        self.test = test

    def parts(self, exprs: tuple[k.Expr, ...]) -> list[Text]:
        """The values of expressions that are all evaluated, from the left."""
        texts: list[Text] = []
        for expr in exprs:
            mark = len(self.scope.out)
            text = self.expr(expr)
            texts = [*self.scope.settled(texts, mark), text]
        return texts

    def item(self, array: str, index: Text) -> Text:
        """An element of an array or a table."""
        return Text(f"{array}[{index.text}]", ATOM, index.fragile, index.depth + 1)
