"""Types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kemu_grammar.syntax.ast.expressions import Expr, Name
from kemu_grammar.syntax.ast.node import Node


@dataclass(frozen=True, slots=True)
class NamedType(Node):
    """`bool`, `int` (instance time only), `text` (views only), a domain, an enum, a record, `Player`."""

    name: str


@dataclass(frozen=True, slots=True)
class RangeType(Node):
    low: Expr
    high: Expr


@dataclass(frozen=True, slots=True)
class OptionType(Node):
    inner: Type


@dataclass(frozen=True, slots=True)
class GenericType(Node):
    """`set[D]`, `map[D, T]`, `map[b in D, T]` (binder "b", its sizes may depend on the key),
    `map[D, T = v]` (default v, what keys have that are not given), `list[T, n]`, `bag[T]`, `bag[T, n]`,
    `tuple[T, U]`.
    """

    head: Literal["set", "map", "list", "bag", "tuple"]
    args: tuple[Type, ...]
    size: Expr | None = None
    binder: str | None = None
    default: Expr | None = None


@dataclass(frozen=True, slots=True)
class HistoryType(Node):
    """`history seen of board, mover` (state only); `variables` is empty where all are meant."""

    variables: tuple[Name, ...]


Type = NamedType | RangeType | OptionType | GenericType | HistoryType
