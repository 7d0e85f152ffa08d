"""Writes the initial values of state variables, known at instance time, into their kernel variables."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from engine import kernel as k
from engine import make
from engine.problems import refuse
from engine.reps import Bag, Const, Map, Place, RecordPlace, Scalar, Seq
from engine.structured import Structured
from engine.types import BagType, ListType, MapType, RecordType, Type
from engine.values import FrozenMap, Value, iterate
from grammar.tree import Span


def bake(s: Structured, place: Place, kind: Type, value: Value, span: Span) -> None:
    """Makes `value` what stands at `place` in the beginning."""
    match place, kind:
        case Scalar(), _:
            expr = s.families.encode(Const(value), place.kind, span)
            assert isinstance(expr, k.Const), expr
            _write(s, place, int(expr.value))
        case Map(keys=keys, get=get), MapType():
            given = value if isinstance(value, FrozenMap) else None
            if given is None or any(key not in keys for key in given):
                refuse("E0730", span, "a map is given `{key: value}`, its keys in the domain")
            for i, key in enumerate(keys):
                if key in given:
                    bake(s, get(make.integer(i)), kind.at(i), given[key], span)
        case Bag(values=values, place=at), BagType(size=size):
            counts = _counts(value, span)
            if sum(counts.values()) > size:
                refuse("E0735", span, f"the bag may hold {size}, here are {sum(counts.values())}")
            if at is None or any(key not in values for key in counts):
                refuse("E0731", span, "a bag is given `{thing: number}`, or a set")
            for i, key in enumerate(values):
                bake(s, at(make.integer(i)), at(make.integer(i)).kind, counts.get(key, 0), span)
        case Seq(place=item, length_place=length), ListType(inner=inner, size=size):
            items = iterate(value)
            if item is None or length is None or len(items) > size:
                refuse("E0735", span, f"the list may hold {size}, here are {len(items)}")
            for i, one in enumerate(items):
                bake(s, item(make.integer(i)), inner, one, span)
            bake(s, length, length.kind, len(items), span)
        case RecordPlace(fields=fields), RecordType(fields=kinds):
            for (_, part), (_, inner), one in zip(fields, kinds, iterate(value), strict=True):
                bake(s, part, inner, one, span)
        case _:
            refuse("E0710", span, "this cannot be the initial value")


def _counts(value: Value, span: Span) -> dict[Value, int]:
    if isinstance(value, FrozenMap):
        return dict(value)
    try:
        return Counter(iterate(value))
    except TypeError:
        refuse("E0731", span, "a bag is given `{thing: number}`, or a set")


def _write(s: Structured, place: Scalar, value: int) -> None:
    var = s.builder.vars[place.var]
    if place.index is None:
        s.builder.vars[place.var] = replace(var, initial=value)
        return
    assert isinstance(place.index, k.Const) and isinstance(var.initial, tuple)
    items = list(var.initial)
    items[place.index.value] = value
    s.builder.vars[place.var] = replace(var, initial=tuple(items))
