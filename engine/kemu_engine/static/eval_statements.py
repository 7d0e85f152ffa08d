"""The statements of pure functions on values that are known: assignments, `if`, loops, `return`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from kemu_grammar.syntax import ast as t

from kemu_engine.static import operators
from kemu_engine.static.context import Env, Names
from kemu_engine.static.problems import StaticFault, refuse
from kemu_engine.static.types import TypeMaker, admit
from kemu_engine.static.values import Row, Value
from kemu_engine.static.weights import Weights
from kemu_engine.static.work import Work


class Evaluation(Names, Protocol):
    """Expressions on values that are known."""

    types: TypeMaker
    work: Work
    weights: Weights

    def eval(self, expr: t.Expr, env: Env) -> Value: ...

    def truth(self, expr: t.Expr, env: Env) -> bool: ...

    def elements(self, expr: t.Expr, env: Env) -> tuple[Value, ...]: ...


class _Returned(Exception):
    def __init__(self, value: Value) -> None:
        self.value = value


class _Left(Exception):
    """break"""


class _Continued(Exception):
    """continue"""


class StatementEvaluator:
    def __init__(self, evaluator: Evaluation) -> None:
        self.evaluator = evaluator

    def run(self, fun: t.Fun, body: t.Block, scope: dict[str, Value]) -> Value:
        try:
            self._run(body, scope)
        except _Returned as returned:
            return returned.value
        refuse("E0707", fun.span, f"`{fun.name}` can end without `return`")

    def _run(self, block: t.Block, env: dict[str, Value]) -> None:
        for statement in block:
            self._statement(statement, env)

    def _statement(self, s: t.Statement, env: dict[str, Value]) -> None:
        match s:
            case t.Assign(target=target, op=op, value=value, type=kind):
                assert not isinstance(value, t.Roll | t.Draw)
                new = self.evaluator.eval(value, env)
                if kind is not None and isinstance(target, t.Name):
                    env[f"type of {target.id}"] = self.evaluator.types.make(kind, env)
                if op != "=":
                    old = self.evaluator.eval(target, env)
                    self.evaluator.weights.used(old, s.span)
                    new = self.evaluator.weights.made(operators.binary(op[0], old, new, s.span), s.span)
                self._give(target, new, env, s.span)
            case t.If(branches=branches, other=other):
                for test, body in branches:
                    if self.evaluator.truth(test, env):
                        return self._run(body, env)
                self._run(other, env)
            case t.For():
                self._for(s, env)
            case t.While(test=test, body=body):
                self._loop(body, env, lambda: self.evaluator.truth(test, env))
            case t.Repeat(bound=bound, body=body):
                left = [self.evaluator.number(bound, env)]

                def again() -> bool:
                    left[0] -= 1
                    if left[0] < 0:
                        raise StaticFault("overrun", "the loop runs longer than it may", s.span)
                    return True

                self._loop(body, env, again)
            case t.Return(value=result):
                raise _Returned(None if result is None else self.evaluator.eval(result, env))
            case t.Break():
                raise _Left
            case t.Continue():
                raise _Continued
            case t.Pass():
                pass
            case _:
                raise AssertionError(f"a function does not act: {s}")

    def _give(self, target: t.Expr, new: Value, env: dict[str, Value], span: t.Span) -> None:
        """Makes `new` the value of a local or of a part of one."""
        match target:
            case t.Name(id=name):
                kind = env.get(f"type of {name}")
                if kind is not None:
                    self.evaluator.weights.used(new, span)
                env[name] = new if kind is None else admit(kind, new, span)
            case t.Index(value=whole, index=index):
                key, old = self.evaluator.eval(index, env), self.evaluator.eval(whole, env)
                self.evaluator.weights.used(old, span)
                self._give(whole, operators.changed(old, key, new, target.span), env, span)
            case t.Field(value=whole, name=name):
                old = self.evaluator.eval(whole, env)
                operators.field(old, name, target.span)
                row = (new if field == name else x for field, x in zip(old.fields, old, strict=True))
                self._give(whole, Row(row, old.fields), env, span)

    def _for(self, s: t.For, env: dict[str, Value]) -> None:
        for value in self.evaluator.elements(s.source, env):
            self.evaluator.work.spend(1, s.span)
            env.update(operators.unpack(s.targets, value, s.span))
            if not all(self.evaluator.truth(c, env) for c in s.conditions):
                continue
            try:
                self._run(s.body, env)
            except _Left:
                break
            except _Continued:
                pass

    def _loop(self, body: t.Block, env: dict[str, Value], again: Callable[[], bool]) -> None:
        while again():
            self.evaluator.work.spend(1, body[0].span)
            try:
                self._run(body, env)
            except _Left:
                break
            except _Continued:
                pass
