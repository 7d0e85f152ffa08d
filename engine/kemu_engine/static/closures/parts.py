"""Literals, names, texts, collections that are written out, and parts of values."""

from __future__ import annotations

from kemu_grammar.syntax import ast as t

from kemu_engine.static import operators
from kemu_engine.static.closures.base import Closure, Maker, Run, as_number
from kemu_engine.static.context import Env
from kemu_engine.static.problems import StaticFault, refuse
from kemu_engine.static.values import LARGEST, Atom, FrozenMap, Row, Seq, Value, in_order_of_keys, text_of
from kemu_engine.static.weights import SMALL


def literal(_: Maker, e: t.Number | t.Truth) -> Closure:
    value = e.value
    return Closure(lambda env: value, 1)


def nothing(_: Maker, e: t.Nothing) -> Closure:
    return Closure(lambda env: None, 1)


def name(maker: Maker, e: t.Name) -> Closure:
    """A local name, or else one of the game."""
    evaluation, known, id_, span = maker.evaluation, maker.evaluation.known, e.id, e.span
    if id_ in known:
        value = known[id_]
        return Closure(lambda env: env.get(id_, value), 1)

    def run(env: Env) -> Value:
        return env[id_] if id_ in env else evaluation.global_value(id_, span)

    return Closure(run, 1)


def text(maker: Maker, e: t.Text) -> Closure:
    parts, steps = maker.strict(tuple(p for p in e.parts if not isinstance(p, str)))
    runs = iter(parts)
    pieces: list[tuple[str, Run | None, t.Span]] = [
        (p, None, e.span) if isinstance(p, str) else ("", next(runs), p.span) for p in e.parts
    ]
    used = maker.weights.used

    def run(env: Env) -> str:
        written: list[str] = []
        length = 0
        for piece, value_of, span in pieces:
            if value_of is not None:
                value = value_of(env)
                used(value, span)
                piece = text_of(value)
            written.append(piece)
            length += len(piece)
            if length > LARGEST:
                refuse("E0705", e.span, f"a text of more than {LARGEST:,} characters")
        return "".join(written)

    return Closure(run, 1 + steps)


def tuple_of(maker: Maker, e: t.Tuple) -> Closure:
    runs, steps = maker.strict(e.items)
    made, span = maker.weights.made, e.span
    if len(runs) == 2:
        left, right = runs

        def pair(env: Env) -> Value:
            a, b = left(env), right(env)
            return (a, b) if type(a) in SMALL and type(b) in SMALL else made((a, b), span)

        return Closure(pair, 1 + steps)
    return Closure(lambda env: made(tuple([item(env) for item in runs]), span), 1 + steps)


def list_of(maker: Maker, e: t.ListOf) -> Closure:
    runs, steps = maker.strict(e.items)
    made, span = maker.weights.made, e.span
    return Closure(lambda env: made(Seq([item(env) for item in runs]), span), 1 + steps)


def set_of(maker: Maker, e: t.SetOf) -> Closure:
    runs, steps = maker.strict(e.items)
    made, items = maker.weights.made, tuple(zip(runs, e.items, strict=True))

    def run(env: Env) -> Value:
        values = []
        for item, expr in items:
            value = item(env)
            if value is None:
                raise StaticFault("missing_value", "none in a set", expr.span)
            values.append(value)
        return made(frozenset(values), e.span)

    return Closure(run, 1 + steps)


def map_of(maker: Maker, e: t.MapOf) -> Closure:
    runs, steps = maker.strict(tuple(part for pair in e.pairs for part in pair))
    made, pairs, span = maker.weights.made, tuple(zip(runs[::2], runs[1::2], strict=True)), e.span
    return Closure(
        lambda env: made(in_order_of_keys({key(env): value(env) for key, value in pairs}), span), 1 + steps
    )


def field(maker: Maker, e: t.Field) -> Closure:
    whole, part, span = maker.of(e.value), e.name, e.span
    value_of = whole.run

    def run(env: Env) -> Value:
        value = value_of(env)
        if type(value) is Row and part in value.fields:
            return value[value.fields.index(part)]
        if type(value) is Atom and part in value.columns:
            return value.columns[part]
        return operators.field(value, part, span)

    return Closure(run, 1 + whole.steps)


def index(maker: Maker, e: t.Index) -> Closure:
    (value_of, key_of), steps = maker.strict((e.value, e.index))
    used, span = maker.weights.used, e.span

    def run(env: Env) -> Value:
        value, key = value_of(env), key_of(env)
        if type(key) not in SMALL:
            used(key, span)
        if type(value) is FrozenMap and key is not None and key in value:
            return value[key]
        if type(value) is Seq and type(key) is int and 0 <= key < len(value):
            return value[key]
        return operators.index(value, key, span)

    return Closure(run, 1 + steps)


def slice_of(maker: Maker, e: t.Slice) -> Closure:
    low = None if e.low is None else maker.number(e.low)
    high = None if e.high is None else maker.number(e.high)
    whole = maker.of(e.value)
    made, span = maker.weights.made, e.span

    def run(env: Env) -> Value:
        first = None if low is None else low.run(env)
        last = None if high is None else high.run(env)
        return made(operators.cut(whole.run(env), first, last, span), span)

    return Closure(run, 1 + sum(part.steps for part in (low, high, whole) if part is not None))


def range_of(maker: Maker, e: t.Range) -> Closure:
    (low_of, high_of), steps = maker.strict((e.low, e.high))

    def run(env: Env) -> Value:
        low = as_number(low_of(env), e.low.span)
        high = as_number(high_of(env), e.high.span)
        if high - low >= LARGEST:
            refuse("E0705", e.span, f"the range {low}..{high} has more than {LARGEST:,} numbers")
        return Seq(range(low, high + 1))

    return Closure(run, 1 + steps)


def of_play(_: Maker, e: t.After | t.Can) -> Closure:
    word = "after" if isinstance(e, t.After) else "can"

    def run(_: Env) -> Value:
        refuse("E0701", e.span, f"`{word}` asks about play, but this needs a value known before play starts")

    return Closure(run, 1)
