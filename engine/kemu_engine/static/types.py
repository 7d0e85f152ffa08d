"""The types of one instance: every range and domain known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from kemu_grammar.syntax import ast as t

from kemu_engine.static.context import Env, Names
from kemu_engine.static.maps import filled
from kemu_engine.static.problems import StaticFault, refuse
from kemu_engine.static.values import (
    LARGEST,
    Domain,
    FrozenBag,
    FrozenMap,
    RingInt,
    Row,
    Seq,
    Value,
    arranged,
    iterate,
    text_of,
)


@dataclass(frozen=True, slots=True)
class BoolType:
    pass


@dataclass(frozen=True, slots=True)
class IntType:
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class AnyInt:
    """`int`: instance time only."""


@dataclass(frozen=True, slots=True)
class TextType:
    """`text`: views only."""


@dataclass(frozen=True, slots=True)
class ElementType:
    """An element of a domain, `values` in order."""

    name: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class OptionOf:
    inner: Type


@dataclass(frozen=True, slots=True)
class SetType:
    name: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class MapType:
    """`inner` is wide enough for every key; `each`: what belongs under each key, if sizes depend on it;
    `default`: the one value, if there is one, that keys have which are not given.
    """

    keys: tuple[Value, ...]
    inner: Type
    each: tuple[Type, ...] | None = None
    default: tuple[Value, ...] = ()

    def at(self, i: int) -> Type:
        return self.inner if self.each is None else self.each[i]


@dataclass(frozen=True, slots=True)
class ListType:
    inner: Type
    size: int


@dataclass(frozen=True, slots=True)
class BagType:
    """Counts of the values; `size` bounds their sum."""

    values: tuple[Value, ...]
    size: int


@dataclass(frozen=True, slots=True)
class RecordType:
    fields: tuple[tuple[str, Type], ...]
    cells: int = field(init=False, repr=False, compare=False)
    """How many single values it is made of: counted once, for records lie in records that lie in others."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", sum(cells(inner) for _, inner in self.fields))


Type = (
    BoolType
    | IntType
    | AnyInt
    | TextType
    | ElementType
    | OptionOf
    | SetType
    | MapType
    | ListType
    | BagType
    | RecordType
)
MOST_CELLS = 1_000_000  # single values of one state variable
BAG = 255  # how much a bag without a stated size may hold


