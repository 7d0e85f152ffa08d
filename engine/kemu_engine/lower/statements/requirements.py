"""Lowers `require`: what an action would lead to is found out by trying it."""

from __future__ import annotations

from collections.abc import Sequence

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.statements.flow import FlowLowering
from kemu_engine.lower.values.context import Env
from kemu_engine.static.problems import refuse


def required(control: FlowLowering, following: t.Block, scope: Env) -> k.Expr:
    """What the `require` behind an action asks, once the statements between the two have been tried: a truth
    value, or of `require most` a number.
    """
    mine = required_in(following)
    if not mine:
        return build.TRUE
    *before, asked = mine
    assert isinstance(asked, t.Require)
    for s in before:
        if control.analysis.stops(s):
            refuse("E0741", s.span, "nothing may stop between an action and its `require`")
        if control.controls(s):
            refuse(
                "E0741",
                s.span,
                "what a `require` tries out has no `while`, nor a way out of its rule; "
                "`repeat at most n:` may stand there",
            )
    inner = dict(scope)
    with control.statements.trial() as code:
        for s in before:
            control.statements.run(s, inner)
        lower = control.expressions.number if asked.most else control.expressions.truth
        test = lower(asked.condition, inner)
    return k.Trial(test.type, tuple(code), test)


def condition_of(s: t.Statement) -> t.Expr:
    """What a `require` asks."""
    assert isinstance(s, t.Require)
    return s.condition


def required_in(following: t.Block) -> t.Block:
    """What stands between an action and its `require`, and that; nothing if there is none."""
    end = next((i for i, s in enumerate(following) if isinstance(s, t.Choose)), len(following))
    at = next((i for i, s in enumerate(following[:end]) if isinstance(s, t.Require)), -1)
    return following[: at + 1]


def greatest(guard: k.Expr, params: Sequence[k.Param], walked: int, legal: k.Expr, number: k.Expr) -> k.Expr:
    """The greatest that a number is with any action of an arm; less than it ever is, if there is none. There
    is always a value for the last parameters, so many of them, whatever those before are.
    """
    low, _ = build.interval(number)
    none = build.integer(low - 1)
    found = build.when(legal, number, none)
    for at, p in reversed(list(enumerate(params))):
        found = build.fold("max", p.local, p.over, p.where, found)
        if at < len(params) - walked:
            some = build.fold("any", p.local, p.over, p.where, build.TRUE)
            found = build.when(some, found, none)
    return build.when(guard, found, none)
