"""Guarded speculation: expressions in which what might fault stands behind a test by which it does not."""

from __future__ import annotations

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import children
from kemu_engine.opt.analysis.expression_analysis import ExpressionAnalysis
from kemu_engine.opt.analysis.range_analysis import Key, Ranges


class Speculation:
    """Looks at one expression."""

    def __init__(self, traits: ExpressionAnalysis) -> None:
        self.traits = traits
        self._ranges = Ranges(self._key)
        self._tested: set[int] = set()  # locals of which something has been assumed

    def sure(self, expr: k.Expr) -> bool:
        """Whether it gives a value for sure."""
        if self.traits.of(expr).total:
            return True
        match expr:
            case k.Op(_, "and" | "or", args):
                return self._connected(args, expr.op == "and")
            case k.Need(_, test, value):
                return self._ranges.outcome(test) is True and self.sure(test) and self.sure(value)
            case k.Let(_, local, value, body):
                return local not in self._tested and self.sure(value) and self.sure(body)
            case k.At() | k.Lookup() | k.Op():
                return self.traits.defined(expr) and all(map(self.sure, children(expr)))
        return False

    def _connected(self, args: tuple[k.Expr, ...], sign: bool) -> bool:
        """Of a part those before it are known to have come out so."""
        mark = self._ranges.known.mark()
        found = True
        for arg in args:
            found = found and self.sure(arg)
            self._tested |= self.traits.of(arg).locals
            self._ranges.assume(arg, sign)
        self._ranges.known.back(mark)
        return found

    def _key(self, expr: k.Expr) -> Key:
        return (self.traits.of(expr).number,)
