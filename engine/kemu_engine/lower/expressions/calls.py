"""Lowers calls: functions of the file become functions of the kernel, built-ins what they mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.expressions import inline_function
from kemu_engine.lower.expressions.quantifiers import Quantifiers
from kemu_engine.lower.values.context import Binding, Env, ExpressionLowering, FunctionLowering
from kemu_engine.lower.values.layout import is_scalar, kernel_type, texts
from kemu_engine.lower.values.reps import (
    Const,
    FiniteValue,
    Map,
    Num,
    Rep,
    Seq,
    SetOf,
    Truth,
    Tup,
    composite,
)
from kemu_engine.lower.values.tabulate import Same
from kemu_engine.static import operators
from kemu_engine.static.builtins import BUILTINS
from kemu_engine.static.eval import DEPTH, in_order
from kemu_engine.static.problems import StaticFault, called_from, refuse
from kemu_engine.static.types import Type, collects
from kemu_engine.static.values import Value, arranged, exact


@dataclass(frozen=True, slots=True)
class LoweredFunction:
    """A kernel function, or several for the parts of a tuple, and how their values are read."""

    numbers: tuple[int, ...]
    read: Callable[[Iterator[k.Expr]], Rep]  # from the calls, in order


class _Composite(Exception):
    """A function gives what no kernel function can: a list, bag or map."""


class Calls:
    functions: FunctionLowering

    def __init__(self, expressions: ExpressionLowering, quantifiers: Quantifiers) -> None:
        self.expressions = expressions
        self.quantifiers = quantifiers
        self.coercions = expressions.coercions
        self.builder = expressions.builder
        self.evaluator = expressions.evaluator
        self._made: dict[Any, LoweredFunction] = {}
        self._keep: list[Any] = []
        self._open: list[t.Fun] = []
        self._whole: set[int] = set()  # functions that give lists, bags or maps

    def call(self, e: t.Call, env: Env) -> Rep:
        if isinstance(e.value, t.Field):
            return self._method(e, e.value, env)
        assert isinstance(e.value, t.Name)
        name = e.value.id
        if name == "before" and "before" in env:
            fun: Any = env["before"]
            return self.user(fun.value, e, env)
        declaration = self.evaluator.names.get(name)
        if isinstance(declaration, t.Fun):
            return self.user(declaration, e, env)
        assert not isinstance(declaration, t.Rule), "a rule is no expression"
        if isinstance(declaration, t.Record):
            items = tuple(self.expressions.lower(a, env) for a in in_order(declaration, e))
            kinds = [self.evaluator.types.make(kind, {}) for _, kind in declaration.fields]
            made = tuple(self.coercions.coerce(i, kind, e.span) for i, kind in zip(items, kinds, strict=True))
            return Tup(made, tuple(n for n, _ in declaration.fields))
        return self._builtin(name, e, env)

    # ---------------------------------------------------------------------------------- functions of the file

    def user(self, fun: t.Fun, e: t.Call, env: Env) -> Rep:
        args = self.arguments(fun, e, env)
        if fun in self._open:
            refuse(
                "E0724",
                e.span,
                f"`{fun.name}` calls itself, which only functions of what is known before play may do",
            )
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

    def _applied(self, fun: t.Fun, scope: dict[str, Binding], args: dict[str, Rep]) -> Rep:
        if id(fun) in self._whole or any(composite(a) for a in args.values()):
            return self._inline(fun, {**scope, **args})
        try:
            return self._function(fun, scope, args)
        except _Composite:
            self._whole.add(id(fun))
            return self._inline(fun, {**scope, **args})

    def arguments(self, fun: t.Fun | t.Rule, e: t.Call, env: Env) -> dict[str, Rep]:
        """The arguments by the names of the parameters, brought into their types."""
        named = dict(e.named)
        given: dict[str, Rep] = {}
        for i, (name, kind, default) in enumerate(self.evaluator.parameters(fun)):
            expr = e.args[i] if i < len(e.args) else named.get(name, default)
            assert expr is not None, f"{fun.name} wants {name}"
            rep = self.expressions.lower(expr, env)
            given[name] = rep if kind is None else self.coercions.coerce(rep, kind, expr.span)
        return given

    def _tabulated(self, fun: t.Fun, args: dict[str, Rep], e: t.Call) -> Rep | None:
        def row(*values: Value) -> Value:
            return self.evaluator.call(fun, list(values), {}, e.span, {})

        return self.coercions.combine(row, list(args.values()), e.span, ("function", Same(fun)))

    def _inline(self, fun: t.Fun, scope: dict[str, Binding]) -> Rep:
        """The function's value in place of its call: where it takes or gives a list, bag or map."""
        self._open.append(fun)
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
            self.builder.context = context

    def _function(self, fun: t.Fun, scope: dict[str, Binding], args: dict[str, Rep]) -> Rep:
        kinds = {
            name: kind
            for name, kind, _ in self.evaluator.parameters(fun)
            if kind is not None and is_scalar(kind)
        }
        shapes = tuple(() if name in kinds else _shape(a) for name, a in args.items())
        key = (id(fun), shapes)
        if key not in self._made:
            self._keep.append(args)  # shapes may speak of identities
            self._open.append(fun)
            context, self.builder.context = self.builder.context, fun.cites
            try:
                self._made[key] = self._make(fun, scope, args, kinds)
            finally:
                self._open.pop()
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
        return made.read(iter(exprs))

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
            bodies, read = self.functions.function(fun, fun.body, inner, result)
        else:
            shape = self.expressions.lower(fun.body, inner)
            if result is not None:
                shape = self.coercions.coerce(shape, result, fun.body.span)
            if composite(shape):
                raise _Composite
            bodies = [((k.Return(x),), x.type) for x in flatten(shape)]

            def read(exprs: Iterator[k.Expr]) -> Rep:
                return rebuild(shape, exprs)

        numbers: list[int] = []
        for i, (code, kind) in enumerate(bodies):
            name = fun.name if len(bodies) == 1 else f"{fun.name}.{i}"
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

    # ------------------------------------------------------------------------------------------ built-ins

    def _builtin(self, name: str, e: t.Call, env: Env) -> Rep:
        if name == "closure":
            return self.quantifiers.closure(e, env)
        only = e.args[0] if len(e.args) == 1 else None
        if isinstance(only, t.Comprehension):
            made = self._of_comprehension(name, only, env)
            if made is not None:
                return made
        if name not in BUILTINS:
            self.evaluator.unknown(name, e.span)
        reps = [self.expressions.lower(a, env) for a in e.args]
        made = self._of_values(name, reps, e)
        if made is not None:
            return made
        function = BUILTINS[name]
        named = {key: self.evaluator.eval(v, {}) for key, v in e.named}
        return self.expressions.apply(
            lambda *values: function(self.evaluator, e.span, *values, **named), reps, e.span
        )

    def _of_comprehension(self, name: str, e: t.Comprehension, env: Env) -> Rep | None:
        match name:
            case "any" | "all":
                return self.quantifiers.truths(name, e, env)
            case "len":
                return self.quantifiers.count(e, env)
            case "sum" if e.kind != "set":
                return self.quantifiers.sum(e, env)
            case "min" | "max":
                return self.quantifiers.extreme(name, e, env)
            case "first":
                return self.quantifiers.first(e, env)
            case "only":
                return self.quantifiers.only(e, env)
            case "set":
                return self.quantifiers.set(e, env)
        return None

    def _of_values(self, name: str, reps: list[Rep], e: t.Call) -> Rep | None:
        first = reps[0] if reps else None
        match name:
            case "len" if not isinstance(first, FiniteValue | Const):
                assert first is not None
                return self.quantifiers.length(first, e.span)
            case "sum" if not isinstance(first, FiniteValue | Const):
                assert first is not None
                return self.quantifiers.sum_of(first, e.span)
            case "min" | "max" if len(reps) > 1 and all(_is_number(r) for r in reps):
                value = self.coercions.number(reps[0], e.span)
                for rep in reps[1:]:
                    value = build.extreme(name, value, self.coercions.number(rep, e.span))
                return Num(value)
            case "min" | "max" if len(reps) == 1 and not isinstance(first, FiniteValue | Const):
                assert first is not None
                return self.quantifiers.extreme_of(name, first, e.span)
            case "first" | "only" if len(reps) == 1 and not isinstance(first, FiniteValue | Const):
                assert first is not None
                return self.quantifiers.one_of(name, first, e.span)
            case "abs" if isinstance(first, Num):
                return Num(build.absolute(first.expr))
            case "even" | "odd" if isinstance(first, Num):
                rest = build.mod(first.expr, build.integer(2))
                return Truth(build.eq(rest, build.integer(0 if name == "even" else 1)))
            case "int" if isinstance(first, Num):
                return first
            case "set" if isinstance(first, SetOf):
                return first
            case "set" if first is not None and not isinstance(first, FiniteValue | Const):
                return self.as_set(first, e.span)
        return None

    def as_set(self, rep: Rep, span: t.Span) -> Rep:
        """The elements of a list or bag."""
        source = self.quantifiers.of(rep, span)
        if source.size == 0:
            return SetOf(build.after(source.over, build.full(0)), ())
        binder = self.builder.local("item", k.Int(0, max(source.size - 1, 0)))
        fam = self.coercions.as_finite(source.item(binder))
        if fam is None:
            refuse("E0723", span, "during play a set can only hold elements of domains")
        universe = arranged(fam.values)
        body = self.coercions.remap(fam, universe)
        return SetOf(
            build.fold("set", binder.id, source.over, source.holds(binder), body, len(universe)), universe
        )

    def _method(self, e: t.Call, f: t.Field, env: Env) -> Rep:
        value = self.expressions.lower(f.value, env)
        args = [self.expressions.lower(a, env) for a in e.args]
        if f.name == "find" and isinstance(value, Map):
            return self._find(value, args[0], e.span)
        if f.name == "index" and isinstance(value, Seq | Tup):
            at = self.quantifiers.position(self.coercions.sequence(value, e.span), args[0], e.span)
            fault = self.builder.fault("bad_index", "it is not in the list", e.span)
            kind = k.Int(0, max(build.interval(at)[1], 0))
            return Num(k.Need(kind, build.le(build.integer(0), at), at, fault))
        if f.name == "count" and (isinstance(value, Seq) or (isinstance(value, Tup) and composite(value))):
            value = self.coercions.sequence(value, e.span)
            return Num(self.quantifiers.occurrences(value, args[0], e.span))
        return self.expressions.apply(
            lambda v, *a: operators.method(v, f.name, list(a), e.span), [value, *args], e.span
        )

    def _find(self, value: Map, wanted: Rep, span: t.Span) -> Rep:
        """The key whose value is, or holds, what is wanted; none if there is none."""
        binder = self.builder.local("key", k.Int(0, max(len(value.keys) - 1, 0)))
        held = self.expressions.read(value.get(binder))
        fam = self.coercions.as_finite(wanted) if isinstance(held, FiniteValue) else None
        if isinstance(held, FiniteValue) and fam is not None:
            at = self.coercions.remap(fam, held.values)
            local = self.builder.local("wanted", at.type)
            same = build.eq(held.index, local)
            key = build.add(
                build.fold("first", binder.id, build.full(len(value.keys)), same, build.TRUE),
                build.integer(1),
            )
            return FiniteValue(k.Let(key.type, local.id, at, key), self.coercions.optional(value.keys))
        if isinstance(held, Seq):
            same = self.quantifiers.contains(held, wanted, span)
        else:
            same = self.expressions.operations.equal(held, wanted, span)
        found = build.fold("first", binder.id, build.full(len(value.keys)), same, build.TRUE)
        return FiniteValue(build.add(found, build.integer(1)), self.coercions.optional(value.keys))