class TypeMaker:
    """Makes types from their trees, in one instance."""

    def __init__(self, evaluator: Names) -> None:
        self.evaluator = evaluator
        self._made: dict[int, tuple[t.Type, Type]] = {}
        self._open: list[str] = []

    def make(self, kind: t.Type, env: Env) -> Type:
        if env:
            return self._make(kind, env)
        if id(kind) not in self._made:
            self._made[id(kind)] = kind, self._make(kind, env)
        return self._made[id(kind)][1]

    def _make(self, kind: t.Type, env: Env) -> Type:
        match kind:
            case t.NamedType(name="bool"):
                return BoolType()
            case t.NamedType(name="int"):
                return AnyInt()
            case t.NamedType(name="text"):
                return TextType()
            case t.NamedType(name=name):
                declaration = self.evaluator.names.get(name)
                if isinstance(declaration, t.Record):
                    return self._record(declaration, kind.span, env)
                return self._element(name, kind.span)
            case t.RangeType():
                low = self.evaluator.number(kind.low, env)
                high = self.evaluator.number(kind.high, env)
                if high < low:
                    refuse("E0713", kind.span, f"the range {low}..{high} is empty")
                return IntType(low, high)
            case t.OptionType(inner=inner):
                made = self.make(inner, env)
                if isinstance(made, RecordType) and _counted(made):
                    made = ElementType("this type", self.values(made, kind.span))
                return made if isinstance(made, OptionOf) else OptionOf(made)
            case t.GenericType():
                return self._generic(kind, env)
        raise AssertionError(kind)

    def _record(self, d: t.Record, span: t.Span, env: Env) -> Type:
        if d.name in self._open:
            refuse("E0702", span, f"`{d.name}` contains itself")
        self._open.append(d.name)
        try:
            made = RecordType(tuple((n, self.make(k, env)) for n, k in d.fields))
            if cells(made) > MOST_CELLS:
                refuse("E0717", d.span, f"`{d.name}` would have more than {MOST_CELLS:,} elements")
            return made
        finally:
            self._open.pop()

    def _element(self, name: str, span: t.Span) -> Type:
        value = self.evaluator.global_value(name, span)
        if isinstance(value, frozenset):
            value = Domain.of(name, iterate(value))
        if not isinstance(value, Domain):
            refuse("E0714", span, f"`{name}` is not a type")
        if not value.elements:
            refuse("E0704", span, f"`{name}` is empty, so nothing can be of that type")
        plain = [v for v in value.elements if isinstance(v, int) and not isinstance(v, bool | RingInt)]
        if len(plain) == len(value) and plain == list(range(plain[0], plain[0] + len(plain))):
            return IntType(plain[0], plain[-1])
        return ElementType(name, value.elements)

    def domain(self, kind: t.Type, env: Env) -> tuple[Value, ...]:
        """The values of a type that can be counted through: keys of maps, members of sets."""
        return self.values(self.make(kind, env), kind.span)

    def values(self, made: Type, span: t.Span) -> tuple[Value, ...]:
        match made:
            case ElementType(values=values):
                return values
            case IntType(low=low, high=high):
                if high - low >= LARGEST:
                    refuse("E0705", span, f"the range {low}..{high} has more than {LARGEST:,} numbers")
                return tuple(range(low, high + 1))
            case BoolType():
                return (False, True)
            case OptionOf(inner=inner):
                return (None, *self.values(inner, span))
            case RecordType(fields=fields):
                rows: list[tuple[Value, ...]] = [()]
                for _, inner in fields:
                    more = self.values(inner, span)
                    if len(rows) * len(more) > LARGEST:
                        refuse("E0705", span, f"a record with more than {LARGEST:,} values")
                    rows = [(*row, v) for row in rows for v in more]
                names = tuple(n for n, _ in fields)
                return tuple(Row(row, names) for row in rows)
        refuse(
            "E0714",
            span,
            "expected a domain here: something with finitely many elements that can be counted through",
        )

    def _generic(self, kind: t.GenericType, env: Env) -> Type:
        match kind.head:
            case "set":
                name = kind.args[0].name if isinstance(kind.args[0], t.NamedType) else "set"
                return SetType(name, arranged(self.domain(kind.args[0], env)))
            case "map":
                keys = self.domain(kind.args[0], env)
                if kind.binder is None:
                    made = MapType(keys, self.make(kind.args[1], env))
                else:
                    binder = kind.binder
                    made = self.map_by_key(
                        keys, lambda key: self._make(kind.args[1], {**env, binder: key}), kind.span
                    )
                return made if kind.default is None else self._with_default(made, kind.default, env)
            case "list":
                assert kind.size is not None
                return ListType(self.make(kind.args[0], env), self._size(kind.size, env))
            case "bag":
                size = BAG if kind.size is None else self._size(kind.size, env)
                return BagType(self.domain(kind.args[0], env), size)
            case "tuple":
                return RecordType(tuple((f"_{i}", self.make(a, env)) for i, a in enumerate(kind.args)))

    def _with_default(self, made: MapType, default: t.Expr, env: Env) -> MapType:
        value = self.evaluator.eval(default, env)
        for i in range(len(made.keys)):
            admit(made.at(i), value, default.span)
        return replace(made, default=(admit(made.inner, value, default.span),))

    def _size(self, size: t.Expr, env: Env) -> int:
        number = self.evaluator.number(size, env)
        if number < 0:
            refuse("E0713", size.span, f"the size {number} is negative")
        return number

    def map_by_key(self, keys: tuple[Value, ...], make: Callable[[Value], Type], span: t.Span) -> MapType:
        """A map whose values have types that may depend on the key."""
        kinds: list[Type] = []
        total = 0
        for key in keys:
            kinds.append(make(key))
            total += cells(kinds[-1])
            if total > MOST_CELLS:
                refuse("E0717", span, f"this would have more than {MOST_CELLS:,} elements")
        return map_type(keys, kinds, span)


