"""Lowers operators: arithmetic, comparisons, sets, `and` and `or`, membership."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.verify_nodes import guarded
from kemu_engine.lower.values.context import Env, ExpressionLowering
from kemu_engine.lower.values.finite import SMALL, item_at, never
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
    composite,
)
from kemu_engine.lower.values.whole import Faulty
from kemu_engine.static import operators
from kemu_engine.static.problems import refuse
from kemu_engine.static.values import LARGEST, FrozenMap, RingInt, Row, Value, arranged, iterate, text_of
from kemu_engine.static.values import Seq as ValueSeq

ADDING = ("+", "-", "*", "//", "%")


class Operations:
    def __init__(self, expressions: ExpressionLowering) -> None:
        self.expressions = expressions
        self.coercions = expressions.coercions
        self.builder = expressions.builder

    def set_of(self, e: t.SetOf, env: Env) -> Rep:
        finite: list[FiniteValue] = []
        for x in e.items:
            f = self.coercions.as_finite(self.expressions.lower(x, env))
            if f is None:
                refuse("E0723", x.span, "during play a set can only hold elements of domains")
            finite.append(self.coercions.some(f, x.span))
        values = arranged(v for f in finite for v in f.values if v is not None)
        expr: k.Expr = build.mask(len(values), 0)
        for f in finite:
            at = self.coercions.remap(f, values)
            if build.interval(at)[1] < 0:  # it is never there
                one = self.coercions.evaluated(self.coercions.faulty(f), build.mask(len(values), 0))
            else:
                inside = at if guarded(at) else build.clamped(at, 0, len(values) - 1)
                one = build.single(inside, len(values))
            expr = build.set_op("union", expr, one)
        return SetOf(expr, values)

    def text(self, e: t.Text, env: Env) -> Rep:
        parts = [Const(p) if isinstance(p, str) else self.expressions.lower(p, env) for p in e.parts]
        return self.expressions.apply(lambda *values: "".join(map(text_of, values)), parts, e.span)

    def unary(self, e: t.Unary, env: Env) -> Rep:
        value = self.expressions.lower(e.operand, env)
        if e.op == "not":
            return Truth(build.no(self.coercions.truth(value, e.operand.span)))
        if isinstance(value, Num):
            return value if e.op == "+" else Num(build.neg(value.expr))
        return self.expressions.apply(
            lambda v: operators.unary(e.op, v, e.span), [value], e.span, ("unary", e.op)
        )

    def binary_of(self, e: t.Binary, env: Env) -> Rep:
        if e.op == "implies":
            left = build.no(self.expressions.truth(e.left, env))
            return Truth(build.either(left, self.expressions.truth(e.right, env)))
        a, b = self.expressions.lower(e.left, env), self.expressions.lower(e.right, env)
        return self.binary(e.op, a, b, e.span)

    def binary(self, op: str, a: Rep, b: Rep, span: t.Span) -> Rep:
        if op in "|&-" and (_setlike(a) and _setlike(b)) and (isinstance(a, SetOf) or isinstance(b, SetOf)):
            left, right = self._two_sets(a, b, span)
            x, y, values = self.coercions.same_universe(left, right, span)
            return SetOf(build.set_op({"|": "union", "&": "inter", "-": "diff"}[op], x, y), values)  # type: ignore[arg-type]
        if op == "|" and (isinstance(a, Map | Pairs) or isinstance(b, Map | Pairs)):
            if isinstance(a, FiniteValue) and never(a.values):  # nor are its keys known
                return a
            lost = isinstance(b, FiniteValue) and never(b.values)
            hidden = (a, b) if lost else (self.coercions.hidden(a, b, span),)
            return self.coercions.after(self.coercions.all_faulty(*hidden), self.coercions.merged(a, b, span))
        if op == "+" and isinstance(a, Tup) and isinstance(b, Tup) and a.seq and b.seq:
            return Tup((*a.items, *b.items), None, True)
        if op == "+" and (_listed(a) or _listed(b)):
            return self.concat(self.coercions.sequence(a, span), self.coercions.sequence(b, span), span)
        if (_number(a) and _number(b)) or (op in ADDING and self._added(a, b)):
            return Num(
                self._arithmetic(op, self.coercions.number(a, span), self.coercions.number(b, span), span)
            )
        if isinstance(a, Tup) and isinstance(b, Tup) and op in "+-" and not a.seq:
            items = tuple(self.binary(op, x, y, span) for x, y in zip(a.items, b.items, strict=True))
            return Tup(items, a.fields)
        if op in "+-":
            parts = self._coordinates(a, b, span)
            if parts is not None:
                items = tuple(Num(self._arithmetic(op, x, y, span)) for x, y in zip(*parts[:2], strict=True))
                return Tup(items, parts[2])
        return self.expressions.apply(
            lambda x, y: operators.binary(op, x, y, span), [a, b], span, ("binary", op)
        )

    def _added(self, a: Rep, b: Rep) -> bool:
        """Whether these are numbers that may be missing: then the second is worked out even if the first
        is."""
        if not (_summand(a) and _summand(b)):
            return False
        return not isinstance(a, FiniteValue) or not self.coercions.faulty(b)

    def _coordinates(
        self, a: Rep, b: Rep, span: t.Span
    ) -> tuple[list[k.Expr], list[k.Expr], tuple[str, ...] | None] | None:
        """The coordinates of two points with too many places for a table of their sums, and their names."""
        fa, fb = self.coercions.as_finite(a), self.coercions.as_finite(b)
        if fa is None or fb is None or len(fa.values) * len(fb.values) <= SMALL:
            return None
        points: list[Any] = [next((v for v in f.values if v is not None), None) for f in (fa, fb)]
        if not all(isinstance(p, tuple) and not isinstance(p, ValueSeq) for p in points):
            return None
        size = len(points[0])
        items = (*self.coercions.parts(fa, size, span), *self.coercions.parts(fb, size, span))
        if not all(_number(i) for i in items):
            return None
        exprs = [self.coercions.number(i, span) for i in items]
        names = next((p.fields for p in points if isinstance(p, Row)), None)
        return exprs[:size], exprs[size:], names

    def concat(self, a: Seq, b: Seq, span: t.Span) -> Seq:
        if a.size == 0 or b.size == 0:
            empty, other = (a, b) if a.size == 0 else (b, a)
            made = self.coercions.after(self.coercions.faulty(empty), other)
            assert isinstance(made, Seq)
            return made
        if a.size + b.size > LARGEST:
            refuse("E0705", span, f"a list of more than {LARGEST:,}")

        def get(i: k.Expr) -> Rep:
            later = item_at(b, build.sub(i, a.length))
            return self.coercions.join(build.lt(i, a.length), item_at(a, i), later, span)

        return Seq(build.add(a.length, b.length), a.size + b.size, get)

    def _arithmetic(self, op: str, a: k.Expr, b: k.Expr, span: t.Span) -> k.Expr:
        try:
            match op:
                case "+":
                    return build.add(a, b)
                case "-":
                    return build.sub(a, b)
                case "*":
                    return build.mul(a, b)
                case "//" | "%":
                    low, high = build.interval(b)
                    if low <= 0 <= high:
                        fault = self.builder.fault("division", "division by zero", span)
                        b = k.Need(b.type, build.ne(b, build.integer(0)), b, fault)
                    return build.div(a, b) if op == "//" else build.mod(a, b)
                case "**" if isinstance(b, k.Const) and 0 <= b.value <= 63:
                    power: k.Expr = build.integer(1)
                    for _ in range(b.value):
                        power = build.mul(power, a)
                    return power
        except build.TooWide:
            refuse("E0711", span, "this number may need more than 63 bits")
        refuse("E0708", span, "during play an exponent must be a constant from 0 to 63")

    def comparison(self, e: t.Compare, env: Env) -> Rep:
        left = self.expressions.lower(e.first, env)
        tests: list[k.Expr] = []
        for op, operand in e.rest:
            if op in ("in", "not in"):
                inside = self._inside(left, operand, env, e.span)
                tests.append(inside if op == "in" else build.no(inside))
                continue
            right = self.expressions.lower(operand, env)
            first = self.coercions.all_faulty(
                *(x for x in (left, right) if composite(x) or isinstance(x, Tup))
            )
            tests.append(self.coercions.evaluated(first, self.compare(op, left, right, e.span)))
            left = right
        return Truth(build.both(*tests))

    def compare(self, op: str, a: Rep, b: Rep, span: t.Span) -> k.Expr:
        if op in ("==", "!="):
            same = self.equal(a, b, span)
            return same if op == "==" else build.no(same)
        if op in ("<=", ">=") and _gathered(a) and _gathered(b):
            x, y = self._as_sets(a, b, span)
            return build.set_op("subset", x, y) if op == "<=" else build.set_op("subset", y, x)
        if isinstance(a, Tup) or isinstance(b, Tup):
            return self._lexical(op, a, b, span)
        if _ordered(a) and _ordered(b):
            x, y = self.coercions.number(a, span), self.coercions.number(b, span)
            return {"<": build.lt(x, y), "<=": build.le(x, y), ">": build.lt(y, x), ">=": build.le(y, x)}[op]
        return self.coercions.truth(
            self.expressions.apply(
                lambda x, y: operators.compare(op, x, y, span), [a, b], span, ("compare", op)
            ),
            span,
        )

    def _lexical(self, op: str, a: Rep, b: Rep, span: t.Span) -> k.Expr:
        size = len(a.items) if isinstance(a, Tup) else len(b.items) if isinstance(b, Tup) else 0
        xs, ys = self.coercions.parts(a, size, span), self.coercions.parts(b, size, span)
        answer = build.truth(op in ("<=", ">="))
        tested: k.Expr = answer
        for x, y in reversed(list(zip(xs, ys, strict=True))):
            strict = self.compare(op[0], x, y, span)
            tested = build.either(strict, build.both(self.equal(x, y, span), tested))
        return tested

    def equal(self, a: Rep, b: Rep, span: t.Span) -> k.Expr:
        for one, other in ((a, b), (b, a)):
            finite = isinstance(other, FiniteValue | Const)
            missing = isinstance(one, Const) and one.value is None and not finite
            if missing or (isinstance(one, FiniteValue) and never(one.values)):
                return self.coercions.evaluated(self.coercions.all_faulty(a, b), self._missing(other))
        if _number(a) and _number(b):
            return build.eq(self.coercions.number(a, span), self.coercions.number(b, span))
        if isinstance(a, Bag) or isinstance(b, Bag):
            return self.coercions.evaluated(self._chosen(a, b), self._equal_bags(a, b, span))
        if isinstance(a, Map | Pairs) or isinstance(b, Map | Pairs):
            return self.coercions.evaluated(self._chosen(a, b), self._equal_maps(a, b, span))
        if (_setlike(a) and _gathered(b)) or (_setlike(b) and _gathered(a)):
            return build.eq(*self._as_sets(a, b, span))
        if isinstance(a, Seq) or isinstance(b, Seq) or _lists(a, b):
            return self.expressions.quantifiers.equal_lists(
                self.coercions.sequence(a, span), self.coercions.sequence(b, span), span
            )
        if isinstance(a, Tup) or isinstance(b, Tup):
            for one, other in ((a, b), (b, a)):
                if isinstance(one, FiniteValue) and None in one.values and isinstance(other, Tup):
                    return self._equal_if_some(one, other, span)
            size = len(a.items) if isinstance(a, Tup) else len(b.items) if isinstance(b, Tup) else 0
            xs, ys = self.coercions.parts(a, size, span), self.coercions.parts(b, size, span)
            return build.both(*(self.equal(x, y, span) for x, y in zip(xs, ys, strict=True)))
        fa, fb = self.coercions.as_finite(a), self.coercions.as_finite(b)
        if fa is None or fb is None:
            refuse("E0722", span, "these two cannot be compared during play: their ranges are too large")
        if isinstance(fa.index, k.Const) or (len(fa.values) > len(fb.values)):
            fa, fb = fb, fa
        if isinstance(fb.index, k.Const):
            wanted = fb.values[fb.index.value]
            hits = tuple(operators.compare("==", v, wanted, span) for v in fa.values)
            return self.builder.lookup("equal", hits, fa.index)
        return build.eq(self.coercions.remap(fa, fb.values), self.coercions.remap(fb, fb.values))

    def _chosen(self, *reps: Rep) -> Faulty:
        """What might fault of values that are one of several known ones, which may be alike in each part."""
        return self.coercions.all_faulty(*(rep for rep in reps if isinstance(rep, FiniteValue)))

    def _missing(self, rep: Rep) -> k.Expr:
        """Whether a value is `none`."""
        match rep:
            case Const(value=value):
                return build.truth(value is None)
            case FiniteValue(index=index, values=values):
                return self.builder.lookup("missing", tuple(value is None for value in values), index)
        return build.FALSE

    def _equal_if_some(self, fam: FiniteValue, other: Tup, span: t.Span) -> k.Expr:
        """A tuple that may be missing, compared with one that is there."""
        if never(fam.values):
            return self.coercions.evaluated(self.coercions.faulty(fam), build.FALSE)
        columns = self.coercions.tabulator.parts(fam.values, len(other.items))
        if len(columns) != len(other.items):
            refuse("E0710", span, "these two cannot be compared")
        xs = [self.coercions.family(fam.index, column) for column in columns]
        same = [self.equal(x, y, span) for x, y in zip(xs, other.items, strict=True)]
        return build.both(self.coercions.present(fam), *same)

    def _as_sets(self, a: Rep, b: Rep, span: t.Span) -> tuple[k.Expr, k.Expr]:
        """Two collections of which one is a set: the order of the other, and doubles in it, do not count."""
        x, y = (self.expressions.calls.as_set(x, span) if isinstance(x, Seq | Tup) else x for x in (a, b))
        return self.coercions.same_universe(*self._two_sets(x, y, span), span)[:2]

    def _two_sets(self, a: Rep, b: Rep, span: t.Span) -> tuple[SetOf, SetOf]:
        """Each over its own universe; what is known before play, over that of the other if it fits."""
        some = self.coercions.some_set
        return some(a, span, _universe(b)), some(b, span, _universe(a))

    def _equal_bags(self, a: Rep, b: Rep, span: t.Span) -> k.Expr:
        """Every thing lies in both equally often."""
        if not all(isinstance(rep, Bag) or _mapped(rep) for rep in (a, b)):
            refuse("E0719", span, "a bag can only be compared with a bag or with `{thing: number}`")
        bags = [self.coercions.bag(rep, span) for rep in (a, b)]
        things = tuple(dict.fromkeys(x for bag in bags for x in bag.values))
        here = [build.integer(i) for i in range(len(things))]
        one, other = ([self.coercions.count(bag, things, i) for i in here] for bag in bags)
        return build.both(*map(build.eq, one, other))

    def _equal_maps(self, a: Rep, b: Rep, span: t.Span) -> k.Expr:
        """The same keys, and under each the same."""
        if not all(isinstance(rep, Map | Pairs) or _mapped(rep) for rep in (a, b)):
            refuse("E0719", span, "a map can only be compared with a map or with `{key: value}`")
        keys, default = next((rep.keys, rep.default) for rep in (a, b) if isinstance(rep, Map | Pairs))
        sides = [self._with_keys(rep, keys, default, span) for rep in (a, b)]
        if any(side is None for side in sides):
            return self.coercions.evaluated(self.coercions.all_faulty(a, b), build.FALSE)
        one, other = (side for side in sides if side is not None)
        here = [build.integer(i) for i in range(len(keys))]
        return build.both(*(self.equal(one.get(i), other.get(i), span) for i in here))

    def _with_keys(
        self, rep: Rep, keys: tuple[Value, ...], default: tuple[Value, ...], span: t.Span
    ) -> Pairs | None:
        """A map with these keys; nothing if it has others."""
        own: frozenset[Value] | None = None
        if isinstance(rep, Map | Pairs):
            own = frozenset(rep.keys)
        elif isinstance(rep, Const) and isinstance(rep.value, FrozenMap):
            own = frozenset(rep.value)
        if own is not None and (not own <= set(keys) if default else own != set(keys)):
            return None
        return self.coercions.pairs(rep, keys, span, default)

    def _inside(self, value: Rep, operand: t.Expr, env: Env, span: t.Span) -> k.Expr:
        if isinstance(operand, t.Range) and _number(value):
            n = self.coercions.number(value, span)
            low, high = self.expressions.number(operand.low, env), self.expressions.number(operand.high, env)
            first = self.coercions.all_faulty(Num(low), Num(high))
            return self.coercions.evaluated(first, build.both(build.le(low, n), build.le(n, high)))
        collection = self.expressions.lower(operand, env)
        first = (
            self.coercions.faulty(value) if isinstance(collection, Seq | Tup | Map | Pairs | Const) else ()
        )
        first += () if isinstance(collection, SetOf) else self.coercions.faulty(collection)
        return self.coercions.evaluated(first, self._among(value, collection, span))

    def _among(self, value: Rep, collection: Rep, span: t.Span) -> k.Expr:
        if isinstance(collection, Tup):
            return build.either(*(self.equal(value, item, span) for item in collection.items))
        if isinstance(collection, Seq):
            return self.expressions.quantifiers.contains(collection, value, span)
        if isinstance(collection, Map | Pairs):
            collection = Const(ValueSeq(collection.keys))
        if isinstance(collection, Bag):
            fam = self.coercions.as_finite(value)
            if fam is None:
                refuse("E0710", span, "this can never be in the bag")
            index = self.coercions.remap(fam, collection.values)
            if build.interval(index)[1] < 0:
                return self.coercions.evaluated(self.coercions.faulty(Num(index)), build.FALSE)
            return build.both(
                build.le(build.integer(0), index),
                build.lt(
                    build.integer(0), collection.count(build.clamped(index, 0, len(collection.values) - 1))
                ),
            )
        if isinstance(collection, SetOf):
            fam = self.coercions.as_finite(value)
            if fam is None:
                refuse("E0723", span, "during play a set can only hold elements of domains")
            return build.member(self.coercions.remap(fam, collection.values), collection.expr)
        combined = self.coercions.combine(
            lambda v, c: operators.compare("in", v, c, span), [value, collection], span
        )
        if combined is not None:
            return self.coercions.truth(combined, span)
        fam = None if composite(value) else self.coercions.as_finite(value)
        if fam is not None:
            chosen = self.coercions.set(collection, span, fam.values if _unique(fam.values) else None)
            return build.member(self.coercions.remap(fam, chosen.values), chosen.expr)
        if isinstance(collection, Const):
            return build.either(*(self.equal(value, Const(v), span) for v in iterate(collection.value)))
        return self.expressions.quantifiers.contains(self.coercions.sequence(collection, span), value, span)

    def logic(self, e: t.Logic, env: Env) -> Rep:
        items: list[k.Expr] = []
        for x in e.items:
            item = self.expressions.truth(x, env)
            items.append(item)
            if item == build.truth(e.op == "or"):
                break
        return Truth(build.both(*items) if e.op == "and" else build.either(*items))

    def presence(self, e: t.Presence, env: Env) -> Rep:
        value = self.expressions.lower(e.value, env)
        if not isinstance(value, FiniteValue | Const):
            return Truth(self.coercions.evaluated(self.coercions.faulty(value), build.truth(e.some)))
        fam = self.coercions.as_finite(value)
        assert fam is not None
        present = self.coercions.present(fam)
        return Truth(present if e.some else build.no(present))

    def choice(self, e: t.Choice, env: Env) -> Rep:
        test = self.expressions.truth(e.test, env)
        if isinstance(test, k.Const):
            return self.expressions.lower(e.then if test.value else e.other, env)
        return self.coercions.join(
            test, self.expressions.lower(e.then, env), self.expressions.lower(e.other, env), e.span
        )

    def range_of(self, e: t.Range, env: Env) -> Rep:
        low, high = self.expressions.number(e.low, env), self.expressions.number(e.high, env)
        size = max(build.interval(high)[1] - build.interval(low)[0] + 1, 0)
        length = build.extreme("max", build.add(build.sub(high, low), build.integer(1)), build.integer(0))
        return Seq(length, size, lambda i: Num(build.add(low, i)))


def _number(rep: Rep) -> bool:
    return isinstance(rep, Num) or (
        isinstance(rep, Const) and isinstance(rep.value, int) and not isinstance(rep.value, bool | RingInt)
    )


def _summand(rep: Rep) -> bool:
    """A number, also beside none."""
    beside = isinstance(rep, FiniteValue) and set(map(type, rep.values)) == {int, NoneType}
    return beside or _number(rep)


def _ordered(rep: Rep) -> bool:
    """Numbers, also on rings or beside none."""
    if isinstance(rep, FiniteValue):
        return set(map(type, rep.values)) <= {int, RingInt, NoneType}
    return isinstance(rep, Num) or (
        isinstance(rep, Const) and isinstance(rep.value, int) and not isinstance(rep.value, bool)
    )


def _setlike(rep: Rep) -> bool:
    if isinstance(rep, Const):
        return isinstance(rep.value, frozenset) or operators.is_set(rep.value)
    return isinstance(rep, SetOf) or (
        isinstance(rep, FiniteValue) and all(v is None or operators.is_set(v) for v in rep.values)
    )


def _listed(rep: Rep) -> bool:
    """Whether a value is a list that is not one of several known ones."""
    return isinstance(rep, Seq) or (isinstance(rep, Tup) and rep.seq)


def _some(values: tuple[Value, ...], kind: type | UnionType) -> bool:
    """Whether one of the values is of a kind."""
    return any(issubclass(each, kind) for each in set(map(type, values)))


def _gathered(rep: Rep) -> bool:
    """Whether a value is a set, a list or a range, and no tuple."""
    if isinstance(rep, Const):
        return operators.is_set(rep.value) or isinstance(rep.value, ValueSeq)
    if isinstance(rep, FiniteValue):
        return _setlike(rep) or _some(rep.values, frozenset | ValueSeq)
    return isinstance(rep, SetOf | Seq) or (isinstance(rep, Tup) and rep.seq)


def _lists(a: Rep, b: Rep) -> bool:
    """Whether two lists of known length are compared, or one with several of which one is meant."""
    if isinstance(a, Tup) and isinstance(b, Tup):
        return len(a.items) != len(b.items)
    return (isinstance(a, Tup) and a.seq and _gathered(b)) or (isinstance(b, Tup) and b.seq and _gathered(a))


def _mapped(rep: Rep) -> bool:
    """Whether a value is one of several known maps or bags."""
    if isinstance(rep, FiniteValue):
        return all(v is None or isinstance(v, FrozenMap) for v in rep.values)
    return isinstance(rep, Pairs) or (isinstance(rep, Const) and isinstance(rep.value, FrozenMap))


def _universe(rep: Rep) -> tuple[Value, ...] | None:
    return rep.values if isinstance(rep, SetOf) else None


def _unique(values: tuple[Value, ...]) -> bool:
    return len(set(values)) == len(values)
