"""The type of a local whose declaration gives none, from the value that it is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kemu_grammar.syntax.ast import Span

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.values.place_types import kind_of
from kemu_engine.lower.values.reps import (
    Bag,
    Const,
    FiniteValue,
    Map,
    Num,
    Pairs,
    Rep,
    Seq,
    SetOf,
    Truth,
    Tup,
)
from kemu_engine.static.problems import refuse
from kemu_engine.static.types import (
    BagType,
    BoolType,
    ElementType,
    IntType,
    ListType,
    MapType,
    OptionOf,
    RecordType,
    SetType,
    Type,
)
from kemu_engine.static.values import Atom, FrozenMap, RingInt, Value, arranged
from kemu_engine.static.values import Seq as ValueSeq


def infer(known: Mapping[str, Value], rep: Rep, name: str, span: Span, fixed: bool = False) -> Type:
    """`known`: the global names, for the enum of a member. `fixed`: the local does not change, so that a
    number is one of those that it can be at first."""
    found = _type(known, rep, name, fixed)
    if found is None:
        if not name.isidentifier():  # it is ours
            refuse("E0729", span, "the type of this is not known: keep it in a variable whose type you say")
        why = "is a map made here" if fixed else "changes"
        refuse("E0729", span, f"`{name}` {why}, so say its type: `{name}: {_described(rep)} = ...`")
    return found


def _type(known: Mapping[str, Value], rep: Rep, name: str, fixed: bool) -> Type | None:
    match rep:
        case Num(expr=expr) if fixed:
            return IntType(*build.interval(expr))
        case Const(value=int() as number) if fixed and not isinstance(number, bool | RingInt):
            return IntType(number, number)
        case Truth() | Const(value=bool()):
            return BoolType()
        case FiniteValue(values=values):
            inner = tuple(v for v in values if v is not None)
            made = ElementType(name, inner)
            return OptionOf(made) if None in values else made
        case SetOf(values=values):
            return SetType(name, values)
        case Const(value=Atom() as atom):
            return _enum(known, atom)
        case Const(value=RingInt() as ring):
            numbers = range(ring.low, ring.high + 1)
            return ElementType(name, tuple(RingInt(i, ring.low, ring.high) for i in numbers))
        case Seq(kind=kind, size=size) if kind is not None:
            return ListType(kind, size)
        case Seq(size=size):
            any_ = k.Local(k.Int(0, max(size - 1, 0)), 0)
            item = _type(known, rep.get(any_), name, fixed)
            return None if item is None else ListType(item, size)
        case Bag(values=values, size=size):
            return BagType(values, size)
        case Map():
            return kind_of(rep)
        case Pairs(keys=keys, get=get) if fixed:
            item = _type(known, get(k.Local(k.Int(0, len(keys) - 1), 0)), name, fixed)
            return None if item is None else MapType(keys, item)
        case Tup(items=items, fields=fields):
            names = fields or tuple(f"_{i}" for i in range(len(items)))
            kinds = [_type(known, i, name, fixed) for i in items]
            parts = tuple((n, kind) for n, kind in zip(names, kinds, strict=True) if kind is not None)
            return RecordType(parts) if len(parts) == len(items) else None
        case Const(value=value) if fixed:
            return _of_values([value], name)
    return None


def _of_values(values: Sequence[Value], name: str) -> Type | None:
    """The type of values that are known: it holds these, and few others."""
    there = [value for value in values if value is not None]
    found = _of_some(there, name) if there else ElementType(name, (0,))  # or an option of anything
    if len(there) == len(values) or found is None:
        return found
    return OptionOf(found) if isinstance(found, ElementType) else None


def _of_some(values: Sequence[Value], name: str) -> Type | None:
    if all(isinstance(value, bool) for value in values):
        return BoolType()
    if all(isinstance(value, frozenset) for value in values):
        return SetType(name, arranged(frozenset().union(*values)))
    if all(isinstance(value, ValueSeq) for value in values):
        item = _of_values([x for value in values for x in value], name)
        return None if item is None else ListType(item, max(map(len, values)))
    if all(isinstance(value, FrozenMap) for value in values):
        keys = tuple(values[0])
        item = _of_values([x for value in values for x in value.values()], name)
        return MapType(keys, item) if item is not None and all(tuple(v) == keys for v in values) else None
    if any(isinstance(value, frozenset | ValueSeq | FrozenMap) or _holds(value) for value in values):
        return _of_tuples(values, name)
    return ElementType(name, arranged(dict.fromkeys(values)))


def _of_tuples(values: Sequence[Value], name: str) -> Type | None:
    if not all(isinstance(value, tuple) and len(value) == len(values[0]) for value in values):
        return None
    parts = [_of_values(column, name) for column in zip(*values, strict=True)]
    fields = tuple((f"_{i}", part) for i, part in enumerate(parts) if part is not None)
    return RecordType(fields) if len(fields) == len(parts) else None


def _holds(value: Value) -> bool:
    """Whether it is a tuple with a collection in it."""
    return isinstance(value, tuple) and any(
        isinstance(x, frozenset | ValueSeq | FrozenMap) or _holds(x) for x in value
    )


def _enum(known: Mapping[str, Value], atom: Atom) -> Type:
    for value in known.values():
        elements = getattr(value, "elements", ())
        if elements and isinstance(elements[0], Atom) and elements[0].enum == atom.enum:
            return ElementType(atom.enum, elements)
    return ElementType(atom.enum, (atom,))


def _described(rep: Rep) -> str:
    """A type such as the value might have, for its author to fill in."""
    match rep:
        case Truth() | Const(value=bool()):
            return "bool"
        case Num() | Const(value=int()):
            return "0..99"
        case SetOf():
            return "set[T]"
        case Bag():
            return "bag[T]"
        case Seq() | Tup(seq=True):
            return "list[T, n]"
        case Map() | Pairs():
            return "map[K, T]"
        case Tup(items=items):
            return f"tuple[{', '.join(map(_described, items))}]"
    return "T"
