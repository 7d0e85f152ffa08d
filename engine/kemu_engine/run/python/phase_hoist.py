"""What is set before play goes round and never again: what depends on that alone is worked out in between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.regions import Graph
from kemu_engine.kernel.walk import NONE, Ids, asked, expressions, within, written
from kemu_engine.opt.licm import cheap
from kemu_engine.opt.range_analysis import Facts, Key, Trail
from kemu_engine.run.python.flow import Flow
from kemu_engine.run.python.text import Block, Text

if TYPE_CHECKING:
    from kemu_engine.run.python.module import Module


class Steady(Flow):
    """Writes the parts of a graph of which the first may be run once only.

    `between`: the lines that have to stand behind that part, and before all others.
    """

    def __init__(self, module: Module, uses: Counter[int] | None, graph: Graph) -> None:
        super().__init__(module, uses, graph)
        self.between: Block = []
        self._settled = False
        self._steady: Ids = NONE
        self._held: dict[Key, str] = {}
        self._jumped_with: dict[int, tuple[int, int]] = {}  # intervals of variables there

    def settle(self) -> None:
        """From here on the parts are written to which the first one leads, by one jump; it is not come to
        again."""
        self._settled = True
        blocks = [self.program.blocks[number] for number in self._later()]
        changed = NONE.union(*(written(block.code) for block in blocks))
        exprs = [expr for block in blocks for expr in (*expressions(block.code), *asked(block.exit))]
        tried = (part for expr in exprs for part in within(expr) if isinstance(part, k.Trial))
        changed |= NONE.union(*(written(trial.body) for trial in tried))
        self._steady = frozenset(range(len(self.program.vars))) - changed

    def _later(self) -> Iterator[int]:
        """The blocks that are not of the first part alone."""
        waiting = sorted(self.graph.heads - {self.graph.entry})
        passed = set(waiting)
        while waiting:
            number = waiting.pop()
            yield number
            more = set(self.graph.following(number)) - passed
            passed |= more
            waiting += sorted(more)

    def part(self, head: int) -> None:
        self.forget()
        self._recollect()
        self.from_block(head, None)

    def jumping(self) -> None:
        """Takes note of what is known of variables where the first part jumps."""
        if self._settled:
            return
        for number, var in enumerate(self.program.vars):
            if var.length is None and isinstance(var.type, k.Int):
                self._jumped_with[number] = self.facts.interval(k.Load(var.type, number))

    def _recollect(self) -> None:
        for number in self._steady & self._jumped_with.keys():
            load = k.Load(self.program.vars[number].type, number)
            self.facts.known.note(self.key(load), self._jumped_with[number])

    def expr(self, expr: k.Expr) -> Text:
        if not self._steady or isinstance(expr, k.Const | k.Local | k.Load):
            return super().expr(expr)
        traits = self.traits.of(expr)
        if traits.locals or not traits.vars or not traits.vars <= self._steady or not cheap(expr):
            return super().expr(expr)
        key = self.key(expr)
        if key not in self._held:
            name = self._between(expr)
            if name is None:
                return super().expr(expr)
            self._held[key] = name
        return Text(self._held[key])

    def _between(self, expr: k.Expr) -> str | None:
        """Works an expression out where the first part ends; None if it is not sure to have a value there."""
        known, facts, steady, out, lazy = self.known, self.facts, self._steady, self.out, self.lazy
        self.known, self.facts = Trail(), Facts(self.key)
        self._recollect()
        self._steady, self.out, self.lazy = NONE, self.between, 0
        name = self.named(super().expr(expr)) if self.sure(expr) else None
        self.known, self.facts, self._steady, self.out, self.lazy = known, facts, steady, out, lazy
        return name
