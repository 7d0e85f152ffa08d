"""Value cases: a condition that looks at an element of an array, settled for each value that it can have.

"A man stands on c, and it is p's" asks of c only what `man[c]` is. With a value in the place of the element,
what is left does not depend on c, and values for which the same is left are one case: the elements that have
one of them, if that holds. A test that keeps another part from a fault is settled with it.
"""

from __future__ import annotations

from collections.abc import Iterable

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import rebuilt, tried, within
from kemu_engine.opt.constant_folding import folded
from kemu_engine.opt.draft import Draft

CHEAP = 16
"""Nodes of a condition that may be left."""
MOST_NODES = 200
"""Nodes of a condition that is looked at."""

Case = tuple[k.Expr, list[int]]
"""A condition that does not depend on the binder, and the values of the element for which it is left."""


def only_element(binder: int, cond: k.Expr) -> k.At | None:
    """The element of an array through which alone a condition depends on the binder."""
    parts = [part for _, part in zip(range(MOST_NODES + 1), within(cond), strict=False)]
    if len(parts) > MOST_NODES or tried(cond):
        return None
    bound = {part.binder for part in parts if isinstance(part, k.Fold | k.Closure)}
    bound |= {part.local for part in parts if isinstance(part, k.Let)}
    element = next((part for part in parts if isinstance(part, k.At) and _reads(binder, part.index)), None)
    if element is None or any(_reads(local, element.index) for local in bound):
        return None
    return None if _reads(binder, _replaced(cond, element, build.FALSE)) else element


def _reads(local: int, expr: k.Expr) -> bool:
    return any(isinstance(part, k.Local) and part.id == local for part in within(expr))


def _replaced(expr: k.Expr, element: k.At, value: k.Expr) -> k.Expr:
    return value if expr == element else rebuilt(expr, lambda part: _replaced(part, element, value))


def cases(draft: Draft, cond: k.Expr, element: k.At, values: Iterable[int]) -> list[Case]:
    """What is left of a condition when the element has each of the values."""
    found: dict[k.Expr, list[int]] = {}
    for each in values:
        value = build.truth(bool(each)) if isinstance(element.type, k.Bool) else build.integer(each)
        found.setdefault(_known(draft, cond, element, value), []).append(each)
    return [*found.items()]


def _known(draft: Draft, expr: k.Expr, element: k.At, value: k.Expr) -> k.Expr:
    """The condition with a value in the place of the element, worked out as far as that goes."""
    if expr == element:
        return value
    made = folded(rebuilt(expr, lambda part: _known(draft, part, element, value)))
    if isinstance(made, k.Lookup) and isinstance(made.index, k.Const):
        rows = draft.tables[made.table].values
        if 0 <= made.index.value < len(rows):
            return _constant(made.type, rows[made.index.value])
    return made


def _constant(type_: k.Type, value: int) -> k.Expr:
    match type_:
        case k.Bool():
            return build.truth(bool(value))
        case k.Set():
            return build.mask(type_.size, value)
        case _:
            return build.integer(value)


def settled(test: k.Expr) -> bool:
    """Whether what is left may as well be worked out when nobody asks."""
    parts = [part for _, part in zip(range(CHEAP), within(test), strict=False)]
    return len(parts) < CHEAP and not any(isinstance(part, k.Fold | k.Closure | k.Call) for part in parts)
