"""The validator knows what optimised programs may have beyond the kernel, and what they may not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.values import BrokenProgram
from kemu_engine.kernel.verify import problems
from kemu_engine.opt.nodes import Below, Cells, RowsTouching
from kemu_engine.opt.verify import Validator, broken

from tests.engine.build import YES, Builder, every, num, op, subset

SIX = k.Set(6)


def program(value: k.Expr, b: Builder | None = None) -> k.Program:
    """A program that keeps a set of six."""
    b = b or board()
    b.block([k.Store(1, value)], k.Goto(1))
    b.block([], k.End("tie"), name="end")
    return b.program(0, 2)


def board() -> Builder:
    b = Builder()
    b.var("owner", k.Int(-1, 1), (-1,) * 6)
    b.var("some", SIX, 0)
    b.var("result", k.Int(0, 9), (0, 0))
    b.table(1, 2, 4, 8, 16, 32)
    b.local("i", k.Int(0, 5))
    return b


GOOD: dict[str, k.Expr] = {
    "cells": Cells(SIX, (num(1),), 0),
    "rows": RowsTouching(SIX, (every(6),), 0),
    "a union": k.Fold(SIX, "union", 0, every(6), YES, subset(6, 1)),
    "sets of two sizes": op("inter", subset(6, 1), subset(9, 1, 8)),
}
BAD: dict[str, tuple[k.Expr, str]] = {
    "no such array": (Cells(SIX, (num(1),), 7), "there is no variable 7"),
    "an array without masks": (Cells(SIX, (num(1),), 1), "some has no masks"),
    "too few places": (Cells(k.Set(5), (num(1),), 0), "may be Set(size=6)"),
    "no such table": (RowsTouching(SIX, (every(6),), 7), "there is no table 7"),
    "a number for a set": (RowsTouching(SIX, (num(1),), 0), "a set is wanted"),
    "a set for a number": (Below(SIX, (every(6),)), "an integer is wanted"),
    "a union of numbers": (k.Fold(SIX, "union", 0, every(6), YES, num(1)), "a set is wanted"),
}


@pytest.mark.parametrize("name", GOOD)
def test_optimised_programs_may_have(name: str) -> None:
    assert broken(program(GOOD[name])) == []
    assert problems(program(GOOD[name])) != []  # but no others


@pytest.mark.parametrize("name", BAD)
def test_optimised_programs_may_not_have(name: str) -> None:
    value, said = BAD[name]
    assert said in "\n".join(broken(program(value)))


def test_a_pass_is_to_blame_for_what_was_not_wrong_before() -> None:
    wrong, right = program(subset(9, 8)), program(subset(6, 1))
    assert Validator(wrong).look(wrong) is wrong
    with pytest.raises(BrokenProgram):
        Validator(right).look(wrong)


def test_what_a_pass_leaves_alone_is_looked_at_again_where_something_else_is_declared() -> None:
    right = program(op("inter", subset(5, 1), k.Load(SIX, 1)))
    owner, some, result = right.vars
    smaller = replace(right, vars=(owner, replace(some, type=k.Set(5)), result))
    look = Validator(right).look
    assert look(right) is right
    with pytest.raises(BrokenProgram):
        look(smaller)
