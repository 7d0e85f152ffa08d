"""Lowers calls of functions of the rules file: by a kernel function, a table, or the value in their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.expressions import inline_function
from kemu_engine.lower.values.context import Binding, Env, ExpressionLowering, FunctionLowering
from kemu_engine.lower.values.layout import is_scalar, kernel_type, nothing, texts
from kemu_engine.lower.values.leaves import assemble, leaf_types
from kemu_engine.lower.values.reps import Const, Rep, composite
from kemu_engine.lower.values.shapes import flatten, rebuild, shape
from kemu_engine.lower.values.tabulate import Same
from kemu_engine.static.functions import DEPTH, too_deep
from kemu_engine.static.problems import StaticFault, called_from, refuse
from kemu_engine.static.types import Type, collects
from kemu_engine.static.values import Value


@dataclass(frozen=True, slots=True)
class LoweredFunction:
    """A kernel function, or several for the parts of a tuple, and how their values are read."""

    numbers: tuple[int, ...]
    read: Callable[[Iterator[k.Expr]], Rep]  # from the calls, in order


class _Composite(Exception):
    """A function gives what no kernel function can: a list, bag or map."""


class FunctionCalls:
    with_statements: FunctionLowering

    def __init__(self, expressions: ExpressionLowering) -> None:
        self.expressions = expressions
        self.coercions = expressions.coercions
        self.builder = expressions.builder
        self.evaluator = expressions.evaluator
        self._made: dict[Any, LoweredFunction] = {}
        self._keep: list[Any] = []
        self._open: list[t.Fun] = []
        self._whole: set[int] = set()  # functions that give lists, bags or maps

    def call(self, fun: t.Fun, e: t.Call, env: Env) -> Rep:
        args = self.arguments(fun, e, env)
        bound = self.evaluator.functions.bound(fun)
        if fun in self._open and bound is None:
            message = f"`{fun.name}` calls itself during play: say how deep, `recursive at most n`"
            refuse("E0724", e.span, message)
        if bound is not None and self.evaluator.functions.levels.get(id(fun), 0) == bound:
            return self._too_deep(fun, bound, e.span)
        if len(self._open) > DEPTH:
            refuse("E0706", e.span, f"functions call each other more than {DEPTH} deep")
        scope: dict[str, Binding] = {}
        if id(fun) in self.evaluator.before:
            scope["before"] = Const(self.evaluator.before[id(fun)])
        try:
            if not self.expressions.analysis.fun_reads(fun):
                tabulated = self._tabulated(fun, args, e)
                if tabulated is not None:
                    return tabulated
            return self._applied(fun, scope, args)
        except (StaticFault, RulesError) as error:
            called_from(error, e.span)
            raise

    def _too_deep(self, fun: t.Fun, bound: int, span: t.Span) -> Rep:
        """A call beyond the bound: a fault, as a value of the type that the function gives."""
        if fun.result is None:
            refuse("E0732", fun.span, f"`{fun.name}` calls itself: say what it gives, `-> T`")
        code, told = too_deep(fun, bound)
        fault = self.builder.fault(code, told, span)
        result = self.evaluator.types.make(fun.result, {})
        if collects(result):
            self._refuse_collections(fun)
        kinds = leaf_types(result, fun.span)
        made = [kernel_type(kind, span) for kind in kinds]
        values = [
            k.Need(m, build.FALSE, k.Const(m, nothing(kind)), fault)
            for m, kind in zip(made, kinds, strict=True)
        ]
        return assemble(
            result, (self.coercions.decode(v, kind) for v, kind in zip(values, kinds, strict=True))
        )

    def _refuse_collections(self, fun: t.Fun) -> NoReturn:
        message = f"`{fun.name}` calls itself during play, so it takes and gives no lists, bags or maps"
        refuse("E0733", fun.span, message)

    def _applied(self, fun: t.Fun, scope: dict[str, Binding], args: dict[str, Rep]) -> Rep:
        if id(fun) in self._whole or any(composite(a) for a in args.values()):
            if fun.recursive is not None:
                self._refuse_collections(fun)
            return self._inline(fun, scope, args)
        try:
            return self._function(fun, scope, args)
        except _Composite:
            self._whole.add(id(fun))
            return self._inline(fun, scope, args)

    def arguments(self, fun: t.Fun | t.Rule, e: t.Call, env: Env) -> dict[str, Rep]:
        """The arguments by the names of the parameters, brought into their types."""
        named = dict(e.named)
        given: dict[str, Rep] = {}
        for i, (name, kind, default) in enumerate(self.evaluator.functions.parameters(fun)):
            expr = e.args[i] if i < len(e.args) else named.get(name, default)
            assert expr is not None, f"{fun.name} wants {name}"
            rep = self.expressions.lower(expr, env)
            given[name] = rep if kind is None else self.coercions.coerce(rep, kind, expr.span)
        return given

    def _tabulated(self, fun: t.Fun, args: dict[str, Rep], e: t.Call) -> Rep | None:
        call = self.evaluator.functions.caller(fun)

        def row(*values: Value) -> Value:
            return call(values, e.span)

        what = ("function", Same(fun), *self.evaluator.functions.levels.items())
        return self.coercions.combine(row, list(args.values()), e.span, what, fun.name)

    def _inline(self, fun: t.Fun, scope: dict[str, Binding], args: dict[str, Rep]) -> Rep:
        """The function's value in place of its call: where it takes or gives a list, bag or map."""
        first = self.coercions.all_faulty(*args.values())
        return self.coercions.after(first, self._in_place(fun, {**scope, **args}))

    def _in_place(self, fun: t.Fun, scope: dict[str, Binding]) -> Rep:
        self._open.append(fun)
        self.evaluator.work.enter(fun.name)
        context, self.builder.context = self.builder.context, fun.cites or self.builder.context
        try:
            if isinstance(fun.body, tuple):
                rep = inline_function.value(self.expressions, fun, fun.body, scope)
            else:
                rep = self.expressions.lower(fun.body, scope)
            if fun.result is None:
                return rep
            return self.coercions.coerce(rep, self.evaluator.types.make(fun.result, {}), fun.span)
        finally:
            self._open.pop()
            self.evaluator.work.leave()
            self.builder.context = context

    def _function(self, fun: t.Fun, scope: dict[str, Binding], args: dict[str, Rep]) -> Rep:
        kinds = {
            name: kind
            for name, kind, _ in self.evaluator.functions.parameters(fun)
            if kind is not None and is_scalar(kind)
        }
        shapes = tuple(() if name in kinds else shape(a) for name, a in args.items())
        reached = self.expressions.analysis.reached(fun)
        levels = tuple(self.evaluator.functions.levels.get(id(f), 0) for f in reached)
        key = (id(fun), shapes, levels)
        if key not in self._made:
            self._keep.append(args)  # shapes may speak of identities
            self._open.append(fun)
            self.evaluator.work.enter(fun.name)
            context, self.builder.context = self.builder.context, fun.cites
            try:
                with self.evaluator.functions.inside(fun):
                    self._made[key] = self._make(fun, scope, args, kinds)
            finally:
                self._open.pop()
                self.evaluator.work.leave()
                self.builder.context = context
        made = self._made[key]
        flat: list[k.Expr] = []
        for name, rep in args.items():
            flat += [self.coercions.encode(rep, kinds[name], fun.span)] if name in kinds else flatten(rep)
        exprs: list[k.Expr] = []
        for number in made.numbers:
            function = self.builder.functions[number]
            assert function is not None
            match function.body:
                case (k.Return(k.Const() as value), *_) if not any(map(build.faults, flat)):
                    exprs.append(value)
                case _:
                    exprs.append(k.Call(function.type, number, tuple(flat)))
        rep = made.read(iter(exprs))
        if made.numbers:
            return rep
        return self.coercions.after(self.coercions.all_faulty(*args.values()), rep)  # it is always the same

    def _make(
        self, fun: t.Fun, scope: dict[str, Binding], args: dict[str, Rep], kinds: dict[str, Type]
    ) -> LoweredFunction:
        params: list[int] = []
        inner: dict[str, Binding] = dict(scope)
        for name, rep in args.items():
            inner[name] = self._parameter(f"{fun.name}.{name}", rep, kinds.get(name), params)
        origin = self.builder.origin(fun.span)
        result = None if fun.result is None else self.evaluator.types.make(fun.result, {})
        if isinstance(fun.body, tuple):
            if result is not None and collects(result):
                raise _Composite
            bodies, read = self.with_statements.function(fun, fun.body, inner, result)
        else:
            made = self.expressions.lower(fun.body, inner)
            if result is not None:
                made = self.coercions.coerce(made, result, fun.body.span)
            if composite(made):
                raise _Composite
            bodies = [((k.Return(x),), x.type) for x in flatten(made)]

            def read(exprs: Iterator[k.Expr]) -> Rep:
                return rebuild(made, exprs)

        numbers: list[int] = []
        for i, (code, kind) in enumerate(bodies):
            level = self.evaluator.functions.levels.get(id(fun), 1)
            name = fun.name if level == 1 else f"{fun.name}#{level}"
            name = name if len(bodies) == 1 else f"{name}.{i}"
            self.builder.functions.append(k.Function(name, tuple(params), kind, tuple(code), origin))
            numbers.append(len(self.builder.functions) - 1)
        return LoweredFunction(tuple(numbers), read)

    def _parameter(self, name: str, rep: Rep, kind: Type | None, params: list[int]) -> Rep:
        """The parameter as the function sees it: locals in place of the caller's expressions."""
        if kind is not None:
            local = self.builder.local(name, kernel_type(kind, t.NOWHERE), texts(kind))
            params.append(local.id)
            return self.coercions.decode(local, kind)
        fresh: list[k.Expr] = []
        for x in flatten(rep):
            local = self.builder.local(name, x.type)
            params.append(local.id)
            fresh.append(local)
        return rebuild(rep, iter(fresh))
