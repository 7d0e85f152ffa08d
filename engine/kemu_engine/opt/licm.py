"""Loop-invariant code motion: what a loop does not change, and may be worked out before it.

An expression goes before a loop if it depends on nothing that the loop sets, and either is cheap and sure to
give a value, or is sure to be evaluated in the first lap before anything else that may fault.
"""

from __future__ import annotations

from collections.abc import Callable

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import Ids, children, tried, within

CHEAP = 40
"""Nodes of an expression that may be worked out in vain."""


def cheap(expr: k.Expr) -> bool:
    for number, part in enumerate(within(expr)):
        if number >= CHEAP or isinstance(part, k.Fold | k.Closure | k.Let | k.Call):
            return False
    return True


def maximal_candidates(expr: k.Expr, locals: Ids, taken: Callable[[k.Expr, Ids], bool]) -> None:
    """Offers an expression and then its parts, until one is `taken`; with the locals that are set in the loop
    or around the part."""
    if isinstance(expr, k.Const | k.Local) or taken(expr, locals):
        return
    if isinstance(expr, k.Fold | k.Closure):
        locals |= {expr.binder}
    if isinstance(expr, k.Let):
        locals |= {expr.local}
    if not isinstance(expr, k.Trial):
        for part in children(expr):
            maximal_candidates(part, locals, taken)


def certain_first(expr: k.Expr, total: Callable[[k.Expr], bool], taken: Callable[[k.Expr], bool]) -> bool:
    """Offers what is sure to be evaluated, in the order in which it is, up to where something may fault.
    Whether nothing that is left can fault. `total`: the expression cannot."""
    if isinstance(expr, k.Const | k.Local | k.Load):
        return True
    if not tried(expr) and taken(expr):
        return True
    match expr:
        case k.Op(_, "and" | "or", (first, *rest)):
            return certain_first(first, total, taken) and all(map(total, rest))
        case k.If(_, test, then, other):
            return certain_first(test, total, taken) and total(then) and total(other)
        case k.Need(_, test):
            certain_first(test, total, taken)
            return False
        case k.Op() | k.At() | k.Lookup() | k.Intrinsic():
            return all(certain_first(part, total, taken) for part in children(expr))
    return total(expr)
