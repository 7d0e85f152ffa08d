"""What can be said of expressions without running them.

What they read, whether they are sure to give a value, and which are equal (value numbering).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Protocol

from kemu_engine.kernel import interval
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import NONE, Ids, children, expressions, overwritten, read, rebuilt, written
from kemu_engine.opt.nodes import Cells, Named


class Parts(Protocol):
    """A program, or one in the making."""

    @property
    def vars(self) -> Sequence[k.Var]: ...
    @property
    def locals(self) -> Sequence[k.LocalInfo]: ...
    @property
    def tables(self) -> Sequence[k.Table]: ...
    @property
    def functions(self) -> Sequence[k.Function]: ...
    @property
    def blocks(self) -> Sequence[k.Block]: ...


@dataclass(frozen=True, slots=True)
class Traits:
    """What can be said of an expression without running it: the locals it reads and does not bind, the
    variables it reads (functions that it calls included), whether it is sure to give a value wherever its
    locals have one (`total`), and a number that equal expressions share, whatever their binders are called.
    """

    locals: Ids
    vars: Ids
    total: bool
    number: int


PARTIAL = frozenset({"div", "mod", "single"})
"""Operations that do not have a value of whatever they are given."""


class ExpressionAnalysis:
    """Finds the traits of a program's expressions, once for each. `named`: locals that are names for the
    values of expressions, and have their numbers."""

    def __init__(self, program: Parts, named: dict[int, k.Expr] | None = None) -> None:
        self.program = program
        self.named = {} if named is None else named
        self._bound: dict[int, int] = {}  # binder to its height, of the folds around
        self._known: dict[int, tuple[k.Expr, Traits]] = {}  # under these binders
        self._under: dict[tuple[tuple[int, int], ...], dict[int, tuple[k.Expr, Traits]]] = {(): self._known}
        self._heights: dict[int, tuple[k.Expr, int]] = {}
        self._numbers: dict[object, int] = {}
        self._functions: dict[int, tuple[Ids, bool]] = {}
        self._doubtful = maybe_undefined(program) - self.named.keys()

    def of(self, expr: k.Expr) -> Traits:
        known = self._known.get(id(expr))
        if known is None:
            known = self._known[id(expr)] = (expr, self._of(expr))
        return known[1]

    def _bind(self, bound: dict[int, int]) -> None:
        """What follows stands under these binders."""
        self._bound, self._known = bound, self._under.setdefault(tuple(bound.items()), {})

    def _of(self, expr: k.Expr) -> Traits:
        program = self.program
        match expr:
            case k.Op(type_, op, args):
                return self._node((op, type_ if op == "single" else None), args, NONE, self.defined(expr))
            case k.Const(_, value):
                return self._leaf(("const", int(value), isinstance(expr.type, k.Set)), NONE, NONE, True)
            case k.Local(_, local) if local in self.named:
                named = self.of(self.named[local])
                return replace(named, locals=named.locals | {local}, total=True)
            case k.Local(type_, local):
                height = self._bound.get(local)
                name = ("local", local) if height is None else ("bound", height)
                honest = interval.integers_fit(program.locals[local].type, type_)
                return self._leaf((name, type_), frozenset({local}), NONE, honest)
            case k.Load(type_, var):
                honest = interval.integers_fit(program.vars[var].type, type_)
                return self._leaf(("load", var, type_), NONE, frozenset({var}), honest)
            case k.At(type_, var, index):
                return self._node(("at", var, type_), (index,), frozenset({var}), self.defined(expr))
            case k.Times(_, var):
                return self._leaf(("times", var), NONE, read(program.vars, expr), True)
            case k.Lookup(type_, table, index):
                return self._node(("lookup", table, type_), (index,), NONE, self.defined(expr))
            case Named(_, (value,)):
                return self.of(value)
            case k.Intrinsic():
                vars = frozenset({expr.var}) if isinstance(expr, Cells) else NONE
                own = (getattr(expr, each.name) for each in fields(expr) if each.name != "args")
                return self._node((type(expr), *own), expr.args, vars, True)
            case k.If():
                return self._node(("if",), children(expr), NONE, True)
            case k.Fold(type_, op, binder, over, where, body):
                empty = type_ if op in ("min", "max") else None  # of nothing they are any value of their type
                return self._binding(("fold", op, empty), binder, (over,), (where, body), self.defined(expr))
            case k.Closure(_, seed, binder, step):
                return self._binding(("closure",), binder, (seed,), (step,), False)
            case k.Let(_, local, value, body) if local in self.named:
                meant, inside = self.of(value), self.of(body)
                locals = meant.locals | inside.locals - {local}
                vars, total = meant.vars | inside.vars, meant.total and inside.total
                return Traits(locals, vars, total, inside.number)
            case k.Let(_, local, value, body):
                return self._binding(("let",), local, (value,), (body,), True)
            case k.Call(_, function, args):
                reads, total = self.function(function)
                return self._node(("call", function), args, reads, total)
            case k.Need(type_, _, _, fault):
                return self._node(("need", fault, type_), children(expr), NONE, False)
            case k.Trial():
                return self._trial(expr)

    def meaning(self, expr: k.Expr) -> k.Expr:
        """What a name stands for; another expression itself."""
        while True:
            if isinstance(expr, Named):
                expr = expr.args[0]
            elif isinstance(expr, k.Local) and expr.id in self.named:
                expr = self.named[expr.id]
            else:
                return expr

    def spelled(self, expr: k.Expr) -> k.Expr:
        """The expression with all names in it replaced by what they stand for."""
        return rebuilt(self.meaning(expr), self.spelled)

    def defined(self, expr: k.Expr) -> bool:
        """Whether an expression has a value of its type wherever its parts have one of theirs."""
        match expr:
            case k.Op(_, op) if op not in PARTIAL:
                return True
            case k.At(type_, var, index):
                kept = self.program.vars[var]
                length = kept.length or 0
                if not interval.integers_fit(kept.type, type_):
                    return False
                part, allowed = index, k.Int(-length, length - 1)
            case k.Lookup(type_, table, index):
                values = self.program.tables[table].values
                if not values or not interval.integers_fit(k.Int(min(values), max(values)), type_):
                    return False
                part, allowed = index, k.Int(-len(values), len(values) - 1)
            case k.Op(_, "div" | "mod", (_, part)):
                assert isinstance(part.type, k.Int)
                allowed = k.Int(1, part.type.high) if part.type.high > 0 else k.Int(part.type.low, -1)
            case k.Op(_, "single", (part,)) | k.Fold(_, "set", body=part):
                allowed = k.Int(0, part.type.high if isinstance(part.type, k.Int) else 0)
            case _:
                return True
        if isinstance(part.type, k.Set):
            return True
        return interval.integers_fit(part.type, allowed) and not self.of(part).locals & self._doubtful

    def _number(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _leaf(self, key: object, locals: Ids, vars: Ids, total: bool) -> Traits:
        return Traits(locals, vars, total, self._number(key))

    def _node(self, key: tuple[object, ...], args: Iterable[k.Expr], vars: Ids, total: bool) -> Traits:
        return self._joined(key, list(map(self.of, args)), vars, total)

    def _joined(self, key: tuple[object, ...], parts: list[Traits], vars: Ids, total: bool) -> Traits:
        locals, numbers = NONE, []
        for part in parts:
            locals = locals | part.locals if locals else part.locals
            vars = vars | part.vars if vars else part.vars
            total = total and part.total
            numbers.append(part.number)
        return Traits(locals, vars, total, self._number((*key, *numbers)))

    def _binding(
        self,
        key: tuple[object, ...],
        binder: int,
        outer: tuple[k.Expr, ...],
        inner: tuple[k.Expr, ...],
        total: bool,
    ) -> Traits:
        """Of a node that binds a local in some of its parts; its number does not depend on which local."""
        height = 1 + max(map(self._height, inner))
        around = self._bound
        parts = [self.of(part) for part in outer]
        self._bind({local: at for local, at in around.items() if local != binder} | {binder: height})
        parts += [self.of(part) for part in inner]
        self._bind(around)
        joined = self._joined(key, parts, NONE, total)
        inside = NONE.union(*(part.locals for part in parts[len(outer) :])) - {binder}
        locals = inside.union(*(part.locals for part in parts[: len(outer)]))
        return Traits(locals, joined.vars, joined.total, joined.number)

    def _height(self, expr: k.Expr) -> int:
        """How deep binders nest in an expression."""
        known = self._heights.get(id(expr))
        if known is None:
            parts = children(expr)
            if isinstance(expr, k.Local) and expr.id in self.named:
                parts = (self.named[expr.id],)
            if isinstance(expr, k.Trial):
                parts += tuple(expressions(expr.body))
            height = max(map(self._height, parts), default=0)
            binds = isinstance(expr, k.Fold | k.Closure | k.Let)
            if isinstance(expr, k.Let) and expr.local in self.named:
                binds = False
            known = self._heights[id(expr)] = expr, height + binds
        return known[1]

    def _trial(self, trial: k.Trial) -> Traits:
        """A Trial is like no other expression, and depends on all that stands in it."""
        parts = [self.of(expr) for expr in (*expressions(trial.body), trial.test)]
        joined = self._joined(("trial", id(trial)), parts, written(trial.body), False)
        return Traits(joined.locals | overwritten(trial.body), joined.vars, False, joined.number)

    def function(self, number: int) -> tuple[Ids, bool]:
        """The variables that a function reads, and whether it is sure to give a value."""
        known = self._functions.get(number)
        if known is None:
            around = self._bound
            self._bind({})
            body = self.program.functions[number].body
            parts = [self.of(expr) for expr in expressions(body)]
            self._bind(around)
            plain = len(body) == 1 and isinstance(body[0], k.Return)
            known = NONE.union(*(part.vars for part in parts)), plain and all(part.total for part in parts)
            self._functions[number] = known
        return known


def block_locals(blocks: Iterable[k.Block]) -> Ids:
    """The locals that blocks set, or stops."""
    found: set[int] = set()
    for block in blocks:
        found |= overwritten(block.code) | set(block.live)
        if isinstance(block.exit, k.Decide):
            found |= {param.local for arm in block.exit.arms for param in arm.params}
        if isinstance(block.exit, k.Chance):
            found.add(block.exit.local)
    return frozenset(found)


def maybe_undefined(program: Parts) -> Ids:
    """The locals of blocks that have no value of their type while they are not set, for then they are 0."""
    locals = block_locals(program.blocks)
    return frozenset(
        local for local in locals if not interval.integers_fit(k.Int(0, 0), program.locals[local].type)
    )
