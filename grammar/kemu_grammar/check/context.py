"""What the parts of the inference of kinds need of the whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, Protocol

from kemu_grammar.check.scope import Local
from kemu_grammar.source.kinds import Kind
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Expr

Env = Mapping[str, Local]
"""The local names where an expression stands."""


class Kinds(Protocol):
    """The kinds of expressions and of what is declared; reports on the way."""

    def kind(self, e: Expr, env: Env) -> Kind: ...

    def number(self, e: Expr, env: Env, what: str) -> None: ...

    def history(self, e: Expr, env: Env) -> None: ...

    def player(self, e: Expr, env: Env, what: str) -> None: ...

    def collection(self, e: Expr, env: Env) -> Kind: ...

    def collection_kind(self, e: Expr, env: Env) -> Kind: ...

    def bind(
        self, targets: tuple[str, ...], kind: Kind, role: Literal["loop", "arm"] = "loop"
    ) -> dict[str, Local]: ...

    def uncalled(self, e: Expr) -> None: ...

    def type_kind(self, kind: t.Type | None) -> Kind: ...

    def symbol_kind(self, name: str) -> Kind: ...

    def result_kind(self, d: t.Fun | t.Rule) -> Kind: ...

    def columns(self, name: str) -> dict[str, Kind]: ...

    def row_parts(self, name: str) -> tuple[Kind, ...]: ...

    def silently(self, work: Callable[[], Kind]) -> Kind: ...

    def assignable(self, value: Kind, target: Kind) -> bool: ...
