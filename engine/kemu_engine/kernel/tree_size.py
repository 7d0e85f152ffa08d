"""How large expressions are when they are written out: a part that is shared counts wherever it occurs.

Most readers of a program walk expressions as trees. An expression that mentions another twice, which mentions
another twice, and so on, is small in memory and endless for them.
"""

from __future__ import annotations

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import children, expressions


class TreeSizes:
    """Sizes of expressions, each worked out once. What it has measured stays alive with it."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[k.Expr, int]] = {}

    def of(self, expr: k.Expr) -> int:
        if isinstance(expr, k.Const | k.Local | k.Load):
            return 1
        known = self._known.get(id(expr))
        if known is None:
            inner = sum(map(self.of, children(expr)))
            if isinstance(expr, k.Trial):
                inner += self.code(expr.body)
            known = self._known[id(expr)] = (expr, inner + 1)
        return known[1]

    def code(self, code: k.Code) -> int:
        return sum(map(self.of, expressions(code)))
