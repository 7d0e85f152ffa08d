"""The leaves of a type: the variables of one kind that its values are made of, and where they lie.

A value has for each leaf of its type a *block* of cells, row by row, what is innermost fastest. A place of a
type is for each leaf such a block in a variable: where it starts, and how many cells it has. Layout, reading
and storing agree on this order; whoever needs all of a value, whatever it is made of, goes by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kemu_grammar.syntax.ast import Span

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.values.coerce import Coercions
from kemu_engine.lower.values.finite import item_at
from kemu_engine.lower.values.layout import is_scalar, kernel_type, nothing
from kemu_engine.lower.values.reps import Bag, Map, Num, Place, RecordPlace, Rep, Scalar, Seq, Tup
from kemu_engine.static.problems import refuse
from kemu_engine.static.types import BagType, IntType, ListType, MapType, RecordType, Type


@dataclass(frozen=True, slots=True)
class Leaf:
    """`size`: how many cells of this kind a value has."""

    kind: Type
    size: int


@dataclass(frozen=True, slots=True)
class Block:
    """The cells of one leaf at a place. `start`: of the first, in an array; None: the variable, or the local,
    is the only one.
    """

    leaf: Leaf
    var: int
    start: k.Expr | None
    local: bool


def leaves(kind: Type) -> tuple[Leaf, ...]:
    """The leaves of a type, in their order: fields as declared, of a list its elements before its length."""
    match kind:
        case MapType(keys=keys, inner=inner):
            return tuple(_times(leaf, len(keys)) for leaf in leaves(inner))
        case BagType(values=values, size=size):
            return (Leaf(IntType(0, size), len(values)),)
        case ListType(inner=inner, size=size):
            return (*(_times(leaf, size) for leaf in leaves(inner)), Leaf(IntType(0, size), 1))
        case RecordType(fields=fields):
            return tuple(leaf for _, inner in fields for leaf in leaves(inner))
    return (Leaf(kind, 1),)


def _times(leaf: Leaf, number: int) -> Leaf:
    return replace(leaf, size=leaf.size * number)


def blocks(place: Place) -> tuple[Block, ...]:
    """Where the leaves of a place lie."""
    zero = build.integer(0)
    match place:
        case Scalar(kind=kind, var=var, index=index, local=local):
            return (Block(Leaf(kind, 1), var, index, local),)
        case RecordPlace(fields=fields):
            return tuple(block for _, part in fields for block in blocks(part))
        case Map(keys=keys, get=get):
            return _rows(get(zero), len(keys))
        case Bag(values=values, place=at) if at is not None:
            return _rows(at(zero), len(values))
        case Seq(size=size, place=item, length_place=length) if item is not None and length is not None:
            return (*_rows(item(zero), size), *blocks(length))
    raise AssertionError(f"this is no place: {place}")


def _rows(first: Place, number: int) -> tuple[Block, ...]:
    """So many places, one behind the other, of which this is the first."""
    return tuple(replace(block, leaf=_times(block.leaf, number)) for block in blocks(first))


@dataclass(frozen=True, slots=True)
class Cells:
    """The kernel values of the cells of a value."""

    coercions: Coercions
    span: Span

    def cell(self, rep: Rep, kind: Type, leaf: int, at: k.Expr) -> k.Expr:
        """Of the value brought into a type, the cell `at` of one of its leaves."""
        match kind:
            case MapType(keys=keys, inner=inner):
                row, rest = _split(at, leaves(inner)[leaf].size)
                key = build.clamped(row, 0, len(keys) - 1)
                value = self.coercions.pairs(rep, keys, self.span, kind.default).get(key)
                return self.cell(value, inner, leaf, rest)
            case BagType(values=values, size=size):
                bag = self.coercions.bag(rep, self.span)
                number = self.coercions.count(bag, values, build.clamped(at, 0, len(values) - 1))
                return self.coercions.encode(Num(number), IntType(0, size), self.span)
            case ListType():
                return self._of_list(self.coercions.sequence(rep, self.span), kind, leaf, at)
            case RecordType(fields=fields):
                parts = self.coercions.parts(rep, len(fields), self.span)
                for part, (_, inner) in zip(parts, fields, strict=True):
                    if leaf < len(leaves(inner)):
                        return self.cell(part, inner, leaf, at)
                    leaf -= len(leaves(inner))
        return self.coercions.encode(rep, kind, self.span)

    def _of_list(self, items: Seq, kind: ListType, leaf: int, at: k.Expr) -> k.Expr:
        """What lies beyond the end of a list is nothing."""
        inner = leaves(kind.inner)
        if leaf == len(inner):
            return self.coercions.encode(Num(items.length), IntType(0, kind.size), self.span)
        made = kernel_type(inner[leaf].kind, self.span)
        empty = k.Const(made, nothing(inner[leaf].kind))
        if items.size == 0:
            return empty
        position, rest = _split(at, inner[leaf].size)
        here = self.cell(item_at(items, position), kind.inner, leaf, rest)
        return k.If(made, build.lt(position, items.length), here, empty)


def _split(at: k.Expr, size: int) -> tuple[k.Expr, k.Expr]:
    """Which row of a size a cell lies in, and where in it."""
    if size == 1:
        return at, build.integer(0)
    return build.div(at, build.integer(size)), build.mod(at, build.integer(size))


# ---------------------------------------------------------------------- tuples of what fits one variable each


def leaf_types(kind: Type, span: Span) -> list[Type]:
    if is_scalar(kind):
        return [kind]
    if isinstance(kind, RecordType):
        return [x for _, inner in kind.fields for x in leaf_types(inner, span)]
    refuse("E0716", span, "this type does not fit here: it holds a list, a bag or a map")


def assemble(kind: Type, parts: Iterator[Rep]) -> Rep:
    if isinstance(kind, RecordType):
        return Tup(
            tuple(assemble(inner, parts) for _, inner in kind.fields), tuple(n for n, _ in kind.fields)
        )
    return next(parts)
