"""Fold nesting: folds over a product of two domains as folds within folds.

An element of a product is the number `first * width + second`; where a fold asks for nothing but these two,
it goes through the one and, for each, through the other: what is known of the first narrows down the second.
"""

from __future__ import annotations

from typing import Literal

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import rebuilt, within
from kemu_engine.opt.analysis.expression_analysis import ExpressionAnalysis
from kemu_engine.opt.draft import Draft

OUTER: dict[str, Literal["any", "all", "sum", "union"]] = {
    "any": "any", "all": "all", "count": "sum", "sum": "sum", "set": "union",
}  # fmt: skip
"""What is asked of the first domain, where this is asked of the product."""


class Other(Exception):
    """The element is asked for otherwise than by its two numbers."""


def nested(draft: Draft, traits: ExpressionAnalysis, fold: k.Fold) -> tuple[k.Fold, k.Fold] | None:
    """The fold over the first domain, and the one over the second that is its body; None if it is no such
    fold, or if something in it may fault."""
    assert isinstance(fold.over.type, k.Set)
    size = fold.over.type.size
    if fold.op not in OUTER or fold.over != build.full(size):
        return None
    width = _width(fold)
    if not 1 < width < size or size % width or not all(traits.of(e).total for e in (fold.where, fold.body)):
        return None
    name = draft.locals[fold.binder].name
    pair = []
    for number in (size // width, width):
        type_ = k.Int(0, number - 1)
        pair.append(k.Local(type_, draft.local(k.LocalInfo(name, type_))))
    first, second = pair
    try:
        where, body = (_split(part, fold.binder, width, first, second) for part in (fold.where, fold.body))
    except Other:
        return None
    tests = where.args if isinstance(where, k.Op) and where.op == "and" else (where,)
    early = [test for test in tests if second.id not in traits.of(test).locals]
    late = [test for test in tests if second.id in traits.of(test).locals]
    inner = k.Fold(fold.type, fold.op, second.id, build.full(width), build.both(*late), body)
    over = build.full(size // width)
    outer = k.Fold(fold.type, OUTER[fold.op], first.id, over, build.both(*early), inner)
    return outer, inner


def _width(fold: k.Fold) -> int:
    """The greatest number by which the element is divided."""
    found = 0
    for expr in (*within(fold.where), *within(fold.body)):
        match expr:
            case k.Op(_, "div" | "mod", (k.Local(_, local), k.Const(_, by))) if local == fold.binder:
                found = max(found, by)
    return found


def _split(expr: k.Expr, binder: int, width: int, first: k.Local, second: k.Local) -> k.Expr:
    """The expression of the two numbers."""
    match expr:
        case k.Op(_, "div", (k.Local(_, local), k.Const(_, by))) if local == binder:
            if by == width:
                return first
        case k.Op(_, "mod", (k.Local(_, local), k.Const(_, by))) if local == binder:
            if width % by == 0:
                return build.mod(second, build.integer(by)) if by < width else second
        case k.Op(_, "mod", (k.Op(_, "div", (k.Local(_, local), k.Const(_, by))), k.Const(_, into))):
            if local == binder and by > 0 and width % (by * into) == 0:
                low = build.div(second, build.integer(by)) if by > 1 else second
                return build.mod(low, build.integer(into)) if by * into < width else low
        case k.Local(_, local) if local == binder:
            raise Other
    return rebuilt(expr, lambda part: _split(part, binder, width, first, second))
