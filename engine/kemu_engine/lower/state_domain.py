"""Which values of the kernel's variables are values of the types of state: what the variables' own types do
not say, such as how much a bag may hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from kemu_grammar.syntax.ast import Span

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.values.builder import Builder
from kemu_engine.lower.values.layout import nothing
from kemu_engine.lower.values.leaves import blocks
from kemu_engine.lower.values.reps import Bag, Map, Place, RecordPlace, Scalar, Seq
from kemu_engine.static.problems import refuse
from kemu_engine.static.types import BagType, ListType, MapType, OptionOf, RecordType, Type


def proper(builder: Builder, place: Place, kind: Type, span: Span) -> Iterator[k.Expr]:
    """Conditions that together say that what stands at a place is of its type."""
    match place, kind:
        case Scalar(), _:
            if place.within is not None:
                low, high, _ = place.within
                yield build.both(build.le(low, _raw(builder, place)), build.le(_raw(builder, place), high))
        case Map(keys=keys, get=get, unique=unique), MapType():
            for i in range(len(keys)):
                yield from proper(builder, get(build.integer(i)), kind.at(i), span)
            if unique:
                yield from _different(builder, [get(build.integer(i)) for i in range(len(keys))], kind, span)
        case Bag(values=values, place=at), BagType() if at is not None:
            total: k.Expr = build.integer(0)
            for i in range(len(values)):
                total = build.add(total, _raw(builder, at(build.integer(i))))
            if len(values) > 1 or place.room is not None:
                yield build.le(total, place.most)
        case Seq(length=length, place=item), ListType(inner=inner, size=size) if item is not None:
            if place.room is not None:
                yield build.le(length, place.room)
            for i in range(size):
                here = build.lt(build.integer(i), length)
                for one in proper(builder, item(build.integer(i)), inner, span):
                    yield build.either(build.no(here), one)
                for one in _untouched(builder, item(build.integer(i))):
                    yield build.either(here, one)
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
        refuse("E0767", span, "cannot start from an arbitrary state: this `unique` map holds lists")
    optional = isinstance(kind.inner, OptionOf)
    for one, other in combinations(scalars, 2):
        same = build.eq(_raw(builder, one), _raw(builder, other))
        some = build.le(build.integer(0), _raw(builder, one)) if optional else build.TRUE
        yield build.no(build.both(some, same))


def _untouched(builder: Builder, place: Place) -> Iterator[k.Expr]:
    """That nothing was ever put at a place: so it is behind the end of a list."""
    for block in blocks(place):
        var = builder.vars[block.var]
        empty = k.Const(var.type, nothing(block.leaf.kind))
        for i in range(block.leaf.size):
            here: k.Expr = k.Load(var.type, block.var)
            if block.start is not None:
                here = k.At(var.type, block.var, build.add(block.start, build.integer(i)))
            yield build.eq(here, empty)