def collects(kind: Type) -> bool:
    """Whether a type is, or holds, a list, bag or map."""
    match kind:
        case RecordType(fields=fields):
            return any(collects(inner) for _, inner in fields)
    return isinstance(kind, ListType | BagType | MapType)


def cells(kind: Type) -> int:
    """How many single values a type is made of."""
    match kind:
        case MapType(keys=keys, inner=inner):
            return len(keys) * cells(inner)
        case ListType(inner=inner, size=size):
            return size * cells(inner)
        case BagType(values=values):
            return len(values)
        case RecordType(cells=counted):
            return counted
    return 1


def _counted(kind: Type) -> bool:
    """Whether a type has finitely many values that can be counted through."""
    match kind:
        case RecordType(fields=fields):
            return all(_counted(inner) for _, inner in fields)
        case OptionOf(inner=inner):
            return _counted(inner)
    return isinstance(kind, ElementType | IntType | BoolType)


def map_type(keys: tuple[Value, ...], kinds: list[Type], span: t.Span) -> MapType:
    """A map whose values have the given types, key by key."""
    same = all(k == kinds[0] for k in kinds)
    return MapType(keys, _widest(kinds, span), None if same else tuple(kinds))


def _widest(kinds: list[Type], span: t.Span) -> Type:
    first = kinds[0]
    if isinstance(first, BagType) and all(isinstance(k, BagType) and k.values == first.values for k in kinds):
        return BagType(first.values, max(k.size for k in kinds if isinstance(k, BagType)))
    if isinstance(first, ListType) and all(isinstance(k, ListType) and k.inner == first.inner for k in kinds):
        return ListType(first.inner, max(k.size for k in kinds if isinstance(k, ListType)))
    if isinstance(first, IntType):
        ints = [k for k in kinds if isinstance(k, IntType)]
        return IntType(min(k.low for k in ints), max(k.high for k in ints))
    if all(k == first for k in kinds):
        return first
    refuse("E0721", span, "only the size of a range, list or bag may depend on the key")


def admit(kind: Type, value: Value, span: t.Span) -> Value:
    """The value as one of the type. Raises StaticFault if it is not in it."""
    if isinstance(kind, ElementType) and value is not None:
        return element(kind, value, span)
    match kind:
        case OptionOf(inner=inner):
            return None if value is None else admit(inner, value, span)
        case AnyInt() | TextType():
            return value
    if value is None:
        raise StaticFault("missing_value", "none where a value is wanted", span)
    match kind:
        case BoolType():
            if not isinstance(value, bool):
                refuse("E0710", span, f"expected a truth value, but this is {text_of(value)}")
        case IntType(low=low, high=high):
            if isinstance(value, bool) or not isinstance(value, int):
                refuse("E0710", span, f"expected a number, but this is {text_of(value)}")
            if not low <= value <= high:
                raise StaticFault("out_of_range", f"{value} is not in {low}..{high}", span)
            return int(value)
        case SetType(values=values):
            items = frozenset(iterate(value)) if not isinstance(value, frozenset) else value
            own = _own(values)
            if not items <= own.keys():
                raise StaticFault("out_of_range", f"{text_of(items)} has elements outside {kind.name}", span)
            return frozenset(own[v] for v in items)
        case ListType(inner=inner, size=size):
            if len(value) > size:
                raise StaticFault("overfull", f"the list holds {len(value)}, it may hold {size}", span)
            return Seq(admit(inner, v, span) for v in iterate(value))
        case RecordType(fields=fields):
            if not isinstance(value, tuple) or len(value) != len(fields):
                refuse("E0710", span, f"expected a record, but this is {text_of(value)}")
            return Row(
                (admit(k, v, span) for (_, k), v in zip(fields, value, strict=True)),
                tuple(n for n, _ in fields),
            )
        case MapType(keys=keys):
            given = filled(value, keys, kind.default, span)
            return FrozenMap({k: admit(kind.at(i), given[k], span) for i, k in enumerate(keys)})
        case BagType(values=values, size=size):
            return _bag(values, size, value, span)
    return value


