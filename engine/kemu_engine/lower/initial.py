"""Writes the initial values of state variables, known at instance time, into their kernel variables."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from kemu_grammar.syntax.ast import Span

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.statements.statements import StraightLineLowering
from kemu_engine.lower.values.reps import Bag, Const, Map, Place, RecordPlace, Scalar, Seq
from kemu_engine.static.maps import filled
from kemu_engine.static.problems import refuse
from kemu_engine.static.types import BagType, ListType, MapType, RecordType, Type
from kemu_engine.static.values import FrozenMap, Value, iterate

Cells = dict[int, dict[int | None, int]]
"""By variable and element (None: it is no array)."""


def bake(s: StraightLineLowering, place: Place, kind: Type, value: Value, span: Span) -> None:
    """Makes `value` what stands at `place` in the beginning."""
    cells: Cells = {}
    _bake(s, place, kind, value, span, cells)
    _write(s, cells)


def bake_defaults(s: StraightLineLowering, place: Place, kind: Type, span: Span) -> None:
    """Makes what maps have by default what stands at `place` in the beginning."""
    cells: Cells = {}
    _bake_defaults(s, place, kind, span, cells)
    _write(s, cells)


def _bake_defaults(s: StraightLineLowering, place: Place, kind: Type, span: Span, into: Cells) -> None:
    match place, kind:
        case Map(), MapType() if kind.default:
            _bake(s, place, kind, FrozenMap({}), span, into)
        case Map(keys=keys, get=get), MapType() if _has_default(kind.inner):
            for i in range(len(keys)):
                _bake_defaults(s, get(build.integer(i)), kind.at(i), span, into)
        case RecordPlace(fields=fields), RecordType(fields=kinds):
            for (_, part), (_, inner) in zip(fields, kinds, strict=True):
                _bake_defaults(s, part, inner, span, into)


def _has_default(kind: Type) -> bool:
    match kind:
        case MapType(inner=inner, default=default):
            return bool(default) or _has_default(inner)
        case RecordType(fields=fields):
            return any(_has_default(inner) for _, inner in fields)
    return False


def _write(s: StraightLineLowering, cells: Cells) -> None:
    for number, given in cells.items():
        var = s.builder.vars[number]
        if None in given:
            s.builder.vars[number] = replace(var, initial=given[None])
            continue
        assert isinstance(var.initial, tuple)
        initial = tuple(given.get(at, old) for at, old in enumerate(var.initial))
        s.builder.vars[number] = replace(var, initial=initial)


def _bake(s: StraightLineLowering, place: Place, kind: Type, value: Value, span: Span, into: Cells) -> None:
    match place, kind:
        case Scalar(), _:
            expr = s.coercions.encode(Const(value), place.kind, span)
            assert isinstance(expr, k.Const), expr
            index = place.index
            assert index is None or isinstance(index, k.Const)
            into.setdefault(place.var, {})[None if index is None else index.value] = int(expr.value)
        case Map(keys=keys, get=get), MapType():
            for i, one in enumerate(filled(value, keys, kind.default, span).values()):
                _bake(s, get(build.integer(i)), kind.at(i), one, span, into)
        case Bag(values=values, place=at), BagType(size=size):
            counts = _counts(value, span)
            if sum(counts.values()) > size:
                refuse("E0735", span, f"the bag holds at most {size}, but this is {sum(counts.values())}")
            if at is None or not counts.keys() <= set(values):
                refuse("E0731", span, "a bag takes `{thing: number}` or a set")
            for i, key in enumerate(values):
                _bake(s, at(build.integer(i)), at(build.integer(i)).kind, counts.get(key, 0), span, into)
        case Seq(place=item, length_place=length), ListType(inner=inner, size=size):
            items = iterate(value)
            if item is None or length is None or len(items) > size:
                refuse("E0735", span, f"the list holds at most {size}, but this is {len(items)}")
            for i, one in enumerate(items):
                _bake(s, item(build.integer(i)), inner, one, span, into)
            _bake(s, length, length.kind, len(items), span, into)
        case RecordPlace(fields=fields), RecordType(fields=kinds):
            for (_, part), (_, inner), one in zip(fields, kinds, iterate(value), strict=True):
                _bake(s, part, inner, one, span, into)
        case _:
            refuse("E0710", span, "this cannot be the initial value")


def _counts(value: Value, span: Span) -> dict[Value, int]:
    if isinstance(value, FrozenMap):
        return dict(value)
    try:
        return Counter(iterate(value))
    except TypeError:
        refuse("E0731", span, "a bag takes `{thing: number}` or a set")
