"""Expressions of the kernel as Python closures: every node is translated once, then worked out on frames.

This is the reference meaning of the nodes that ask nothing but locals and tables; what asks the state is for
the interpreter (run/interp), whose compiler is built on this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Any, Protocol

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.values import BrokenProgram, elements, holds, is_of, set_of, whole_numbers


class Bound(Protocol):
    """What expressions are worked out on: the values of locals, by number."""

    locals: list[Any]


Evaluate = Callable[[Any], int]
"""Of a frame (Bound) the value."""
Elements = Callable[[Any], Iterable[int]]

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


class Evaluator:
    """Translates expressions; a node met twice is translated once. With `checked`, every value is tested
    against the type of its node."""

    def __init__(self, tables: Sequence[k.Table], checked: bool = False) -> None:
        self.tables = tables
        self.checked = checked
        self._known: dict[int, tuple[k.Expr, Evaluate]] = {}

    def expr(self, expr: k.Expr) -> Evaluate:
        known = self._known.get(id(expr))
        if known is None:
            evaluate = self._expr(expr)
            if self.checked:
                evaluate = self.checking(evaluate, expr.type, type(expr).__name__)
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
            case k.Lookup(_, table, index):
                values = self.tables[table].values
                at = self.index(index, len(values))
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
                return self.let(local, self.expr(value), self.expr(body))
            case _:
                return self.impure(expr)

    def impure(self, expr: k.Expr) -> Evaluate:
        """Of what asks more than locals and tables."""
        raise BrokenProgram(f"{type(expr).__name__} asks more than locals and tables")

    def checking(self, evaluate: Evaluate, type_: k.Type, what: str) -> Evaluate:
        low, high = whole_numbers(type_)

        def checked(frame: Bound) -> int:
            value = evaluate(frame)
            if not (type(value) is int and low <= value <= high) and not is_of(value, type_):
                raise BrokenProgram(f"{what} gives {value!r}, which is no {type_}")
            return value

        return checked

    def index(self, index: k.Expr, length: int) -> Evaluate:
        evaluate = self.expr(index)
        return self.checking(evaluate, k.Int(0, length - 1), "an index") if self.checked else evaluate

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

        def values(frame: Bound) -> Iterator[int]:
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
            case "union":
                return lambda f: reduce(or_, values(f), 0)
            case "first":
                return lambda f: next((f.locals[binder] for value in values(f) if value), -1)
            case "min" | "max":
                lowest = fold.type.low if isinstance(fold.type, k.Int) else 0
                if fold.op == "min":
                    return lambda f: min(values(f), default=lowest)
                return lambda f: max(values(f), default=lowest)

    def _closure(self, closure: k.Closure) -> Evaluate:
        seed, binder, step = self.expr(closure.seed), closure.binder, self.expr(closure.step)

        def close(frame: Bound) -> int:
            reached = seed(frame)
            waiting = list(elements(reached))
            while waiting:
                frame.locals[binder] = waiting.pop()
                new = step(frame) & ~reached
                reached |= new
                waiting += elements(new)
            return reached

        return close

    def let(self, local: int, value: Evaluate, body: Evaluate) -> Evaluate:
        def let(frame: Bound) -> int:
            frame.locals[local] = value(frame)
            return body(frame)

        return let
