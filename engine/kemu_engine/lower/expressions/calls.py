"""Lowers calls: of functions of the rules file, records, built-ins and methods."""

from __future__ import annotations

from typing import Any

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.expressions.function_calls import FunctionCalls
from kemu_engine.lower.expressions.quantifiers import Quantifiers
from kemu_engine.lower.values.context import Env, ExpressionLowering
from kemu_engine.lower.values.reps import Const, FiniteValue, Map, Num, Rep, Seq, SetOf, Truth, Tup, composite
from kemu_engine.static import operators
from kemu_engine.static.builtins import BUILTINS
from kemu_engine.static.closures.calls import in_order
from kemu_engine.static.problems import refuse
from kemu_engine.static.values import arranged


class Calls:
    def __init__(
        self, expressions: ExpressionLowering, quantifiers: Quantifiers, functions: FunctionCalls
    ) -> None:
        self.expressions = expressions
        self.quantifiers = quantifiers
        self.functions = functions
        self.coercions = expressions.coercions
        self.builder = expressions.builder
        self.evaluator = expressions.evaluator

    def call(self, e: t.Call, env: Env) -> Rep:
        if isinstance(e.value, t.Field):
            return self._method(e, e.value, env)
        assert isinstance(e.value, t.Name)
        name = e.value.id
        if name == "before" and "before" in env:
            fun: Any = env["before"]
            return self.functions.call(fun.value, e, env)
        declaration = self.evaluator.names.get(name)
        if isinstance(declaration, t.Fun):
            return self.functions.call(declaration, e, env)
        assert not isinstance(declaration, t.Rule), "a rule is no expression"
        if isinstance(declaration, t.Record):
            items = tuple(self.expressions.lower(a, env) for a in in_order(declaration, e))
            kinds = [self.evaluator.types.make(kind, {}) for _, kind in declaration.fields]
            made = tuple(self.coercions.coerce(i, kind, e.span) for i, kind in zip(items, kinds, strict=True))
            return Tup(made, tuple(n for n, _ in declaration.fields))
        return self._builtin(name, e, env)

    # ------------------------------------------------------------------------------------------ built-ins

    def _builtin(self, name: str, e: t.Call, env: Env) -> Rep:
        if name == "times" and isinstance(history := e.args[0], t.Name):
            var = self.expressions.histories[history.id]
            return Num(build.integer(0) if var is None else build.times(var))
        if name == "closure":
            return self.quantifiers.closure(e, env)
        only = e.args[0] if len(e.args) == 1 else None
        if isinstance(only, t.Comprehension) and only.kind != "map":
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
        source = self.quantifiers.iterables.of(rep, span)
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
        several = bool(args) and self.coercions.as_finite(args[0]) is None  # too many to try each in a table
        if f.name == "index" and (isinstance(value, Seq | Tup) or several):
            at = self.quantifiers.position(self.coercions.sequence(value, e.span), args[0], e.span)
            at = self.coercions.evaluated(self.coercions.made_faulty(value), at)
            fault = self.builder.fault("bad_index", "it is not in the list", e.span)
            last = max(build.interval(at)[1], 0)
            return Num(build.confined(build.le(build.integer(0), at), at, 0, last, fault))
        known = lambda v, *a: operators.method(v, f.name, list(a), e.span)  # noqa: E731
        if f.name == "count" and len(args) == 1:
            searched = isinstance(value, Seq) or composite(value) or several
            combined = None if searched else self.coercions.combine(known, [value, *args], e.span)
            if combined is not None:
                return combined
            items = self.coercions.sequence(value, e.span)
            number = Num(self.quantifiers.occurrences(items, args[0], e.span))
            return self.coercions.after(self.coercions.made_faulty(value), number)
        return self.expressions.apply(known, [value, *args], e.span)

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


def _is_number(rep: Rep) -> bool:
    return isinstance(rep, Num) or (
        isinstance(rep, Const) and isinstance(rep.value, int) and not isinstance(rep.value, bool)
    )
