"""The types of what places hold."""

from __future__ import annotations

from kemu_engine.kernel import build
from kemu_engine.lower.values.reps import Bag, Map, Place, RecordPlace, Scalar, Seq
from kemu_engine.static.types import BagType, ListType, MapType, RecordType, Type


def kind_of(place: Place) -> Type:
    """The type of what a place holds; sizes that depend on a key are the largest."""
    zero = build.integer(0)
    match place:
        case Scalar(kind=kind):
            return kind
        case RecordPlace(fields=fields):
            return RecordType(tuple((name, kind_of(part)) for name, part in fields))
        case Map(keys=keys, get=get):
            return MapType(keys, kind_of(get(zero)), default=place.default)
        case Bag(values=values, size=size):
            return BagType(values, size)
        case Seq(kind=kind, size=size) if kind is not None:
            return ListType(kind, size)
    raise AssertionError(f"this is no place: {place}")
