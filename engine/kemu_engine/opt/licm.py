"""Loop-invariant code motion: what a loop does not change is worked out before it, once, and gets a name.

An expression goes before a loop if it depends on nothing that the loop sets, and either is cheap and sure to
give a value, or is sure to be evaluated in the first lap before anything else that may fault. Its name is a
new local: assigned before a loop of statements, bound by a Let around a fold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import (
    NONE,
    Ids,
    children,
    expressions,
    overwritten,
    rebuilt,
    recoded,
    reexited,
    rewritten,
    tried,
    within,
    written,
)
from kemu_engine.opt.analysis.expression_analysis import ExpressionAnalysis
from kemu_engine.opt.draft import Draft
from kemu_engine.opt.optimized import Domain, Optimized

CHEAP = 40
"""Nodes of an expression that may be worked out in vain."""


def hoist_invariants(optimized: Optimized) -> Optimized:
    """The program with what its loops do not change before them."""
    motion = _Motion(optimized.draft, optimized.traits)
    made = rewritten(optimized.program, motion.code, lambda exit: reexited(exit, motion.expr))
    domains = {
        at: motion.domains(tuple(param.local for param in _params(made, *at)), each)
        for at, each in optimized.domains.items()
    }
    asked = tuple(map(motion.expr, optimized.asked))
    return replace(optimized, program=optimized.draft.done(made), domains=domains, asked=asked)


def _params(program: k.Program, block: int, arm: int) -> tuple[k.Param, ...]:
    decide = program.blocks[block].exit
    assert isinstance(decide, k.Decide)
    return decide.arms[arm].params


def cheap(expr: k.Expr) -> bool:
    for number, part in enumerate(within(expr)):
        if number >= CHEAP or isinstance(part, k.Fold | k.Closure | k.Let | k.Call):
            return False
    return True


def maximal_candidates(expr: k.Expr, locals: Ids, taken: Callable[[k.Expr, Ids], bool]) -> None:
    """Offers an expression and then its parts, until one is `taken`; with the locals that are set in the loop
    or around the part."""
    if isinstance(expr, k.Const | k.Local) or taken(expr, locals):
        return
    if isinstance(expr, k.Fold | k.Closure):
        locals |= {expr.binder}
    if isinstance(expr, k.Let):
        locals |= {expr.local}
    if not isinstance(expr, k.Trial):
        for part in children(expr):
            maximal_candidates(part, locals, taken)


def certain_first(expr: k.Expr, total: Callable[[k.Expr], bool], taken: Callable[[k.Expr], bool]) -> bool:
    """Offers what is sure to be evaluated, in the order in which it is, up to where something may fault.
    Whether nothing that is left can fault. `total`: the expression cannot."""
    if isinstance(expr, k.Const | k.Local | k.Load):
        return True
    if not tried(expr) and taken(expr):
        return True
    match expr:
        case k.Op(_, "and" | "or", (first, *rest)):
            return certain_first(first, total, taken) and all(map(total, rest))
        case k.If(_, test, then, other):
            return certain_first(test, total, taken) and total(then) and total(other)
        case k.Need(_, test):
            certain_first(test, total, taken)
            return False
        case k.Op() | k.At() | k.Lookup() | k.Intrinsic():
            return all(certain_first(part, total, taken) for part in children(expr))
    return total(expr)


Key = tuple[int, k.Type]


@dataclass(frozen=True, slots=True)
class Laps:
    """What is done in a loop: the expressions evaluated in it, of which `first` come first in every lap if it
    is sure to have one, and what it sets."""

    exprs: tuple[k.Expr, ...]
    locals: Ids
    vars: Ids = NONE
    first: tuple[k.Expr, ...] = ()


class _Invariants:
    """What goes before one loop: values by the names that they get, in their order."""

    def __init__(self, draft: Draft, traits: ExpressionAnalysis, laps: Laps) -> None:
        self.draft, self.traits, self.laps = draft, traits, laps
        self.values: dict[int, k.Expr] = {}
        self._known: dict[Key, k.Local] = {}
        for expr in laps.first:
            if not certain_first(expr, self._total, self._first):
                break
        for expr in laps.exprs:
            maximal_candidates(expr, laps.locals, self._ahead)

    def _total(self, expr: k.Expr) -> bool:
        return self.traits.of(expr).total

    def _first(self, expr: k.Expr) -> bool:
        return self._unchanged(expr, self.laps.locals) and self._name(expr)

    def _ahead(self, expr: k.Expr, locals: Ids) -> bool:
        if not self._unchanged(expr, locals):
            return False
        worth_it = self._key(expr) in self._known or (self._total(expr) and cheap(expr))
        return worth_it and self._name(expr)

    def _unchanged(self, expr: k.Expr, locals: Ids) -> bool:
        traits = self.traits.of(expr)
        return not traits.locals & locals and not traits.vars & self.laps.vars

    def _name(self, expr: k.Expr) -> bool:
        key = self._key(expr)
        if key not in self._known:
            local = self.draft.local(k.LocalInfo("t", expr.type))
            self.values[local] = self.traits.named[local] = self.inside(expr)
            self._known[key] = k.Local(expr.type, local)
        return True

    def _key(self, expr: k.Expr) -> Key:
        return self.traits.of(expr).number, expr.type

    def inside(self, expr: k.Expr, hidden: Ids = NONE, changed: Ids = NONE) -> k.Expr:
        """An expression of the loop with the names of what has got one; where it stands `hidden` locals and
        `changed` variables are not those around the loop."""
        if not self._known or isinstance(expr, k.Const | k.Local):
            return expr
        known = self._known.get(self._key(expr))
        if known is not None:
            traits = self.traits.of(expr)
            if not traits.locals & hidden and not traits.vars & changed:
                return known
        match expr:
            case k.Fold() | k.Closure():
                hidden |= {expr.binder}
            case k.Let():
                hidden |= {expr.local}
            case k.Trial(_, body):
                hidden, changed = hidden | overwritten(body), changed | written(body)
        return rebuilt(expr, lambda part: self.inside(part, hidden, changed))


class _Motion:
    """Rewrites code and expressions from the outermost loops inwards."""

    def __init__(self, draft: Draft, traits: ExpressionAnalysis) -> None:
        self.draft, self.traits = draft, traits

    def _before(self, laps: Laps) -> _Invariants:
        return _Invariants(self.draft, self.traits, laps)

    def _assigned(self, found: _Invariants) -> k.Code:
        return tuple(k.Assign(local, self.expr(value)) for local, value in found.values.items())

    # ------------------------------------------------------------------------------------------ code

    def code(self, code: k.Code) -> k.Code:
        return tuple(each for statement in code for each in self._statement(statement))

    def _statement(self, statement: k.Stmt) -> k.Code:
        match statement:
            case k.When(test, then, other):
                return (k.When(self.expr(test), self.code(then), self.code(other)),)
            case k.For(local, over, body):
                found, body = self._body(body, frozenset({local}))
                return (*found, k.For(local, self.expr(over), body))
            case k.Loop(_, body):
                found, body = self._body(body, NONE)
                return (*found, replace(statement, body=body))
            case k.Fill(var, binder, value):
                first = (value,) if self.draft.vars[var].length else ()
                invariants = self._before(Laps((value,), frozenset({binder}), first=first))
                value = self.expr(invariants.inside(value))
                return (*self._assigned(invariants), replace(statement, value=value))
            case _:
                return recoded((statement,), self.expr)

    def _body(self, body: k.Code, own: Ids) -> tuple[k.Code, k.Code]:
        """What goes before a loop, and its body then."""
        found = self._before(Laps(tuple(expressions(body)), overwritten(body) | own, written(body)))
        return self._assigned(found), self.code(recoded(body, found.inside))

    # ------------------------------------------------------------------------------------------ expressions

    def expr(self, expr: k.Expr) -> k.Expr:
        match expr:
            case k.Fold(_, _, binder, over, where, body):
                first = sure(over, where if where != build.truth(True) else body)
                found = self._before(Laps((where, body), frozenset({binder}), first=first))
                where, body = (self.expr(found.inside(part)) for part in (where, body))
                return self._bound(found, replace(expr, over=self.expr(over), where=where, body=body))
            case k.Closure(_, seed, binder, step):
                found = self._before(Laps((step,), frozenset({binder})))
                step = self.expr(found.inside(step))
                return self._bound(found, replace(expr, seed=self.expr(seed), step=step))
            case k.Trial(_, body, test):
                return replace(expr, body=self.code(body), test=self.expr(test))
            case _:
                return rebuilt(expr, self.expr)

    def _bound(self, found: _Invariants, expr: k.Expr) -> k.Expr:
        for local, value in reversed(found.values.items()):
            expr = k.Let(expr.type, local, self.expr(value), expr)
        return expr

    # ------------------------------------------------------------------------------------------ actions

    def domains(self, locals: tuple[int, ...], domains: tuple[Domain, ...]) -> tuple[Domain, ...]:
        """Loops within each other: what is asked of the values of the parameters of an arm."""
        done: list[Domain] = []
        while domains:
            outer, inner = domains[0], domains[1:]
            asked = (outer.where, *(expr for each in inner for expr in (each.over, each.where)))
            first = next(iter(expr for expr in asked if expr != build.truth(True)), outer.where)
            found = self._before(Laps(asked, frozenset(locals[len(done) :]), first=sure(outer.over, first)))
            where = self.expr(found.inside(outer.where))
            done.append(Domain(self._assigned(found), self.expr(outer.over), where))
            domains = tuple(Domain((), found.inside(each.over), found.inside(each.where)) for each in inner)
        return tuple(done)


def sure(over: k.Expr, first: k.Expr) -> tuple[k.Expr, ...]:
    """What comes first in every lap, if a loop is sure to have one."""
    return (first,) if isinstance(over, k.Const) and over.value else ()
