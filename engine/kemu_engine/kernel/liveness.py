"""Which locals a program needs where: what expressions and code read, what is alive at each block."""

from __future__ import annotations

from collections.abc import Iterable

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import Stopping
from kemu_engine.kernel.dataflow import backward, forward
from kemu_engine.kernel.walk import asked, assigned

Locals = frozenset[int]
NONE: Locals = frozenset()


class Reads:
    """The locals that expressions read and do not bind themselves; each node and block is worked out once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[k.Expr, Locals]] = {}
        self._blocks: dict[int, tuple[k.Block, Locals, Locals | None]] = {}

    def of(self, expr: k.Expr) -> Locals:
        known = self._known.get(id(expr))
        if known is None:
            known = self._known[id(expr)] = (expr, self._of(expr))
        return known[1]

    def all(self, exprs: Iterable[k.Expr]) -> Locals:
        return NONE.union(*map(self.of, exprs))

    def block(self, block: k.Block) -> tuple[Locals, Locals | None]:
        """What a block reads before it sets it, and what it sets (None: its exit is never reached)."""
        known = self._blocks.get(id(block))
        if known is None:
            flow = Flow(self)
            flow.code(block.code)
            by_exit = NONE if flow.set is None else read_by_exit(block.exit, self) - flow.set
            known = self._blocks[id(block)] = block, flow.read | by_exit, flow.set
        return known[1:]

    def _of(self, expr: k.Expr) -> Locals:
        match expr:
            case k.Local():
                return frozenset({expr.id})
            case k.At() | k.Lookup():
                return self.of(expr.index)
            case k.Op() | k.Call() | k.Intrinsic():
                return self.all(expr.args)
            case k.If():
                return self.all((expr.test, expr.then, expr.other))
            case k.Fold():
                return self.of(expr.over) | self.all((expr.where, expr.body)) - {expr.binder}
            case k.Closure():
                return self.of(expr.seed) | self.of(expr.step) - {expr.binder}
            case k.Let():
                return self.of(expr.value) | self.of(expr.body) - {expr.local}
            case k.Need():
                return self.all((expr.test, expr.value))
            case k.Trial():
                flow = Flow(self)
                flow.code(expr.body)
                return flow.read | self.of(expr.test) - (flow.set or NONE)
            case _:
                return NONE


class Flow:
    """One way through code: `read` gathers the locals that may be read before they are set here, `set`
    those that are certainly set by now (None: this point is never reached)."""

    def __init__(self, reads: Reads) -> None:
        self.reads = reads
        self.read: Locals = NONE
        self.set: Locals | None = NONE
        self._at_breaks: list[Locals | None] = []

    def expr(self, expr: k.Expr, bound: Locals = NONE) -> None:
        if self.set is not None:
            self.read |= self.reads.of(expr) - self.set - bound

    def code(self, code: k.Code) -> None:
        for statement in code:
            self._statement(statement)

    def _statement(self, statement: k.Stmt) -> None:
        match statement:
            case k.Assign():
                self.expr(statement.value)
                self.set = None if self.set is None else self.set | {statement.local}
            case k.Store():
                self.expr(statement.value)
            case k.Put():
                self.expr(statement.index)
                self.expr(statement.value)
            case k.Fill():
                self.expr(statement.value, frozenset({statement.binder}))
            case k.Check():
                self.expr(statement.test)
                if isinstance(statement.test, k.Const) and not statement.test.value:
                    self.set = None
            case k.When():
                self._when(statement)
            case k.For() | k.Loop():
                self._laps(statement)
            case k.Return():
                self.expr(statement.value)
                self.set = None
            case k.Break():
                self._at_breaks.append(self.set)
                self.set = None
            case k.Continue():
                self.set = None

    def _when(self, when: k.When) -> None:
        self.expr(when.test)
        before = self.set
        self.code(when.then)
        after, self.set = self.set, before
        self.code(when.other)
        self.set = meet(after, self.set)

    def _laps(self, laps: k.For | k.Loop) -> None:
        before, outer = self.set, self._at_breaks
        self._at_breaks = []
        if isinstance(laps, k.For):
            self.expr(laps.over)
            self.set = None if before is None else before | {laps.local}
        self.code(laps.body)
        left = None
        for there in self._at_breaks:
            left = meet(left, there)
        self.set = meet(before, left) if isinstance(laps, k.For) else left
        self._at_breaks = outer


def meet(one: Locals | None, other: Locals | None) -> Locals | None:
    """What is set for certain where two ways come together."""
    if one is None or other is None:
        return other if one is None else one
    return one & other


def read_by_exit(exit: k.Exit, reads: Reads) -> Locals:
    """The locals that an exit reads before it sets them."""
    match exit:
        case k.Split():
            return reads.of(exit.test)
        case k.Switch():
            return frozenset({exit.local})
        case k.Chance():
            return reads.all(asked(exit)) - {exit.local}
        case k.Decide():
            found = reads.of(exit.actor)
            for arm in exit.arms:
                bound: Locals = NONE
                found |= reads.of(arm.guard)
                for param in arm.params:
                    found |= reads.of(param.over) - bound
                    bound |= {param.local}
                    found |= reads.of(param.where) - bound
                found |= reads.of(arm.legal) - bound
            return found
        case _:
            return NONE


def needed(program: k.Program, reads: Reads | None = None) -> list[Locals]:
    """For every block the locals whose values on entry may still be read. `reads`: what is known already."""
    reads = reads or Reads()
    blocks = [reads.block(block) for block in program.blocks]

    def before(number: int, onward: Locals) -> Locals:
        read, done = blocks[number]
        return read if done is None else read | onward - done

    return backward(program, before)


def perhaps_set(program: k.Program) -> list[Locals]:
    """For every block the locals that may have been set on the way to it."""

    def flow(number: int, entry: Locals) -> Locals:
        block = program.blocks[number]
        if isinstance(block.exit, Stopping):
            return entry & frozenset(block.live)
        return entry | assigned(block.code)

    return forward(program, flow, lambda edge: edge.sets)
