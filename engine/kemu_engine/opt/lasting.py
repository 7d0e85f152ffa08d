"""Which locals of loops are read outside their loops."""

from __future__ import annotations

from collections import Counter

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import Ids, expressions, statements, within
from kemu_engine.opt.inline import parts


def lasting(program: k.Program) -> Ids:
    """The locals of loops that are read elsewhere than in these loops too."""
    codes = [each.body for each in program.functions] + [each.code for each in program.blocks]
    codes += [part.body for part in parts(program) if isinstance(part, k.Trial)]
    read = Counter(part.id for part in parts(program) if isinstance(part, k.Local))
    bound: Counter[int] = Counter()
    for loop in (each for code in codes for each in statements(code) if isinstance(each, k.For)):
        inside = (part for expr in expressions(loop.body) for part in within(expr))
        bound[loop.local] += sum(isinstance(part, k.Local) and part.id == loop.local for part in inside)
    kept = {local for block in program.blocks for local in block.live}
    return frozenset(local for local in bound if read[local] != bound[local] or local in kept)
