"""Lowers the giving of values to places: variables, lists, bags, maps, records."""

from __future__ import annotations

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.statements.blockwise import BlockwiseStores
from kemu_engine.lower.values.context import StatementLowering
from kemu_engine.lower.values.reps import (
    Bag,
    Const,
    Map,
    Num,
    Pairs,
    Place,
    RecordPlace,
    Rep,
    Scalar,
)
from kemu_engine.static.maps import no_others
from kemu_engine.static.types import IntType
from kemu_engine.static.values import FrozenMap


class AssignmentLowering:
    def __init__(self, statements: StatementLowering) -> None:
        self.statements = statements
        self.expressions = statements.expressions
        self.coercions = statements.coercions
        self.builder = statements.builder
        self.blockwise = BlockwiseStores(statements)

    def store(self, place: Place, rep: Rep, span: t.Span) -> None:
        match place:
            case Scalar(kind=kind):
                self.put(place, self.coercions.encode(rep, kind, span), self.builder.origin(span))
            case Bag() if not self.blockwise.depends(place):
                self._store_bag(place, rep, span)
            case Map() if self._by_key(place, rep):
                self._store_map(place, rep, span)
            case RecordPlace(fields=fields) if _flat(place):
                parts = self.coercions.parts(rep, len(fields), span)
                kept = [self.statements.keep("part", p) for p in parts]
                for (_, inner), part in zip(fields, kept, strict=True):
                    self.store(inner, part, span)
            case _:
                self.blockwise.store(place, rep, span)

    def _by_key(self, place: Map, rep: Rep) -> bool:
        """Whether what lies under each key is stored by itself."""
        if isinstance(rep, Const):
            return not self.blockwise.depends(place)
        inner = place.get(build.integer(0))
        if not _flat(inner) or (isinstance(rep, Pairs) and isinstance(inner, Map)):
            return False
        return not self.blockwise.depends(place)

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

    def _store_bag(self, place: Bag, rep: Rep, span: t.Span) -> None:
        assert place.place is not None
        origin = self.builder.origin(span)
        bag = self.coercions.bag(rep, span)
        for test, fault in self.blockwise.limits(place, bag, span):
            self.check(test, fault)
        here = [build.integer(i) for i in range(len(place.values))]
        counts = [self.coercions.count(bag, place.values, i) for i in here]
        if bag.place is None:  # it may be made of what changes
            counts = [self.coercions.number(self.statements.keep("count", Num(n)), span) for n in counts]
        for i, count in zip(here, counts, strict=True):
            expr = self.coercions.encode(Num(count), IntType(0, place.size), span)
            self.put(place.place(i), expr, origin)

    def overlay(self, place: Map, rep: Rep, span: t.Span) -> None:
        """`place |= rep`: the keys that are given change, the others stay."""
        given = rep.value if isinstance(rep, Const) else rep
        if not isinstance(given, FrozenMap | Map | Pairs) or not self._by_key(place, rep):
            self.store(place, self.coercions.merged(place, rep, span), span)
            return
        keys = tuple(given) if isinstance(given, FrozenMap) else given.keys
        no_others(keys, place.keys, span)
        if not keys:  # but where it stands is asked
            for expr in self.coercions.faulty(place):
                self.statements.out.append(k.Assign(self.builder.local("met", expr.type).id, expr))
        self._store_keys(place, rep, self.coercions.pairs(rep, keys, span), span)

    def _store_map(self, place: Map, rep: Rep, span: t.Span) -> None:
        self._store_keys(place, rep, self.coercions.pairs(rep, place.keys, span, place.default), span)

    def _store_keys(self, place: Map, rep: Rep, made: Pairs, span: t.Span) -> None:
        """Stores what `rep` has under some keys; values that may change are worked out before all others."""
        values = [made.get(build.integer(i)) for i in range(len(made.keys))]
        if not isinstance(rep, Map):
            values = [self.statements.keep("value", value) for value in values]
        where = {key: i for i, key in enumerate(place.keys)}
        for key, value in zip(made.keys, values, strict=True):
            self.store(place.get(build.integer(where[key])), value, span)


def _flat(place: Place) -> bool:
    """Whether a place holds no list and no bag."""
    match place:
        case RecordPlace(fields=fields):
            return all(isinstance(part, Scalar | RecordPlace) and _flat(part) for _, part in fields)
        case Map(get=get):
            return _flat(get(build.integer(0)))
    return isinstance(place, Scalar)
