"""The type of a local whose declaration gives none, from the value that it is given."""

from __future__ import annotations

from collections.abc import Mapping

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
from kemu_engine.static.values import Atom, RingInt, Value


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
        case Const(value=None) if fixed:  # an option of anything
            return OptionOf(ElementType(name, (0,)))
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
    return None


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
