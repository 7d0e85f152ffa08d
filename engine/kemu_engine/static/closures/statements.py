"""The statements of pure functions: assignments, `if`, loops, `return`.

A statement says by what it returns how it ended: None to go on with the next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kemu_grammar.syntax import ast as t

from kemu_engine.static import operators
from kemu_engine.static.closures.base import Closure, Maker
from kemu_engine.static.closures.operations import together
from kemu_engine.static.problems import StaticFault, refuse
from kemu_engine.static.types import admit
from kemu_engine.static.values import Row, Value

Local = dict[str, Value]
Step = Callable[[Local], Any]
Give = Callable[[Local, Value], None]

LEFT = object()  # break
CONTINUED = object()


class Returned:
    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value


def body(maker: Maker, fun: t.Fun) -> Closure:
    """What a function of statements returns."""
    assert isinstance(fun.body, tuple)
    steps = block(maker, fun.body)

    def run(env: Any) -> Value:
        end = steps(env)
        if end is None:
            refuse("E0707", fun.span, f"`{fun.name}` can end without `return`")
        return end.value

    return Closure(run, 0)


def block(maker: Maker, statements: t.Block) -> Step:
    steps = tuple(STATEMENTS[type(s)](maker, s) for s in statements)
    if len(steps) == 1:
        return steps[0]

    def run(env: Local) -> Any:
        for step in steps:
            end = step(env)
            if end is not None:
                return end
        return None

    return run


def _assignment(maker: Maker, s: t.Assign) -> Step:
    assert not isinstance(s.value, t.Event)
    value, work, types = maker.of(s.value), maker.work, maker.evaluation.types
    value_of, steps, give = value.run, value.steps, _giving(maker, s.target, s.span)
    old = None if s.op == "=" else _changed(maker, s)
    kind, name = s.type, s.target.id if isinstance(s.target, t.Name) else ""
    typed = f"type of {name}" if kind is not None and name else ""

    def run(env: Local) -> None:
        work.steps += steps
        new = value_of(env)
        if typed and kind is not None:
            env[typed] = types.make(kind, env)
        give(env, new if old is None else old(env, new))

    return run


def _changed(maker: Maker, s: t.Assign) -> Callable[[Local, Value], Value]:
    """`x += v`: what becomes of the old value by the new one."""
    target, work, weights, op, span = maker.of(s.target), maker.work, maker.weights, s.op[0], s.span

    def changed(env: Local, new: Value) -> Value:
        work.steps += target.steps
        old = target.run(env)
        weights.used(old, span)
        return weights.made(operators.binary(op, old, new, span), span)

    return changed


def _giving(maker: Maker, target: t.Expr, span: t.Span) -> Give:
    """What makes a value that of a local, or of a part of one."""
    match target:
        case t.Name(id=name):
            return _giving_name(maker, name, span)
        case t.Index():
            return _giving_element(maker, target, span)
        case t.Field():
            return _giving_field(maker, target, span)
    raise AssertionError(target)


def _giving_name(maker: Maker, name: str, span: t.Span) -> Give:
    typed, used = f"type of {name}", maker.weights.used

    def give(env: Local, new: Value) -> None:
        kind = env.get(typed)
        if kind is None:
            env[name] = new
            return
        used(new, span)
        env[name] = admit(kind, new, span)

    return give


def _giving_element(maker: Maker, target: t.Index, span: t.Span) -> Give:
    (key_of, whole_of), steps = maker.strict((target.index, target.value))
    inner, work, used = _giving(maker, target.value, span), maker.work, maker.weights.used

    def give(env: Local, new: Value) -> None:
        work.steps += steps
        key, old = key_of(env), whole_of(env)
        used(old, span)
        inner(env, operators.changed(old, key, new, target.span))

    return give


def _giving_field(maker: Maker, target: t.Field, span: t.Span) -> Give:
    whole, name, inner, work = (
        maker.of(target.value),
        target.name,
        _giving(maker, target.value, span),
        maker.work,
    )

    def give(env: Local, new: Value) -> None:
        work.steps += whole.steps
        old = whole.run(env)
        operators.field(old, name, target.span)
        row = [new if field == name else x for field, x in zip(old.fields, old, strict=True)]
        inner(env, Row(row, old.fields))

    return give


def _if(maker: Maker, s: t.If) -> Step:
    work, other = maker.work, block(maker, s.other)
    branches = tuple((maker.truth(test), block(maker, then)) for test, then in s.branches)

    def run(env: Local) -> Any:
        for test, then in branches:
            work.steps += test.steps
            if test.run(env):
                return then(env)
        return other(env)

    return run


def _for(maker: Maker, s: t.For) -> Step:
    source, work, inner, span = maker.elements(s.source), maker.work, block(maker, s.body), s.span
    conditions = together(maker, s.conditions, True) if s.conditions else None
    passes, steps = (conditions.run, conditions.steps) if conditions else (None, 0)

    def run(env: Local) -> Any:
        work.steps += source.steps
        for value in source.run(env):
            work.spend(1 + steps, span)
            env.update(operators.unpack(s.targets, value, span))
            if passes is not None and not passes(env):
                continue
            end = inner(env)
            if end is LEFT:
                break
            if end is not None and end is not CONTINUED:
                return end
        return None

    return run


def _while(maker: Maker, s: t.While) -> Step:
    test, work = maker.truth(s.test), maker.work

    def again(env: Local) -> bool:
        work.steps += test.steps
        return bool(test.run(env))

    return _loop(maker, s.body, lambda env: lambda: again(env))


def _repeat(maker: Maker, s: t.Repeat) -> Step:
    bound, work, span = maker.number(s.bound), maker.work, s.span

    def begin(env: Local) -> Callable[[], bool]:
        work.steps += bound.steps
        left = bound.run(env)

        def again() -> bool:
            nonlocal left
            left -= 1
            if left < 0:
                raise StaticFault("overrun", "the loop runs longer than it may", span)
            return True

        return again

    return _loop(maker, s.body, begin)


def _loop(maker: Maker, statements: t.Block, begin: Callable[[Local], Callable[[], bool]]) -> Step:
    inner, work, span = block(maker, statements), maker.work, statements[0].span

    def run(env: Local) -> Any:
        again = begin(env)
        while again():
            work.spend(1, span)
            end = inner(env)
            if end is LEFT:
                break
            if end is not None and end is not CONTINUED:
                return end
        return None

    return run


def _return(maker: Maker, s: t.Return) -> Step:
    if s.value is None:
        return lambda env: Returned(None)
    value, work = maker.of(s.value), maker.work
    value_of, steps = value.run, value.steps

    def run(env: Local) -> Returned:
        work.steps += steps
        return Returned(value_of(env))

    return run


STATEMENTS: dict[type, Callable[[Any, Any], Step]] = {
    t.Assign: _assignment,
    t.If: _if,
    t.For: _for,
    t.While: _while,
    t.Repeat: _repeat,
    t.Return: _return,
    t.Break: lambda maker, s: lambda env: LEFT,
    t.Continue: lambda maker, s: lambda env: CONTINUED,
    t.Pass: lambda maker, s: lambda env: None,
}
