"""Reindexing: a fold over static sets of numbers that stand for places, as a fold over the places.

"All cells between a and b are free" goes through the cells that lie between any two, numbered for themselves,
and asks of each by a table where it is. Over sets of places nothing has to be looked up, and what holds of
places is one mask, whatever set is gone through. The places may lie in another order than their numbers, so
nothing that is asked of them may fault.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import or_

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import children, rebuilt, within
from kemu_engine.opt.analysis.expression_analysis import ExpressionAnalysis
from kemu_engine.opt.draft import Draft
from kemu_engine.opt.sets.pattern_match import elements


def reindexed(draft: Draft, traits: ExpressionAnalysis, fold: k.Fold) -> k.Fold:
    """The fold over places, if its binder is only asked which place it stands for."""
    element = _element(fold)
    if element is None or not all(traits.of(part).total for part in (fold.where, fold.body)):
        return fold
    index, size = element.index, draft.vars[element.var].length or 0
    assert isinstance(index, k.Lookup)
    if not all(_only_where_it_is(draft, part, index, size) for part in (fold.where, fold.body)):
        return fold
    over = _moved(draft, fold.over, draft.tables[index.table].values, size)
    if over is None:
        return fold
    place = k.Local(k.Int(0, size - 1), draft.fresh(fold.binder))
    draft.locals[place.id] = replace(draft.locals[place.id], type=place.type)
    where, body = (_replaced(part, index, place) for part in (fold.where, fold.body))
    if any(isinstance(part, k.Local) and part.id == fold.binder for part in (*within(where), *within(body))):
        return fold
    return replace(fold, binder=place.id, over=over, where=where, body=body)


def _element(fold: k.Fold) -> k.At | None:
    """An element of an array, at the place for which the binder stands by a table."""
    if fold.op not in ("any", "all"):
        return None
    for part in (*within(fold.where), *within(fold.body)):
        match part:
            case k.At(_, _, k.Lookup(k.Int(), _, k.Local(_, local))) if local == fold.binder:
                return part
    return None


def _moved(draft: Draft, over: k.Expr, places: tuple[int, ...], size: int) -> k.Expr | None:
    """The set of the places, if the set gone through is known but for which of several it is."""
    if not all(0 <= place < size for place in places):
        return None

    def moved(items: int) -> int:
        return reduce(or_, (1 << places[item] for item in elements(items)), 0)

    match over:
        case k.Const(_, items):
            return build.mask(size, moved(items))
        case k.Lookup(k.Set(), table, _):
            rows = tuple(moved(row) for row in draft.tables[table].values)
            return replace(over, type=k.Set(size), table=draft.table(rows))
    return None


def _only_where_it_is(draft: Draft, expr: k.Expr, index: k.Lookup, size: int) -> bool:
    """Whether the place is only asked what stands there or what it is in, not counted with: it may be any
    place of the array then, and what is made of it would have another interval."""

    def placed(part: k.Expr) -> bool:
        match part:
            case k.At(_, var):
                return (draft.vars[var].length or 0) >= size
            case k.Lookup(_, table):
                return len(draft.tables[table].values) >= size
        return isinstance(part, k.Op) and part.type == k.BOOL

    return all(placed(part) for part in within(expr) if index in children(part))


def _replaced(expr: k.Expr, one: k.Expr, other: k.Expr) -> k.Expr:
    return other if expr == one else rebuilt(expr, lambda part: _replaced(part, one, other))
