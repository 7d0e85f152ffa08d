"""Loop-carried dependences: whether the laps of a loop have to do with no element but their own."""

from __future__ import annotations

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import Ids, within
from kemu_engine.opt.nodes import Cells
from kemu_engine.opt.set_algebra import bare


def own_writes(code: k.Code, local: int) -> list[bool]:
    """Of each write in the code, whether it is to the element of an array of the local's number."""
    found: list[bool] = []
    for statement in code:
        match statement:
            case k.Put(_, index):
                found.append(isinstance(index, k.Local) and index.id == local)
            case k.Store() | k.Fill() | k.Note() | k.Forget():
                found.append(False)
            case k.When():
                found += own_writes(statement.then + statement.other, local)
            case k.For() | k.Loop():
                found += own_writes(statement.body, local)
    return found


def own_reads(test: k.Expr, vars: Ids, local: int) -> bool:
    """Whether of these arrays a test reads no element but that of the local's number."""
    for part in within(test):
        if isinstance(part, k.Trial | k.Call | k.Times):
            return False
        if isinstance(part, Cells) and part.var in vars:
            return False
        if isinstance(part, k.At) and part.var in vars and not bare(part.index, local):
            return False
    return True
