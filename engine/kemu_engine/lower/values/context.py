"""What the parts of lowering need of each other, so that none has to know the one that it is a part of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import nodes as k
from kemu_engine.lower.values.builder import Builder
from kemu_engine.lower.values.coerce import Coercions
from kemu_engine.lower.values.dependence import Analysis
from kemu_engine.lower.values.reps import Map, Place, Rep, Scalar, Seq
from kemu_engine.static.eval import Evaluator
from kemu_engine.static.types import Type
from kemu_engine.static.values import Value

Binding = Rep | Place
Env = Mapping[str, Binding]
"""What names stand for where an expression is lowered."""
Scope = dict[str, Binding]
"""The same where statements are, which may add to it."""


class OperationLowering(Protocol):
    """Operators on values that are lowered already."""

    def binary(self, op: str, a: Rep, b: Rep, span: t.Span) -> Rep: ...

    def equal(self, a: Rep, b: Rep, span: t.Span) -> k.Expr: ...

    def concat(self, a: Seq, b: Seq, span: t.Span) -> Seq: ...


class QuantifierLowering(Protocol):
    """Comprehensions, and what is asked of whole collections."""

    def comprehension(self, e: t.Comprehension, env: Env) -> Rep: ...

    def length(self, rep: Rep, span: t.Span) -> Rep: ...

    def contains(self, items: Seq, value: Rep, span: t.Span) -> k.Expr: ...

    def position(self, items: Seq, value: Rep, span: t.Span) -> k.Expr: ...

    def equal_lists(self, a: Seq, b: Seq, span: t.Span) -> k.Expr: ...


class CallLowering(Protocol):
    """Calls of functions."""

    def call(self, e: t.Call, env: Env) -> Rep: ...

    def as_set(self, rep: Rep, span: t.Span) -> Rep: ...


class FunctionLowering(Protocol):
    """Functions with statements."""

    def function(
        self, fun: t.Fun, body: t.Block, inner: Scope, result: Type | None
    ) -> tuple[list[tuple[k.Code, k.Type]], Callable[[Iterator[k.Expr]], Rep]]: ...


class TrialLowering(Protocol):
    """What would be if a rule ran, or an action were taken."""

    def after(self, e: t.After, env: Env) -> Rep: ...

    def can(self, e: t.Can, env: Env) -> Rep: ...


class ExpressionLowering(Protocol):
    """Expressions of any form."""

    builder: Builder
    coercions: Coercions
    evaluator: Evaluator
    analysis: Analysis
    histories: dict[str, int | None]

    @property
    def operations(self) -> OperationLowering: ...

    @property
    def quantifiers(self) -> QuantifierLowering: ...

    @property
    def calls(self) -> CallLowering: ...

    def lower(self, expr: t.Expr, env: Env) -> Rep: ...

    def read(self, binding: Binding) -> Rep: ...

    def truth(self, expr: t.Expr, env: Env) -> k.Expr: ...

    def number(self, expr: t.Expr, env: Env) -> k.Expr: ...

    def place(self, expr: t.Expr, env: Env) -> Place: ...

    def key(self, rep: Rep, keys: tuple[Value, ...], span: t.Span) -> k.Expr: ...

    def apply(
        self, function: Callable[..., Value], reps: list[Rep], span: t.Span, same: object = None
    ) -> Rep: ...


class StorageLowering(Protocol):
    """The giving of values to places."""

    def put(self, place: Scalar, expr: k.Expr, origin: int) -> None: ...

    def store(self, place: Place, rep: Rep, span: t.Span) -> None: ...


class StatementLowering(Protocol):
    """Statements that do not stop; what is made of them goes to `out`."""

    builder: Builder
    coercions: Coercions
    evaluator: Evaluator
    out: list[k.Stmt]
    counts: dict[str, int]
    only_tried: int
    frame: str
    on_return: Callable[[t.Return, Env], None] | None

    @property
    def expressions(self) -> ExpressionLowering: ...

    @property
    def quantifiers(self) -> QuantifierLowering: ...

    @property
    def storing(self) -> StorageLowering: ...

    def into(self) -> AbstractContextManager[list[k.Stmt]]: ...

    def block(self, body: Sequence[t.Statement], scope: Scope) -> k.Code: ...

    def run(self, s: t.Statement, scope: Scope) -> None: ...

    def meet(self, rep: Rep) -> None: ...

    def unique(self, target: t.Expr, scope: Scope) -> Map | None: ...

    def keep(self, name: str, rep: Rep) -> Rep: ...

    def held(self, name: str, rep: Rep, span: t.Span) -> Rep: ...

    def new_local(self, name: str, kind: Type, span: t.Span) -> Place: ...
