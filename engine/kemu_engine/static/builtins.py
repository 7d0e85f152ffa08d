"""The functions that every rules file has, on values of instance time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations, pairwise, product
from math import comb, prod
from typing import Any

from kemu_grammar.syntax.ast import Span

from kemu_engine.static import operators
from kemu_engine.static.context import Names
from kemu_engine.static.problems import StaticFault, refuse
from kemu_engine.static.values import (
    LARGEST,
    Domain,
    FrozenBag,
    FrozenMap,
    RingInt,
    Row,
    Seq,
    Value,
    iterate,
    order_key,
    ordered,
    text_of,
)

COUNTED = (tuple, frozenset, Domain, FrozenMap)


def _items(span: Span, value: Value) -> tuple[Value, ...]:
    if value is None:
        raise StaticFault("missing_value", "none where a collection is wanted", span)
    try:
        return iterate(value)
    except TypeError as error:
        refuse("E0710", span, str(error))


def _letters(span: Span, value: Value) -> str:
    if value is None:
        raise StaticFault("missing_value", "none where a text is wanted", span)
    if not isinstance(value, str):
        refuse("E0710", span, f"expected a text, but this is {text_of(value)}")
    return value


def _few(span: Span, number: int, what: str) -> None:
    if number > LARGEST:
        refuse("E0705", span, f"{number:,} {what}; at most {LARGEST:,} are possible")


def _values(span: Span, args: tuple[Value, ...]) -> tuple[Value, ...]:
    """min(xs) or min(a, b)"""
    values = _items(span, args[0]) if len(args) == 1 else args
    if not values:
        raise StaticFault("empty_min", "the least or greatest of nothing", span)
    if any(v is None for v in values):
        raise StaticFault("missing_value", "the least or greatest among none", span)
    domain = next((v for v in values if isinstance(v, Domain)), None)
    if domain is not None:
        refuse("E0710", span, f"the least or greatest of values is wanted, but this is {text_of(domain)}")
    return values


def _sum(_: Names, span: Span, xs: Value) -> Value:
    if isinstance(xs, FrozenBag):
        xs = Seq(operators.binary("*", x, n, span) for x, n in xs.items())
    if isinstance(xs, FrozenMap):
        refuse("E0762", span, "a map is not added up as it is: write `sum(m[k] for k in D)`")
    total: Value = 0
    for i, x in enumerate(_items(span, xs)):
        total = x if i == 0 else operators.binary("+", total, x, span)
    return total


def _len(_: Names, span: Span, xs: Value) -> int:
    if isinstance(xs, FrozenBag):
        return sum(xs.values())
    return len(xs) if isinstance(xs, COUNTED) else len(_items(span, xs))


def _only(_: Names, span: Span, xs: Value) -> Value:
    values = _items(span, xs)
    if len(values) != 1:
        raise StaticFault("missing_value", f"exactly one is wanted, there are {len(values)}", span)
    return values[0]


def _range(_: Names, span: Span, *args: int) -> Seq:
    numbers = range(*args)
    if len(numbers) > LARGEST:
        refuse("E0705", span, f"a range of {len(numbers):,} numbers")
    return Seq(numbers)


def _grid(_: Names, span: Span, xs: Value, ys: Value) -> Seq:
    """Points (x, y) row by row."""
    columns, rows = _items(span, xs), _items(span, ys)
    if len(columns) * len(rows) > LARGEST:
        refuse("E0705", span, f"a grid of more than {LARGEST:,} points")
    return Seq(Row((x, y), ("x", "y")) for y in rows for x in columns)


def _hexes(_: Names, span: Span, radius: int) -> Seq:
    """Axial coordinates (q, r) of the hexes at most `radius` steps from (0, 0)."""
    if radius > 500:
        refuse("E0705", span, "a map of hexes with a radius above 500")
    span_of = range(-radius, radius + 1)
    return Seq(Row((q, r), ("q", "r")) for r in span_of for q in span_of if abs(q + r) <= radius)


def _ring(_: Names, span: Span, numbers: Value) -> Seq:
    if operators.is_number(numbers):
        _few(span, numbers, "numbers")
    values = tuple(range(numbers)) if operators.is_number(numbers) else _items(span, numbers)
    return Seq(RingInt(v, values[0], values[-1]) for v in values)


def _subsets(_: Names, span: Span, xs: Value, size: int) -> Seq:
    items = tuple(dict.fromkeys(_items(span, xs)))
    number = comb(len(items), size) if size >= 0 else 0
    _few(span, number, "subsets")
    _few(span, number * size // 10, "subsets and their elements, by tens")
    return Seq(frozenset(c) for c in combinations(items, size)) if number else Seq()


def _product(_: Names, span: Span, *lists: Value) -> Seq:
    rows = [_items(span, xs) for xs in lists]
    _few(span, prod(map(len, rows)), "combinations")
    return Seq(Seq(p) for p in product(*rows))


def _bag(_: Names, span: Span, xs: Value, counts: Value = None) -> FrozenBag:
    """What lies in a collection, as often as it does; or so many of each, a number or a map says how many."""
    things = _items(span, xs)
    if counts is None:
        return FrozenBag(Counter(things))
    if operators.is_number(counts):
        return FrozenBag(dict.fromkeys(things, counts))
    if isinstance(counts, FrozenMap):
        return FrozenBag({x: counts.get(x, 0) for x in things})
    refuse("E0710", span, "the amount must be a number, or a map from things to numbers")


def _players(evaluator: Names) -> Domain:
    players: Domain = evaluator.known["Player"]
    return players


def _seat(step: int) -> Callable[..., Value]:
    def seat(evaluator: Names, span: Span, p: Value) -> Value:
        if p is None:
            raise StaticFault("missing_value", "whose neighbour?", span)
        players = _players(evaluator)
        return players.elements[(players.index[p] + step) % len(players)]

    return seat


def _other(evaluator: Names, span: Span, p: Value) -> Value:
    if p is None:
        raise StaticFault("missing_value", "the other of whom?", span)
    others = [q for q in _players(evaluator) if q != p]
    if len(others) != 1:
        refuse("E0715", span, f"`other` needs exactly two players, but this game has {len(others) + 1}")
    return others[0]


def _others(evaluator: Names, span: Span, p: Value) -> Seq:
    """The other players in order of seats, from the left of p."""
    if p is None:
        raise StaticFault("missing_value", "the others of whom?", span)
    players = _players(evaluator)
    at = players.index[p]
    return Seq(players.elements[(at + k) % len(players)] for k in range(1, len(players)))


def _numeric(function: Callable[[int], Value]) -> Callable[..., Value]:
    """Of a number, also one on a ring; of a truth value, which counts as 0 or 1."""

    def applied(_: Names, span: Span, x: Value) -> Value:
        if x is None:
            raise StaticFault("missing_value", "none where a number is wanted", span)
        if not isinstance(x, int):
            refuse("E0710", span, f"expected a number, but this is {text_of(x)}")
        return function(x)

    return applied


def _best(better: Callable[[tuple[Value, ...]], Value]) -> Callable[..., Value]:
    def best(_: Names, span: Span, *args: Value) -> Value:
        return better(_values(span, args))

    return best


def _call(made: Callable[..., Value]) -> Callable[..., Value]:
    def call(_: Names, span: Span, *args: Value) -> Value:
        return made(*(_items(span, a) for a in args))

    return call


BUILTINS: dict[str, Callable[..., Any]] = {
    "len": _len,
    "sum": _sum,
    "min": _best(lambda xs: min(xs, key=order_key)),
    "max": _best(lambda xs: max(xs, key=order_key)),
    "any": _call(lambda xs: any(xs)),
    "all": _call(lambda xs: all(xs)),
    "abs": _numeric(lambda x: abs(int(x))),
    "sign": _numeric(lambda x: (x > 0) - (x < 0)),
    "int": _numeric(int),
    "even": _numeric(lambda x: x % 2 == 0),
    "odd": _numeric(lambda x: x % 2 == 1),
    "first": _call(lambda xs: xs[0] if xs else None),
    "only": _only,
    "sorted": _call(lambda xs: Seq(sorted(xs, key=order_key))),
    "reversed": _call(lambda xs: Seq(reversed(xs))),
    "enumerate": _call(lambda xs: Seq((i, x) for i, x in enumerate(xs))),
    "zip": _call(lambda *xs: Seq(zip(*xs, strict=False))),
    "pairs": _call(lambda xs: Seq(pairwise(xs))),
    "union": _call(
        lambda xs: frozenset().union(*(ordered(x) if isinstance(x, frozenset) else x for x in xs))
    ),
    "set": _call(frozenset),
    "list": _call(Seq),
    "tuple": _call(tuple),
    "range": _range,
    "grid": _grid,
    "hexes": _hexes,
    "ring": _ring,
    "subsets": _subsets,
    "product": _product,
    "bag": _bag,
    "left": _seat(1),
    "right": _seat(-1),
    "other": _other,
    "others": _others,
    "text": lambda _, span, x: text_of(x),
    "upper": lambda _, span, x: _letters(span, x).upper(),
    "words": lambda _, span, x: Seq(_letters(span, x).split()),
}
