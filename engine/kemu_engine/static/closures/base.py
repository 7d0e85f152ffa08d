"""What a closure is, and what the makers of closures need of each other and of the evaluator.

Steps (static/work.py) are counted for whole expressions where they begin: an operator leaves it to whoever
runs it to count its own step with those of its operands. Where it is not sure that a part is evaluated, and
in loops and calls, its steps are counted on the way to it. Whether there are too many is looked at wherever
something may go on for long: in each call and in each turn of a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NoReturn, Protocol

from kemu_grammar.syntax import ast as t

from kemu_engine.static.context import Env, Names
from kemu_engine.static.problems import StaticFault, refuse
from kemu_engine.static.types import TypeMaker
from kemu_engine.static.values import Value, text_of
from kemu_engine.static.weights import Weights
from kemu_engine.static.work import Work

Run = Callable[[Env], Value]


@dataclass(frozen=True, slots=True)
class Closure:
    """What evaluates an expression. `steps`: what it leaves to count to whoever runs it."""

    run: Run
    steps: int


class Calling(Protocol):
    """Pure functions applied to values."""

    def apply(self, fun: t.Fun, args: tuple[Value, ...], named: dict[str, Value], span: t.Span) -> Value:
        """A function applied to values, those that are not given by default."""

    def caller(self, fun: t.Fun) -> Callable[[tuple[Value, ...], t.Span], Value]:
        """What applies a function to values for all its parameters, or for the first ones."""


class Evaluation(Names, Protocol):
    """Names that are known, and functions to call."""

    types: TypeMaker
    work: Work
    weights: Weights

    @property
    def functions(self) -> Calling: ...

    def elements(self, expr: t.Expr, env: Env) -> tuple[Value, ...]:
        """The elements of a collection, in their order."""

    def unknown(self, name: str, span: t.Span) -> NoReturn:
        """Says why a name has no value."""


class Maker(Protocol):
    """Makes closures of expressions."""

    evaluation: Evaluation
    work: Work
    weights: Weights

    def of(self, expr: t.Expr) -> Closure:
        """What evaluates an expression."""

    def truth(self, expr: t.Expr) -> Closure:
        """The same, refused unless it is a truth value."""

    def number(self, expr: t.Expr) -> Closure:
        """The same, refused unless it is a number."""

    def elements(self, expr: t.Expr) -> Closure:
        """The elements of a collection, in their order."""

    def strict(self, exprs: tuple[t.Expr, ...]) -> tuple[tuple[Run, ...], int]:
        """Expressions of which all are evaluated, and the steps of all."""


Scopes = Callable[[Env], Iterator[Env]]


def as_truth(value: Value, span: t.Span) -> bool:
    if value is True or value is False:
        return bool(value)
    if value is None:
        raise StaticFault("missing_value", "none where a truth value is wanted", span)
    refuse("E0710", span, f"expected a truth value, but this is {text_of(value)}")


def as_number(value: Value, span: t.Span) -> int:
    if value is None:
        raise StaticFault("missing_value", "none where a number is wanted", span)
    if isinstance(value, bool) or not isinstance(value, int):
        refuse("E0710", span, f"expected a number, but this is {text_of(value)}")
    return int(value)
