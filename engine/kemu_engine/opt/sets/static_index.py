"""Static gather: which rows of cells, known from the rules, have a value everywhere.

"Element t[b] of the array has the value" is, for all b at once, the question which rows of a static table lie
within the set of the elements that have it (`RowsTouching`): here rows of one element,
and where several are asked for at once, joined to rows of several.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.evaluate import Evaluator
from kemu_engine.kernel.walk import within
from kemu_engine.opt.constant_folding import substituted
from kemu_engine.opt.draft import Draft
from kemu_engine.opt.nodes import RowsTouching

MOST = 1 << 18
"""Bits that a table of rows may have."""
FEW = 16
"""Elements of a set of which the same is asked of every one, written out."""
STATEFUL = k.Load | k.At | k.Times | k.Call | k.Need | k.Trial | k.Intrinsic


@dataclass(slots=True)
class Locals:
    """What static expressions are worked out on."""

    locals: list[int]


def static(draft: Draft, frames: Iterable[Mapping[int, int]], expr: k.Expr) -> list[int] | None:
    """The values of an expression that depends on nothing but some locals, each time that these have the
    values of `frames`; None if that cannot be said."""
    if any(isinstance(part, STATEFUL) for part in within(expr)):
        return None
    value = Evaluator(draft.tables).expr(expr)
    frame = Locals([0] * len(draft.locals))
    found = []
    for given in frames:
        for local, element in given.items():
            frame.locals[local] = element
        try:
            found.append(int(value(frame)))
        except IndexError:
            return None
    return found


def numbered(binder: int, size: int) -> Iterable[Mapping[int, int]]:
    """The binder as 0..size-1."""
    return ({binder: element} for element in range(size))


def held(draft: Draft, places: list[int], having: k.Expr) -> k.Expr | None:
    """The set of those i for which element places[i] of an array is among those that have a value; `having`
    is the set of these. What i of a place that does not exist is, does not matter."""
    assert isinstance(having.type, k.Set)
    length, size = having.type.size, len(places)
    if length * size > MOST:
        return None
    there = [0 <= place < length for place in places]
    rows = tuple(1 << place if ok else 0 for place, ok in zip(places, there, strict=True))
    rest = build.set_op("diff", build.full(length), having)
    touched = RowsTouching(k.Set(size), (rest,), draft.table(rows))
    known = sum(1 << at for at, ok in enumerate(there) if ok)
    return k.Op(k.Set(size), "diff", (build.mask(size, known), touched))


def joined(draft: Draft, one: k.Expr, other: k.Expr) -> k.Expr | None:
    """What two such sets have in common as one, if the same set is asked about."""
    first, second = untouched(one), untouched(other)
    if first is None or second is None or first[1].args != second[1].args:
        return None
    tables = [draft.tables[touched.table].values for _, touched in (first, second)]
    if len(tables[0]) != len(tables[1]):
        return None
    rows = tuple(a | b for a, b in zip(*tables, strict=True))
    touched = replace(first[1], table=draft.table(rows))
    return k.Op(one.type, "diff", (build.set_op("inter", first[0], second[0]), touched))


def untouched(expr: k.Expr) -> tuple[k.Expr, RowsTouching] | None:
    """Rows of a table, and those that they must not be among."""
    match expr:
        case k.Op(_, "diff", (rows, RowsTouching() as touched)):
            return rows, touched
    return None


def written_out(fold: k.Fold) -> k.Expr | None:
    """An `all` or `any` over few static elements as a condition of each."""
    if fold.op not in ("all", "any") or not isinstance(fold.over, k.Const):
        return None
    if fold.over.value.bit_count() > FEW or any(isinstance(part, k.Trial) for part in within(fold)):
        return None
    found = []
    for element in range(fold.over.value.bit_length()):
        if fold.over.value >> element & 1:
            value = build.integer(element)
            where, body = (substituted(part, fold.binder, value) for part in (fold.where, fold.body))
            found.append(build.both(where, body) if fold.op == "any" else build.either(build.no(where), body))
    return build.both(*found) if fold.op == "all" else build.either(*found)
