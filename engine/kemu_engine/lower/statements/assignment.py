"""Lowers the giving of values to places: variables, lists, bags, maps, records."""

from __future__ import annotations

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.values.context import StatementLowering
from kemu_engine.lower.values.finite import item_at
from kemu_engine.lower.values.leaves import leaf_reps, leaf_types, leaves
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
    composite,
)
from kemu_engine.static.problems import refuse
from kemu_engine.static.types import IntType
from kemu_engine.static.values import FrozenMap, Value


class AssignmentLowering:
    def __init__(self, statements: StatementLowering) -> None:
        self.statements = statements
        self.expressions = statements.expressions
        self.coercions = statements.coercions
        self.builder = statements.builder

    def store(self, place: Place, rep: Rep, span: t.Span) -> None:
        origin = self.builder.origin(span)
        match place:
            case Scalar(kind=kind):
                self.put(place, self.coercions.encode(rep, kind, span), origin)
            case RecordPlace(fields=fields):
                parts = self.coercions.parts(rep, len(fields), span)
                kept = [p if composite(p) else self.statements.keep("part", p) for p in parts]
                for (_, inner), part in zip(fields, kept, strict=True):
                    self.store(inner, part, span)
            case Seq():
                self._store_list(place, self.coercions.sequence(rep, span), span)
            case Bag():
                self._store_bag(place, rep, span)
            case Map():
                self._store_map(place, rep, span)

    def put(self, place: Scalar, expr: k.Expr, origin: int) -> None:
        """Gives a place that fits one variable its kernel value."""
        if place.within is not None:
            low, high, code = place.within
            new = self.coercions.number(self.statements.keep("new", Num(expr)), t.NOWHERE)
            words = "the bag is full" if code == "overfull" else "the number is not in the range for this key"
            fault = self.builder.fault(code, words, self.builder.origins[origin].span)
            self.check(build.both(build.le(low, new), build.le(new, high)), fault)
            expr = new
        if place.local:
            self.statements.out.append(k.Assign(place.var, expr, origin))
        elif place.index is None:
            self.statements.out.append(k.Store(place.var, expr, origin))
        else:
            self.statements.out.append(k.Put(place.var, place.index, expr, origin))

    def check(self, test: k.Expr, fault: int) -> None:
        if test != build.TRUE:
            self.statements.out.append(k.Check(test, fault))

    def _store_list(self, place: Seq, rep: Seq, span: t.Span) -> None:
        """All elements at once, so that a list may be made of parts of itself; what lies beyond the end is
        zero.
        """
        assert place.place is not None and place.length_place is not None
        origin = self.builder.origin(span)
        length = self.builder.local(f"{self.statements.frame}.length", k.Int(0, max(rep.size, place.size)))
        self.statements.out.append(k.Assign(length.id, rep.length))
        if rep.size > place.size:
            fault = self.builder.fault("overfull", f"the list may hold {place.size}", span)
            self.statements.out.append(k.Check(build.le(length, build.integer(place.size)), fault))
        if place.room is not None:
            full = self.builder.fault("overfull", "the list is full", span)
            self.check(build.le(length, place.room), full)
        for part, leaf in enumerate(leaves(place.place(build.integer(0)))):
            whole = self.builder.vars[leaf.var]
            assert leaf.index is not None and whole.length is not None
            if whole.length == 0:
                continue
            binder = self.builder.local("at", k.Int(0, whole.length - 1))
            position = build.sub(binder, leaf.index)
            inside = build.both(
                build.le(build.integer(0), position), build.lt(position, build.integer(place.size))
            )
            low = whole.type.low if isinstance(whole.type, k.Int) else 0
            empty = k.Const(whole.type, max(low, min(0, getattr(whole.type, "high", 0))))
            if rep.size:
                item = leaf_values(self.statements, item_at(rep, position), place, part, span)
                new: k.Expr = k.If(whole.type, build.lt(position, length), item, empty)
            else:
                new = empty
            kept = k.At(whole.type, leaf.var, binder)
            whole_new: k.Expr = new if inside == build.TRUE else k.If(whole.type, inside, new, kept)
            self.statements.out.append(k.Fill(leaf.var, binder.id, whole_new, origin))
        kind = IntType(0, place.size)
        self.put(place.length_place, self.coercions.encode(Num(length), kind, span), origin)

    def _store_bag(self, place: Bag, rep: Rep, span: t.Span) -> None:
        assert place.place is not None
        origin = self.builder.origin(span)
        if not isinstance(rep, Bag) and not (isinstance(rep, Const) and isinstance(rep.value, FrozenMap)):
            refuse("E0731", span, "a bag takes a bag or `{thing: number}`")
        counts = [self._count(rep, value) for value in place.values]
        if not isinstance(rep, Bag) or rep.size > place.size or place.room is not None:
            total: k.Expr = build.integer(0)
            for count in counts:
                total = build.add(total, count)
            fault = self.builder.fault("overfull", "more than the bag may hold", span)
            self.check(build.le(total, place.most), fault)
        for i, count in enumerate(counts):
            expr = self.coercions.encode(Num(count), IntType(0, place.size), span)
            self.put(place.place(build.integer(i)), expr, origin)

    def _count(self, rep: Bag | Const, value: Value) -> k.Expr:
        """How often a value lies in a bag."""
        if isinstance(rep, Const):
            return build.integer(rep.value.get(value, 0))
        return rep.count(build.integer(rep.values.index(value))) if value in rep.values else build.integer(0)

    def _store_map(self, place: Map, rep: Rep, span: t.Span) -> None:
        if isinstance(rep, FiniteValue) and all(isinstance(v, FrozenMap) for v in rep.values):
            rep = self._pairs(rep, place.keys, span)
        if isinstance(rep, Pairs):
            self._store_pairs(place, rep, span)
            return
        for i, key in enumerate(place.keys):
            inner = place.get(build.integer(i))
            if isinstance(rep, Map):
                value = self.expressions.read(rep.get(build.integer(rep.keys.index(key))))
            elif isinstance(rep, Const) and isinstance(rep.value, FrozenMap):
                value = Const(rep.value.get(key))
                if key not in rep.value:
                    continue
            else:
                refuse("E0730", span, "a map takes a map or `{key: value}`")
            self.store(inner, value, span)

    def _pairs(self, rep: FiniteValue, keys: tuple[Value, ...], span: t.Span) -> Rep:
        """A map that is one of several known ones, key by key."""
        if any(set(v) != set(keys) for v in rep.values):
            return rep
        maps = self.expressions
        return Pairs(keys, lambda i: maps.apply(lambda m, n: m[keys[n]], [rep, Num(i)], span))

    def _store_pairs(self, place: Map, rep: Pairs, span: t.Span) -> None:
        """All values are worked out before the first of them is stored."""
        if set(place.keys) != set(rep.keys):
            refuse("E0730", span, "a map takes a value for each of its keys, and nothing else")
        places = [place.get(build.integer(i)) for i in range(len(place.keys))]
        if any(isinstance(p, Seq | Bag | Map) for p in places):
            refuse("E0759", span, "a map of lists, bags or maps can only be changed one key at a time")
        values = [
            self.statements.keep("value", rep.get(build.integer(rep.keys.index(key)))) for key in place.keys
        ]
        for inner, value in zip(places, values, strict=True):
            self.store(inner, value, span)


def leaf_values(s: StatementLowering, rep: Rep, place: Seq, part: int, span: t.Span) -> k.Expr:
    """The kernel value of one leaf of an element of a list."""
    assert place.kind is not None
    kinds = leaf_types(place.kind, span)
    return s.coercions.encode(leaf_reps(rep, place.kind, s.coercions, span)[part], kinds[part], span)
