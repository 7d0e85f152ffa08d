"""Makes the closures of expressions, each once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kemu_grammar.syntax import ast as t

from kemu_engine.static.closures import calls, comprehensions, operations, parts
from kemu_engine.static.closures.base import Closure, Evaluation, Run, as_number, as_truth
from kemu_engine.static.context import Env
from kemu_engine.static.problems import StaticFault, refuse
from kemu_engine.static.values import Seq, Value, iterate
from kemu_engine.static.weights import PER_STEP

TRUTHS = (t.Compare, t.Logic, t.Presence, t.Truth)  # have no other values

MAKE: dict[type, Callable[[Any, Any], Closure]] = {
    t.Number: parts.literal,
    t.Truth: parts.literal,
    t.Nothing: parts.nothing,
    t.Text: parts.text,
    t.Name: parts.name,
    t.Field: parts.field,
    t.Index: parts.index,
    t.Slice: parts.slice_of,
    t.Tuple: parts.tuple_of,
    t.ListOf: parts.list_of,
    t.SetOf: parts.set_of,
    t.MapOf: parts.map_of,
    t.Range: parts.range_of,
    t.After: parts.of_play,
    t.Can: parts.of_play,
    t.Call: calls.call,
    t.Comprehension: comprehensions.comprehension,
    t.Unary: operations.unary,
    t.Binary: operations.binary,
    t.Compare: operations.compare,
    t.Logic: operations.logic,
    t.Presence: operations.presence,
    t.Choice: operations.choice,
}


class Closures:
    """Those of one instance. Kept by the identity of what they are made of, which is kept alive with them."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.work = evaluation.work
        self.weights = evaluation.weights
        self._made: dict[int, tuple[t.Expr, Closure]] = {}

    def of(self, expr: t.Expr) -> Closure:
        known = self._made.get(id(expr))
        if known is None:
            known = self._made[id(expr)] = expr, MAKE[type(expr)](self, expr)
        return known[1]

    def forget(self) -> None:
        """Names have got another meaning."""
        self._made.clear()

    def strict(self, exprs: tuple[t.Expr, ...]) -> tuple[tuple[Run, ...], int]:
        made = [self.of(expr) for expr in exprs]
        return tuple([closure.run for closure in made]), sum([closure.steps for closure in made])

    def truth(self, expr: t.Expr) -> Closure:
        whole, span = self.of(expr), expr.span
        value_of = whole.run
        if isinstance(expr, TRUTHS):
            return whole

        def run(env: Env) -> bool:
            value = value_of(env)
            return value if value is True or value is False else as_truth(value, span)

        return Closure(run, whole.steps)

    def number(self, expr: t.Expr) -> Closure:
        whole, span = self.of(expr), expr.span
        return Closure(lambda env: as_number(whole.run(env), span), whole.steps)

    def elements(self, expr: t.Expr) -> Closure:
        whole, span, used = self.of(expr), expr.span, self.weights.used
        value_of = whole.run

        def run(env: Env) -> tuple[Value, ...]:
            value = value_of(env)
            if value is None:
                raise StaticFault("missing_value", "none where a collection is wanted", span)
            used(value, span, 1 if isinstance(value, frozenset) else PER_STEP)
            if type(value) is Seq:
                return tuple(value)
            try:
                return iterate(value)
            except TypeError as error:
                refuse("E0710", span, str(error))

        return Closure(run, whole.steps)
