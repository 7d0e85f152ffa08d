"""Lowers expressions: what is known is computed, what ranges over little is tabulated, the rest becomes
kernel expressions.

Three cases, in this order: (1) nothing in the expression depends on play: the evaluator gives its value; (2)
it reads no
state and its free names range over few values: it is tabulated by the same evaluator; (3) otherwise, by its
form.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine import kernel as k
from engine import make, operators
from engine.analysis import RESULT_NAMES, Analysis
from engine.builder import Builder
from engine.evaluate import Evaluator
from engine.families import LIMIT, Families, item_at
from engine.layout import kernel_type
from engine.problems import StaticFault, refuse
from engine.reps import (
    Bag,
    Const,
    Fam,
    Map,
    Num,
    Pairs,
    Place,
    RecordPlace,
    Rep,
    Scalar,
    Seq,
    SetOf,
    Truth,
    Tup,
)
from engine.tabulate import Same
from engine.values import FrozenMap, RingInt, Row, Value, iterate, text_of
from engine.values import Seq as ValueSeq
from grammar import tree as t

if TYPE_CHECKING:
    from engine.calls import Calls
    from engine.quantifiers import Quantifiers

Binding = Rep | Place
Env = Mapping[str, Binding]
SMALL = 4096  # rows up to which operators on known values are tabulated whole
_WHOLE = (t.Call, t.Comprehension, t.Index, t.Field, t.Slice)
_OPERATORS = (t.Binary, t.Compare, t.Logic, t.Unary, t.Choice, t.Presence, t.Text, t.Tuple, t.SetOf, t.ListOf)


class Expressions:
    quantifiers: Quantifiers
    calls: Calls

    def __init__(
        self,
        builder: Builder,
        families: Families,
        evaluator: Evaluator,
        analysis: Analysis,
        places: dict[str, Place],
    ) -> None:
        self.builder = builder
        self.families = families
        self.evaluator = evaluator
        self.analysis = analysis
        self.places = places
        self.result_expr: Callable[[str], Rep] | None = None
        self._visit: dict[type, Callable[[Any, Env], Rep]] = {
            t.Name: self._name,
            t.Field: self._field,
            t.Index: self._index,
            t.Slice: self._slice,
            t.Tuple: lambda e, env: Tup(tuple(self.lower(x, env) for x in e.items)),
            t.ListOf: lambda e, env: Tup(tuple(self.lower(x, env) for x in e.items), None, True),
            t.SetOf: self._set,
            t.Unary: self._unary,
            t.Binary: self._binary,
            t.Compare: self._compare,
            t.Logic: self._logic,
            t.Presence: self._presence,
            t.Choice: self._choice,
            t.Range: self._range,
            t.Text: self._text,
            t.MapOf: lambda e, env: refuse(
                "E0719", e.span, "a map of values known only in play cannot be made here"
            ),
            t.Comprehension: lambda e, env: self.quantifiers.comprehension(e, env),
            t.Call: lambda e, env: self.calls.call(e, env),
        }

    # ---------------------------------------------------------------------------------------- the three cases

    def lower(self, expr: t.Expr, env: Env) -> Rep:
        if not self.analysis.state_read(expr):
            known = self._known(expr, env)
            if known is not None:
                rep = self._computed(expr, known, env)
                if rep is not None:
                    return rep
        return self._visit[type(expr)](expr, env)

    def _known(self, expr: t.Expr, env: Env) -> dict[str, Rep] | None:
        """The local names in an expression, if all of them are values rather than places."""
        found: dict[str, Rep] = {}
        for name in sorted(self.analysis.free(expr)):
            if name in env:
                rep = self.read(env[name])
                if isinstance(rep, Map | Bag | Seq | SetOf):
                    return None
                found[name] = rep
        return found

    def _computed(self, expr: t.Expr, known: dict[str, Rep], env: Env) -> Rep | None:
        names = [n for n, rep in known.items() if not isinstance(rep, Const)]
        fixed = {n: rep.value for n, rep in known.items() if isinstance(rep, Const)}
        if not names:
            try:
                return Const(self.evaluator.eval(expr, fixed))
            except StaticFault as fault:
                return self.families.fails(self.builder.fault(fault.code, fault.message, fault.span), None)
        if isinstance(expr, t.Name) or _plain_equality(expr) or self._by_form(expr, known):
            return None
        families = [self.families.as_family(known[n]) for n in names]
        if any(f is None for f in families):
            return None
        rows = 1
        for f in families:
            assert f is not None
            rows *= len(f.values)
        arithmetic = any(isinstance(known[n], Num | Truth) for n in names)
        whole = isinstance(expr, _WHOLE) and rows <= LIMIT
        small = isinstance(expr, _OPERATORS) and rows <= SMALL and not arithmetic
        if not whole and not small:
            return None

        def row(*values: Value) -> Value:
            return self.evaluator.eval(expr, {**fixed, **dict(zip(names, values, strict=True))})

        key = ("expression", Same(expr), *((n, type(v), v) for n, v in fixed.items()))
        return self.families.combine(row, [known[n] for n in names], expr.span, key)

    def _by_form(self, expr: t.Expr, known: dict[str, Rep]) -> bool:
        """Parts of tuples, records, and the lesser of two numbers need no table."""
        if isinstance(expr, t.Field):
            whole = expr.value
            while isinstance(whole, t.Field):
                whole = whole.value
            return isinstance(whole, t.Name) and isinstance(known.get(whole.id), Tup)
        if not isinstance(expr, t.Call) or not isinstance(expr.value, t.Name):
            return False
        declaration = self.evaluator.names.get(expr.value.id)
        if isinstance(declaration, t.Fun):
            return any(isinstance(rep, Tup) for rep in known.values())
        numbers = any(isinstance(rep, Num) for rep in known.values())
        return isinstance(declaration, t.Record) or (expr.value.id in ("min", "max", "abs") and numbers)

    # ----------------------------------------------------------------------------------------- reading places

    def read(self, binding: Binding) -> Rep:
        """What stands at a place; a value is itself."""
        match binding:
            case Scalar(kind=kind, var=var, index=index, local=local):
                made = kernel_type(kind, t.NOWHERE)
                if local:
                    return self.families.decode(k.Local(made, var), kind)
                return self.families.decode(
                    k.Load(made, var) if index is None else k.At(made, var, index), kind
                )
            case RecordPlace(fields=fields):
                return Tup(tuple(self.read(p) for _, p in fields), tuple(n for n, _ in fields))
        return binding

    def truth(self, expr: t.Expr, env: Env) -> k.Expr:
        return self.families.truth(self.lower(expr, env), expr.span)

    def number(self, expr: t.Expr, env: Env) -> k.Expr:
        return self.families.number(self.lower(expr, env), expr.span)

    # ---------------------------------------------------------------------------------------- names and parts

    def _name(self, e: t.Name, env: Env) -> Rep:
        if e.id in env:
            return self.read(env[e.id])
        if e.id in self.places:
            return self.read(self.places[e.id])
        if e.id in RESULT_NAMES:
            if self.result_expr is None:
                refuse("E0720", e.span, f"`{e.id}` is known only at the end: use it in `at_end` or `expect`")
            return self.result_expr(e.id)
        return Const(self.evaluator.global_value(e.id, e.span))

    def place(self, expr: t.Expr, env: Env) -> Place:
        """The place that a target such as `board[p][w]` names."""
        match expr:
            case t.Name(id=name):
                found = env.get(name) or self.places.get(name)
                if isinstance(found, Scalar | RecordPlace | Seq | Bag | Map):
                    return found
                refuse("E0721", expr.span, f"`{name}` is not a variable")
            case t.Index(value=value, index=index):
                return self._part(self.place(value, env), index, env)
            case t.Field(value=value, name=name):
                record = self.place(value, env)
                if isinstance(record, RecordPlace):
                    for n, place in record.fields:
                        if n == name:
                            return place
                refuse("E0712", expr.span, f"there is no field `{name}` to change")
        refuse("E0721", expr.span, "this is not a variable or a part of one")

    def _part(self, container: Place, index: t.Expr, env: Env) -> Place:
        rep = self.lower(index, env)
        match container:
            case Map(keys=keys, get=get):
                return get(self.key(rep, keys, index.span))
            case Bag(values=values, place=place) if place is not None:
                key = self.key(rep, values, index.span)
                total = self.families.number(self.quantifiers.length(container, index.span), index.span)
                others = make.sub(total, container.count(key))
                limit = (make.integer(0), make.sub(container.most, others), "overfull")
                return replace(place(key), within=limit)
            case Seq(place=place) if place is not None:
                return place(self._list_index(container, rep, index.span))
        refuse("E0721", index.span, "this cannot be indexed")

    def key(self, rep: Rep, keys: tuple[Value, ...], span: t.Span) -> k.Expr:
        """The position of a value among the keys of a map, a fault if it is none of them."""
        fam = self.families.as_family(rep)
        if fam is None:
            refuse("E0710", span, "this is not a key of the map")
        index = self.families.remap(fam, keys)
        low, high = make.interval(index)
        if low >= 0:
            return index
        code = "missing_value" if None in fam.values else "bad_index"
        message = "the key is none" if code == "missing_value" else "the map has no such key"
        fault = self.builder.fault(code, message, span)
        return k.Need(k.Int(0, max(high, 0)), make.le(make.integer(0), index), index, fault)

    def _list_index(self, items: Seq, rep: Rep, span: t.Span) -> k.Expr:
        index = self.families.number(rep, span)
        low, high = make.interval(index)
        if high < 0:
            index = make.add(items.length, index)
        test = make.both(make.le(make.integer(0), index), make.lt(index, items.length))
        if test == make.TRUE:
            return index
        fault = self.builder.fault("bad_index", "the list has no such element", span)
        return k.Need(k.Int(0, max(items.size - 1, 0)), test, index, fault)

    def _index(self, e: t.Index, env: Env) -> Rep:
        container = self.lower(e.value, env)
        rep = self.lower(e.index, env)
        match container:
            case Map(keys=keys, get=get):
                return self.read(get(self.key(rep, keys, e.index.span)))
            case Pairs(keys=keys, get=value):
                return value(self.key(rep, keys, e.index.span))
            case Bag(values=values, count=count):
                return Num(count(self.key(rep, values, e.index.span)))
            case Seq():
                return container.get(self._list_index(container, rep, e.index.span))
            case Tup(items=items) if isinstance(rep, Const) and isinstance(rep.value, int):
                if not -len(items) <= rep.value < len(items):
                    refuse("E0710", e.span, f"there is no item {rep.value} in {len(items)}")
                return items[rep.value]
            case Tup():
                return self._element(container, rep, e)
        combined = self.families.combine(
            lambda a, b: operators.index(a, b, e.span), [container, rep], e.span, "index"
        )
        if combined is not None:
            return combined
        return self._element(container, rep, e)

    def _element(self, container: Rep, rep: Rep, e: t.Index) -> Rep:
        row = self.families.sequence(container, e.span)
        return row.get(self._list_index(row, rep, e.index.span))

    def _slice(self, e: t.Slice, env: Env) -> Rep:
        items = self.families.sequence(self.lower(e.value, env), e.span)
        low = self._end(e.low, items, make.integer(0), env)
        high = self._end(e.high, items, items.length, env)
        if low == make.integer(0):
            return Seq(high, items.size, items.get, None, items.kind)
        length = make.extreme("max", make.sub(high, low), make.integer(0))
        return Seq(length, items.size, lambda i: item_at(items, make.add(low, i)), None, items.kind)

    def _end(self, expr: t.Expr | None, items: Seq, default: k.Expr, env: Env) -> k.Expr:
        if expr is None:
            return default
        index = self.number(expr, env)
        if make.interval(index)[0] < 0:
            from_end = make.add(index, items.length)
            index = make.when(make.lt(index, make.integer(0)), from_end, index)
            index = make.extreme("max", index, make.integer(0))
        return make.extreme("min", index, items.length)

    def _field(self, e: t.Field, env: Env) -> Rep:
        value = self.lower(e.value, env)
        if isinstance(value, Tup) and value.fields is not None and e.name in value.fields:
            return value.items[value.fields.index(e.name)]
        key = ("field", e.name)
        return self.apply(lambda v: operators.field(v, e.name, e.span), [value], e.span, key)

    def apply(
        self, function: Callable[..., Value], reps: list[Rep], span: t.Span, key: Hashable = None
    ) -> Rep:
        """A function of known values on families, or an error."""
        combined = self.families.combine(function, reps, span, key)
        if combined is None:
            refuse("E0722", span, "this cannot be worked out at play time: its values range too widely")
        return combined

    # ------------------------------------------------------------------------------------------ operators

    def _set(self, e: t.SetOf, env: Env) -> Rep:
        families = [self.families.as_family(self.lower(x, env)) for x in e.items]
        universe: dict[Value, None] = {}
        for f in families:
            if f is None:
                refuse("E0722", e.span, "a set at play time holds elements of domains")
            universe.update(dict.fromkeys(f.values))
        values = tuple(universe)
        expr: k.Expr = make.mask(len(values), 0)
        for f in families:
            assert f is not None
            expr = make.set_op("union", expr, make.single(self.families.remap(f, values), len(values)))
        return SetOf(expr, values)

    def _text(self, e: t.Text, env: Env) -> Rep:
        parts = [Const(p) if isinstance(p, str) else self.lower(p, env) for p in e.parts]
        return self.apply(lambda *values: "".join(map(text_of, values)), parts, e.span)

    def _unary(self, e: t.Unary, env: Env) -> Rep:
        value = self.lower(e.operand, env)
        if e.op == "not":
            return Truth(make.no(self.families.truth(value, e.operand.span)))
        if isinstance(value, Num):
            return value if e.op == "+" else Num(make.neg(value.expr))
        return self.apply(lambda v: operators.unary(e.op, v, e.span), [value], e.span, ("unary", e.op))

    def _binary(self, e: t.Binary, env: Env) -> Rep:
        if e.op == "implies":
            left = make.no(self.truth(e.left, env))
            return Truth(make.either(left, self.truth(e.right, env)))
        a, b = self.lower(e.left, env), self.lower(e.right, env)
        return self.binary(e.op, a, b, e.span)

    def binary(self, op: str, a: Rep, b: Rep, span: t.Span) -> Rep:
        if op in "|&-" and (_setlike(a) and _setlike(b)) and (isinstance(a, SetOf) or isinstance(b, SetOf)):
            x, y, values = self.families.same_universe(
                self.families.set(a, span, _universe(b)), self.families.set(b, span, _universe(a)), span
            )
            return SetOf(make.set_op({"|": "union", "&": "inter", "-": "diff"}[op], x, y), values)  # type: ignore[arg-type]
        if op == "+" and (isinstance(a, Seq) or isinstance(b, Seq)):
            return self.concat(self.families.sequence(a, span), self.families.sequence(b, span), span)
        if _number(a) and _number(b):
            return Num(
                self._arithmetic(op, self.families.number(a, span), self.families.number(b, span), span)
            )
        if isinstance(a, Tup) and isinstance(b, Tup) and op in "+-" and not a.seq:
            items = tuple(self.binary(op, x, y, span) for x, y in zip(a.items, b.items, strict=True))
            return Tup(items, a.fields)
        if op in "+-":
            parts = self._coordinates(a, b, span)
            if parts is not None:
                items = tuple(Num(self._arithmetic(op, x, y, span)) for x, y in zip(*parts[:2], strict=True))
                return Tup(items, parts[2])
        return self.apply(lambda x, y: operators.binary(op, x, y, span), [a, b], span, ("binary", op))

    def _coordinates(
        self, a: Rep, b: Rep, span: t.Span
    ) -> tuple[list[k.Expr], list[k.Expr], tuple[str, ...] | None] | None:
        """The coordinates of two points with too many places for a table of their sums, and their names."""
        fa, fb = self.families.as_family(a), self.families.as_family(b)
        if fa is None or fb is None or len(fa.values) * len(fb.values) <= SMALL:
            return None
        points: list[Any] = [next((v for v in f.values if v is not None), None) for f in (fa, fb)]
        if not all(isinstance(p, tuple) and not isinstance(p, ValueSeq) for p in points):
            return None
        size = len(points[0])
        items = (*self.families.parts(fa, size, span), *self.families.parts(fb, size, span))
        if not all(_number(i) for i in items):
            return None
        exprs = [self.families.number(i, span) for i in items]
        names = next((p.fields for p in points if isinstance(p, Row)), None)
        return exprs[:size], exprs[size:], names

    def concat(self, a: Seq, b: Seq, span: t.Span) -> Seq:
        if a.size == 0 or b.size == 0:
            return b if a.size == 0 else a

        def get(i: k.Expr) -> Rep:
            later = item_at(b, make.sub(i, a.length))
            return self.families.join(make.lt(i, a.length), item_at(a, i), later, span)

        return Seq(make.add(a.length, b.length), a.size + b.size, get)

    def _arithmetic(self, op: str, a: k.Expr, b: k.Expr, span: t.Span) -> k.Expr:
        try:
            match op:
                case "+":
                    return make.add(a, b)
                case "-":
                    return make.sub(a, b)
                case "*":
                    return make.mul(a, b)
                case "//" | "%":
                    low, high = make.interval(b)
                    if low <= 0 <= high:
                        fault = self.builder.fault("division", "division by zero", span)
                        b = k.Need(b.type, make.ne(b, make.integer(0)), b, fault)
                    return make.div(a, b) if op == "//" else make.mod(a, b)
                case "**" if isinstance(b, k.Const) and 0 <= b.value <= 8:
                    power: k.Expr = make.integer(1)
                    for _ in range(b.value):
                        power = make.mul(power, a)
                    return power
        except make.TooWide:
            refuse("E0711", span, "this number may need more than 63 bits")
        refuse("E0719", span, f"`{op}` does not go with numbers known only in play")

    def _compare(self, e: t.Compare, env: Env) -> Rep:
        left = self.lower(e.first, env)
        tests: list[k.Expr] = []
        for op, operand in e.rest:
            if op in ("in", "not in"):
                inside = self._inside(left, operand, env, e.span)
                tests.append(inside if op == "in" else make.no(inside))
                continue
            right = self.lower(operand, env)
            tests.append(self.compare(op, left, right, e.span))
            left = right
        return Truth(make.both(*tests))

    def compare(self, op: str, a: Rep, b: Rep, span: t.Span) -> k.Expr:
        if op in ("==", "!="):
            same = self.equal(a, b, span)
            return same if op == "==" else make.no(same)
        if _setlike(a) and _setlike(b):
            x, y, _ = self.families.same_universe(
                self.families.set(a, span, _universe(b)), self.families.set(b, span, _universe(a)), span
            )
            if op == "<=":
                return make.set_op("subset", x, y)
            if op == ">=":
                return make.set_op("subset", y, x)
        if isinstance(a, Tup) or isinstance(b, Tup):
            return self._lexical(op, a, b, span)
        if _ordered(a) and _ordered(b):
            x, y = self.families.number(a, span), self.families.number(b, span)
            return {"<": make.lt(x, y), "<=": make.le(x, y), ">": make.lt(y, x), ">=": make.le(y, x)}[op]
        return self.families.truth(
            self.apply(lambda x, y: operators.compare(op, x, y, span), [a, b], span, ("compare", op)), span
        )

    def _lexical(self, op: str, a: Rep, b: Rep, span: t.Span) -> k.Expr:
        size = len(a.items) if isinstance(a, Tup) else len(b.items) if isinstance(b, Tup) else 0
        xs, ys = self.families.parts(a, size, span), self.families.parts(b, size, span)
        answer = make.truth(op in ("<=", ">="))
        tested: k.Expr = answer
        for x, y in reversed(list(zip(xs, ys, strict=True))):
            strict = self.compare(op[0], x, y, span)
            tested = make.either(strict, make.both(self.equal(x, y, span), tested))
        return tested

    def equal(self, a: Rep, b: Rep, span: t.Span) -> k.Expr:
        if _number(a) and _number(b):
            return make.eq(self.families.number(a, span), self.families.number(b, span))
        if isinstance(a, SetOf) or isinstance(b, SetOf):
            x, y, _ = self.families.same_universe(
                self.families.set(a, span, _universe(b)), self.families.set(b, span, _universe(a)), span
            )
            return make.eq(x, y)
        if isinstance(a, Seq) or isinstance(b, Seq):
            return self.quantifiers.equal_lists(
                self.families.sequence(a, span), self.families.sequence(b, span), span
            )
        if isinstance(a, Bag) or isinstance(b, Bag):
            return self._equal_bags(a, b, span)
        if isinstance(a, Tup) or isinstance(b, Tup):
            for one, other in ((a, b), (b, a)):
                if isinstance(one, Fam) and None in one.values and isinstance(other, Tup):
                    return self._equal_if_some(one, other, span)
            size = len(a.items) if isinstance(a, Tup) else len(b.items) if isinstance(b, Tup) else 0
            xs, ys = self.families.parts(a, size, span), self.families.parts(b, size, span)
            return make.both(*(self.equal(x, y, span) for x, y in zip(xs, ys, strict=True)))
        fa, fb = self.families.as_family(a), self.families.as_family(b)
        if fa is None or fb is None:
            refuse("E0710", span, "these two cannot be compared")
        if isinstance(fa.index, k.Const) or (len(fa.values) > len(fb.values)):
            fa, fb = fb, fa
        if isinstance(fb.index, k.Const):
            wanted = fb.values[fb.index.value]
            hits = tuple(operators.compare("==", v, wanted, span) for v in fa.values)
            return self.builder.lookup("equal", hits, fa.index)
        return make.eq(self.families.remap(fa, fb.values), fb.index)

    def _equal_if_some(self, fam: Fam, other: Tup, span: t.Span) -> k.Expr:
        """A tuple that may be missing, compared with one that is there."""
        columns = self.families.tabulator.parts(fam.values, len(other.items))
        if len(columns) != len(other.items):
            refuse("E0710", span, "these two cannot be compared")
        xs = [self.families.family(fam.index, column) for column in columns]
        same = [self.equal(x, y, span) for x, y in zip(xs, other.items, strict=True)]
        return make.both(self.families.present(fam), *same)

    def _equal_bags(self, a: Rep, b: Rep, span: t.Span) -> k.Expr:
        bag, other = (a, b) if isinstance(a, Bag) else (b, a)
        assert isinstance(bag, Bag)
        tests: list[k.Expr] = []
        for i, value in enumerate(bag.values):
            if isinstance(other, Bag):
                count = other.count(make.integer(other.values.index(value)))
            elif isinstance(other, Const) and isinstance(other.value, FrozenMap):
                count = make.integer(other.value.get(value, 0))
            else:
                refuse("E0710", span, "a bag is compared with a bag or with `{thing: number}`")
            tests.append(make.eq(bag.count(make.integer(i)), count))
        return make.both(*tests)

    def _inside(self, value: Rep, operand: t.Expr, env: Env, span: t.Span) -> k.Expr:
        if isinstance(operand, t.Range) and _number(value):
            n = self.families.number(value, span)
            low, high = self.number(operand.low, env), self.number(operand.high, env)
            return make.both(make.le(low, n), make.le(n, high))
        collection = self.lower(operand, env)
        if isinstance(collection, Tup):
            return make.either(*(self.equal(value, item, span) for item in collection.items))
        if isinstance(collection, Seq):
            return self.quantifiers.contains(collection, value, span)
        if isinstance(collection, Bag):
            fam = self.families.as_family(value)
            if fam is None:
                refuse("E0710", span, "this is nothing that lies in the bag")
            index = self.families.remap(fam, collection.values)
            return make.both(
                make.le(make.integer(0), index), make.lt(make.integer(0), collection.count(index))
            )
        if isinstance(collection, SetOf):
            fam = self.families.as_family(value)
            if fam is None:
                refuse("E0722", span, "only elements of domains lie in a set at play time")
            return make.member(self.families.remap(fam, collection.values), collection.expr)
        combined = self.families.combine(
            lambda v, c: operators.compare("in", v, c, span), [value, collection], span
        )
        if combined is not None:
            return self.families.truth(combined, span)
        return self._inside_known(value, collection, span)

    def _inside_known(self, value: Rep, collection: Rep, span: t.Span) -> k.Expr:
        fam = self.families.as_family(value)
        if fam is not None:
            chosen = self.families.set(collection, span, fam.values if _unique(fam.values) else None)
            return make.member(self.families.remap(fam, chosen.values), chosen.expr)
        if isinstance(collection, Const):
            return make.either(*(self.equal(value, Const(v), span) for v in iterate(collection.value)))
        refuse("E0722", span, "this cannot be worked out at play time: its values range too widely")

    def _logic(self, e: t.Logic, env: Env) -> Rep:
        items: list[k.Expr] = []
        for x in e.items:
            item = self.truth(x, env)
            items.append(item)
            if item == make.truth(e.op == "or"):
                break
        return Truth(make.both(*items) if e.op == "and" else make.either(*items))

    def _presence(self, e: t.Presence, env: Env) -> Rep:
        value = self.lower(e.value, env)
        if not isinstance(value, Fam | Const):
            return Truth(make.truth(e.some))
        fam = self.families.as_family(value)
        assert fam is not None
        present = self.families.present(fam)
        return Truth(present if e.some else make.no(present))

    def _choice(self, e: t.Choice, env: Env) -> Rep:
        test = self.truth(e.test, env)
        if isinstance(test, k.Const):
            return self.lower(e.then if test.value else e.other, env)
        return self.families.join(test, self.lower(e.then, env), self.lower(e.other, env), e.span)

    def _range(self, e: t.Range, env: Env) -> Rep:
        low, high = self.number(e.low, env), self.number(e.high, env)
        size = max(make.interval(high)[1] - make.interval(low)[0] + 1, 0)
        length = make.extreme("max", make.add(make.sub(high, low), make.integer(1)), make.integer(0))
        return Seq(length, size, lambda i: Num(make.add(low, i)))


def _plain_equality(expr: t.Expr) -> bool:
    """`a == b` between names, or a name and a word, is left a comparison."""
    simple = isinstance(expr, t.Compare) and len(expr.rest) == 1 and expr.rest[0][0] in ("==", "!=")
    return simple and isinstance(expr.first, t.Name) and isinstance(expr.rest[0][1], t.Name | t.Number)  # type: ignore[union-attr]


def _number(rep: Rep) -> bool:
    return isinstance(rep, Num) or (
        isinstance(rep, Const) and isinstance(rep.value, int) and not isinstance(rep.value, bool | RingInt)
    )


def _ordered(rep: Rep) -> bool:
    """Numbers, also on rings or beside none."""
    if isinstance(rep, Fam):
        return all(v is None or (isinstance(v, int) and not isinstance(v, bool)) for v in rep.values)
    return isinstance(rep, Num) or (
        isinstance(rep, Const) and isinstance(rep.value, int) and not isinstance(rep.value, bool)
    )


def _setlike(rep: Rep) -> bool:
    if isinstance(rep, Const):
        return isinstance(rep.value, frozenset) or operators.is_set(rep.value)
    return isinstance(rep, SetOf) or (
        isinstance(rep, Fam) and any(isinstance(v, frozenset) for v in rep.values)
    )


def _universe(rep: Rep) -> tuple[Value, ...] | None:
    return rep.values if isinstance(rep, SetOf) else None


def _unique(values: tuple[Value, ...]) -> bool:
    return len(set(values)) == len(values)
