"""Phase hoisting: what depends on state that is written before play goes round, but not then."""

from __future__ import annotations

from collections.abc import Callable

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import reached
from kemu_engine.kernel.regions import Regions
from kemu_engine.kernel.walk import NONE, Ids, asked, expressions, within, written
from kemu_engine.opt.analysis.range_analysis import Key
from kemu_engine.opt.licm import cheap
from kemu_engine.run.python.module import Module
from kemu_engine.run.python.scope import Scope
from kemu_engine.run.python.short_circuit import ShortCircuit
from kemu_engine.run.python.text import Block, Text


class PhaseHoist:
    """Of the parts of a graph of which the first may be run once only.

    `between`: the lines that have to stand behind that part, and before all others. `write` writes an
    expression for good.
    """

    def __init__(self, module: Module, scope: Scope, graph: Regions) -> None:
        self.program, self.scope, self.graph = module.program, scope, graph
        self.lazy: ShortCircuit
        self.write: Callable[[k.Expr], Text]
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

    def _later(self) -> list[int]:
        """The blocks that are not of the first part alone."""
        return reached(sorted(self.graph.heads - {self.graph.entry}), self.graph.following)

    def jumping(self) -> None:
        """Takes note of what is known of variables where the first part jumps."""
        if self._settled:
            return
        for number, var in enumerate(self.program.vars):
            if var.length is None and isinstance(var.type, k.Int):
                self._jumped_with[number] = self.scope.ranges.interval(k.Load(var.type, number))

    def recollect(self) -> None:
        """At the beginning of a part: what is known of variables that are not set any more."""
        for number in self._steady & self._jumped_with.keys():
            load = k.Load(self.program.vars[number].type, number)
            self.scope.ranges.known.note(self.scope.key(load), self._jumped_with[number])

    def hoisted(self, expr: k.Expr) -> Text | None:
        """The name of a value that is worked out in between."""
        if not self._steady:
            return None
        traits = self.scope.traits.of(expr)
        of_state = traits.vars and traits.vars <= self._steady
        if not of_state or traits.locals - self.scope.traits.named.keys() or not cheap(expr):
            return None
        key = self.scope.key(expr)
        if key not in self._held:
            name = self._between(expr)
            if name is None:
                return None
            self._held[key] = name
        return Text(self._held[key])

    def _between(self, expr: k.Expr) -> str | None:
        """Works an expression out where the first part ends; None if it is not sure to have a value there. A
        name that it holds is not given yet, and what the name stands for may fault."""
        with self.scope.elsewhere(self.between):
            self.recollect()
            steady, self._steady = self._steady, NONE
            whole = self.scope.traits.spelled(expr)
            name = self.scope.named(self.write(whole)) if self.lazy.sure(whole) else None
            self._steady = steady
        return name
