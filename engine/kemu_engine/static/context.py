"""What the parts of the evaluator need of it, so that none has to know the whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from kemu_grammar.syntax import ast as t

from kemu_engine.static.values import Value

Env = Mapping[str, Value]
"""The values of local names."""


class Names(Protocol):
    """What the names of an instance stand for. `known`: what has a value from the start; `names`: what is
    declared."""

    known: dict[str, Value]
    names: dict[str, t.Declaration]

    def global_value(self, name: str, span: t.Span) -> Value:
        """The value of a declared name, worked out when it is first asked for."""

    def eval(self, expr: t.Expr, env: Env) -> Value:
        """The value of an expression."""

    def number(self, expr: t.Expr, env: Env) -> int:
        """The value of an expression that must be a number."""
