"""Kernel expressions and statements as Python closures: every node is translated once, then run on frames.

The translation follows kernel/nodes.py case by case and is the reference meaning of each node. With
`checked`, every value is tested against the type of its node, and every write against the type of its
target, so that a wrong program shows itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kemu_engine.interp import compile_statements
from kemu_engine.interp.frame import Elements, Evaluate, Execute, Faulted, Frame
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.values import BrokenProgram, elements, holds, is_of, set_of

UNARY: dict[str, Callable[[Evaluate], Evaluate]] = {
    "neg": lambda a: lambda f: -a(f),
    "abs": lambda a: lambda f: abs(a(f)),
    "not": lambda a: lambda f: not a(f),
    "card": lambda a: lambda f: a(f).bit_count(),
    "single": lambda a: lambda f: 1 << a(f),
}

BINARY: dict[str, Callable[[Evaluate, Evaluate], Evaluate]] = {
    "add": lambda a, b: lambda f: a(f) + b(f),
    "sub": lambda a, b: lambda f: a(f) - b(f),
    "mul": lambda a, b: lambda f: a(f) * b(f),
    "div": lambda a, b: lambda f: a(f) // b(f),
    "mod": lambda a, b: lambda f: a(f) % b(f),
    "min": lambda a, b: lambda f: min(a(f), b(f)),
    "max": lambda a, b: lambda f: max(a(f), b(f)),
    "eq": lambda a, b: lambda f: a(f) == b(f),
    "ne": lambda a, b: lambda f: a(f) != b(f),
    "lt": lambda a, b: lambda f: a(f) < b(f),
    "le": lambda a, b: lambda f: a(f) <= b(f),
    "and": lambda a, b: lambda f: a(f) and b(f),
    "or": lambda a, b: lambda f: a(f) or b(f),
    "in": lambda a, b: lambda f: holds(a(f), b(f)),
    "union": lambda a, b: lambda f: a(f) | b(f),
    "inter": lambda a, b: lambda f: a(f) & b(f),
    "diff": lambda a, b: lambda f: a(f) & ~b(f),
    "subset": lambda a, b: lambda f: a(f) & ~b(f) == 0,
}


def is_true(expr: k.Expr) -> bool:
    return isinstance(expr, k.Const) and bool(expr.value)


def written(code: k.Code) -> set[int]:
    """The state variables that the code may write."""
    found: set[int] = set()
    for statement in code:
        match statement:
            case k.Store() | k.Put() | k.Fill():
                found.add(statement.var)
            case k.When():
                found |= written(statement.then) | written(statement.other)
            case k.For() | k.Loop():
                found |= written(statement.body)
    return found


class Compiler:
    """Translates the nodes of one program; a node met twice is translated once."""

    def __init__(self, program: k.Program, checked: bool) -> None:
        self.program = program
        self.checked = checked
        self._known: dict[int, tuple[k.Expr, Evaluate]] = {}
        self._functions: dict[int, Evaluate] = {}

    # ---------------------------------------------------------------------------------------- expressions

    def expr(self, expr: k.Expr) -> Evaluate:
        known = self._known.get(id(expr))
        if known is None:
            evaluate = self._expr(expr)
            if self.checked:
                evaluate = self._checking(evaluate, expr.type, type(expr).__name__)
            known = self._known[id(expr)] = (
                expr,
                evaluate,
            )  # holding the node keeps its id from being used again
        return known[1]

    def _expr(self, expr: k.Expr) -> Evaluate:
        match expr:
            case k.Const(_, constant):
                return lambda f: constant
            case k.Local(_, local):
                return lambda f: f.locals[local]
            case k.Load(_, var):
                return lambda f: f.vars[var]
            case k.At(_, var, index):
                at = self._index(index, self.program.vars[var].length or 0)
                return lambda f: f.vars[var][at(f)]
            case k.Lookup(_, table, index):
                values = self.program.tables[table].values
                at = self._index(index, len(values))
                return lambda f: values[at(f)]
            case k.Op():
                return self._operation(expr)
            case k.If(_, test, then, other):
                holding, one, two = self.expr(test), self.expr(then), self.expr(other)
                return lambda f: one(f) if holding(f) else two(f)
            case k.Fold():
                return self._fold(expr)
            case k.Closure():
                return self._closure(expr)
            case k.Let(_, local, value, body):
                return self._let(local, self.expr(value), self.expr(body))
            case k.Call(_, function, args):
                return self._call(function, args)
            case k.Need(_, test, value, fault):
                return self._need(self.expr(test), self.expr(value), fault)
            case k.Trial():
                return self._trial(expr)

    def _checking(self, evaluate: Evaluate, type_: k.Type, what: str) -> Evaluate:
        def checked(frame: Frame) -> int:
            value = evaluate(frame)
            if not is_of(value, type_):
                raise BrokenProgram(f"{what} gives {value!r}, which is no {type_}")
            return value

        return checked

    def _index(self, index: k.Expr, length: int) -> Evaluate:
        evaluate = self.expr(index)
        return self._checking(evaluate, k.Int(0, length - 1), "an index") if self.checked else evaluate

    def _operation(self, expr: k.Op) -> Evaluate:
        args = [self.expr(arg) for arg in expr.args]
        if len(args) == 1 and expr.op in UNARY:
            return UNARY[expr.op](args[0])
        if len(args) == 2:
            return BINARY[expr.op](*args)
        if expr.op == "and":
            return lambda f: all(arg(f) for arg in args)
        if expr.op == "or":
            return lambda f: any(arg(f) for arg in args)
        raise BrokenProgram(f"{expr.op} of {len(args)} values")

    def elements(self, over: k.Expr) -> Elements:
        """The elements of the value of a set expression, ascending."""
        if isinstance(over, k.Const):
            fixed = elements(over.value)
            return lambda f: fixed
        evaluate = self.expr(over)
        return lambda f: elements(evaluate(f))

    def _fold(self, fold: k.Fold) -> Evaluate:
        binder, over, body = fold.binder, self.elements(fold.over), self.expr(fold.body)
        where = None if is_true(fold.where) else self.expr(fold.where)

        def values(frame: Frame) -> Iterator[int]:
            bound = frame.locals
            for element in over(frame):
                bound[binder] = element
                if where is None or where(frame):
                    yield body(frame)

        match fold.op:
            case "any":
                return lambda f: any(values(f))
            case "all":
                return lambda f: all(values(f))
            case "count":
                return lambda f: sum(1 for value in values(f) if value)
            case "sum":
                return lambda f: sum(values(f))
            case "set":
                return lambda f: set_of(values(f))
            case "first":
                return lambda f: next((f.locals[binder] for value in values(f) if value), -1)
            case "min" | "max":
                lowest = fold.type.low if isinstance(fold.type, k.Int) else 0
                if fold.op == "min":
                    return lambda f: min(values(f), default=lowest)
                return lambda f: max(values(f), default=lowest)

    def _closure(self, closure: k.Closure) -> Evaluate:
        seed, binder, step = self.expr(closure.seed), closure.binder, self.expr(closure.step)

        def close(frame: Frame) -> int:
            reached = seed(frame)
            waiting = list(elements(reached))
            while waiting:
                frame.locals[binder] = waiting.pop()
                new = step(frame) & ~reached
                reached |= new
                waiting += elements(new)
            return reached

        return close

    def _let(self, local: int, value: Evaluate, body: Evaluate) -> Evaluate:
        def let(frame: Frame) -> int:
            frame.locals[local] = value(frame)
            return body(frame)

        return let

    def _call(self, number: int, args: tuple[k.Expr, ...]) -> Evaluate:
        params = self.program.functions[number].params
        given = [self.expr(arg) for arg in args]
        body = self._function(number)
        if len(given) == 1:
            return self._let(params[0], given[0], body)

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

    def _need(self, test: Evaluate, value: Evaluate, index: int) -> Evaluate:
        fault = self.program.faults[index]

        def need(frame: Frame) -> int:
            if not test(frame):
                raise Faulted(fault, index)
            return value(frame)

        return need

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
                at = self._index(index, self.program.vars[var].length or 0)
                return compile_statements.put(
                    var, at, self._fitting(value, self.program.vars[var].type), origin
                )
            case k.Fill(var, binder, value, origin):
                length = self.program.vars[var].length or 0
                return compile_statements.fill(
                    var, length, binder, self._fitting(value, self.program.vars[var].type), origin
                )
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
                return compile_statements.check(self.expr(test), self.program.faults[fault], fault)

    def _fitting(self, value: k.Expr, type_: k.Type) -> Evaluate:
        evaluate = self.expr(value)
        return self._checking(evaluate, type_, "a written value") if self.checked else evaluate
