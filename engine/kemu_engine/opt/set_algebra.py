"""Sets as expressions: what they have in common, what is left of one without another, said briefly."""

from __future__ import annotations

from dataclasses import replace

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k


def factors(expr: k.Expr) -> tuple[list[k.Expr], list[k.Expr]]:
    """The sets of which an expression is the intersection, and those that are taken away from it."""
    if isinstance(expr, k.Op) and expr.op == "inter":
        (one, less), (two, fewer) = map(factors, expr.args)
        return one + two, less + fewer
    if isinstance(expr, k.Op) and expr.op == "diff":
        one, less = factors(expr.args[0])
        return one, [*less, expr.args[1]]
    return [expr], []


def bare(expr: k.Expr, binder: int) -> bool:
    """Whether it is just the binder."""
    return isinstance(expr, k.Local) and expr.id == binder


def size_of(expr: k.Expr) -> int:
    return expr.type.size if isinstance(expr.type, k.Set) else 0


def inter(a: k.Expr, b: k.Expr) -> k.Expr:
    """What two sets have in common, whatever their sizes."""
    for one, other in ((a, b), (b, a)):
        if is_full(one, size_of(other)):
            return other
    for one, other in ((b, a), (a, b)):
        if isinstance(one, k.Op) and one.op == "diff" and is_full(one.args[0], size_of(other)):
            return diff(other, one.args[1])
    size = min(size_of(a), size_of(b))
    if isinstance(a, k.Const) and isinstance(b, k.Op) and b.op in ("inter", "diff"):
        return replace(b, type=k.Set(size), args=(inter(a, b.args[0]), b.args[1]))
    return replace(build.set_op("inter", a, b), type=k.Set(size))


def diff(a: k.Expr, b: k.Expr) -> k.Expr:
    size = size_of(a)
    if is_full(a, size) and isinstance(b, k.Op) and b.op == "diff" and is_full(b.args[0], size):
        return inter(a, b.args[1])
    return build.set_op("diff", a, b)


def union(a: k.Expr, b: k.Expr) -> k.Expr:
    size = max(size_of(a), size_of(b))
    for one, other in ((a, b), (b, a)):
        if isinstance(one, k.Const) and not one.value:
            return other
    return replace(build.set_op("union", a, b), type=k.Set(size))


def is_empty(expr: k.Expr) -> bool:
    return isinstance(expr, k.Const) and isinstance(expr.type, k.Set) and not expr.value


def is_full(expr: k.Expr, size: int) -> bool:
    """Whether it is a constant that holds all of 0..size-1."""
    return isinstance(expr, k.Const) and expr.value & (1 << size) - 1 == (1 << size) - 1


def plainer(op: k.Op) -> k.Expr:
    """Comparisons of the number of elements with nothing, as comparisons with the empty set."""
    if op.op not in ("lt", "le", "eq", "ne"):
        return op
    low, high = op.args
    if isinstance(high, k.Op) and high.op == "card" and isinstance(low, k.Const):
        some = (op.op, low.value) in (("lt", 0), ("le", 1))
        return k.Op(k.BOOL, "ne", (high.args[0], build.mask(size_of(high.args[0]), 0))) if some else op
    if isinstance(low, k.Op) and low.op == "card" and isinstance(high, k.Const):
        none = (op.op, high.value) in (("lt", 1), ("le", 0), ("eq", 0))
        if none or (op.op, high.value) == ("ne", 0):
            empty = build.mask(size_of(low.args[0]), 0)
            return k.Op(k.BOOL, "eq" if none else "ne", (low.args[0], empty))
    return op
