"""Values of instance time: what domains, constants and pure functions are made of. All immutable, hashable,
ordered.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any

LARGEST = 200_000
"""Elements of a domain or list, characters of a text: what a game may need, and no more."""

Value = Any
"""bool, int, RingInt, str, None (`none`), Atom, Row, tuple, Seq, frozenset, FrozenMap, Domain"""


class Atom:
    """A member of an enum, a player, a row of a table, or a word of an option. Columns of a table are
    attributes.
    """

    __slots__ = ("columns", "enum", "name", "rank")

    def __init__(self, enum: str, name: str, rank: tuple[int, int]) -> None:
        self.enum = enum
        self.name = name
        self.rank = rank
        self.columns: dict[str, Value] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atom) and self.name == other.name and self.enum == other.enum

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name


class Row(tuple[Any, ...]):
    """A tuple with names for its parts: a point of a grid, an element of a product, a record. Equal to the
    bare tuple.
    """

    fields: tuple[str, ...]

    def __new__(cls, items: Iterable[Value], fields: tuple[str, ...]) -> Row:
        row = tuple.__new__(cls, items)
        row.fields = fields
        return row

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (tuple(self), self.fields)


class Seq(tuple[Any, ...]):
    """A list."""

    __slots__ = ()


class RingInt(int):
    """A number on a ring low..high: adding an int goes round. Equal to the bare number."""

    low: int
    high: int

    def __new__(cls, value: int, low: int, high: int) -> RingInt:
        ring = super().__new__(cls, low + (value - low) % (high - low + 1))
        ring.low, ring.high = low, high
        return ring

    def __getnewargs__(self) -> tuple[int, int, int]:  # type: ignore[override]
        return (int(self), self.low, self.high)

    def shifted(self, value: int) -> RingInt:
        return RingInt(value, self.low, self.high)


class FrozenMap(dict[Any, Any]):
    """A map from values to values, in order of insertion."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __setitem__(self, key: Value, value: Value) -> None:
        raise TypeError("a map of instance time does not change")


class FrozenBag(FrozenMap):
    """How often each of the things lies in a bag: what else may lie in it, `own`, lies there 0 times."""

    own: Container[Value] = ()

    def __missing__(self, key: Value) -> int:
        return 0


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """A finite domain: its elements in order."""

    name: str
    elements: tuple[Value, ...]
    index: dict[Value, int]

    @staticmethod
    def of(name: str, elements: Iterable[Value]) -> Domain:
        items = tuple(dict.fromkeys(elements))
        return Domain(name, items, {e: i for i, e in enumerate(items)})

    def __iter__(self) -> Iterator[Value]:
        return iter(self.elements)

    def __len__(self) -> int:
        return len(self.elements)

    def __contains__(self, value: Value) -> bool:
        return value in self.index

    def __repr__(self) -> str:
        return self.name


def order_key(value: Value) -> Any:
    """The fixed order of values, and so of every set: none, truth values, numbers, texts, atoms as declared,
    points and hexes row by row, other tuples part by part.
    """
    if value is None:
        return (0,)
    if isinstance(value, bool):
        return (1, value)
    if isinstance(value, int):
        return (2, int(value))
    if isinstance(value, str):
        return (3, value)
    if isinstance(value, Atom):
        return (4, value.rank)
    if _by_rows(value):
        return (5, (order_key(value[1]), order_key(value[0])))
    if isinstance(value, tuple):
        return (5, tuple(order_key(v) for v in value))
    if isinstance(value, frozenset):
        return (6, len(value), tuple(order_key(v) for v in ordered(value)))
    if isinstance(value, Domain):
        return (8, tuple(order_key(v) for v in value.elements))
    return (7, tuple((order_key(k), order_key(v)) for k, v in value.items()))


_RANK, _ROW = attrgetter("rank"), itemgetter(1, 0)
REMEMBERED = 1 << 20  # elements of sets whose order is remembered


def _by_rows(value: Value) -> bool:
    return isinstance(value, Row) and value.fields in (("x", "y"), ("q", "r"))


