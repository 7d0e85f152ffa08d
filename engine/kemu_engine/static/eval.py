"""The evaluator of instance time: expressions and pure functions on values that are known.

It computes domains, constants and checks, and it tabulates pure functions for play time: one evaluator for
all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from kemu_grammar.syntax import ast as t

from kemu_engine.static.closures.base import Closure
from kemu_engine.static.closures.comprehensions import scopes
from kemu_engine.static.closures.maker import Closures
from kemu_engine.static.context import Env
from kemu_engine.static.definitions import Definitions
from kemu_engine.static.functions import Functions
from kemu_engine.static.types import TypeMaker
from kemu_engine.static.values import Value
from kemu_engine.static.weights import Weights
from kemu_engine.static.work import Work


class Evaluator:
    """Evaluates against the global names of one instance.

    `names`: the surviving declarations; `known`: values of options, players, enum members, table rows;
    `before`: what an
    `under` replaced, by the name of the replacement.
    """

    def __init__(
        self, names: dict[str, t.Declaration], known: dict[str, Value], before: dict[int, t.Fun | t.Rule]
    ) -> None:
        self.names = names
        self.known = known
        self.before = before
        self.work = Work()
        self.weights = Weights(self.work)
        self.types = TypeMaker(self)
        self.closures = Closures(self)
        self.functions = Functions(self, self.closures, before)
        self.definitions = Definitions(self)

    def replaced(self) -> None:
        """Some names have got another meaning."""
        self.closures.forget()
        self.functions.forget()

    def eval(self, expr: t.Expr, env: Env) -> Value:
        """The value of an expression. Raises StaticFault, or RulesError for what is no fault of values."""
        return self._run(self.closures.of(expr), expr, env)

    def truth(self, expr: t.Expr, env: Env) -> bool:
        value: bool = self._run(self.closures.truth(expr), expr, env)
        return value

    def number(self, expr: t.Expr, env: Env) -> int:
        value: int = self._run(self.closures.number(expr), expr, env)
        return value

    def elements(self, expr: t.Expr, env: Env) -> tuple[Value, ...]:
        """The elements of a collection, in their order."""
        found: tuple[Value, ...] = self._run(self.closures.elements(expr), expr, env)
        return found

    def _run(self, closure: Closure, expr: t.Expr, env: Env) -> Value:
        work = self.work
        work.steps += closure.steps
        if work.steps > work.most:
            work.spend(0, expr.span)
        return closure.run(env)

    def scopes(self, clauses: tuple[t.Clause, ...], env: Env) -> Iterator[Env]:
        """The environments through which clauses run; the one given if there are none."""
        if not clauses:
            yield env
            return
        each, steps = scopes(self.closures, clauses)
        self.work.spend(steps, clauses[0].span)
        for scope in each(env):
            yield {**scope}

    def global_value(self, name: str, span: t.Span) -> Value:
        """The value of an option, member, domain or constant."""
        return self.definitions.value(name, span)

    def unknown(self, name: str, span: t.Span) -> NoReturn:
        """Says why a name, which the checker knows, has no value."""
        self.definitions.unknown(name, span)
