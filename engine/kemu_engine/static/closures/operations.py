"""Operators: arithmetic, comparisons, logic, `if ... else`."""

from __future__ import annotations

from kemu_grammar.syntax import ast as t

from kemu_engine.static import operators
from kemu_engine.static.closures.base import Closure, Maker, Run
from kemu_engine.static.context import Env
from kemu_engine.static.operators import LIMIT, ORDER, PLAIN, SIMPLE
from kemu_engine.static.values import Domain, Seq, Value
from kemu_engine.static.weights import SMALL

MEMBERSHIP = ("in", "not in")  # look only a little into a set, map or domain
PLAINEST = SIMPLE - {str}  # kinds whose values are compared at once


def unary(maker: Maker, e: t.Unary) -> Closure:
    operand, op, span = maker.of(e.operand), e.op, e.span
    value_of = operand.run
    if op != "not":
        return Closure(lambda env: operators.unary(op, value_of(env), span), 1 + operand.steps)

    def run(env: Env) -> Value:
        value = value_of(env)
        return False if value is True else True if value is False else operators.unary(op, value, span)

    return Closure(run, 1 + operand.steps)


def presence(maker: Maker, e: t.Presence) -> Closure:
    inner, some = maker.of(e.value), e.some
    value_of = inner.run
    return Closure(lambda env: (value_of(env) is not None) is some, 1 + inner.steps)


def choice(maker: Maker, e: t.Choice) -> Closure:
    test, then, other, work = maker.truth(e.test), maker.of(e.then), maker.of(e.other), maker.work
    holds, then_run, other_run, then_steps, other_steps = (
        test.run, then.run, other.run, then.steps, other.steps,
    )  # fmt: skip

    def run(env: Env) -> Value:
        if holds(env):
            work.steps += then_steps
            return then_run(env)
        work.steps += other_steps
        return other_run(env)

    return Closure(run, 1 + test.steps)


def logic(maker: Maker, e: t.Logic) -> Closure:
    whole = together(maker, e.items, e.op == "and")
    return Closure(whole.run, 1 + whole.steps)


def together(maker: Maker, items: tuple[t.Expr, ...], every: bool) -> Closure:
    """Whether all of some conditions hold, or whether one does, from the left."""
    first, *others = map(maker.truth, items)
    work, begin, rest = maker.work, first.run, [(other.run, other.steps) for other in others]

    def run(env: Env) -> Value:
        if begin(env) is not every:
            return not every
        for holds, steps in rest:
            work.steps += steps
            if holds(env) is not every:
                return not every
        return every

    return Closure(run if rest else begin, first.steps)


def binary(maker: Maker, e: t.Binary) -> Closure:
    if e.op == "implies":
        return _implication(maker, e)
    (left, right), steps = maker.strict((e.left, e.right))
    op, span, used, made = e.op, e.span, maker.weights.used, maker.weights.made

    def general(a: Value, b: Value) -> Value:
        if type(a) not in SMALL:
            used(a, span)
            used(b, span)
        value = operators.binary(op, a, b, span)
        return made(value, span) if isinstance(value, (Seq, frozenset)) else value

    plain = PLAIN.get(op)
    if plain is None:
        return Closure(lambda env: general(left(env), right(env)), 1 + steps)

    def run(env: Env) -> Value:
        a, b = left(env), right(env)
        if type(a) is int and type(b) is int:
            value = plain(a, b)
            if -LIMIT <= value <= LIMIT:
                return value
        return general(a, b)

    return Closure(run, 1 + steps)


def _implication(maker: Maker, e: t.Binary) -> Closure:
    left, right, work = maker.truth(e.left), maker.truth(e.right), maker.work

    def run(env: Env) -> bool:
        if not left.run(env):
            return True
        work.steps += right.steps
        return bool(right.run(env))

    return Closure(run, 1 + left.steps)


def compare(maker: Maker, e: t.Compare) -> Closure:
    if len(e.rest) > 1:
        return _chain(maker, e)
    ((op, operand),) = e.rest
    (left, right), steps = maker.strict((e.first, operand))
    compared = _equality(maker, op, left, right, e.span) if op in ("==", "!=") else None
    compared = compared or _comparison(maker, op, left, right, e.span)
    return Closure(compared, 1 + steps)


def _equality(maker: Maker, op: str, left: Run, right: Run, span: t.Span) -> Run:
    equal, used = op == "==", maker.weights.used

    def run(env: Env) -> bool:
        a, b = left(env), right(env)
        kind = type(a)
        if kind is type(b) and kind in PLAINEST:
            return (a is b or a == b) is equal
        if kind not in SMALL:
            used(a, span)
        if type(b) not in SMALL:
            used(b, span)
        return operators.compare(op, a, b, span)

    return run


def _comparison(maker: Maker, op: str, left: Run, right: Run, span: t.Span) -> Run:
    """Of one pair: `<` and the like, `in`."""
    weigh, order, inside = _weighing(maker, op, span), ORDER.get(op), op == "in"
    if order is None:

        def membership(env: Env) -> bool:
            a, b = left(env), right(env)
            weigh(a, b)
            if type(b) is Domain or type(b) is frozenset:
                return (a in b) is inside
            return operators.compare(op, a, b, span)

        return membership

    def ordered(env: Env) -> bool:
        a, b = left(env), right(env)
        if type(a) is int and type(b) is int:
            return order(a, b)
        weigh(a, b)
        return operators.compare(op, a, b, span)

    return ordered


def _weighing(maker: Maker, op: str, span: t.Span):  # type: ignore[no-untyped-def]
    used, looks_in = maker.weights.used, op in MEMBERSHIP

    def weigh(a: Value, b: Value) -> None:
        if type(a) not in SMALL:
            used(a, span)
        if type(b) not in SMALL and (not looks_in or isinstance(b, tuple)):
            used(b, span)

    return weigh


def _chain(maker: Maker, e: t.Compare) -> Closure:
    """`1 <= x <= 3`: each operand is evaluated once, and only as long as the pairs before it are right."""
    first, work, span = maker.of(e.first), maker.work, e.span
    links = [(op, _weighing(maker, op, span), maker.of(operand)) for op, operand in e.rest]

    def run(env: Env) -> bool:
        a = first.run(env)
        for op, weigh, operand in links:
            work.steps += operand.steps
            b = operand.run(env)
            weigh(a, b)
            if not operators.compare(op, a, b, span):
                return False
            a = b
        return True

    return Closure(run, 1 + first.steps)