def _in_order(values: Iterable[Value]) -> list[Value]:
    """The different ones of these in their order; a pair beside points or hexes is one of them."""
    plain = _plainly(values) if isinstance(values, frozenset) else None
    if plain is not None:
        return plain
    different: dict[Value, Value] = {}
    for value in values:
        if value not in different or isinstance(value, Row):
            different[value] = value
    shape = next((v.fields for v in different.values() if _by_rows(v)), None)
    if shape is None or all(map(_by_rows, different.values())):
        return sorted(different.values(), key=order_key)

    def key(value: Value) -> Any:
        pair = type(value) is tuple and len(value) == 2
        return order_key(Row(value, shape) if pair else value)

    return sorted(different.values(), key=key)


def _plainly(values: frozenset[Value]) -> list[Value] | None:
    """The order of numbers, of members, and of points or hexes with plain numbers, which Python knows."""
    kinds = set(map(type, values))
    if len(kinds) != 1:
        return None
    (kind,) = kinds
    if kind is int:
        return sorted(values)
    if kind is Atom:
        return sorted(values, key=_RANK)
    if (
        kind is Row
        and all(map(_by_rows, values))
        and {int}.issuperset(map(type, chain.from_iterable(values)))
    ):
        return sorted(values, key=_ROW)
    return None


def arranged(values: Iterable[Value]) -> tuple[Value, ...]:
    """The different ones of these in their fixed order; themselves if that is how they stand."""
    given = tuple(values)
    made = tuple(_in_order(given))
    return values if isinstance(values, tuple) and made == values else made


def in_order_of_keys(pairs: dict[Value, Value]) -> FrozenMap:
    """A map that is only written: like a set, its keys have one order."""
    return FrozenMap({key: pairs[key] for key in arranged(pairs)})


class Orders:
    """The elements of sets in their fixed order. Remembered by identity: equal sets may hold other things
    (a number and the same number on a ring).
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[frozenset[Value], tuple[Value, ...]]] = {}
        self._held = 0

    def of(self, values: frozenset[Value]) -> tuple[Value, ...]:
        entry = self._known.get(id(values))
        if entry is None or entry[0] is not values:
            self._held += 1 + len(values)
            if self._held > REMEMBERED:
                self._known.clear()
                self._held = 1 + len(values)
            entry = self._known[id(values)] = values, tuple(_in_order(values))
        return entry[1]


ordered = Orders().of


def exact(value: Value) -> Any:
    """A key that tells apart what Python calls equal and the language does not: 1 and true, 3 and 3 on a
    ring, a pair and a point, and whatever holds them.
    """
    kind = type(value)
    if kind is int or kind is Atom:
        return value
    if isinstance(value, RingInt):
        return (RingInt, value.low, value.high, int(value))
    if isinstance(value, Row):
        return (Row, value.fields, tuple(map(exact, value)))
    if isinstance(value, tuple):
        return (type(value), tuple(map(exact, value)))
    if isinstance(value, frozenset):
        return (frozenset, frozenset(map(exact, value)))
    if isinstance(value, FrozenMap):
        return (type(value), tuple((exact(k), exact(v)) for k, v in value.items()))
    return (type(value), value)


def iterate(value: Value) -> tuple[Value, ...]:
    """The elements of a collection in order. Raises TypeError for what is none."""
    if isinstance(value, frozenset):
        return ordered(value)
    if isinstance(value, Domain):
        return value.elements
    if isinstance(value, FrozenMap):
        return tuple(value)
    if isinstance(value, tuple):
        return tuple(value)
    raise TypeError(f"{text_of(value)} is not a collection")


def text_of(value: Value) -> str:
    """The one text form of a value, as actions and traces write it."""
    kind = type(value)
    if kind is Atom:
        return str(value.name)
    if kind is int:
        return str(value)
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, str):
        return value
    if isinstance(value, Atom | Domain):
        return value.name
    if isinstance(value, Seq):
        return "[" + ", ".join(map(text_of, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(text_of, value)) + ")"
    if isinstance(value, frozenset):
        return "{" + ", ".join(text_of(v) for v in ordered(value)) + "}"
    return "{" + ", ".join(f"{text_of(k)}: {text_of(v)}" for k, v in value.items()) + "}"


def atoms(enum: str, names: tuple[str, ...], number: int) -> tuple[Atom, ...]:
    """The members of the `number`th enum of a game."""
    return tuple(Atom(enum, name, (number, i)) for i, name in enumerate(names))
