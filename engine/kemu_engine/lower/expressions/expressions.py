"""Lowers expressions: what is known is computed, what ranges over little is tabulated, the rest becomes
kernel expressions.

Three cases, in this order: (1) nothing in the expression depends on play: the evaluator gives its value; (2)
it reads no
state and its free names range over few values: it is tabulated by the same evaluator; (3) otherwise, by its
form.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.expressions.operations import Operations
from kemu_engine.lower.values.builder import Builder
from kemu_engine.lower.values.coerce import Coercions
from kemu_engine.lower.values.context import Binding, CallLowering, Env, QuantifierLowering, TrialLowering
from kemu_engine.lower.values.dependence import RESULT_NAMES, Analysis
from kemu_engine.lower.values.finite import LIMIT, SMALL, is_number, item_at
from kemu_engine.lower.values.reps import (
    Bag,
    Const,
    FiniteValue,
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
    composite,
)
from kemu_engine.lower.values.shapes import flatten
from kemu_engine.lower.values.tabulate import Same
from kemu_engine.static import operators
from kemu_engine.static.eval import Evaluator
from kemu_engine.static.problems import StaticFault, refuse
from kemu_engine.static.values import Value, arranged, exact

LOWERED = 10  # steps of an expression that is brought into the kernel, without its parts
LARGEST_EXPRESSION = 100_000  # operations
MEND = "a rule that keeps a value in a name of its own works it out once"
_WHOLE = (t.Call, t.Comprehension, t.Index, t.Field, t.Slice)
_OPERATORS = (t.Binary, t.Compare, t.Logic, t.Unary, t.Choice, t.Presence, t.Text, t.Tuple, t.SetOf, t.ListOf)


class Expressions:
    quantifiers: QuantifierLowering
    calls: CallLowering

    def __init__(
        self,
        builder: Builder,
        coercions: Coercions,
        evaluator: Evaluator,
        analysis: Analysis,
        places: dict[str, Place],
    ) -> None:
        self.builder = builder
        self.coercions = coercions
        self.evaluator = evaluator
        self.analysis = analysis
        self.places = places
        self.histories: dict[str, int | None] = {}  # by name the variable; None: nothing is ever noted
        self.result_expr: Callable[[str, t.Span], Rep] | None = None
        self.trials: TrialLowering
        self.operations = Operations(self)
        self._visit: dict[type, Callable[[Any, Env], Rep]] = {
            t.Name: self._name,
            t.Field: self._field,
            t.Index: self._index,
            t.Slice: self._slice,
            t.Tuple: lambda e, env: Tup(tuple(self.lower(x, env) for x in e.items)),
            t.ListOf: lambda e, env: Tup(tuple(self.lower(x, env) for x in e.items), None, True),
            t.SetOf: self.operations.set_of,
            t.Unary: self.operations.unary,
            t.Binary: self.operations.binary_of,
            t.Compare: self.operations.comparison,
            t.Logic: self.operations.logic,
            t.Presence: self.operations.presence,
            t.Choice: self.operations.choice,
            t.Range: self.operations.range_of,
            t.Text: self.operations.text,
            t.MapOf: self._map_of,
            t.After: lambda e, env: self.trials.after(e, env),
            t.Can: lambda e, env: self.trials.can(e, env),
            t.Comprehension: lambda e, env: self.quantifiers.comprehension(e, env),
            t.Call: lambda e, env: self.calls.call(e, env),
        }

    def _map_of(self, e: t.MapOf, env: Env) -> Rep:
        """`{k: v, ...}` with values that are known only in play; like a set, its keys have one order."""
        values: dict[Value, Rep] = {}
        hidden: list[Rep] = []  # behind a later value for the same key; it is worked out even so
        for key, value in e.pairs:
            known = self.lower(key, env)
            if not isinstance(known, Const):
                refuse("E0751", key.span, "this key is not known before play; write `m[key] = value`")
            if known.value in values:
                hidden.append(values[known.value])
            values[known.value] = self.lower(value, env)
        keys = arranged(values)
        held = Tup(tuple(values[key] for key in keys))
        made = Pairs(keys, self.coercions.sequence(held, e.span).get)
        return self.coercions.after(self.coercions.all_faulty(*hidden), made)

    # ---------------------------------------------------------------------------------------- the three cases

    def lower(self, expr: t.Expr, env: Env) -> Rep:
        self.evaluator.work.spend(LOWERED, expr.span)
        if not self.analysis.state_read(expr):
            known = self._known(expr, env)
            if known is not None:
                rep = self._computed(expr, known, env)
                if rep is not None:
                    return rep
        rep = self._visit[type(expr)](expr, env)
        if not composite(rep):
            size = sum(map(self.builder.sizes.of, flatten(rep)))
            if size > LARGEST_EXPRESSION:
                refuse(
                    "E0774",
                    expr.span,
                    f"written out, this has more than {LARGEST_EXPRESSION:,} operations",
                    MEND,
                )
        return rep

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
                return self.coercions.fails(self.coercions.fault(fault, expr.span), None)
        if isinstance(expr, t.Name) or _plain_equality(expr) or self._by_form(expr, known):
            return None
        finite = [self.coercions.as_finite(known[n]) for n in names]
        if any(f is None for f in finite):
            return None
        rows = 1
        for f in finite:
            assert f is not None
            rows *= len(f.values)
        arithmetic = any(isinstance(known[n], Num | Truth) for n in names)
        whole = isinstance(expr, _WHOLE) and rows <= LIMIT
        small = isinstance(expr, _OPERATORS) and rows <= SMALL and not arithmetic
        if not whole and not small:
            return None

        def row(*values: Value) -> Value:
            return self.evaluator.eval(expr, {**fixed, **dict(zip(names, values, strict=True))})

        levels = self.evaluator.functions.levels.items()
        key = ("expression", Same(expr), *((n, exact(v)) for n, v in fixed.items()), *levels)
        return self.coercions.combine(row, [known[n] for n in names], expr.span, key, self._called(expr))

    def _called(self, expr: t.Expr) -> str:
        """The function of the rules file that an expression calls, if it does just that."""
        name = expr.value.id if isinstance(expr, t.Call) and isinstance(expr.value, t.Name) else ""
        return name if isinstance(self.evaluator.names.get(name), t.Fun) else ""

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
        return self.coercions.read(binding)

    def truth(self, expr: t.Expr, env: Env) -> k.Expr:
        return self.coercions.truth(self.lower(expr, env), expr.span)

    def number(self, expr: t.Expr, env: Env) -> k.Expr:
        return self.coercions.number(self.lower(expr, env), expr.span)

    # ---------------------------------------------------------------------------------------- names and parts

    def _name(self, e: t.Name, env: Env) -> Rep:
        if e.id in env:
            return self.read(env[e.id])
        if e.id in self.places:
            return self.read(self.places[e.id])
        if e.id in RESULT_NAMES:
            if self.result_expr is None:
                refuse("E0720", e.span, f"`{e.id}` is known only at the end: use it in `at_end` or `expect`")
            return self.result_expr(e.id, e.span)
        return Const(self.evaluator.global_value(e.id, e.span))

    def place(self, expr: t.Expr, env: Env) -> Place:
        """The place that a target such as `board[p][w]` names."""
        match expr:
            case t.Name(id=name):
                found = env.get(name) or self.places.get(name)
                if isinstance(found, Scalar | RecordPlace | Seq | Bag | Map):
                    return found
                refuse("E0764", expr.span, f"`{name}` is not a variable")
            case t.Index(value=value, index=index):
                return self._part(self.place(value, env), index, env)
            case t.Field(value=value, name=name):
                record = self.place(value, env)
                if isinstance(record, RecordPlace):
                    for n, place in record.fields:
                        if n == name:
                            return place
                refuse("E0712", expr.span, f"there is no field `{name}` to change")
        refuse("E0764", expr.span, "this is not a variable or a part of one")

    def _part(self, container: Place, index: t.Expr, env: Env) -> Place:
        rep = self.lower(index, env)
        match container:
            case Map(keys=keys, get=get):
                return get(self.key(rep, keys, index.span))
            case Bag(values=values, place=place) if place is not None:
                key = self.key(rep, values, index.span)
                total = self.coercions.number(self.quantifiers.length(container, index.span), index.span)
                others = build.sub(total, container.count(key))
                limit = (build.integer(0), build.sub(container.most, others), "overfull")
                return replace(place(key), within=limit)
            case Seq(place=place) if place is not None:
                return place(self._list_index(container, rep, index.span))
            case RecordPlace(fields=fields) if isinstance(rep, Const) and isinstance(rep.value, int):
                if not -len(fields) <= rep.value < len(fields):
                    refuse("E0763", index.span, f"there is no item {rep.value} in {len(fields)}")
                return fields[rep.value][1]
        refuse("E0763", index.span, "this cannot be indexed")

    def key(self, rep: Rep, keys: tuple[Value, ...], span: t.Span) -> k.Expr:
        """The position of a value among the keys of a map, a fault if it is none of them."""
        fam = self.coercions.as_finite(rep)
        if fam is None:
            refuse("E0763", span, "this is not a key of the map")
        index = self.coercions.remap(fam, keys)
        low, high = build.interval(index)
        if low >= 0:
            return index
        code = "missing_value" if None in fam.values else "bad_index"
        message = "the key is none" if code == "missing_value" else "the map has no such key"
        fault = self.builder.fault(code, message, span)
        return build.confined(build.le(build.integer(0), index), index, 0, max(high, 0), fault)

    def _list_index(self, items: Seq, rep: Rep, span: t.Span) -> k.Expr:
        """Where an element stands; a negative index counts from the end."""
        index = self.coercions.number(rep, span)
        low, high = build.interval(index)
        if high < 0:
            return self._inside(items, build.add(items.length, index), span)
        if low >= 0:
            return self._inside(items, index, span)
        local = self.builder.local("index", index.type)
        from_end = build.add(items.length, local)
        at = self._inside(items, build.when(build.lt(local, build.integer(0)), from_end, local), span)
        return k.Let(at.type, local.id, index, at)

    def _inside(self, items: Seq, index: k.Expr, span: t.Span) -> k.Expr:
        test = build.both(build.le(build.integer(0), index), build.lt(index, items.length))
        if test == build.TRUE:
            return index
        fault = self.builder.fault("bad_index", "the list has no such element", span)
        return build.confined(test, index, 0, max(items.size - 1, 0), fault)

    def _index(self, e: t.Index, env: Env) -> Rep:
        container = self.lower(e.value, env)
        rep = self.lower(e.index, env)
        return self.coercions.after(self.coercions.made_faulty(container), self._at(container, rep, e))

    def _at(self, container: Rep, rep: Rep, e: t.Index) -> Rep:
        match container:
            case Map(keys=keys, get=get):
                return self.read(get(self.key(rep, keys, e.index.span)))
            case Pairs(keys=keys, get=value):
                key = self.key(rep, keys, e.index.span)
                return self.coercions.after(self.coercions.faulty(Num(key)), value(key))
            case Bag(values=values, count=count):
                return Num(count(self.key(rep, values, e.index.span)))
            case Seq():
                return self._item(container, rep, e)
            case Tup(items=items) if isinstance(rep, Const) and isinstance(rep.value, int):
                if not -len(items) <= rep.value < len(items):
                    refuse("E0763", e.span, f"there is no item {rep.value} in {len(items)}")
                return items[rep.value]
            case Tup():
                return self._element(container, rep, e)
        combined = self.coercions.combine(
            lambda a, b: operators.index(a, b, e.span), [container, rep], e.span, "index"
        )
        if combined is not None:
            return combined
        return self._element(container, rep, e)

    def _element(self, container: Rep, rep: Rep, e: t.Index) -> Rep:
        return self._item(self.coercions.sequence(container, e.span), rep, e)

    def _item(self, items: Seq, rep: Rep, e: t.Index) -> Rep:
        at = self._list_index(items, rep, e.index.span)
        if items.place is not None:
            return items.get(at)
        return self.coercions.after(
            self.coercions.faulty(Num(at)), items.get(at) if items.size else Const(None)
        )

    def _slice(self, e: t.Slice, env: Env) -> Rep:
        value = self.lower(e.value, env)
        if isinstance(value, FiniteValue | Const) and _texts(self.coercions.as_finite(value)):
            ends = [Const(None) if end is None else self.lower(end, env) for end in (e.low, e.high)]
            return self.apply(lambda v, a, b: operators.cut(v, a, b, e.span), [value, *ends], e.span)
        return self.coercions.after(self.coercions.made_faulty(value), self._sliced(e, value, env))

    def _sliced(self, e: t.Slice, value: Rep, env: Env) -> Rep:
        items = self.coercions.sequence(value, e.span)
        low = self._end(e.low, items, build.integer(0), env)
        high = self._end(e.high, items, items.length, env)
        if low == build.integer(0):
            return Seq(high, items.size, items.get, None, items.kind)
        length = build.extreme("max", build.sub(high, low), build.integer(0))
        return Seq(length, items.size, lambda i: item_at(items, build.add(low, i)), None, items.kind)

    def _end(self, expr: t.Expr | None, items: Seq, default: k.Expr, env: Env) -> k.Expr:
        if expr is None:
            return default
        index = self.number(expr, env)
        if build.interval(index)[0] < 0:
            from_end = build.add(index, items.length)
            index = build.when(build.lt(index, build.integer(0)), from_end, index)
            index = build.extreme("max", index, build.integer(0))
        return build.extreme("min", index, items.length)

    def _field(self, e: t.Field, env: Env) -> Rep:
        value = self.lower(e.value, env)
        fields = value.fields if isinstance(value, Tup) else None
        if isinstance(value, Tup) and fields is None and self._point(value):
            fields = operators.POINT
        if isinstance(value, Tup) and fields is not None and e.name in fields:
            return self.coercions.after(self.coercions.faulty(value), value.items[fields.index(e.name)])
        key = ("field", e.name)
        return self.apply(lambda v: operators.field(v, e.name, e.span), [value], e.span, key)

    def _point(self, value: Tup) -> bool:
        """Whether this is a pair of numbers."""
        pair = value.fields is None and not value.seq and len(value.items) == 2
        return pair and all(map(is_number, value.items))

    def apply(
        self, function: Callable[..., Value], reps: list[Rep], span: t.Span, key: Hashable = None
    ) -> Rep:
        """A function of known values on coercions, or an error."""
        combined = self.coercions.combine(function, reps, span, key)
        if combined is None:
            refuse("E0722", span, "this cannot be worked out during play: its range is too large")
        return combined


def _texts(fam: FiniteValue | None) -> bool:
    return fam is not None and any(isinstance(v, str) for v in fam.values)


def _plain_equality(expr: t.Expr) -> bool:
    """`a == b` between names, or a name and a word, is left a comparison."""
    simple = isinstance(expr, t.Compare) and len(expr.rest) == 1 and expr.rest[0][0] in ("==", "!=")
    return simple and isinstance(expr.first, t.Name) and isinstance(expr.rest[0][1], t.Name | t.Number)  # type: ignore[union-attr]
