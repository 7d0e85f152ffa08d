"""The operators of the language on values of instance time."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeGuard

from kemu_grammar.syntax.ast import Span

from kemu_engine.static.problems import KEYS, NO_FIELD, StaticFault, refuse
from kemu_engine.static.values import (
    LARGEST,
    Atom,
    Domain,
    FrozenBag,
    FrozenMap,
    RingInt,
    Row,
    Seq,
    Value,
    iterate,
    text_of,
)

LIMIT = 2**63 - 1
ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


POINT = ("x", "y")
PLAIN: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


INTS = frozenset({int})
NUMBERS = INTS | {RingInt}
VECTORS = frozenset({tuple, Row})
"""Kinds of tuples: of numbers, they are added and multiplied part by part."""

HOLDING = (tuple, frozenset, FrozenMap, Domain)
"""Kinds of values that hold others."""

SIMPLE = frozenset({int, bool, str, Atom})
"""Kinds of values that are equal only to such as them."""


def is_number(value: Value) -> bool:
    return type(value) in NUMBERS


def is_vector(value: Value) -> TypeGuard[tuple[int, ...]]:
    """Whether it is a tuple of numbers, as points are."""
    return type(value) in VECTORS and NUMBERS.issuperset(map(type, value))


def as_set(value: Value) -> frozenset[Value]:
    return value if isinstance(value, frozenset) else frozenset(iterate(value))


def is_set(value: Value) -> bool:
    return isinstance(value, frozenset | Domain) or (isinstance(value, FrozenMap) and not value)


def bounded(value: int, span: Span) -> int:
    if -LIMIT <= value <= LIMIT:
        return value
    refuse("E0711", span, "this number needs more than 63 bits")


def unary(op: str, value: Value, span: Span) -> Value:
    if value is None:
        raise StaticFault("missing_value", f"`{op}` of none", span)
    if op == "not":
        if isinstance(value, bool):
            return not value
        refuse("E0719", span, f"`not` takes a truth value, but this is {text_of(value)}")
    if is_number(value):
        return value if op == "+" else -int(value)
    if is_vector(value) and op == "-":
        return _row([-v for v in value], value)
    refuse("E0719", span, f"`{op}` takes a number, but this is {text_of(value)}")


def binary(op: str, a: Value, b: Value, span: Span) -> Value:
    """`+ - * // % **` on numbers, rings and points; `+` on lists and texts; `| & -` on sets; `|` on maps."""
    if is_number(a) and is_number(b):
        return _arithmetic(op, a, b, span)
    if op in PLAIN and (type(a) in VECTORS or type(b) in VECTORS):
        parts = _plain_parts(op, a, b)
        if parts is not None:
            return _row(parts, a if type(a) is Row or type(b) is int else b)
    if a is None or b is None:
        raise StaticFault("missing_value", f"`{op}` has no value on one side", span)
    if op == "|" and isinstance(a, FrozenMap) and isinstance(b, FrozenMap):
        return FrozenMap({**a, **b})
    if op in "|&-" and (is_set(a) or is_set(b)):
        left, right = as_set(a), as_set(b)
        return left | right if op == "|" else left & right if op == "&" else left - right
    if op == "+" and isinstance(a, Seq | str) and type(a) is type(b):
        return _joined(a, b, span)
    if op in "+-" and is_vector(a) and is_vector(b) and len(a) == len(b):
        moved = [_arithmetic(op, x, y, span) for x, y in zip(a, b, strict=True)]
        return _row(moved, a if isinstance(a, Row) else b)
    if op == "*" and is_number(a) and is_vector(b):
        return _row([_arithmetic(op, a, y, span) for y in b], b)
    if op == "*" and is_number(b) and is_vector(a):
        return _row([_arithmetic(op, x, b, span) for x in a], a)
    refuse("E0719", span, f"`{op}` cannot combine {text_of(a)} and {text_of(b)}")


def _plain_parts(op: str, a: Value, b: Value) -> list[int] | None:
    """What an operator makes of points, part by part, where all parts are plain numbers, as most are."""
    found = None
    if type(a) is int or type(b) is int:
        whole, factor = (b, a) if type(a) is int else (a, b)
        if op == "*" and INTS.issuperset(map(type, whole)):
            found = [factor * x for x in whole]
    elif op != "*" and type(a) in VECTORS and type(b) in VECTORS and len(a) == len(b):
        plain = INTS.issuperset(map(type, a)) and INTS.issuperset(map(type, b))
        found = list(map(PLAIN[op], a, b)) if plain else None
    return found if found and min(found) >= -LIMIT and max(found) <= LIMIT else None


def _joined(a: Value, b: Value, span: Span) -> Value:
    if len(a) + len(b) > LARGEST:
        refuse("E0705", span, f"a list or text of more than {LARGEST:,}")
    return a + b if isinstance(a, str) else Seq((*a, *b))


def _row(items: list[int], like: tuple[int, ...]) -> Value:
    return Row(items, like.fields) if isinstance(like, Row) else tuple(items)


def _arithmetic(op: str, a: int, b: int, span: Span) -> int:
    if type(a) is int and type(b) is int and op in PLAIN:
        value = PLAIN[op](a, b)
        return value if -LIMIT <= value <= LIMIT else bounded(value, span)
    ring = a if isinstance(a, RingInt) else b if isinstance(b, RingInt) and op == "+" else None
    x, y = int(a), int(b)
    if op in ("//", "%") and y == 0:
        raise StaticFault("division", "division by zero", span)
    match op:
        case "+":
            value = x + y
        case "-":
            value = x - y
        case "*":
            value = x * y
        case "//":
            value = x // y
        case "%":
            value = x % y
        case "**" if y < 0:
            refuse("E0708", span, f"the exponent {y} is negative: the result would not be a whole number")
        case "**" if y > 63 and abs(x) > 1:
            refuse("E0711", span, "this number needs more than 63 bits")
        case "**":
            value = x**y
        case _:
            refuse("E0719", span, f"`{op}` does not work on numbers")
    if ring is not None and op in "+-":
        return ring.shifted(value)
    return bounded(value, span)


def compare(op: str, a: Value, b: Value, span: Span) -> bool:
    if op in ("==", "!="):
        if type(a) is type(b) and type(a) in SIMPLE:
            return bool(a == b) == (op == "==")
        if isinstance(a, bool) != isinstance(b, bool) and a is not None and b is not None:
            return op == "!="
        return same(a, b) == (op == "==")
    if op in ("in", "not in"):
        if b is None:
            raise StaticFault("missing_value", f"`{op}` has no collection on its right", span)
        if isinstance(b, Domain | frozenset | FrozenMap | tuple):
            inside = _listed(a, b) if isinstance(a, HOLDING) and isinstance(b, Seq) else a in b
            return inside == (op == "in")
        refuse("E0719", span, f"`{op}` needs a collection on its right, but this is {text_of(b)}")
    if a is None or b is None:
        raise StaticFault("missing_value", f"`{op}` has no value on one side", span)
    if is_number(a) and is_number(b):
        return ORDER[op](int(a), int(b))
    if _gathered(a) and _gathered(b) and op in ("<=", ">="):
        return as_set(a) <= as_set(b) if op == "<=" else as_set(a) >= as_set(b)
    if isinstance(a, tuple) and isinstance(b, tuple) and not isinstance(a, Seq) and not isinstance(b, Seq):
        return ORDER[op](tuple(a), tuple(b))
    refuse("E0719", span, f"`{op}` cannot combine {text_of(a)} and {text_of(b)}")


def _listed(a: Value, items: Seq) -> bool:
    """Whether a list has a value among its own. A tuple that holds nothing but single values is like no other
    than Python says."""
    plain = isinstance(a, tuple) and not isinstance(a, Seq) and not any(isinstance(x, HOLDING) for x in a)
    return (not plain or a in items) and any(same(a, x) for x in items)


def same(a: Value, b: Value) -> bool:
    """Whether two values are equal: a set and a list if they hold the same, a bag and a map if each thing
    lies there as often; and what they hold likewise.
    """
    if a is b:
        return True
    if type(a) in SIMPLE or not (isinstance(a, HOLDING) and isinstance(b, HOLDING)):
        return bool(a == b)
    if type(a) in VECTORS and type(b) in VECTORS:
        return len(a) == len(b) and all(map(same, a, b))
    if (is_set(a) and _gathered(b)) or (is_set(b) and _gathered(a)):
        return as_set(a) == as_set(b)
    if isinstance(a, FrozenBag) or isinstance(b, FrozenBag):
        return isinstance(a, FrozenMap) and isinstance(b, FrozenMap) and _counts(a) == _counts(b)
    if isinstance(a, FrozenMap) and isinstance(b, FrozenMap):
        return a.keys() == b.keys() and all(same(a[x], b[x]) for x in a)
    if isinstance(a, tuple) and isinstance(b, tuple) and isinstance(a, Seq) == isinstance(b, Seq):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


def _counts(bag: FrozenMap) -> dict[Value, Value]:
    return {thing: number for thing, number in bag.items() if number}


def _gathered(value: Value) -> bool:
    """A set, a list or a range."""
    return is_set(value) or isinstance(value, Seq)


def _point(value: Value) -> bool:
    """A pair of numbers."""
    pair = isinstance(value, tuple) and not isinstance(value, Seq | Row) and len(value) == 2
    return pair and all(map(is_number, value))


def field(value: Value, name: str, span: Span) -> Value:
    if value is None:
        raise StaticFault("missing_value", f"`.{name}` of none", span)
    if isinstance(value, Row) and name in value.fields:
        return value[value.fields.index(name)]
    if name in POINT and _point(value):
        return value[POINT.index(name)]
    if isinstance(value, Atom) and name in value.columns:
        return value.columns[name]
    if isinstance(value, Atom) and name == "name":
        return value.name
    if isinstance(value, Atom):
        raise StaticFault(NO_FIELD, f"{text_of(value)} has no field `{name}`", span)
    refuse("E0712", span, f"{text_of(value)} has no field `{name}`")


def index(value: Value, key: Value, span: Span) -> Value:
    if isinstance(value, FrozenMap) and (key in value or (isinstance(value, FrozenBag) and key in value.own)):
        return value[key]
    if value is None or key is None:
        raise StaticFault("missing_value", "an index or what it looks into is none", span)
    if isinstance(value, FrozenMap):
        raise StaticFault("bad_index", f"the map has no {text_of(key)}", span)
    if isinstance(value, tuple) and is_number(key):
        if not -len(value) <= key < len(value):
            those = f"{len(value)}, numbered 0 to {len(value) - 1}" if value else "an empty list"
            raise StaticFault("bad_index", f"there is no element {key} of {those}", span)
        return value[key]
    refuse("E0763", span, f"{text_of(value)} cannot be indexed by {text_of(key)}")


def changed(value: Value, key: Value, new: Value, span: Span) -> Value:
    """A list, tuple or map with another value at one place."""
    if isinstance(value, FrozenMap) and (key is not None or key in value):
        return FrozenMap({**value, key: new})
    index(value, key, span)
    at = key % len(value)
    items = (*value[:at], new, *value[at + 1 :])
    return Row(items, value.fields) if isinstance(value, Row) else type(value)(items)


def cut(value: Value, low: int | None, high: int | None, span: Span) -> Value:
    if value is None:
        raise StaticFault("missing_value", "a slice of none", span)
    if isinstance(value, Seq | str):
        return value[low:high] if isinstance(value, str) else Seq(tuple(value)[low:high])
    refuse("E0763", span, f"only a list or a text can be sliced, but this is {text_of(value)}")


def method(value: Value, name: str, args: list[Value], span: Span) -> Value:
    """Methods of values: `xs.index(x)`, `xs.count(x)`, `m.find(x)`, `xs.with(i, x)`."""
    if value is None:
        raise StaticFault("missing_value", f"`.{name}` of none", span)
    if name == "find" and isinstance(value, FrozenMap):
        return next((k for k, v in value.items() if v == args[0]), None)
    if name == "index" and isinstance(value, tuple):
        at = next((i for i, x in enumerate(value) if same(x, args[0])), None)
        if at is None:
            raise StaticFault("bad_index", f"{text_of(args[0])} is not in the list", span)
        return at
    if name == "count" and isinstance(value, tuple):
        return sum(same(x, args[0]) for x in value)
    if name == "with" and isinstance(value, tuple):
        at = args[0]
        if not -len(value) <= at < len(value):
            raise StaticFault("bad_index", f"the list has no element {at}", span)
        return type(value)((*value[:at], args[1], *value[at % len(value) + 1 :]))
    refuse("E0712", span, f"{text_of(value)} has no method `{name}`")


def unpack(targets: tuple[str, ...], value: Value, span: Span) -> dict[str, Value]:
    """The names of `for a, b in ...` for one element."""
    if len(targets) == 1:
        return {targets[0]: value}
    if not isinstance(value, tuple) or len(value) != len(targets):
        refuse("E0710", span, f"{text_of(value)} cannot be split into {len(targets)} parts", KEYS)
    return dict(zip(targets, value, strict=True))
