"""The interval domain: what integers may be by the types of parts alone; which types hold which."""

from __future__ import annotations

from kemu_engine.kernel import nodes as k


def fits(inner: k.Type, outer: k.Type) -> bool:
    """Whether every value of one type is a value of the other."""
    if isinstance(inner, k.Int) and isinstance(outer, k.Int):
        return outer.low <= inner.low and inner.high <= outer.high
    return inner == outer


def integers_fit(inner: k.Type, outer: k.Type) -> bool:
    """The same for integers; of other types nothing is asked."""
    return fits(inner, outer) or not (isinstance(inner, k.Int) and isinstance(outer, k.Int))


def meets(one: k.Type, other: k.Type) -> bool:
    """Whether some value may be of both types."""
    if isinstance(one, k.Int) and isinstance(other, k.Int):
        return max(one.low, other.low) <= min(one.high, other.high)
    return one == other


def hull(one: k.Type, other: k.Type) -> k.Type:
    """The least type that holds both; the first if they are of different kinds."""
    if isinstance(one, k.Int) and isinstance(other, k.Int):
        return k.Int(min(one.low, other.low), max(one.high, other.high))
    return one


def of_operation(op: k.Op) -> k.Type:
    """The type of an Op whose arguments are of the right kinds."""
    types = [arg.type for arg in op.args]
    if op.op in ("eq", "ne", "lt", "le", "and", "or", "not", "in", "subset"):
        return k.BOOL
    if op.op in ("union", "inter"):
        sizes = [type_.size for type_ in types if isinstance(type_, k.Set)]
        return k.Set(max(sizes) if op.op == "union" else min(sizes))
    if op.op == "diff":
        return types[0]
    if op.op == "single":
        return op.type
    if op.op == "card":
        assert isinstance(types[0], k.Set)
        return k.Int(0, types[0].size)
    bounds = [type_ for type_ in types if isinstance(type_, k.Int)]
    return arithmetic(op.op, bounds[0], bounds[-1])


def arithmetic(op: str, a: k.Int, b: k.Int) -> k.Int:
    """What an operation on integers of these intervals may give; of one argument, a is b."""
    match op:
        case "add":
            ends = [a.low + b.low, a.high + b.high]
        case "sub":
            ends = [a.low - b.high, a.high - b.low]
        case "mul":
            ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        case "div":
            ends = [
                x // y for x in (a.low, a.high) for y in (b.low, -1, 1, b.high) if y and b.low <= y <= b.high
            ]
        case "mod":
            ends = [max(0, b.high - 1), min(0, b.low + 1)]
            if (
                b.low == b.high > 0 and a.low // b.low == a.high // b.low
            ):  # no multiple of the divisor in between
                ends = [a.low % b.low, a.high % b.low]
        case "neg":
            ends = [-a.low, -a.high]
        case "abs":
            ends = [abs(a.low), abs(a.high), *([0] if a.low <= 0 <= a.high else [])]
        case "min":
            ends = [min(a.low, b.low), min(a.high, b.high)]
        case _:
            ends = [max(a.low, b.low), max(a.high, b.high)]
    return k.Int(min(ends, default=0), max(ends, default=0))


def of_fold(fold: k.Fold) -> k.Type:
    """The type of a Fold whose parts are of the right kinds."""
    assert isinstance(fold.over.type, k.Set)
    size = fold.over.type.size
    most = fold.over.value.bit_count() if isinstance(fold.over, k.Const) else size
    match fold.op:
        case "any" | "all":
            return k.BOOL
        case "count":
            return k.Int(0, most)
        case "first":
            return k.Int(-1, size - 1)
        case "sum":
            assert isinstance(fold.body.type, k.Int)
            return k.Int(min(0, most * fold.body.type.low), max(0, most * fold.body.type.high))
        case "min" | "max":
            return fold.body.type
        case "set" | "union":
            return fold.type
