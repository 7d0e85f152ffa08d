"""What comprehensions and loops run through, while they are lowered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.values.context import Env, ExpressionLowering
from kemu_engine.lower.values.reps import Bag, Const, FiniteValue, Map, Num, Pairs, Rep, Seq, SetOf
from kemu_engine.static.problems import KEYS, refuse
from kemu_engine.static.values import LARGEST, Value, exact, iterate


@dataclass(frozen=True, slots=True)
class Source:
    """What a clause runs through: the positions in `over` (a set over 0..size-1) at which `holds`; `item` is
    what stands at one.
    """

    size: int
    over: k.Expr
    item: Callable[[k.Expr], Rep]
    holds: Callable[[k.Expr], k.Expr]
    values: tuple[Value, ...] | None  # the items, where they are known
    listed: Seq | None = None  # the list, if it is one

    @property
    def distinct(self) -> bool:
        """Whether no two items are the same: those of a list may be."""
        return self.values is not None and len(set(map(exact, self.values))) == len(self.values)

    def fixed(self) -> bool:
        """Whether it runs through the same in every position."""
        probe = k.Local(k.Int(0, max(self.size - 1, 0)), 0)
        return self.over == build.full(self.size) and self.holds(probe) == build.TRUE


@dataclass(frozen=True, slots=True)
class Lap:
    """One clause or several merged: a binder, where it runs, and the scope in which conditions and element
    are lowered.
    """

    binder: k.Local
    over: k.Expr
    where: k.Expr
    scope: Env
    sources: tuple[Source, ...] = ()

    @property
    def distinct(self) -> bool:
        """Whether it never binds the same values twice."""
        return all(source.distinct for source in self.sources)

    @property
    def empty(self) -> bool:
        """Whether there is never anything to run through: then nothing is bound in `scope`."""
        return self.over.type == k.Set(0)

    def fold(self, op: str, body: k.Expr = build.TRUE, size: int = 0) -> k.Expr:
        """`op` of the body; `size`: of the universe of a "set". The faults of what is run through remain,
        even if it is nothing.
        """
        made = build.fold(op, self.binder.id, self.over, self.where, body, size)
        return build.after(self.over, made) if self.empty else made


class Iterables:
    """Finds out what clauses run through."""

    def __init__(self, expressions: ExpressionLowering) -> None:
        self.expressions = expressions
        self.coercions = expressions.coercions
        self.builder = expressions.builder

    def source(self, expr: t.Expr, env: Env, known: bool = False) -> Source:
        """`known`: its values are wanted, so a list that is one of several known ones counts as a set."""
        if isinstance(expr, t.Range):
            low, high = self.expressions.number(expr.low, env), self.expressions.number(expr.high, env)
            if not (isinstance(low, k.Const) and isinstance(high, k.Const)):
                return self._hull(low, high, expr.span)
        rep = self.expressions.lower(expr, env)
        return self.of(
            self.coercions.set(rep, expr.span) if known and isinstance(rep, FiniteValue) else rep, expr.span
        )

    def _hull(self, low: k.Expr, high: k.Expr, span: t.Span) -> Source:
        """A range whose ends depend on play: all numbers it may ever hold, those that it holds now."""
        least, most = build.interval(low)[0], build.interval(high)[1]
        if most - least >= LARGEST:
            refuse("E0705", span, f"a range of more than {LARGEST:,} numbers")
        size = most - least + 1

        def holds(i: k.Expr) -> k.Expr:
            n = build.add(i, build.integer(least))
            return build.both(build.le(low, n), build.le(n, high))

        values = tuple(range(least, most + 1))
        if not values:
            never = build.after(build.le(low, high), build.full(0))
            return Source(0, never, lambda _: Const(None), _true, values)
        return Source(
            size, build.full(size), lambda i: Num(build.add(i, build.integer(least))), holds, values
        )

    def of(self, rep: Rep, span: t.Span) -> Source:
        match rep:
            case Const(value=value):
                try:
                    values = iterate(value)
                except TypeError as error:
                    refuse("E0710", span, str(error))
                return self._all(values)
            case SetOf(expr=expr, values=values):
                return Source(len(values), expr, lambda i: self.coercions.family(i, values), _true, values)
            case Map(keys=keys) | Pairs(keys=keys):
                return self._met(rep, self._all(keys))
            case Bag(values=values, count=count):
                return Source(
                    len(values),
                    build.full(len(values)),
                    lambda i: self.coercions.family(i, values),
                    lambda i: build.lt(build.integer(0), count(i)),
                    values,
                )
            case FiniteValue(values=values) if any(isinstance(v, frozenset) for v in values):
                return self.of(self.coercions.set(rep, span), span)
        items = self.coercions.sequence(rep, span)
        fixed = isinstance(items.length, k.Const) and items.length.value == items.size
        holds = _true if fixed else lambda i: build.lt(i, items.length)
        return self._met(rep, Source(items.size, build.full(items.size), items.get, holds, None, items))

    def _met(self, rep: Rep, source: Source) -> Source:
        """All of what is gone through is worked out first."""
        first = self.coercions.faulty(rep)
        return replace(source, over=self.coercions.evaluated(first, source.over)) if first else source

    def _all(self, values: tuple[Value, ...]) -> Source:
        def item(i: k.Expr) -> Rep:
            return self.coercions.family(i, values) if values else Const(None)

        return Source(len(values), build.full(len(values)), item, _true, values)

    def lap(self, clause: t.Clause, env: Env) -> Lap:
        source = self.source(clause.source, env)
        binder = self.builder.local(clause.targets[0], k.Int(0, max(source.size - 1, 0)))
        return self._lap(clause, source, binder, binder, env)

    def _lap(self, clause: t.Clause, source: Source, binder: k.Local, at: k.Expr, env: Env) -> Lap:
        if source.size == 0:
            return Lap(binder, source.over, build.FALSE, env)
        scope = self.bind(clause.targets, source.item(at), env, clause.span)
        tests = [source.holds(at)]
        for condition in clause.conditions:
            tests.append(self.expressions.truth(condition, scope))
            if tests[-1] == build.FALSE:
                break
        return Lap(binder, source.over, build.both(*tests), scope, (source,))

    def bind(self, targets: tuple[str, ...], item: Rep, env: Env, span: t.Span) -> Env:
        if len(targets) == 1:
            return {**env, targets[0]: item}
        try:
            parts = self.coercions.parts(item, len(targets), span)
        except RulesError:
            names = ", ".join(targets)
            refuse("E0710", span, f"what this goes through cannot be split into `{names}`", KEYS)
        return {**env, **dict(zip(targets, parts, strict=True))}

    def merged(self, clauses: tuple[t.Clause, ...], env: Env) -> Lap:
        """Several clauses as one, its binder counting through the product of their positions."""
        if len(clauses) == 1:
            return self.lap(clauses[0], env)
        sizes: list[int] = []
        scope = env
        for clause in clauses:  # sizes first: the binder needs their product
            source = self.source(clause.source, scope)
            if source.size == 0:
                some = self.nested("any", clauses, env, lambda _: build.TRUE)
                return Lap(
                    self.builder.local("probe", k.Int(0, 0)),
                    build.after(some, build.full(0)),
                    build.FALSE,
                    env,
                )
            probe = self.builder.local("probe", k.Int(0, max(source.size - 1, 0)))
            scope = self.bind(clause.targets, source.item(probe), scope, clause.span)
            sizes.append(source.size)
        total = 1
        for size in sizes:
            total *= size
        if total > LARGEST:
            refuse("E0705", clauses[0].span, f"these clauses run through more than {LARGEST:,} cases")
        binder = self.builder.local(clauses[0].targets[0], k.Int(0, max(total - 1, 0)))
        sources: list[Source] = []
        scope, tests, rest = env, [], total
        for clause, size in zip(clauses, sizes, strict=True):
            rest //= size
            at = build.mod(build.div(binder, build.integer(rest)), build.integer(size))
            source = self.source(clause.source, scope)
            lap = self._lap(clause, source, binder, at, scope)
            inside = build.TRUE if source.over == build.full(source.size) else build.member(at, source.over)
            tests.append(build.both(inside, lap.where))
            sources.append(source)
            scope = lap.scope
        return Lap(binder, build.full(total), build.both(*tests), scope, tuple(sources))

    def nested(
        self,
        op: str,
        clauses: tuple[t.Clause, ...],
        env: Env,
        inner: Callable[[Env], k.Expr],
        laps: list[Lap] | None = None,
    ) -> k.Expr:
        """any, all, sum: one fold a clause. `laps`: to which the clauses are added."""
        if not clauses:
            return inner(env)
        lap = self.lap(clauses[0], env)
        if laps is not None:
            laps.append(lap)
        if lap.empty:
            return lap.fold(op)
        if lap.where == build.FALSE:
            none = build.fold(op, lap.binder.id, build.mask(1, 0), build.TRUE, build.integer(0))
            return build.after(lap.over, none)
        return lap.fold(op, self.nested(op, clauses[1:], lap.scope, inner, laps))


def _true(_: k.Expr) -> k.Expr:
    return build.TRUE
