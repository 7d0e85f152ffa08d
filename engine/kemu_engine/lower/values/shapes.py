"""Shapes of values: the kernel expressions of which a value is made, and the same value of others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.lower.values.reps import (
    Const,
    FiniteValue,
    Num,
    Rep,
    SetOf,
    Truth,
    Tup,
)
from kemu_engine.static.values import exact


def flatten(rep: Rep) -> list[k.Expr]:
    """The kernel expressions of a value, in order."""
    match rep:
        case Num(expr=expr) | Truth(expr=expr) | SetOf(expr=expr):
            return [expr]
        case FiniteValue(index=index):
            return [index]
        case Tup(items=items):
            return [x for i in items for x in flatten(i)]
        case Const():
            return []
    raise AssertionError(rep)


def rebuild(shape: Rep, exprs: Iterator[k.Expr]) -> Rep:
    """A value of the same shape with other expressions."""
    match shape:
        case Num():
            return Num(next(exprs))
        case Truth():
            return Truth(next(exprs))
        case SetOf(values=values):
            return SetOf(next(exprs), values)
        case FiniteValue(values=values):
            return FiniteValue(next(exprs), values)
        case Tup(items=items, fields=fields, seq=seq):
            return Tup(tuple(rebuild(i, exprs) for i in items), fields, seq)
    return shape


def shape(rep: Rep) -> Any:
    """What two arguments must have in common to go into the same kernel function."""
    match rep:
        case Const(value=value):
            return ("const", exact(value))
        case Num(expr=expr):
            return ("num", expr.type)
        case Truth():
            return "truth"
        case SetOf(values=values):
            return ("set", exact(values))
        case FiniteValue(index=index, values=values):
            return ("fam", exact(values), index.type)
        case Tup(items=items, fields=fields):
            return ("tup", fields, tuple(shape(i) for i in items))
    raise AssertionError(rep)
