"""Calls: of functions of the game, of records, of built-in functions, of the methods of values."""

from __future__ import annotations

from kemu_grammar.syntax import ast as t

from kemu_engine.static import operators
from kemu_engine.static.builtins import BUILTINS
from kemu_engine.static.closures import comprehensions
from kemu_engine.static.closures.base import Closure, Maker
from kemu_engine.static.context import Env
from kemu_engine.static.types import admit
from kemu_engine.static.values import Row, Value
from kemu_engine.static.weights import PER_STEP, SMALL

BUILT = 2  # things in what a built-in function makes in the time of a step
SLOW = {"sorted": 1, "min": 1, "max": 1, "text": 2}  # the same for functions that look at more than identity


def call(maker: Maker, e: t.Call) -> Closure:
    if isinstance(e.value, t.Field):
        return _method(maker, e, e.value)
    assert isinstance(e.value, t.Name)
    name = e.value.id
    declaration = maker.evaluation.names.get(name)
    if isinstance(declaration, t.Fun):
        return _function(maker, declaration, e)
    if name == "before":
        return _before(maker, e)
    if isinstance(declaration, t.Record):
        return _record(maker, declaration, e)
    if name == "closure":
        return comprehensions.closed(maker, e)
    only = e.args[0] if len(e.args) == 1 else None
    if name in ("any", "all", "first") and isinstance(only, t.Comprehension) and only.kind != "map":
        return comprehensions.lazy(maker, name, only)
    return _builtin(maker, name, e)


def in_order(record: t.Record, e: t.Call) -> list[t.Expr]:
    """What a call of a record gives its fields, in their order."""
    given = dict(e.named)
    return [*e.args, *(given[name] for name, _ in record.fields[len(e.args) :])]


def _method(maker: Maker, e: t.Call, method: t.Field) -> Closure:
    (*args, whole), steps = maker.strict((*e.args, method.value))
    weights, name, span = maker.weights, method.name, e.span

    def run(env: Env) -> Value:
        given = [arg(env) for arg in args]
        value = whole(env)
        weights.used(value, span)
        return weights.made(operators.method(value, name, given, span), span)

    return Closure(run, 1 + steps)


def _function(maker: Maker, fun: t.Fun, e: t.Call) -> Closure:
    args, steps = maker.strict((*e.args, *(value for _, value in e.named)))
    span, number = e.span, len(e.args)
    apply = maker.evaluation.functions.caller(fun)
    if e.named:
        names, whole = [name for name, _ in e.named], maker.evaluation.functions.apply

        def run(env: Env) -> Value:
            given = [arg(env) for arg in args]
            named = dict(zip(names, given[number:], strict=True))
            return whole(fun, tuple(given[:number]), named, span)

        return Closure(run, 1 + steps)
    if number == 1:
        (only,) = args
        return Closure(lambda env: apply((only(env),), span), 1 + steps)
    if number == 2:
        first, second = args
        return Closure(lambda env: apply((first(env), second(env)), span), 1 + steps)
    return Closure(lambda env: apply(tuple([arg(env) for arg in args]), span), 1 + steps)


def _before(maker: Maker, e: t.Call) -> Closure:
    """`before(...)`: the function which that one replaced in whose body this is."""
    args, steps = maker.strict(e.args)
    evaluation = maker.evaluation

    def run(env: Env) -> Value:
        if "before" not in env:
            evaluation.unknown("before", e.span)
        return evaluation.functions.apply(env["before"], tuple([arg(env) for arg in args]), {}, e.span)

    return Closure(run, 1 + steps)


def _record(maker: Maker, record: t.Record, e: t.Call) -> Closure:
    args, steps = maker.strict(tuple(in_order(record, e)))
    types, names = maker.evaluation.types, tuple(name for name, _ in record.fields)

    def run(env: Env) -> Row:
        given = [arg(env) for arg in args]
        kinds = [types.make(kind, {}) for _, kind in record.fields]
        return Row([admit(k, a, e.span) for k, a in zip(kinds, given, strict=True)], names)

    return Closure(run, 1 + steps)


def _builtin(maker: Maker, name: str, e: t.Call) -> Closure:
    evaluation, span = maker.evaluation, e.span
    function = BUILTINS.get(name)
    if function is None:
        return Closure(lambda env: evaluation.unknown(name, span), 1)
    runs, steps = maker.strict((*e.args, *(value for _, value in e.named)))
    number, names = len(e.args), [name for name, _ in e.named]
    used, made, per_step = maker.weights.used, maker.weights.made, SLOW.get(name, PER_STEP)

    def run(env: Env) -> Value:
        values = [arg(env) for arg in runs]
        for value in values:
            if type(value) not in SMALL:
                used(value, span, per_step)
        if names:
            named = dict(zip(names, values[number:], strict=True))
            return made(function(evaluation, span, *values[:number], **named), span, BUILT)
        return made(function(evaluation, span, *values), span, BUILT)

    return Closure(run, 1 + steps)
