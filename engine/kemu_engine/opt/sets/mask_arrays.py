"""Which arrays have a mask for each of their values: the set of the elements that have it."""

from __future__ import annotations

from kemu_engine.kernel import nodes as k

FEW, MANY = 8, 16
"""Values of an array that has a mask for each: so many, or more if it has at least as many elements."""
ELEMENTS = 2048
"""Elements of an array that has masks."""


def maskable(var: k.Var) -> bool:
    """Whether masks may be kept for the values of an array."""
    if var.length is None or not 0 < var.length <= ELEMENTS:
        return False
    if isinstance(var.type, k.Bool):
        return True
    if not isinstance(var.type, k.Int) or var.type.low < -1:
        return False
    return var.type.high < FEW or var.type.high < min(MANY, var.length)


def values(type_: k.Type) -> range:
    """The values of such an array."""
    return range(type_.low, type_.high + 1) if isinstance(type_, k.Int) else range(2)