Admission = Callable[[Value, t.Span], Value]


def admission(kind: Type) -> Admission:
    """`admit` for one type, made ready for many values."""
    match kind:
        case ElementType(values=values):
            own = _own(values)

            def an_element(value: Value, span: t.Span) -> Value:
                try:
                    return admit(kind, value, span) if value is None else own[value]
                except (KeyError, TypeError):
                    return admit(kind, value, span)

            return an_element
        case IntType(low=low, high=high):

            def a_number(value: Value, span: t.Span) -> Value:
                return value if type(value) is int and low <= value <= high else admit(kind, value, span)

            return a_number
        case OptionOf(inner=inner):
            some = admission(inner)
            return lambda value, span: None if value is None else some(value, span)
        case BoolType():
            return lambda value, span: value if type(value) is bool else admit(kind, value, span)
        case AnyInt() | TextType():
            return lambda value, span: value
    return lambda value, span: admit(kind, value, span)


def exactly_one(kind: Type) -> bool:
    """Whether admitted values of a type that are equal are the same in all that can be asked of them."""
    match kind:
        case OptionOf(inner=inner):
            return exactly_one(inner)
        case ListType(inner=inner):
            return exactly_one(inner)
        case RecordType(fields=fields):
            return all(exactly_one(inner) for _, inner in fields)
        case SetType() | ElementType() | IntType() | BoolType():
            return True
    return False


def _bag(values: tuple[Value, ...], size: int, value: Value, span: t.Span) -> FrozenBag:
    if not isinstance(value, FrozenMap | frozenset | tuple):
        refuse("E0731", span, "a bag takes `{thing: number}` or a set")
    counts = value if isinstance(value, FrozenMap) else Counter(value)
    own = _own(values)
    for thing, number in counts.items():
        if thing not in own:
            raise StaticFault("out_of_range", f"{text_of(thing)} is nothing that lies in the bag", span)
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            refuse("E0710", span, f"the amount of {text_of(thing)} in a bag must be a number, 0 or more")
    if sum(counts.values()) > size:
        raise StaticFault("overfull", f"the bag holds {sum(counts.values())}, it may hold {size}", span)
    made = FrozenBag({thing: counts[thing] for thing in own if counts.get(thing)})
    made.own = own
    return made


_OWN: dict[int, tuple[tuple[Value, ...], dict[Value, Value]]] = {}


def _own(values: tuple[Value, ...]) -> dict[Value, Value]:
    """The elements of a domain by what is equal to them."""
    entry = _OWN.get(id(values))
    if entry is None or entry[0] is not values:
        if len(_OWN) > 1 << 12:
            _OWN.clear()
        entry = _OWN[id(values)] = (values, {v: v for v in values})
    return entry[1]


def element(kind: ElementType, value: Value, span: t.Span) -> Value:
    """The domain's own element equal to the value (a bare tuple becomes a point with named parts)."""
    try:
        return _own(kind.values)[value]
    except KeyError:
        raise StaticFault("out_of_range", f"{text_of(value)} is not in {kind.name}", span) from None
    except TypeError:
        refuse("E0710", span, f"expected an element of {kind.name}, but this is {text_of(value)}")
