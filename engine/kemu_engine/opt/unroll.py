"""Loop unrolling: loops over few elements known from the start, written out lap by lap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import expressions, recoded, size, tried
from kemu_engine.opt.constant_folding import substituted

FEW = 4
"""Elements of a set that is written out."""
WRITTEN_OUT = 160
"""Nodes that a fold or loop may have once it is written out."""


def laps(statement: k.Stmt) -> Iterator[k.Stmt]:
    """A statement, or the laps of a loop over few elements known from the start."""
    match statement:
        case k.When(test, then, other):
            yield k.When(test, unrolled(then), unrolled(other))
        case k.Loop():
            yield replace(statement, body=unrolled(statement.body))
        case k.For(local, over, body):
            body = unrolled(body)
            if (
                not isinstance(over, k.Const)
                or not 0 < over.value.bit_count() <= FEW
                or not straight(body, local)
            ):
                yield replace(statement, body=body)
                return
            if over.value.bit_count() * sum(size(expr) for expr in expressions(body)) > WRITTEN_OUT:
                yield replace(statement, body=body)
                return
            for element in range(over.value.bit_length()):
                if over.value >> element & 1:
                    value = build.integer(element)
                    yield from recoded(body, lambda expr, value=value: substituted(expr, local, value))  # type: ignore[misc]
            yield k.Assign(local, value)
        case _:
            yield statement


def unrolled(code: k.Code) -> k.Code:
    return tuple(part for each in reached(code) for part in laps(each))


def reached(code: k.Code) -> k.Code:
    """The code up to what leaves it for good."""
    for at, statement in enumerate(code, 1):
        if isinstance(statement, k.Return | k.Break | k.Continue):
            return code[:at]
    return code


def straight(code: k.Code, local: int) -> bool:
    """Whether code neither leaves the loop around it nor sets its local, not even in a Trial."""
    for statement in code:
        match statement:
            case k.Break() | k.Continue():
                return False
            case k.Assign() if statement.local == local:
                return False
            case k.When():
                if not straight(statement.then + statement.other, local):
                    return False
            case k.For() | k.Loop():
                return False
    return not any(tried(expr) for expr in expressions(code))