# ------------------------------------------------------------------------------------------- shapes of values


def flatten(rep: Rep) -> list[k.Expr]:
    """The kernel expressions of a value, in order."""
    match rep:
        case Num(expr=expr) | Truth(expr=expr) | SetOf(expr=expr):
            return [expr]
        case FiniteValue(index=index):
            return [index]
        case Tup(items=items):
            return [x for i in items for x in flatten(i)]
        case Const():
            return []
    raise AssertionError(rep)


def rebuild(shape: Rep, exprs: Iterator[k.Expr]) -> Rep:
    """A value of the same shape with other expressions."""
    match shape:
        case Num():
            return Num(next(exprs))
        case Truth():
            return Truth(next(exprs))
        case SetOf(values=values):
            return SetOf(next(exprs), values)
        case FiniteValue(values=values):
            return FiniteValue(next(exprs), values)
        case Tup(items=items, fields=fields, seq=seq):
            return Tup(tuple(rebuild(i, exprs) for i in items), fields, seq)
    return shape


def _shape(rep: Rep) -> Any:
    """What two arguments must have in common to go into the same kernel function."""
    match rep:
        case Const(value=value):
            return ("const", exact(value))
        case Num(expr=expr):
            return ("num", expr.type)
        case Truth():
            return "truth"
        case SetOf(values=values):
            return ("set", exact(values))
        case FiniteValue(index=index, values=values):
            return ("fam", exact(values), index.type)
        case Tup(items=items, fields=fields):
            return ("tup", fields, tuple(_shape(i) for i in items))
    raise AssertionError(rep)


def _is_number(rep: Rep) -> bool:
    return isinstance(rep, Num) or (
        isinstance(rep, Const) and isinstance(rep.value, int) and not isinstance(rep.value, bool)
    )
