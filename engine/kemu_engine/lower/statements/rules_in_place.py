"""Rules without stops, written out where they are called; what their `inout` parameters stand for."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.walk import names_in

from kemu_engine.lower.expressions.function_calls import FunctionCalls
from kemu_engine.lower.statements.pins import pin
from kemu_engine.lower.values.context import Binding, Env, Scope, StatementLowering
from kemu_engine.lower.values.dependence import assigned, root
from kemu_engine.lower.values.infer_local import infer
from kemu_engine.lower.values.reps import Const, Rep, composite
from kemu_engine.static.problems import refuse

IN_PLACE = 500  # steps that a rule counts which is written out where it is called


class RulesInPlace:
    def __init__(self, statements: StatementLowering, functions: FunctionCalls) -> None:
        self.statements, self.functions = statements, functions
        self.expressions = statements.expressions
        self.coercions = statements.coercions
        self.builder = statements.builder
        self.evaluator = statements.evaluator

    def inline(
        self, rule: t.Rule, call: t.Call, scope: Scope, within: AbstractContextManager[None] | None = None
    ) -> Rep | None:
        """A rule without stops, in place. Its only `return` is its last statement. `within`: what is open
        while it runs, but not while its arguments are worked out.
        """
        self.evaluator.work.spend(IN_PLACE, call.span)
        call, scope = self.pinned(rule, call, scope)
        args = self.arguments(rule, call, scope)
        with within or nullcontext():
            return self._run_rule(rule, call, scope, args)

    def _run_rule(self, rule: t.Rule, call: t.Call, scope: Scope, args: dict[str, Rep]) -> Rep | None:
        s = self.statements
        saved = (s.counts, s.frame, s.on_return, self.builder.context)
        s.counts, s.frame = assigned(rule.body), rule.name
        self.builder.context = rule.cites or self.builder.context
        result: list[Rep] = []
        self.evaluator.work.enter(rule.name)
        try:
            inner: Scope = {}
            for p, (name, kind, _) in zip(
                rule.params, self.evaluator.functions.parameters(rule), strict=True
            ):
                if p.inout:
                    inner |= self.places({name: argument(rule, call, p)}, scope)
                    s.meet(self.expressions.read(inner[name]))
                elif s.counts.get(name, 0):
                    place = s.new_local(
                        f"{rule.name}.{name}",
                        kind or infer(self.evaluator.known, args[name], name, p.span),
                        p.span,
                    )
                    s.storing.store(place, args[name], call.span)
                    inner[name] = place
                else:
                    inner[name] = self._argument(name, args[name])
            body = rule.body
            if body and isinstance(body[-1], t.Return):
                for each in body[:-1]:
                    s.run(each, inner)
                last = body[-1]
                if last.value is not None:
                    rep = self.expressions.lower(last.value, inner)
                    if rule.result is not None:
                        rep = self.coercions.coerce(
                            rep, self.evaluator.types.make(rule.result, {}), last.span
                        )
                    result.append(self._argument("result", rep))
            else:
                for each in body:
                    s.run(each, inner)
        finally:
            self.evaluator.work.leave()
            s.counts, s.frame, s.on_return, self.builder.context = saved
        return result[0] if result else None

    def places(self, given: dict[str, t.Expr], scope: Scope) -> dict[str, Binding]:
        """What `inout` parameters stand for, and the `unique` maps of which it is a part."""
        found: dict[str, Binding] = {}
        for name, expr in given.items():
            found[name] = self.expressions.place(expr, scope)
            found[_owner(name)] = Const(owner(root(expr), scope))
            whole = self.statements.unique(expr, scope)
            if whole is not None:
                found[whole_of(name)] = whole
        return found

    def pinned(self, rule: t.Rule, call: t.Call, scope: Scope) -> tuple[t.Call, Scope]:
        """The call with the places of its `inout` arguments settled now, whatever the rule changes."""
        inner, args = dict(scope), list(call.args)
        for i, p in enumerate(rule.params[: len(args)]):
            if p.inout:
                name = root(args[i])
                if name in self.expressions.analysis.touched(rule):
                    message = f"`{name}` goes `inout` into `{rule.name}`, which also uses it by its own name"
                    refuse("E0765", args[i].span, message)
                args[i] = pin(self.statements, args[i], inner)
        return replace(call, args=tuple(args)), inner

    def arguments(self, rule: t.Rule, call: t.Call, scope: Scope) -> dict[str, Rep]:
        """The arguments; a list, bag or map that the rule might change meanwhile is copied."""
        args = self.functions.arguments(rule, call, scope)
        given = dict(call.named) | {p.name: e for p, e in zip(rule.params, call.args, strict=False)}
        touched = self.expressions.analysis.touched(rule) | {
            str(root(given[p.name])) for p in rule.params if p.inout
        }
        kinds = {name: kind for name, kind, _ in self.evaluator.functions.parameters(rule)}
        for p in rule.params:
            rep = args[p.name]
            if p.inout or not composite(rep) or p.name not in given:
                continue
            self.statements.meet(rep)
            if names_in(given[p.name]) & touched:
                kind = kinds[p.name] or infer(self.evaluator.known, rep, p.name, p.span, fixed=True)
                place = self.statements.new_local(f"{rule.name}.{p.name}", kind, p.span)
                self.statements.storing.store(place, rep, call.span)
                args[p.name] = self.expressions.read(place)
        return args

    def _argument(self, name: str, rep: Rep) -> Rep:
        return rep if composite(rep) else self.statements.keep(name, rep)


def whole_of(name: str) -> str:
    """Under what the `unique` map stands in a scope of which an `inout` parameter is a part."""
    return f"all of {name}"


def _owner(name: str) -> str:
    """Under what the variable stands in a scope of which an `inout` parameter is a part."""
    return f"owner of {name}"


def owner(name: str | None, scope: Env) -> str | None:
    """The variable that goes by this name here: its own, or that of an `inout` parameter."""
    found = scope.get(_owner(name or ""))
    return str(found.value) if isinstance(found, Const) else name


def argument(rule: t.Rule, call: t.Call, p: t.FunParameter) -> t.Expr:
    at = rule.params.index(p)
    return call.args[at] if at < len(call.args) else dict(call.named)[p.name]
