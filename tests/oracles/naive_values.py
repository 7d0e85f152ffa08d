"""What the naive evaluator computes with: integers, truths, `None` (the language's `none`), elements of enums
and of grids, tuples (lists), records, frozensets, dictionaries (maps and bags) that nobody changes once made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple


class Fault(Exception):
    """The rules ask for what cannot be."""


class Member(NamedTuple):
    """An element of an enum (or a player): enums are told apart by name."""

    domain: str
    index: int
    text: str


class Record(tuple[Any, ...]):
    """A tuple or a record, equal to the bare tuple; a list is a tuple of Python."""

    fields: tuple[str, ...]

    def __new__(cls, items: Iterable[Any], fields: tuple[str, ...] = ()) -> Record:
        made = super().__new__(cls, items)
        made.fields = fields
        return made


class Point(Record):
    """An element of a grid."""

    def __new__(cls, items: Iterable[Any], fields: tuple[str, ...] = ("x", "y")) -> Point:
        made = super().__new__(cls, items, fields)
        assert isinstance(made, Point)
        return made


class Bag(dict[Any, int]):
    """How often each element lies in it, if at all. `own`: what may lie in it, if that is known."""

    own: Sequence[Any] | None = None


class Filled(dict[Any, Any]):
    """A map whose type has a default: what is under keys that are not given."""

    default: Any

    @staticmethod
    def of(given: Mapping[Any, Any], default: Any) -> Filled:
        made = Filled(given)
        made.default = default
        return made


class Domain(frozenset[Any]):
    """A domain is gone through as it was written."""

    listed: tuple[Any, ...]

    @staticmethod
    def of(values: Iterable[Any]) -> Domain:
        listed = tuple(dict.fromkeys(values))
        made = Domain(listed)
        made.listed = listed
        return made


def text(value: Any) -> str:
    """A value as actions and outcomes write it."""
    match value:
        case None:
            return "none"
        case bool():
            return "true" if value else "false"
        case Member():
            return value.text
        case tuple():
            return f"({', '.join(map(text, value))})"
    return str(value)


def order(value: Any) -> Any:
    """What sorts values: none, truths, numbers upwards, members as declared, points row by row, tuples part
    by part.
    """
    match value:
        case None:
            return (0,)
        case bool():
            return (1, value)
        case int():
            return (2, value)
        case Member():
            return (4, value.index)
        case Point():
            return (5, (order(value[1]), order(value[0])))
    return (5, tuple(map(order, value)))


def sorted_(values: Iterable[Any]) -> list[Any]:
    """In their order; a pair beside points is one of them."""
    found = list(values)
    if any(isinstance(x, Point) for x in found):
        found = [Point(x) if isinstance(x, tuple) and len(x) == 2 else x for x in found]
    return sorted(found, key=order)


def elements(value: Any) -> Sequence[Any]:
    """The elements of a collection, in order: the keys of a map, of a bag each kind of thing once."""
    match value:
        case None:
            raise Fault("no value")
        case Domain():
            return value.listed
        case frozenset():
            return sorted_(value)
        case Bag():
            return [x for x in value if value[x]]
    return list(value)


def things(value: Any) -> Sequence[Any]:
    """The elements of a collection; of a bag each thing as often as it lies there."""
    if isinstance(value, Bag):
        return [x for x in value for _ in range(value[x])]
    return elements(value)


def same(a: Any, b: Any) -> bool:
    """`a == b`: a set and a list if they hold the same, a bag and `{thing: number}` if it is as often."""
    if isinstance(a, Bag) or isinstance(b, Bag):
        return _counts(a) == _counts(b)
    if isinstance(b, Filled):
        a, b = b, a
    if isinstance(a, Filled):
        given = b if isinstance(b, dict) else {}
        return (
            (given or not b)
            and given.keys() <= a.keys()
            and all(same(a[x], given.get(x, a.default)) for x in a)
        )
    if isinstance(a, frozenset) or isinstance(b, frozenset):
        return isinstance(a, frozenset | tuple) and isinstance(b, frozenset | tuple) and set(a) == set(b)
    if isinstance(a, Member) or isinstance(b, Member):
        return bool(a == b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[x], b[x]) for x in a)
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)


def _counts(bag: Any) -> dict[Any, int]:
    return {x: n for x, n in bag.items() if n} if isinstance(bag, dict) else dict.fromkeys(bag, 1)


def alike(items: Iterable[Any]) -> tuple[Any, ...]:
    """The elements of a list, all of one type: beside a bag, `{thing: number}` is one as well."""
    found = tuple(items)
    for model in found:
        found = tuple(_like(x, model) for x in found)
    return found


def _like(value: Any, model: Any) -> Any:
    if isinstance(model, Bag) and model.own is not None and isinstance(value, dict):
        made = Bag(value)
        made.own = model.own
        return made
    if type(value) is dict and isinstance(model, dict):
        return {k: _like(x, model[k]) if k in model else x for k, x in value.items()}
    if isinstance(value, Member | Point) or not isinstance(value, tuple) or not isinstance(model, tuple):
        return value
    if isinstance(value, Record):
        return Record(map(_like, value, model), value.fields) if len(value) == len(model) else value
    return tuple(_like(x, model[0]) for x in value) if model else value
