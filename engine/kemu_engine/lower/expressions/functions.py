"""Lowers functions with statements to functions of the kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.values.context import Env, Scope, StatementLowering
from kemu_engine.lower.values.dependence import assigned
from kemu_engine.lower.values.finite import is_number
from kemu_engine.lower.values.layout import kernel_type
from kemu_engine.lower.values.leaves import Cells, assemble, leaf_types
from kemu_engine.lower.values.reps import Const, Rep, Truth
from kemu_engine.static.problems import refuse
from kemu_engine.static.types import BoolType, IntType, Type


class Functions:
    def __init__(self, statements: StatementLowering) -> None:
        self.statements = statements
        self.expressions = statements.expressions
        self.coercions = statements.coercions
        self.builder = statements.builder
        self.evaluator = statements.evaluator

    def function(
        self, fun: t.Fun, body: t.Block, inner: Scope, result: Type | None
    ) -> tuple[list[tuple[k.Code, k.Type]], Callable[[Iterator[k.Expr]], Rep]]:
        """The bodies of the kernel functions that a function with statements becomes, and how their values
        are read.
        """
        result = result or self._result_type(fun, body, dict(inner))
        kinds = leaf_types(result, fun.span)
        bodies: list[tuple[k.Code, k.Type]] = []
        for part, kind in enumerate(kinds):
            bodies.append(
                (self._function_part(fun, body, dict(inner), result, part), kernel_type(kind, fun.span))
            )

        def read(exprs: Iterator[k.Expr]) -> Rep:
            return assemble(result, (self.coercions.decode(next(exprs), kind) for kind in kinds))

        return bodies, read

    def _result_type(self, fun: t.Fun, body: t.Block, inner: Scope) -> Type:
        """What a function gives that does not say so: a truth value or a number, else it has to."""
        found: list[Rep] = []

        def note(s: t.Return, scope: Env) -> None:
            found.append(Const(None) if s.value is None else self.expressions.lower(s.value, scope))

        self._lowered(fun, body, inner, note)
        if found and all(
            isinstance(r, Truth) or (isinstance(r, Const) and isinstance(r.value, bool)) for r in found
        ):
            return BoolType()
        if found and all(is_number(r) for r in found):
            ends = [build.interval(self.coercions.number(r, fun.span)) for r in found]
            return IntType(min(low for low, _ in ends), max(high for _, high in ends))
        refuse(
            "E0732",
            fun.span,
            f"`{fun.name}` has statements and looks at play: say what it gives, `fun {fun.name}(...) -> T:`",
        )

    def _function_part(self, fun: t.Fun, body: t.Block, inner: Scope, result: Type, part: int) -> k.Code:
        def give_back(s: t.Return, scope: Env) -> None:
            assert s.value is not None, "a function gives a value"
            rep = self.coercions.coerce(self.expressions.lower(s.value, scope), result, s.span)
            value = Cells(self.coercions, s.span).cell(rep, result, part, build.integer(0))
            self.statements.out.append(k.Return(value))

        code = self._lowered(fun, body, inner, give_back)
        missing = self.builder.fault("missing_value", f"`{fun.name}` ends without `return`", fun.span)
        return (*code, k.Check(build.FALSE, missing))

    def _lowered(
        self, fun: t.Fun, body: t.Block, inner: Scope, on_return: Callable[[t.Return, Env], None]
    ) -> k.Code:
        """The body in the kernel's words, each `return` done by `on_return`."""
        s = self.statements
        saved = (s.counts, s.frame, s.on_return)
        s.counts, s.frame, s.on_return = assigned(body), fun.name, on_return
        before = len(self.builder.vars) - s.only_tried
        try:
            code = s.block(body, inner)
        finally:
            s.counts, s.frame, s.on_return = saved
        if len(self.builder.vars) - s.only_tried > before:
            refuse(
                "E0733", fun.span, "a function used during play cannot have lists, bags or maps of its own"
            )
        return code
