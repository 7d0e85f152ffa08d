"""Which values of the kernel's variables are values of the types of state: what the variables' own types do
not say, such as how much a bag may hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from engine import kernel as k
from engine import make
from engine.builder import Builder
from engine.problems import refuse
from engine.reps import Bag, Map, Place, RecordPlace, Scalar, Seq
from engine.types import BagType, ListType, MapType, OptionOf, RecordType, Type
from grammar.tree import Span


def proper(builder: Builder, place: Place, kind: Type, span: Span) -> Iterator[k.Expr]:
    """Conditions that together say that what stands at a place is of its type."""
    match place, kind:
        case Scalar(), _:
            if place.within is not None:
                low, high, _ = place.within
                yield make.both(make.le(low, _raw(builder, place)), make.le(_raw(builder, place), high))
        case Map(keys=keys, get=get, unique=unique), MapType():
            for i in range(len(keys)):
                yield from proper(builder, get(make.integer(i)), kind.at(i), span)
            if unique:
                yield from _different(builder, [get(make.integer(i)) for i in range(len(keys))], kind, span)
        case Bag(values=values, place=at), BagType() if at is not None:
            total: k.Expr = make.integer(0)
            for i in range(len(values)):
                total = make.add(total, _raw(builder, at(make.integer(i))))
            if len(values) > 1 or place.room is not None:
                yield make.le(total, place.most)
        case Seq(length=length, place=item), ListType(inner=inner, size=size) if item is not None:
            if place.room is not None:
                yield make.le(length, place.room)
            for i in range(size):
                here = make.lt(make.integer(i), length)
                for one in proper(builder, item(make.integer(i)), inner, span):
                    yield make.either(make.no(here), one)
                for one in _untouched(builder, item(make.integer(i)), span):
                    yield make.either(here, one)
        case RecordPlace(fields=fields), RecordType(fields=kinds):
            for (_, part), (_, inner) in zip(fields, kinds, strict=True):
                yield from proper(builder, part, inner, span)


def _raw(builder: Builder, place: Scalar) -> k.Expr:
    """The kernel's own value at a place of the state."""
    var = builder.vars[place.var]
    if place.index is None:
        return k.Load(var.type, place.var)
    return k.At(var.type, place.var, place.index)


def _different(builder: Builder, places: list[Place], kind: MapType, span: Span) -> Iterator[k.Expr]:
    """That a `unique` map holds nothing twice."""
    scalars = [p for p in places if isinstance(p, Scalar)]
    if len(scalars) != len(places):
        refuse("E0767", span, "play cannot start from any state: this `unique` map holds lists")
    optional = isinstance(kind.inner, OptionOf)
    for one, other in combinations(scalars, 2):
        same = make.eq(_raw(builder, one), _raw(builder, other))
        some = make.le(make.integer(0), _raw(builder, one)) if optional else make.TRUE
        yield make.no(make.both(some, same))


def _untouched(builder: Builder, place: Place, span: Span) -> Iterator[k.Expr]:
    """That nothing was ever put at a place: so it is behind the end of a list."""
    match place:
        case Scalar():
            type_ = builder.vars[place.var].type
            value = max(type_.low, min(0, type_.high)) if isinstance(type_, k.Int) else 0
            yield make.eq(_raw(builder, place), k.Const(type_, value))
        case RecordPlace(fields=fields):
            for _, part in fields:
                yield from _untouched(builder, part, span)
        case Bag() | Map() | Seq():
            refuse("E0767", span, "play cannot start from any state: this list holds collections")
