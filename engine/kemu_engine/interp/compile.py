"""Kernel expressions and statements as Python closures: every node is translated once, then run on frames.

The translation follows kernel/code.py case by case and is the reference meaning of each node. With
`checked`, every value is tested against the type of its node, and every write against the type of its
target, so that a wrong program shows itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from kemu_engine.interp import compile_statements
from kemu_engine.interp.frame import Execute, Faulted, Frame
from kemu_engine.interp.offence import offence
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.evaluate import Evaluate, Evaluator
from kemu_engine.kernel.walk import noted, written


class Compiler(Evaluator):
    """Translates the nodes of one program."""

    def __init__(self, program: k.Program, checked: bool) -> None:
        super().__init__(program.tables, checked)
        self.program = program
        self._functions: dict[int, Evaluate] = {}

    # ---------------------------------------------------------------------------------------- expressions

    def impure(self, expr: k.Expr) -> Evaluate:
        match expr:
            case k.Load(_, var):
                return lambda f: f.vars[var]
            case k.At(_, var, index):
                at = self.index(index, self.program.vars[var].length or 0)
                return lambda f: f.vars[var][at(f)]
            case k.Times(_, var):
                return compile_statements.times(var, noted(self.program.vars, var))
            case k.Call(_, function, args):
                return self._call(function, args)
            case k.Need(_, test, value, fault):
                return self._need(test, self.expr(value), fault)
            case k.Trial():
                return self._trial(expr)
            case _:
                return super().impure(expr)

    def _call(self, number: int, args: tuple[k.Expr, ...]) -> Evaluate:
        params = self.program.functions[number].params
        given = [self.expr(arg) for arg in args]
        body = self._function(number)
        if len(given) == 1:
            return self.let(params[0], given[0], body)

        def call(frame: Frame) -> int:
            values = [arg(frame) for arg in given]
            for param, value in zip(params, values, strict=True):
                frame.locals[param] = value
            return body(frame)

        return call

    def _function(self, number: int) -> Evaluate:
        if number not in self._functions:
            body = self.program.functions[number].body
            if len(body) == 1 and isinstance(body[0], k.Return):
                self._functions[number] = self.expr(body[0].value)
            else:
                self._functions[number] = compile_statements.returning(self.code(body))
        return self._functions[number]

    def _need(self, test: k.Expr, value: Evaluate, index: int) -> Evaluate:
        holds, fail = self.expr(test), self._failing(test, index)

        def need(frame: Frame) -> int:
            if not holds(frame):
                fail(frame)
            return value(frame)

        return need

    def _failing(self, test: k.Expr, index: int) -> Callable[[Frame], NoReturn]:
        fault = self.program.faults[index]

        def fail(frame: Frame) -> NoReturn:
            raise Faulted(fault, index, offence(fault, test, lambda expr: self.expr(expr)(frame)))

        return fail

    def _trial(self, trial: k.Trial) -> Evaluate:
        body, test = self.code(trial.body), self.expr(trial.test)
        arrays = [var for var in sorted(written(trial.body)) if self.program.vars[var].length is not None]

        def attempt(frame: Frame) -> int:
            scratch = Frame(list(frame.vars), list(frame.locals))
            for var in arrays:
                scratch.vars[var] = tuple(frame.vars[var])
            body(scratch)
            return test(scratch)

        return attempt

    # ---------------------------------------------------------------------------------------- statements

    def code(self, code: k.Code) -> Execute:
        return compile_statements.sequence([self._statement(statement) for statement in code])

    def _statement(self, statement: k.Stmt) -> Execute:
        match statement:
            case k.Assign(local, value):
                return compile_statements.assign(local, self._fitting(value, self.program.locals[local].type))
            case k.Store(var, value, origin):
                return compile_statements.store(
                    var, self._fitting(value, self.program.vars[var].type), origin
                )
            case k.Put(var, index, value, origin):
                at = self.index(index, self.program.vars[var].length or 0)
                return compile_statements.put(
                    var, at, self._fitting(value, self.program.vars[var].type), origin
                )
            case k.Fill(var, binder, value, origin):
                length = self.program.vars[var].length or 0
                return compile_statements.fill(
                    var, length, binder, self._fitting(value, self.program.vars[var].type), origin
                )
            case k.Note(var, origin):
                return compile_statements.note(var, noted(self.program.vars, var), origin)
            case k.Forget(var, origin):
                return compile_statements.forget(var, origin)
            case k.When(test, then, other):
                return compile_statements.when(self.expr(test), self.code(then), self.code(other))
            case k.For(local, over, body):
                return compile_statements.for_each(local, self.elements(over), self.code(body))
            case k.Loop(bound, body, fault):
                return compile_statements.loop(bound, self.code(body), self.program.faults[fault], fault)
            case k.Break():
                return lambda f: "break"
            case k.Continue():
                return lambda f: "continue"
            case k.Return(value):
                return compile_statements.give_back(self.expr(value))
            case k.Check(test, fault):
                return compile_statements.check(self.expr(test), self._failing(test, fault))

    def _fitting(self, value: k.Expr, type_: k.Type) -> Evaluate:
        evaluate = self.expr(value)
        return self.checking(evaluate, type_, "a written value") if self.checked else evaluate
