"""Lowers comprehensions and what is asked of them: any, all, len, sum, min, max, first, only, sets; and
closures.
"""

from __future__ import annotations

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.expressions.iterables import Iterables, Lap
from kemu_engine.lower.values.context import Env, ExpressionLowering
from kemu_engine.lower.values.finite import key_of
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
from kemu_engine.static.values import LARGEST, FrozenMap, arranged, iterate
from kemu_engine.static.values import Seq as ValueSeq


class Quantifiers:
    def __init__(self, expressions: ExpressionLowering, iterables: Iterables) -> None:
        self.expressions = expressions
        self.iterables = iterables
        self.coercions = expressions.coercions
        self.builder = expressions.builder

    # --------------------------------------------------------------------------------- any, all, counts, sums

    def truths(self, op: str, e: t.Comprehension, env: Env) -> Rep:
        return Truth(
            self.iterables.nested(op, e.clauses, env, lambda scope: self.expressions.truth(e.element, scope))
        )

    def count(self, e: t.Comprehension, env: Env) -> Rep:
        """len of a comprehension: its elements are worked out, too, as far as that may fail."""
        if e.kind == "set" and not self._injective(e):
            return Num(build.card(self.set(e, env).expr))
        laps: list[Lap] = []

        def inner(scope: Env) -> k.Expr:
            lap = self.iterables.lap(e.clauses[-1], scope)
            laps.append(lap)
            element = Const(None) if lap.empty else self.expressions.lower(e.element, lap.scope)
            one = self.coercions.after(self.coercions.faulty(element), Num(build.integer(1)))
            assert isinstance(one, Num)
            return lap.fold("count") if one.expr == build.integer(1) else lap.fold("sum", one.expr)

        number = self.iterables.nested("sum", e.clauses[:-1], env, inner, laps)
        if e.kind == "set" and not all(lap.distinct for lap in laps):
            return Num(build.card(self.set(e, env).expr))
        return Num(number)

    def _injective(self, e: t.Comprehension) -> bool:
        """Whether laps that bind different values surely give different elements: the element is made of all
        the clauses' names.
        """
        targets = [n for c in e.clauses for n in c.targets]
        parts = e.element.items if isinstance(e.element, t.Tuple) else (e.element,)
        names = [p.id for p in parts if isinstance(p, t.Name)]
        return set(targets) <= set(names)

    def sum(self, e: t.Comprehension, env: Env) -> Rep:
        inner = lambda scope: self.expressions.number(e.element, scope)  # noqa: E731
        try:
            return Num(self.iterables.nested("sum", e.clauses, env, inner))
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
        source = self.iterables.of(rep, span)
        binder = self.builder.local("item", k.Int(0, max(source.size - 1, 0)))
        body = self.coercions.number(source.item(binder), span) if source.size else build.integer(0)
        return Num(build.fold("sum", binder.id, source.over, source.holds(binder), body))

    def length(self, rep: Rep, span: t.Span) -> Rep:
        partial = isinstance(rep, Map | Pairs | Seq | Tup)
        return self.coercions.after(self.coercions.faulty(rep) if partial else (), self._length(rep, span))

    def _length(self, rep: Rep, span: t.Span) -> Rep:
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
        lap = self.iterables.merged(e.clauses, env)
        body = build.integer(0) if lap.empty else self.expressions.number(e.element, lap.scope)
        fault = self.builder.fault("empty_min", "the least or greatest of nothing", e.span)
        return Num(build.need(lap.fold("any"), lap.fold(op, body), fault))

    def extreme_of(self, op: str, rep: Rep, span: t.Span) -> Rep:
        source = self.iterables.of(rep, span)
        binder = self.builder.local("item", k.Int(0, max(source.size - 1, 0)))
        body = self.coercions.number(source.item(binder), span) if source.size else build.integer(0)
        some = build.fold("any", binder.id, source.over, source.holds(binder), build.TRUE)
        fault = self.builder.fault("empty_min", "the least or greatest of nothing", span)
        return Num(
            build.need(some, build.fold(op, binder.id, source.over, source.holds(binder), body), fault)
        )

    def first(self, e: t.Comprehension, env: Env) -> Rep:
        """The first element, or none. What comes after it is not looked at, but in a set."""
        lap = self.iterables.merged(e.clauses, env)
        found = lap.fold("first")
        if lap.empty:
            return self.coercions.family(build.after(lap.over, build.integer(0)), (None,))
        element = self.coercions.as_finite(self.expressions.lower(e.element, lap.scope))
        if element is None:
            refuse("E0722", e.span, "`first` needs elements of a domain or small numbers")
        in_order = element.index == lap.binder and arranged(element.values) is element.values
        if e.kind == "set" and not (in_order and not build.faults(lap.where)):
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
        lap = self.iterables.merged(e.clauses, env)
        if e.kind == "set" and not lap.distinct:
            return self.one_of("only", self.set(e, env), e.span)
        fault = self.builder.fault("missing_value", "exactly one is wanted", e.span)
        if lap.empty:
            return self.coercions.fails(fault, None)
        one = build.eq(lap.fold("count"), build.integer(1))
        low, high = build.interval(lap.binder)
        found = lap.fold("first")
        found = (
            build.clamped(found, low, high)
            if one == build.TRUE
            else build.confined(one, found, low, high, fault)
        )
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
        source = self.iterables.source(clause.source, env)
        plain = isinstance(key, t.Name) and (key.id,) == clause.targets and not clause.conditions
        if len(e.clauses) > 1 or not plain or source.values is None or not source.fixed():
            refuse(
                "E0751",
                e.span,
                "the keys of this map are not known before play; write `{k: value for k in D}`",
            )

        def get(i: k.Expr) -> Rep:
            return self.expressions.lower(
                e.element, self.iterables.bind(clause.targets, source.item(i), env, e.span)
            )

        keys = arranged(source.values)
        if keys is source.values:
            return Pairs(keys, get)
        where = self.coercions.positions(tuple(reversed(source.values)))
        last = len(source.values) - 1
        order = tuple(last - where[key_of(x)] for x in keys)  # of several with one key the last counts
        return Pairs(keys, lambda i: get(self.builder.lookup("key", order, i)))

    def set(self, e: t.Comprehension, env: Env) -> SetOf:
        lap = self.iterables.merged(e.clauses, env)
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
        source = self.iterables.source(clause.source, env)
        if len(e.clauses) > 1 or source.values is None or source.over != build.full(source.size):
            refuse(
                "E0761",
                e.span,
                "the length of this list is not known before play; use a set, or a state variable",
            )
        items: list[Rep] = []
        for i in range(source.size):
            scope = self.iterables.bind(clause.targets, source.item(build.integer(i)), env, clause.span)
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
        if items.size == 0:
            nothing = build.fold(op, 0, build.mask(0, 0), build.TRUE, build.TRUE)
            return self.coercions.evaluated(self.coercions.faulty(value), nothing)
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
            return found if fam is not None else self.coercions.evaluated(self.coercions.faulty(value), found)
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
            self.builder.work.spend(len(wider), e.span)
            if len(wider) > LARGEST:
                refuse("E0705", e.span, f"a closure of more than {LARGEST:,} elements")
            universe = wider
        if not universe:
            return Const(frozenset())
        seeds = self.coercions.set(start, e.span, universe).expr
        steps = self.coercions.set(step, e.span, universe).expr
        return SetOf(k.Closure(k.Set(len(universe)), seeds, binder.id, steps), universe)


def _empty(rep: Rep) -> bool:
    return isinstance(rep, Const) and isinstance(rep.value, FrozenMap | ValueSeq) and not rep.value
