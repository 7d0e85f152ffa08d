"""What the words of a fault do not say: the value that a test of bounds has refused."""

from __future__ import annotations

from collections.abc import Callable

from kemu_engine.kernel import nodes as k


def offence(fault: k.Fault, test: k.Expr, worked_out: Callable[[k.Expr], int]) -> str:
    """The value that is at fault, and what bounds it where the fault does not say that; "" where the test is
    no comparison, or of what is no number in the rules file. `worked_out`: what an expression is there."""
    value, bound = _compared(test, upper=fault.code == "overfull")
    if value is None:
        return ""
    given = worked_out(value)
    if fault.message.startswith("the number is"):
        return f"it is {given}"
    if bound is None:
        return ""
    most = worked_out(bound)
    if fault.code == "overfull":
        room = "" if fault.message.endswith(f" {most}") else f", with room for {most}"
        return f"there would be {given}{room}"
    if fault.message.startswith("the list has"):
        return f"it has {most}, and [{given if given >= 0 else given - most}] is asked for"
    return ""


def _compared(test: k.Expr, upper: bool) -> tuple[k.Expr | None, k.Expr | None]:
    """Of `low <= x <= high`, `x < size`, or what there is of it, x and the bound from above. Which side x is
    on in a `<=` that stands alone is told by a constant on the other, or by `upper`: that it is the left."""
    match [part for part in _conjuncts(test) if isinstance(part, k.Op) and part.op in ("le", "lt")]:
        case [k.Op(args=(_, value)), k.Op(args=(same, high))] if value is same:
            return value, high
        case [k.Op(op="lt", args=(value, high))]:
            return value, high
        case [k.Op(args=(value, high))] if upper or isinstance(high, k.Const):
            return value, high
        case [k.Op(args=(k.Const(), value))]:
            return value, None
    return None, None


def _conjuncts(test: k.Expr) -> tuple[k.Expr, ...]:
    return test.args if isinstance(test, k.Op) and test.op == "and" else (test,)
