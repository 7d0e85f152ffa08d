"""Lowers comprehensions and what is asked of them: any, all, len, sum, min, max, first, only, sets; and
closures.
"""

from __future__ import annotations

from collections.abc import Callable

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.expressions.iterables import Lap, Source
from kemu_engine.lower.values.context import Env, ExpressionLowering
from kemu_engine.lower.values.reps import (
    Bag,
    Const,
    FiniteValue,
    Map,
    Num,
    Pairs,
    Rep,
    Seq,
    SetOf,
    Truth,
    Tup,
)
from kemu_engine.static.problems import refuse
from kemu_engine.static.values import LARGEST, FrozenMap, Value, arranged, iterate
from kemu_engine.static.values import Seq as ValueSeq


class Quantifiers:
    def __init__(self, expressions: ExpressionLowering) -> None:
        self.expressions = expressions
        self.coercions = expressions.coercions
        self.builder = expressions.builder

    # ------------------------------------------------------------------------------------------ sources

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
                return self._all(keys)
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
        return Source(items.size, build.full(items.size), items.get, holds, None, items)

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
        return Lap(binder, source.over, build.both(*tests), scope)

    def bind(self, targets: tuple[str, ...], item: Rep, env: Env, span: t.Span) -> Env:
        if len(targets) == 1:
            return {**env, targets[0]: item}
        return {**env, **dict(zip(targets, self.coercions.parts(item, len(targets), span), strict=True))}

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
        scope, tests, rest = env, [], total
        for clause, size in zip(clauses, sizes, strict=True):
            rest //= max(size, 1)
            at = build.mod(build.div(binder, build.integer(max(rest, 1))), build.integer(max(size, 1)))
            source = self.source(clause.source, scope)
            lap = self._lap(clause, source, binder, at, scope)
            inside = build.TRUE if source.over == build.full(source.size) else build.member(at, source.over)
            tests.append(build.both(inside, lap.where))
            scope = lap.scope
        return Lap(binder, build.full(total), build.both(*tests), scope)

    # --------------------------------------------------------------------------------- any, all, counts, sums

    def nested(
        self, op: str, clauses: tuple[t.Clause, ...], env: Env, inner: Callable[[Env], k.Expr]
    ) -> k.Expr:
        """any, all, sum: one fold a clause."""
        if not clauses:
            return inner(env)
        lap = self.lap(clauses[0], env)
        if lap.empty:
            return lap.fold(op)
        if lap.where == build.FALSE:
            return build.fold(op, lap.binder.id, build.mask(1, 0), build.TRUE, build.integer(0))
        return lap.fold(op, self.nested(op, clauses[1:], lap.scope, inner))

    def truths(self, op: str, e: t.Comprehension, env: Env) -> Rep:
        return Truth(self.nested(op, e.clauses, env, lambda scope: self.expressions.truth(e.element, scope)))

    def count(self, e: t.Comprehension, env: Env) -> Rep:
        """len of a comprehension."""
        if e.kind == "set" and not self._injective(e):
            return Num(build.card(self.set(e, env).expr))
        if len(e.clauses) == 1:
            return Num(self.lap(e.clauses[0], env).fold("count"))
        outer = e.clauses[:-1]

        def inner(scope: Env) -> k.Expr:
            return self.lap(e.clauses[-1], scope).fold("count")

        return Num(self.nested("sum", outer, env, inner))

    def _injective(self, e: t.Comprehension) -> bool:
        """Whether different laps surely give different elements: the element is made of all the clauses'
        names.
        """
        targets = [n for c in e.clauses for n in c.targets]
        parts = e.element.items if isinstance(e.element, t.Tuple) else (e.element,)
        names = [p.id for p in parts if isinstance(p, t.Name)]
        return set(targets) <= set(names)

    def sum(self, e: t.Comprehension, env: Env) -> Rep:
        inner = lambda scope: self.expressions.number(e.element, scope)  # noqa: E731
        try:
            return Num(self.nested("sum", e.clauses, env, inner))
        except build.TooWide:
            refuse("E0711", e.span, "this sum may need more than 63 bits")

    def sum_of(self, rep: Rep, span: t.Span) -> Rep:
        """sum of a collection that is no comprehension."""
        if isinstance(rep, Bag):
            binder = self.builder.local("value", k.Int(0, max(len(rep.values) - 1, 0)))
            value = self.coercions.number(self.coercions.family(binder, rep.values), span)
            body = build.mul(rep.count(binder), value)
            return Num(build.fold("sum", binder.id, build.full(len(rep.values)), build.TRUE, body))
        if isinstance(rep, Map | Pairs):
            refuse("E0762", span, "a map is not added up as it is: write `sum(m[k] for k in D)`")
        source = self.of(rep, span)
        binder = self.builder.local("item", k.Int(0, max(source.size - 1, 0)))
        body = self.coercions.number(source.item(binder), span) if source.size else build.integer(0)
        return Num(build.fold("sum", binder.id, source.over, source.holds(binder), body))

    def length(self, rep: Rep, span: t.Span) -> Rep:
        match rep:
            case SetOf(expr=expr):
                return Num(build.card(expr))
            case Seq(length=length):
                return Num(length)
            case Map(keys=keys) | Pairs(keys=keys):
                return Const(len(keys))
            case Tup(items=items):
                return Const(len(items))
            case Bag(values=values, count=count):
                binder = self.builder.local("value", k.Int(0, max(len(values) - 1, 0)))
                total = build.fold("sum", binder.id, build.full(len(values)), build.TRUE, count(binder))
                return Num(total)
        return self.expressions.apply(lambda v: len(iterate(v)), [rep], span)

    # ---------------------------------------------------------------------------------- extremes, first, only

    def extreme(self, op: str, e: t.Comprehension, env: Env) -> Rep:
        lap = self.merged(e.clauses, env)
        body = build.integer(0) if lap.empty else self.expressions.number(e.element, lap.scope)
        fault = self.builder.fault("empty_min", "the least or greatest of nothing", e.span)
        return Num(build.need(lap.fold("any"), lap.fold(op, body), fault))

    def extreme_of(self, op: str, rep: Rep, span: t.Span) -> Rep:
        source = self.of(rep, span)
        binder = self.builder.local("item", k.Int(0, max(source.size - 1, 0)))
        body = self.coercions.number(source.item(binder), span) if source.size else build.integer(0)
        some = build.fold("any", binder.id, source.over, source.holds(binder), build.TRUE)
        fault = self.builder.fault("empty_min", "the least or greatest of nothing", span)
        return Num(
            build.need(some, build.fold(op, binder.id, source.over, source.holds(binder), body), fault)
        )

    def first(self, e: t.Comprehension, env: Env) -> Rep:
        """The first element, or none."""
        lap = self.merged(e.clauses, env)
        found = lap.fold("first")
        if lap.empty:
            return self.coercions.family(build.after(lap.over, build.integer(0)), (None,))
        element = self.coercions.as_finite(self.expressions.lower(e.element, lap.scope))
        if element is None:
            refuse("E0722", e.span, "`first` needs elements of a domain or small numbers")
        in_order = element.index == lap.binder and arranged(element.values) is element.values
        if e.kind == "set" and not in_order:
            return self.one_of("first", self.set(e, env), e.span)
        if element.index == lap.binder:
            return FiniteValue(build.add(found, build.integer(1)), (None, *element.values))
        at = self.builder.local("found", found.type)
        inside = build.clamped(at, *build.interval(lap.binder))
        here = k.Let(element.index.type, lap.binder.id, inside, element.index)
        index = build.when(
            build.lt(at, build.integer(0)), build.integer(0), build.add(here, build.integer(1))
        )
        return FiniteValue(k.Let(index.type, at.id, found, index), (None, *element.values))

    def only(self, e: t.Comprehension, env: Env) -> Rep:
        if e.kind == "set" and not self._injective(e):
            return self.one_of("only", self.set(e, env), e.span)
        lap = self.merged(e.clauses, env)
        fault = self.builder.fault("missing_value", "exactly one is wanted", e.span)
        if lap.empty:
            return self.coercions.fails(fault, None)
        found = build.need(build.eq(lap.fold("count"), build.integer(1)), lap.fold("first"), fault)
        element = self.coercions.as_finite(self.expressions.lower(e.element, lap.scope))
        if element is None:
            refuse("E0722", e.span, "`only` needs elements of a domain or small numbers")
        return self.coercions.family(
            k.Let(element.index.type, lap.binder.id, found, element.index), element.values
        )

    def one_of(self, name: str, rep: Rep, span: t.Span) -> Rep:
        """`first` or `only` of a collection that is no comprehension: of all that is in it."""
        clause = t.Clause(("one",), t.Name("these", span=span), (), span=span)
        each = t.Comprehension("each", t.Name("one", span=span), (clause,), span=span)
        return (self.first if name == "first" else self.only)(each, {"these": rep})

    # ----------------------------------------------------------------------------------------- sets and lists

    def comprehension(self, e: t.Comprehension, env: Env) -> Rep:
        """A comprehension as a value."""
        if e.kind == "set":
            return self.set(e, env)
        if e.kind in ("list", "each"):
            return self._list(e, env)
        return self._map(e, env)

    def _map(self, e: t.Comprehension, env: Env) -> Pairs:
        """A map whose keys are known: `{k: value for k in D}`."""
        clause, key = e.clauses[0], e.key
        source = self.source(clause.source, env)
        plain = isinstance(key, t.Name) and (key.id,) == clause.targets and not clause.conditions
        if len(e.clauses) > 1 or not plain or source.values is None or not source.fixed():
            refuse(
                "E0751",
                e.span,
                "the keys of this map are not known before play; write `{k: value for k in D}`",
            )

        def get(i: k.Expr) -> Rep:
            return self.expressions.lower(e.element, self.bind(clause.targets, source.item(i), env, e.span))

        return Pairs(source.values, get)

    def set(self, e: t.Comprehension, env: Env) -> SetOf:
        lap = self.merged(e.clauses, env)
        if lap.empty:
            return SetOf(lap.over, ())
        element = self.coercions.as_finite(self.expressions.lower(e.element, lap.scope))
        if element is None:
            refuse("E0723", e.span, "during play a set can only hold elements of domains")
        universe = arranged(element.values)
        if element.index == lap.binder and universe is element.values:
            return SetOf(self._filtered(lap), universe)
        body = self.coercions.remap(element, universe)
        return SetOf(lap.fold("set", body, len(universe)), universe)

    def _filtered(self, lap: Lap) -> k.Expr:
        if lap.where == build.TRUE:
            return lap.over
        assert isinstance(lap.over.type, k.Set)
        return lap.fold("set", lap.binder, lap.over.type.size)

    def _list(self, e: t.Comprehension, env: Env) -> Rep:
        """A list whose length is known: one item for every element of a known source, no condition that
        depends on play.
        """
        clause = e.clauses[0]
        source = self.source(clause.source, env)
        if len(e.clauses) > 1 or source.values is None or source.over != build.full(source.size):
            refuse(
                "E0761",
                e.span,
                "the length of this list is not known before play; use a set, or a state variable",
            )
        items: list[Rep] = []
        for i in range(source.size):
            scope = self.bind(clause.targets, source.item(build.integer(i)), env, clause.span)
            tests = [self.expressions.truth(c, scope) for c in clause.conditions]
            keep = build.both(source.holds(build.integer(i)), *tests)
            if keep == build.TRUE:
                items.append(self.expressions.lower(e.element, scope))
            elif keep != build.FALSE:
                refuse(
                    "E0761",
                    e.span,
                    "the length of this list is not known before play; use a set, or a state variable",
                )
        return Tup(tuple(items), None, True)

    def contains(self, items: Seq, value: Rep, span: t.Span) -> k.Expr:
        return self._search("any", items, value, span)

    def position(self, items: Seq, value: Rep, span: t.Span) -> k.Expr:
        """The first position of a value in a list, -1 if it is not there."""
        return self._search("first", items, value, span)

    def occurrences(self, items: Seq, value: Rep, span: t.Span) -> k.Expr:
        """How often a value is in a list."""
        return self._search("count", items, value, span)

    def _search(self, op: str, items: Seq, value: Rep, span: t.Span) -> k.Expr:
        """The value is worked out once and first, so that its fault is one of an empty list, too."""
        fam = self.coercions.as_finite(value)
        wanted = None
        if fam is not None and build.faults(fam.index):
            wanted = self.builder.local("wanted", fam.index.type)
            value = FiniteValue(wanted, fam.values)
        binder = self.builder.local("position", k.Int(0, max(items.size - 1, 0)))
        same = self.expressions.operations.equal(items.get(binder), value, span)
        inside = build.both(build.lt(binder, items.length), same)
        found = build.fold(op, binder.id, build.full(items.size), inside, build.TRUE)
        if fam is None or wanted is None:
            return found
        return k.Let(found.type, wanted.id, fam.index, found)

    def equal_lists(self, a: Seq, b: Seq, span: t.Span) -> k.Expr:
        size = min(a.size, b.size)
        same = build.eq(a.length, b.length)
        if size == 0:
            return same
        binder = self.builder.local("position", k.Int(0, size - 1))
        item = self.expressions.operations.equal(a.get(binder), b.get(binder), span)
        return build.both(
            same, build.fold("all", binder.id, build.full(size), build.lt(binder, a.length), item)
        )

    # ------------------------------------------------------------------------------------------ closures

    def closure(self, e: t.Call, env: Env) -> Rep:
        """`closure(seed, x -> set)`, over a universe that is closed under the step."""
        arrow = e.args[1]
        assert isinstance(arrow, t.Arrow)
        seed = self.expressions.lower(e.args[0], env)
        start = self.coercions.set(Const(frozenset()) if _empty(seed) else seed, e.span)
        universe = start.values
        while True:
            binder = self.builder.local(arrow.params[0], k.Int(0, max(len(universe) - 1, 0)))
            item = self.coercions.family(binder, universe) if universe else Const(None)
            step = self.coercions.set(
                self.expressions.lower(arrow.body, {**env, arrow.params[0]: item}), e.span
            )
            wider = arranged((*universe, *step.values))
            if len(wider) == len(universe):
                break
            universe = wider
        if not universe:
            return Const(frozenset())
        seeds = self.coercions.set(start, e.span, universe).expr
        steps = self.coercions.set(step, e.span, universe).expr
        return SetOf(k.Closure(k.Set(len(universe)), seeds, binder.id, steps), universe)


def _true(_: k.Expr) -> k.Expr:
    return build.TRUE


def _empty(rep: Rep) -> bool:
    return isinstance(rep, Const) and isinstance(rep.value, FrozenMap | ValueSeq) and not rep.value
