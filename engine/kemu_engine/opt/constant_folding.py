"""Constant folding: an expression with what is known of its parts worked out."""

from __future__ import annotations

from dataclasses import replace

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.interval import fits, meets
from kemu_engine.kernel.walk import rebuilt


def substituted(expr: k.Expr, local: int, value: k.Expr) -> k.Expr:
    """The expression with a value, which reads no local bound in it, in the place of a local."""
    if isinstance(expr, k.Local):
        return value if expr.id == local else expr
    return folded(rebuilt(expr, lambda part: substituted(part, local, value)))


def replace_type(value: k.Expr, type_: k.Type) -> k.Expr:
    """The value under the narrower of two types."""
    return replace(value, type=type_) if narrower(type_, value.type) else value


def narrower(one: k.Type, other: k.Type) -> bool:
    return isinstance(one, k.Int) and one != other and fits(one, other)


def folded(expr: k.Expr) -> k.Expr:
    """The expression with what is known of its parts worked out."""
    if isinstance(expr, k.Need):
        return _folded_need(expr)
    if isinstance(expr, k.If):
        return build.when(expr.test, expr.then, expr.other) if isinstance(expr.test, k.Const) else expr
    if not isinstance(expr, k.Op):
        return expr
    args = expr.args
    match expr.op:
        case "and":
            return build.both(*args)
        case "or":
            return build.either(*args)
        case "not":
            return build.no(args[0])
        case "eq":
            return build.eq(*args)
        case "ne":
            return build.ne(*args)
        case "lt":
            return build.lt(*args)
        case "le":
            return build.le(*args)
        case "add":
            return replace_type(build.add(*args), expr.type)
        case "mul":
            return replace_type(build.mul(*args), expr.type)
        case "in":
            return build.member(*args)
        case "card":
            return build.card(args[0])
        case "union" | "inter" | "diff":
            return build.set_op(expr.op, *args)
    return expr


def _folded_need(expr: k.Need) -> k.Expr:
    """The value where nothing is asked, within its type; a fault where what is known of the value rules that
    out.
    """
    if expr.test == build.TRUE and isinstance(expr.type, k.Int):
        return build.clamped(expr.value, *build.interval(expr))
    if expr.test == build.TRUE:
        return expr.value
    if isinstance(expr.type, k.Int) and not meets(expr.type, expr.value.type):
        return build.confined(expr.test, expr.value, expr.type.low, expr.type.high, expr.fault)
    return expr
