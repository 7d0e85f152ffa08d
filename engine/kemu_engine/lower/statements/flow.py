"""What the parts of the flow of a game need of the whole: blocks, begun and finished one after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import nodes as k
from kemu_engine.lower.expressions.expressions import Expressions
from kemu_engine.lower.expressions.iterables import Source
from kemu_engine.lower.statements.statements import StraightLineLowering
from kemu_engine.lower.values.builder import Builder
from kemu_engine.lower.values.coerce import Coercions
from kemu_engine.lower.values.context import Env, Scope
from kemu_engine.lower.values.dependence import Analysis
from kemu_engine.static.eval import Evaluator


@dataclass(frozen=True, slots=True)
class Opening:
    """What is so where an example begins at a stop: local variables as `code` makes them, and `test` holds;
    `message` says what to do if it does not.
    """

    code: k.Code
    test: k.Expr
    message: str


class Choices(Protocol):
    """Decisions: their actions, and the one of `for x in S in order of q`."""

    def arm(self, arm: t.Arm, scope: Scope, target: int, following: t.Block) -> k.Arm | None: ...

    def order(self, s: t.For, source: Source, rest: k.Local, scope: Scope, head: int, leave: int) -> None: ...


class FlowLowering(Protocol):
    """Statements that may stop. `here` is the block that is being filled; None: nothing arrives here."""

    here: int | None
    openings: dict[int, Opening]
    statements: StraightLineLowering
    expressions: Expressions
    coercions: Coercions
    builder: Builder
    evaluator: Evaluator
    analysis: Analysis

    @property
    def choices(self) -> Choices: ...

    def new(self) -> int: ...

    def start(self, block: int) -> None: ...

    def finish(self, leave: k.Exit, name: str = "") -> None: ...

    def stop(self, label: str, leave: k.Exit) -> int: ...

    def presume(self, local: k.Local, value: k.Expr, stop: int = -1) -> None: ...

    def label(self, label: str, block: int, scope: Env) -> None: ...

    def decision(self, names: Sequence[str], block: int, scope: Env) -> None: ...

    def block(self, body: t.Block, scope: Scope) -> None: ...

    def loop(self, again: int, leave: int, body: t.Block, scope: Scope, anew: int | None = None) -> None: ...

    def controls(self, node: Any) -> bool: ...
