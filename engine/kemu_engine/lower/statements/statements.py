"""Lowers statements that do not stop: assignments, `if`, loops, `move`; also the bodies of functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.expressions.calls import Calls
from kemu_engine.lower.expressions.expressions import Expressions
from kemu_engine.lower.expressions.iterables import Iterables, Source
from kemu_engine.lower.expressions.quantifiers import Quantifiers
from kemu_engine.lower.statements import path_laps
from kemu_engine.lower.statements.assignment import AssignmentLowering
from kemu_engine.lower.statements.kill_dead_locals import zero
from kemu_engine.lower.statements.moves import move
from kemu_engine.lower.statements.rules_in_place import RulesInPlace, whole_of
from kemu_engine.lower.statements.unique_check import distinct
from kemu_engine.lower.values.context import Env, Scope
from kemu_engine.lower.values.dependence import root
from kemu_engine.lower.values.finite import fitting, texts_of
from kemu_engine.lower.values.infer_local import infer
from kemu_engine.lower.values.layout import Layout, is_scalar, kernel_type, texts
from kemu_engine.lower.values.reps import (
    Bag,
    Const,
    Map,
    Place,
    RecordPlace,
    Rep,
    Scalar,
    Seq,
    Tup,
    composite,
)
from kemu_engine.lower.values.shapes import flatten, rebuild
from kemu_engine.static.problems import refuse
from kemu_engine.static.types import RecordType, Type
from kemu_engine.static.values import Value

MOST_LAPS = 1_000_000
STATED = 10  # steps of a statement, without the expressions in it


class StraightLineLowering:
    """Statements without stops, emitted into `out`."""

    def __init__(
        self,
        expressions: Expressions,
        iterables: Iterables,
        quantifiers: Quantifiers,
        calls: Calls,
        layout: Layout,
    ) -> None:
        self.expressions = expressions
        self.iterables = iterables
        self.quantifiers = quantifiers
        self.calls = calls
        self.coercions = expressions.coercions
        self.builder = expressions.builder
        self.evaluator = expressions.evaluator
        self.layout = layout
        self.storing = AssignmentLowering(self)
        self.rules = RulesInPlace(self, calls.functions)
        self.out: list[k.Stmt] = []
        self.counts: dict[str, int] = {}  # how often names are assigned in the body that is being lowered
        self.frame = ""  # its name
        self.trying = False  # whether what is lowered is only tried out, for a `require`
        self.only_tried = 0  # how many variables are for what is only tried out
        self.on_return: Callable[[t.Return, Env], None] | None = None

    # --------------------------------------------------------------------------------------- blocks and loops

    @contextmanager
    def into(self) -> Iterator[list[k.Stmt]]:
        """Collects what is emitted inside."""
        before, self.out = self.out, []
        try:
            yield self.out
        finally:
            self.out = before

    @contextmanager
    def trial(self) -> Iterator[list[k.Stmt]]:
        """Collects what is only tried out."""
        before, self.trying = self.trying, True
        known = len(self.builder.vars) - self.only_tried
        try:
            with self.into() as code:
                yield code
        finally:
            self.trying = before
            self.only_tried = len(self.builder.vars) - known

    def block(self, body: Sequence[t.Statement], scope: Scope) -> k.Code:
        with self.into() as code:
            for s in body:
                self.run(s, scope)
        return tuple(code)

    def run(self, s: t.Statement, scope: Scope) -> None:
        self.evaluator.work.spend(STATED, s.span)
        match s:
            case t.Assign():
                self.assign(s, scope)
            case t.Do():
                self.do(s, scope)
            case t.If():
                self._if(s, scope)
            case t.For():
                self._for(s, scope)
            case t.Repeat():
                self._repeat(s, scope)
            case t.Path():
                path_laps.laps(self, self.iterables, s, scope)
            case t.Break():
                self.out.append(k.Break())
            case t.Continue():
                self.out.append(k.Continue())
            case t.Pass():
                pass
            case t.Move():
                self.move(s, scope)
            case t.Note(history=history) | t.Forget(history=history):
                var = self.expressions.histories[history.id]
                if var is not None:
                    made = k.Note if isinstance(s, t.Note) else k.Forget
                    self.out.append(made(var, self.builder.origin(s.span)))
            case t.Assert():
                self.assertion(s, scope)
            case t.Return():
                assert self.on_return is not None
                self.on_return(s, scope)
            case t.While():
                refuse(
                    "E0726",
                    s.span,
                    "every pass of this `while` must decide or draw; or write `repeat at most n:`",
                )
            case _:
                raise AssertionError(f"this statement needs blocks: {s}")

    def _if(self, s: t.If, scope: Scope) -> None:
        self._branches(s.branches, s.other, scope)

    def _branches(self, branches: tuple[tuple[t.Expr, t.Block], ...], other: t.Block, scope: Scope) -> None:
        if not branches:
            self.out.extend(self.block(other, dict(scope)))
            return
        test = self.expressions.truth(branches[0][0], scope)
        if isinstance(test, k.Const):
            if test.value:
                self.out.extend(self.block(branches[0][1], dict(scope)))
            else:
                self._branches(branches[1:], other, scope)
            return
        then = self.block(branches[0][1], dict(scope))
        with self.into() as rest:
            self._branches(branches[1:], other, scope)
        self.out.append(k.When(test, then, tuple(rest)))

    def _for(self, s: t.For, scope: Scope) -> None:
        source = self.iterables.source(s.source, scope)
        if source.size == 0:
            self.nothing(source)
            return
        local = self.builder.local(f"{self.frame}.{s.targets[0]}", k.Int(0, source.size - 1))
        over = source.over
        if source.holds(local) != build.TRUE:
            over = self._frozen(source.holds, source.size)
        item = self.frozen(source, s)(local)
        inner = dict(self.iterables.bind(s.targets, item, scope, s.span))
        body = self._guarded(s.conditions, s.body, inner)
        self.out.append(k.For(local.id, over, body))

    def nothing(self, source: Source) -> None:
        """A loop over what is never anything: only the faults of saying what it is remain."""
        if build.faults(source.over):
            self.out.append(k.For(self.builder.local("nothing", k.Int(0, 0)).id, source.over, ()))

    def _frozen(self, holds: Callable[[k.Expr], k.Expr], size: int) -> k.Expr:
        binder = self.builder.local("element", k.Int(0, size - 1))
        return build.fold("set", binder.id, build.full(size), holds(binder), binder, size)

    def frozen(self, source: Source, s: t.For) -> Callable[[k.Expr], Rep]:
        """The elements as they are on entry: a list that may change while it is run through is copied."""
        if source.values is not None or source.size == 0:
            return source.item
        any_ = k.Local(k.Int(0, source.size - 1), 0)
        if source.listed is not None and composite(source.item(any_)):
            held = self.held(f"{' '.join(s.targets)} of", source.listed, s.span)
            return self.coercions.sequence(held, s.span).get
        items: list[Rep] = []
        for i in range(source.size):
            at = build.integer(i)
            item, there = source.item(at), source.holds(at)
            exprs = (
                x if there == build.TRUE else k.If(x.type, there, x, zero(x.type)) for x in flatten(item)
            )
            items.append(self.keep(f"{s.targets[0]}.{i}", rebuild(item, exprs)))
        return self.coercions.sequence(Tup(tuple(items)), s.span).get

    def _guarded(self, conditions: tuple[t.Expr, ...], body: t.Block, scope: Scope) -> k.Code:
        if not conditions:
            return self.block(body, scope)
        tests: list[k.Expr] = []
        for condition in conditions:
            tests.append(self.expressions.truth(condition, scope))
            if tests[-1] == build.FALSE:
                return ()
        test = build.both(*tests)
        code = self.block(body, scope)
        return code if test == build.TRUE else (k.When(test, code),)

    def _repeat(self, s: t.Repeat, scope: Scope) -> None:
        bound = self.laps(s, scope)
        fault = self.builder.fault("overrun", f"the loop runs more than {bound} times", s.span)
        self.out.append(k.Loop(bound, self.block(s.body, dict(scope)), fault))

    def laps(self, s: t.Repeat, scope: Env) -> int:
        """How often a loop may run."""
        bound = self.evaluator.number(s.bound, self.known(scope))
        if not 0 <= bound <= MOST_LAPS:
            refuse("E0727", s.bound.span, f"a loop runs at most {MOST_LAPS:,} times, not {bound:,}")
        return bound

    def known(self, scope: Env) -> dict[str, Value]:
        return {n: b.value for n, b in scope.items() if isinstance(b, Const)}

    # ------------------------------------------------------------------------------------------ assignments

    def assign(self, s: t.Assign, scope: Scope) -> None:
        assert not isinstance(s.value, t.Event), "chance needs blocks"
        rep = self.value(s.value, scope)
        new = isinstance(s.target, t.Name) and s.target.id not in scope
        self.give(s.target, s.op, rep, s.type or (self._said(s.value, rep) if new else None), scope, s.span)

    def _said(self, value: t.Value, rep: Rep) -> t.Type | None:
        """The type of a list, bag or map that the function or rule says which gives it."""
        if composite(rep) and isinstance(value, t.Call) and isinstance(value.value, t.Name):
            declaration = self.evaluator.names.get(value.value.id)
            return declaration.result if isinstance(declaration, t.Fun | t.Rule) else None
        return None

    def value(self, value: t.Expr, scope: Scope) -> Rep:
        """The right-hand side: an expression, or the call of a rule that does not stop."""
        rule = self.rule_of(value)
        if rule is None:
            return self.expressions.lower(value, scope)
        assert isinstance(value, t.Call)
        rep = self.rules.inline(rule, value, scope)
        if rep is None:
            refuse("E0738", value.span, f"the rule `{rule.name}` returns nothing")
        return rep

    def rule_of(self, value: t.Value) -> t.Rule | None:
        if isinstance(value, t.Call) and isinstance(value.value, t.Name):
            declaration = self.evaluator.names.get(value.value.id)
            return declaration if isinstance(declaration, t.Rule) else None
        return None

    def give(
        self, target: t.Expr, op: str, rep: Rep, kind: t.Type | None, scope: Scope, span: t.Span
    ) -> None:
        """Carries out `target op rep`."""
        name = target.id if isinstance(target, t.Name) else None
        if (
            name is not None
            and name not in self.expressions.places
            and (kind is not None or name not in scope)
        ):
            self._declare(
                name,
                rep,
                None if kind is None else self.evaluator.types.make(kind, self.known(scope)),
                scope,
                span,
            )
            return
        if (
            name is not None
            and name in scope
            and not isinstance(scope[name], Scalar | Bag | Seq | Map | RecordPlace)
        ):
            scope[name] = self.keep(name, rep)  # assigned once in this body: a fresh value for the name
            return
        place = self.expressions.place(target, scope)
        if op == "|=" and isinstance(place, Map):
            self.storing.overlay(place, rep, span)
        else:
            self.storing.store(place, rep if op == "=" else self._updated(place, op[0], rep, span), span)
        self.remains(target, scope, span)

    def remains(self, target: t.Expr, scope: Scope, span: t.Span) -> None:
        """After a change of a `unique` map, that it is one still."""
        whole = self.unique(target, scope)
        if whole is not None:
            distinct(self, whole, span)

    def unique(self, target: t.Expr, scope: Scope) -> Map | None:
        """The `unique` map that this is a part of, also by the name of an `inout` parameter."""
        name = root(target) or ""
        whole = scope.get(whole_of(name), self.expressions.places.get(name))
        return whole if isinstance(whole, Map) and whole.unique else None

    def _updated(self, place: Place, op: str, rep: Rep, span: t.Span) -> Rep:
        old = self.expressions.read(place)
        return self.expressions.operations.binary(op, old, rep, span)

    def _declare(self, name: str, rep: Rep, kind: Type | None, scope: Scope, span: t.Span) -> None:
        """The first assignment to a local name."""
        if kind is None and not composite(rep) and self.counts.get(name, 0) <= 1:
            scope[name] = self.keep(name, rep)
            return
        if kind is None:
            kind = infer(self.evaluator.known, rep, name, span, self.counts.get(name, 0) <= 1)
        place = self.new_local(f"{self.frame}.{name}", kind, span)
        self.storing.store(place, rep, span)
        scope[name] = place

    def keep(self, name: str, rep: Rep) -> Rep:
        """The value, worked out now and kept in locals."""
        kept: list[k.Expr] = []
        names = texts_of(rep)
        for expr in flatten(rep):
            if isinstance(expr, k.Const):
                kept.append(expr)
                continue
            local = self.builder.local(f"{self.frame}.{name}", expr.type, fitting(names, expr.type))
            self.out.append(k.Assign(local.id, expr))
            kept.append(local)
        return rebuild(rep, iter(kept))

    def held(self, name: str, rep: Rep, span: t.Span) -> Rep:
        """The value, worked out now and kept, if need be as a variable."""
        if not composite(rep):
            return self.keep(name, rep)
        kind = infer(self.evaluator.known, rep, name, span, fixed=True)
        place = self.new_local(f"{self.frame}.{name}", kind, span)
        self.storing.store(place, rep, span)
        return self.expressions.read(place)

    def new_local(self, name: str, kind: Type, span: t.Span) -> Place:
        if is_scalar(kind):
            local = self.builder.local(name, kernel_type(kind, span), texts(kind))
            return Scalar(kind, local.id, None, True)
        if isinstance(kind, RecordType):
            return RecordPlace(
                tuple((n, self.new_local(f"{name}.{n}", inner, span)) for n, inner in kind.fields)
            )
        return self.layout.allocate(name, kind, span, local=True)

    def assertion(self, s: t.Assert, scope: Scope) -> None:
        """Holds whenever play passes here; a trial is no play."""
        if not self.trying:
            fault = self.builder.fault("assertion", f"`{s.name}` does not hold here", s.span, s.name)
            self.storing.check(self.expressions.truth(s.condition, scope), fault)

    # ------------------------------------------------------------------------------------------ moving

    def move(self, s: t.Move, scope: Scope) -> None:
        move(self, s, scope)
        self.remains(s.target, scope, s.span)

    # --------------------------------------------------------------------------------- rules that do not stop

    def do(self, s: t.Do, scope: Scope) -> None:
        assert not isinstance(s.value, t.Event), "chance needs blocks"
        rule = self.rule_of(s.value)
        if rule is None:
            raise AssertionError(f"a function does nothing: {s}")
        assert isinstance(s.value, t.Call)
        rep = self.rules.inline(rule, s.value, scope)
        if rep is not None:
            self.meet(rep)

    def meet(self, rep: Rep) -> None:
        """What might fault of a value that perhaps nobody looks at."""
        for expr in self.coercions.faulty(rep):
            self.out.append(k.Assign(self.builder.local(f"{self.frame}.met", expr.type).id, expr))
