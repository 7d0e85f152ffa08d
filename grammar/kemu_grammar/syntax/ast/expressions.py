"""Expressions, and what only stands at the right of an assignment: rolls, draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kemu_grammar.syntax.ast.node import Node


@dataclass(frozen=True, slots=True)
class Number(Node):
    value: int


@dataclass(frozen=True, slots=True)
class Truth(Node):
    value: bool


@dataclass(frozen=True, slots=True)
class Nothing(Node):
    """The literal `none`."""


@dataclass(frozen=True, slots=True)
class Text(Node):
    """`"stock {stock[p]}"`: pieces of text and expressions in braces, in order (`{{` and `}}` are braces)."""

    parts: tuple[str | Expr, ...]


@dataclass(frozen=True, slots=True)
class Name(Node):
    id: str


@dataclass(frozen=True, slots=True)
class Field(Node):
    """`p.x`"""

    value: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Index(Node):
    """`stone[c]`; `ray[f, g]` has a Tuple as its index."""

    value: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class Slice(Node):
    """`xs[a:b]`, either end may be missing."""

    value: Expr
    low: Expr | None
    high: Expr | None


@dataclass(frozen=True, slots=True)
class Call(Node):
    """`f(a, b, key=c)`; `value` is a Name, or a Field for the methods of a value (`track.find(t)`)."""

    value: Expr
    args: tuple[Expr, ...]
    named: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True, slots=True)
class Tuple(Node):
    """`(a, b)`"""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class ListOf(Node):
    """`[a, b]`"""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class SetOf(Node):
    """`{a, b}`; `{}` is a MapOf without pairs and means whichever empty collection is wanted."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class MapOf(Node):
    """`{a: x, b: y}`"""

    pairs: tuple[tuple[Expr, Expr], ...]


@dataclass(frozen=True, slots=True)
class Clause(Node):
    """`for x in source if cond if cond`; `targets` has several names for `for a, b in ...`."""

    targets: tuple[str, ...]
    source: Expr
    conditions: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Comprehension(Node):
    """`{e for ...}`, `[e for ...]`, `{k: e for ...}`, or a bare `e for ...` as the one argument of a call."""

    kind: Literal["set", "list", "map", "each"]
    element: Expr
    clauses: tuple[Clause, ...]
    key: Expr | None = None


@dataclass(frozen=True, slots=True)
class Unary(Node):
    op: Literal["-", "+", "not"]
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """Arithmetic, and on sets `|` `&` `-`; `implies` is the weakest of all and takes the right-hand side
    lazily.
    """

    op: Literal["+", "-", "*", "//", "%", "**", "|", "&", "implies"]
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Compare(Node):
    """A chain, `1 <= c.x <= 3`: first operand, then (operator, operand) pairs."""

    first: Expr
    rest: tuple[tuple[Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in"], Expr], ...]


@dataclass(frozen=True, slots=True)
class Logic(Node):
    """`a and b and c`, `a or b`: lazy, from the left."""

    op: Literal["and", "or"]
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Presence(Node):
    """`x is some` (some=True) or `x is none`; `x is not none` reads as `x is some`, and vice versa."""

    value: Expr
    some: bool


@dataclass(frozen=True, slots=True)
class Choice(Node):
    """`a if test else b`"""

    test: Expr
    then: Expr
    other: Expr


@dataclass(frozen=True, slots=True)
class After(Node):
    """`value after rule(...)`: what a value would be if the rule had run."""

    value: Expr
    action: Expr


@dataclass(frozen=True, slots=True)
class Can(Node):
    """`can take(c) by q`: whether an action would be legal now (args None: some action of the name)."""

    name: str
    args: tuple[Expr, ...] | None
    actor: Expr | None


@dataclass(frozen=True, slots=True)
class Range(Node):
    """`1..6`, both ends included."""

    low: Expr
    high: Expr


@dataclass(frozen=True, slots=True)
class Arrow(Node):
    """`x -> e`, an argument of a built-in such as `closure`."""

    params: tuple[str, ...]
    body: Expr


Expr = (
    Number | Truth | Nothing | Text | Name | Field | Index | Slice | Call | Tuple | ListOf | SetOf | MapOf
    | Comprehension | Unary | Binary | Compare | Logic | Presence | Choice | Range | Arrow
    | After | Can
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Roll(Node):
    """`roll 1..6`, `roll 2 of 1..6` (a tuple of two)."""

    faces: Expr
    count: Expr | None = None


@dataclass(frozen=True, slots=True)
class Draw(Node):
    """`draw from pile if cond`; in a condition the drawn thing is named by the statement's target (`draw t
    from pile if t != volcano`).
    """

    source: Expr
    condition: Expr | None = None


@dataclass(frozen=True, slots=True)
class Reveal(Node):
    """`reveal hand[p]`, `reveal hand[p] to q`: what it is now is told to all, to a player or to several."""

    shown: Expr
    to: Expr | None = None


Event = Roll | Draw | Reveal
"""What is an event of its own on the right-hand side of an assignment."""
Value = Expr | Event
"""The right-hand side of an assignment: an expression (perhaps a rule call), or an event."""
