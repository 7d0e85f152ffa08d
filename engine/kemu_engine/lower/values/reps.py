"""How values whose content is known only at play time are represented while a game is lowered.

What is known is a Const; a number, truth value or set is a kernel expression; every other value ranges over
finitely many known ones: a family of values (FiniteValue), of which the kernel keeps the index. Tuples and
records are tuples of such; maps, lists and bags are places in the state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.static.types import Type
from kemu_engine.static.values import Value


@dataclass(frozen=True, slots=True)
class Const:
    value: Value


@dataclass(frozen=True, slots=True)
class Num:
    expr: k.Expr


@dataclass(frozen=True, slots=True)
class Truth:
    expr: k.Expr


@dataclass(frozen=True, slots=True)
class FiniteValue:
    """values[index]; the index always lies in 0..len(values)-1."""

    index: k.Expr
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class SetOf:
    """A set over `values`; the kernel set holds positions in it."""

    expr: k.Expr
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Tup:
    """A tuple, record (with fields) or list (seq) of known length."""

    items: tuple[Rep, ...]
    fields: tuple[str, ...] | None = None
    seq: bool = False


@dataclass(frozen=True, slots=True)
class Scalar:
    """A place: one kernel variable, an element of an array of them, or a local. `within`: bounds that its
    type does not know, since they depend on a key or on the rest of a bag, and the fault beyond them.
    """

    kind: Type
    var: int
    index: k.Expr | None = None  # None: a scalar variable, or the local `var`
    local: bool = False
    within: tuple[k.Expr, k.Expr, str] | None = None


@dataclass(frozen=True, slots=True)
class Seq:
    """A list of changing length. `place`: its elements as places, if it can be changed. `room`: how many it
    may hold, if fewer than `size`.
    """

    length: k.Expr
    size: int
    get: Callable[[k.Expr], Rep]
    length_place: Scalar | None = None
    kind: Type | None = None
    place: Callable[[k.Expr], Place] | None = None
    room: k.Expr | None = None


@dataclass(frozen=True, slots=True)
class Bag:
    values: tuple[Value, ...]
    size: int
    count: Callable[[k.Expr], k.Expr]
    place: Callable[[k.Expr], Scalar] | None = None
    room: k.Expr | None = None  # how much it may hold, if less than `size`

    @property
    def most(self) -> k.Expr:
        return build.integer(self.size) if self.room is None else self.room


@dataclass(frozen=True, slots=True)
class Map:
    keys: tuple[Value, ...]
    get: Callable[[k.Expr], Place]
    unique: bool = False
    default: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Pairs:
    """A map that is only a value, such as `{k: level[k] + 1 for k in D}`."""

    keys: tuple[Value, ...]
    get: Callable[[k.Expr], Rep]
    default: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordPlace:
    fields: tuple[tuple[str, Place], ...]


Place = Scalar | Seq | Bag | Map | RecordPlace
Rep = Const | Num | Truth | FiniteValue | SetOf | Tup | Seq | Bag | Map | Pairs


def composite(rep: Rep) -> bool:
    """Whether a value is, or holds, a list, bag or map, which no single local can keep."""
    return isinstance(rep, Seq | Bag | Map | Pairs) or (
        isinstance(rep, Tup) and any(map(composite, rep.items))
    )
