"""Which locals of loops are read outside their loops."""

from __future__ import annotations

from collections import Counter

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import Ids, codes, expressions, parts, statements, within


def loop_live_out(program: k.Program) -> Ids:
    """The locals of loops that are read elsewhere than in these loops too."""
    read: Counter[int] = Counter()
    bodies = [*codes(program)]
    for part in parts(program):
        if isinstance(part, k.Local):
            read[part.id] += 1
        elif isinstance(part, k.Trial):
            bodies.append(part.body)
    bound: Counter[int] = Counter()
    for loop in (each for code in bodies for each in statements(code) if isinstance(each, k.For)):
        inside = (part for expr in expressions(loop.body) for part in within(expr))
        bound[loop.local] += sum(isinstance(part, k.Local) and part.id == loop.local for part in inside)
    kept = {local for block in program.blocks for local in block.live}
    return frozenset(local for local in bound if read[local] != bound[local] or local in kept)
