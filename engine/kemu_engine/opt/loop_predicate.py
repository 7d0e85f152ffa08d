"""Loops over sets whose body is one `When`: its condition, said by masks, makes the set smaller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import Ids, assigned, within, written
from kemu_engine.opt.nodes import Mask
from kemu_engine.opt.set_algebra import bare

if TYPE_CHECKING:
    from kemu_engine.run.python.module import Module


def narrowed(module: Module, local: int, over: k.Expr, body: k.Code) -> tuple[k.Expr, k.Code]:
    """A loop whose body is one `When`: its condition, as far as it stays the same while the loop runs,
    narrows down the set."""
    if len(body) != 1 or not isinstance(body[0], k.When) or body[0].other:
        return over, body
    if local in module.lasting:
        return over, body
    when = body[0]
    vars, own = written(body), all(own_writes(body, local))
    tests = when.test.args if isinstance(when.test, k.Op) and when.test.op == "and" else (when.test,)
    changed = assigned(body)
    number = 0
    for test in tests:
        traits = module.traiter.of(test)
        steady = not traits.vars & vars or (own and own_reads(test, vars, local))
        if traits.locals & changed or not steady:
            break
        number += 1
    narrower, left = module.masker.select(local, over, build.both(*tests[:number]))
    rest = build.both(left, *tests[number:])
    then: k.Code = when.then if rest == build.truth(True) else (k.When(rest, when.then),)
    return narrower, then


def own_writes(code: k.Code, local: int) -> list[bool]:
    found: list[bool] = []
    for statement in code:
        match statement:
            case k.Put(_, index):
                found.append(isinstance(index, k.Local) and index.id == local)
            case k.Store() | k.Fill():
                found.append(False)
            case k.When():
                found += own_writes(statement.then + statement.other, local)
            case k.For() | k.Loop():
                found += own_writes(statement.body, local)
    return found


def own_reads(test: k.Expr, vars: Ids, local: int) -> bool:
    """Whether of these arrays a test reads no element but that of the local's number."""
    for part in within(test):
        if isinstance(part, k.Trial) or type(part) is k.Call:
            return False
        if isinstance(part, Mask) and part.kind == "cells" and part.function in vars:
            return False
        if isinstance(part, k.At) and part.var in vars and not bare(part.index, local):
            return False
    return True
