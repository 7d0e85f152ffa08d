"""Smart constructors of kernel expressions: constants folded, intervals inferred.

An operation whose outcome is known is left unfolded if an operand might fault: its fault is part of what the
rules mean.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.interval import arithmetic
from kemu_engine.kernel.snapshots import Snapshots

TRUE = k.Const(k.BOOL, True)
FALSE = k.Const(k.BOOL, False)
LIMIT = 2**63 - 1


class TooWide(Exception):
    """An interval that needs more than 63 signed bits."""


@lru_cache(4096, typed=True)
def integer(value: int) -> k.Const:
    return k.Const(k.Int(value, value), value)


def truth(value: bool) -> k.Const:
    return TRUE if value else FALSE


def full(size: int) -> k.Const:
    """All of 0..size-1."""
    return k.Const(k.Set(size), (1 << size) - 1)


def mask(size: int, items: int) -> k.Const:
    return k.Const(k.Set(size), items)


def interval(expr: k.Expr) -> tuple[int, int]:
    assert isinstance(expr.type, k.Int), expr
    return expr.type.low, expr.type.high


def _int(low: int, high: int) -> k.Int:
    if low < -LIMIT or high > LIMIT:
        raise TooWide
    return k.Int(low, high)


def _op(op: k.Operator, *args: k.Expr) -> k.Op:
    """An operation on integers, of the interval that it has by those of its arguments."""
    types = [arg.type for arg in args if isinstance(arg.type, k.Int)]
    found = arithmetic(op, types[0], types[-1])
    return k.Op(_int(found.low, found.high), op, args)


def add(a: k.Expr, b: k.Expr) -> k.Expr:
    if isinstance(a, k.Const) and isinstance(b, k.Const):
        return integer(a.value + b.value)
    if isinstance(b, k.Const):
        if b.value == 0:
            return a
        if isinstance(a, k.Op) and a.op == "add" and isinstance(a.args[1], k.Const):
            return add(a.args[0], integer(a.args[1].value + b.value))
    if isinstance(a, k.Const):
        return add(b, a)
    return _op("add", a, b)


def sub(a: k.Expr, b: k.Expr) -> k.Expr:
    if isinstance(b, k.Const):
        return add(a, integer(-b.value))
    return _op("sub", a, b)


def neg(a: k.Expr) -> k.Expr:
    if isinstance(a, k.Const):
        return integer(-a.value)
    return _op("neg", a)


def mul(a: k.Expr, b: k.Expr) -> k.Expr:
    if isinstance(a, k.Const) and isinstance(b, k.Const):
        return integer(a.value * b.value)
    if isinstance(a, k.Const):
        a, b = b, a
    if b == integer(1):
        return a
    if b == integer(0) and not faults(a):
        return b
    return _op("mul", a, b)


def div(a: k.Expr, b: k.Expr) -> k.Expr:
    """Floor division; b is known not to be 0."""
    if isinstance(a, k.Const) and isinstance(b, k.Const):
        return integer(a.value // b.value)
    return _op("div", a, b)


def mod(a: k.Expr, b: k.Expr) -> k.Expr:
    """The floor remainder; b is known not to be 0."""
    low, high = interval(a)
    if isinstance(b, k.Const):
        if isinstance(a, k.Const):
            return integer(a.value % b.value)
        if b.value > 0 and low >= 0 and high < b.value:
            return a
    return _op("mod", a, b)


def absolute(a: k.Expr) -> k.Expr:
    if interval(a)[0] >= 0:
        return a
    if isinstance(a, k.Const):
        return integer(abs(a.value))
    return _op("abs", a)


def extreme(op: str, a: k.Expr, b: k.Expr) -> k.Expr:
    """op: "min" or "max"."""
    pick: Callable[[int, int], int] = min if op == "min" else max
    if isinstance(a, k.Const) and isinstance(b, k.Const):
        return integer(pick(a.value, b.value))
    return _op("min" if op == "min" else "max", a, b)


def clamped(expr: k.Expr, low: int, high: int) -> k.Expr:
    """The nearest number in low..high."""
    least, most = interval(expr)
    if least < low:
        expr = extreme("max", expr, integer(low))
    return extreme("min", expr, integer(high)) if high < most else expr


def eq(a: k.Expr, b: k.Expr) -> k.Expr:
    if a == b:
        return _settled(True, "eq", a, b)
    if isinstance(a, k.Const):
        a, b = b, a
    if isinstance(a.type, k.Int):
        if isinstance(b, k.Const):
            low, high = interval(a)
            if not low <= b.value <= high:
                return _settled(False, "eq", a, b)
            if low == high:
                return _settled(True, "eq", a, b)
            if isinstance(a, k.Op) and a.op == "add" and isinstance(a.args[1], k.Const):
                return eq(a.args[0], integer(b.value - a.args[1].value))
        elif interval(a)[1] < interval(b)[0] or interval(b)[1] < interval(a)[0]:
            return _settled(False, "eq", a, b)
        if (
            isinstance(a, k.Op) and isinstance(b, k.Op) and a.op == b.op == "add"
            and isinstance(a.args[1], k.Const) and a.args[1] == b.args[1]
        ):  # fmt: skip
            return eq(a.args[0], b.args[0])
    if isinstance(a, k.Const) and isinstance(b, k.Const):
        return truth(a.value == b.value)
    if isinstance(a.type, k.Bool) and isinstance(b, k.Const):
        return a if b.value else no(a)
    return k.Op(k.BOOL, "eq", (a, b))


def ne(a: k.Expr, b: k.Expr) -> k.Expr:
    same = eq(a, b)
    if isinstance(same, k.Op) and same.op == "eq":
        return k.Op(k.BOOL, "ne", same.args)
    return no(same)


def lt(a: k.Expr, b: k.Expr) -> k.Expr:
    (al, ah), (bl, bh) = interval(a), interval(b)
    if ah < bl or al >= bh:
        return _settled(ah < bl, "lt", a, b)
    return k.Op(k.BOOL, "lt", (a, b))


def le(a: k.Expr, b: k.Expr) -> k.Expr:
    (al, ah), (bl, bh) = interval(a), interval(b)
    if ah <= bl or al > bh:
        return _settled(ah <= bl, "le", a, b)
    return k.Op(k.BOOL, "le", (a, b))


def _settled(outcome: bool, op: k.Operator, a: k.Expr, b: k.Expr) -> k.Expr:
    """The comparison, whose outcome is known."""
    return k.Op(k.BOOL, op, (a, b)) if faults(a) or faults(b) else truth(outcome)


def no(a: k.Expr) -> k.Expr:
    if isinstance(a, k.Const):
        return truth(not a.value)
    if isinstance(a, k.Op):
        if a.op == "not":
            return a.args[0]
        if a.op in ("eq", "ne"):
            return k.Op(k.BOOL, "ne" if a.op == "eq" else "eq", a.args)
    return k.Op(k.BOOL, "not", (a,))


def both(*items: k.Expr) -> k.Expr:
    """`and`, lazy from the left."""
    kept: list[k.Expr] = []
    for item in items:
        for part in item.args if isinstance(item, k.Op) and item.op == "and" else (item,):
            if part == FALSE and not kept:
                return FALSE
            if part == FALSE:
                kept.append(part)
                return _connect("and", kept)
            if part != TRUE:
                kept.append(part)
    return _connect("and", kept) if kept else TRUE


def either(*items: k.Expr) -> k.Expr:
    """`or`, lazy from the left."""
    kept: list[k.Expr] = []
    for item in items:
        for part in item.args if isinstance(item, k.Op) and item.op == "or" else (item,):
            if part == TRUE and not kept:
                return TRUE
            if part == TRUE:
                kept.append(part)
                return _connect("or", kept)
            if part != FALSE:
                kept.append(part)
    return _connect("or", kept) if kept else FALSE


def _connect(op: k.Operator, items: list[k.Expr]) -> k.Expr:
    return items[0] if len(items) == 1 else k.Op(k.BOOL, op, tuple(items))


def when(test: k.Expr, then: k.Expr, other: k.Expr) -> k.Expr:
    if isinstance(test, k.Const):
        return then if test.value else other
    if then == other and not faults(test):
        return then
    if isinstance(then.type, k.Int):
        (al, ah), (bl, bh) = interval(then), interval(other)
        return k.If(k.Int(min(al, bl), max(ah, bh)), test, then, other)
    if then == TRUE:
        return either(test, other)
    if other == FALSE:
        return both(test, then)
    return k.If(then.type, test, then, other)


def faults(expr: k.Expr) -> bool:
    """Whether evaluating the expression might fault (said too often rather than too rarely)."""
    return _faults(expr, set())


def _faults(expr: k.Expr, seen: set[int]) -> bool:
    """The same; what was seen, as shared parts are, does not."""
    match expr:
        case k.Const() | k.Local() | k.Load() | k.Times():
            return False
        case k.At(index=index) | k.Lookup(index=index):
            parts: tuple[k.Expr, ...] = (index,)
        case k.Op(args=args):
            parts = args
        case k.If(test=test, then=then, other=other):
            parts = (test, then, other)
        case k.Fold(over=over, where=where, body=body):
            parts = (over, where, body)
        case k.Let(value=value, body=body):
            parts = (value, body)
        case _:
            return True
    if id(expr) in seen:
        return False
    seen.add(id(expr))
    return any(_faults(part, seen) for part in parts)


def need(test: k.Expr, value: k.Expr, fault: int) -> k.Expr:
    return value if test == TRUE else k.Need(value.type, test, value, fault)


def confined(test: k.Expr, expr: k.Expr, low: int, high: int, fault: int) -> k.Expr:
    """An integer of which a test says that it lies in low..high; a fault if not, its own before this one."""
    least, most = interval(expr)
    if most < low or high < least:
        never = both(test, le(integer(low), expr), le(expr, integer(high)))
        return k.Need(k.Int(low, low), never, integer(low), fault)
    return k.Need(k.Int(low, high), test, expr, fault)


def within(expr: k.Expr, low: int, high: int) -> k.Expr:
    """Whether an integer lies in low..high; its faults are left to where it is used."""
    least, most = interval(expr)
    if most < low or high < least:
        return FALSE
    above = [le(integer(low), expr)] if least < low else []
    below = [le(expr, integer(high))] if high < most else []
    return both(*above, *below)


def member(index: k.Expr, items: k.Expr) -> k.Expr:
    if isinstance(items, k.Const):
        assert isinstance(items.type, k.Set)
        low, high = interval(index)
        inside = (
            [0 <= i < items.type.size and bool(items.value >> i & 1) for i in range(low, high + 1)]
            if high - low < 4096
            else []
        )
        if inside and (all(inside) or not any(inside)):
            return _settled(inside[0], "in", index, items)
    return k.Op(k.BOOL, "in", (index, items))


def set_op(op: k.Operator, a: k.Expr, b: k.Expr) -> k.Expr:
    assert isinstance(a.type, k.Set)
    if isinstance(a, k.Const) and isinstance(b, k.Const) and op in ("union", "inter", "diff"):
        value = (
            a.value | b.value if op == "union" else a.value & b.value if op == "inter" else a.value & ~b.value
        )
        return k.Const(a.type, value)
    return k.Op(k.BOOL if op == "subset" else a.type, op, (a, b))


def card(a: k.Expr) -> k.Expr:
    assert isinstance(a.type, k.Set)
    if isinstance(a, k.Const):
        return integer(a.value.bit_count())
    return k.Op(k.Int(0, a.type.size), "card", (a,))


def after(first: k.Expr, value: k.Expr) -> k.Expr:
    """A value that does not need a set of nothing, or a truth value, but is not there if that faults."""
    if not faults(first):
        return value
    test = first if first.type == k.BOOL else ne(card(first), integer(0))
    return k.If(value.type, test, value, value)


def times(history: int) -> k.Times:
    """How often the present has been noted in a history."""
    return k.Times(k.Int(0, Snapshots.MOST), history)


def single(index: k.Expr, size: int) -> k.Expr:
    if isinstance(index, k.Const):
        return mask(size, 1 << index.value)
    return k.Op(k.Set(size), "single", (index,))


def fold(op: str, binder: int, over: k.Expr, where: k.Expr, body: k.Expr, size: int = 0) -> k.Expr:
    """`size`: of the universe of a "set"."""
    assert isinstance(over.type, k.Set)
    most = over.value.bit_count() if isinstance(over, k.Const) else over.type.size
    if most == 0 and op in ("any", "all", "count", "sum", "set", "first"):
        empty = {"any": FALSE, "all": TRUE, "count": integer(0), "sum": integer(0), "first": integer(-1)}
        return empty.get(op) or mask(size, 0)
    kind: k.Type
    match op:
        case "any" | "all":
            if body == truth(op == "all") and not faults(over) and not faults(where):
                return body
            kind = k.BOOL
        case "count":
            if where == TRUE and body == TRUE:
                return card(over)
            kind = k.Int(0, most)
        case "sum":
            low, high = interval(body)
            kind = _int(min(0, most * low), max(0, most * high))
        case "set":
            kind = k.Set(size)
        case "first":
            kind = k.Int(-1, over.type.size - 1)
        case _:
            kind = body.type
    return k.Fold(kind, op, binder, over, where, body)  # type: ignore[arg-type]
