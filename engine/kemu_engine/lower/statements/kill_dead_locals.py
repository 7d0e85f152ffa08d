"""Equal positions are equal states: where several places call one rule that stops, each call forgets what
only the others need.
"""

from __future__ import annotations

from dataclasses import replace

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.liveness import needed
from kemu_engine.kernel.walk import assigned


def forget(program: k.Program) -> k.Program:
    """The program with locals zeroed at calls whose return does not need them but another return of the same
    rule does.
    """
    blocks = list(program.blocks)
    for number, block in enumerate(program.blocks):
        if isinstance(block.exit, k.Switch):
            _forget_at_calls(replace(program, blocks=tuple(blocks)), number, block.exit, blocks)
    return replace(program, blocks=tuple(blocks))


def _forget_at_calls(program: k.Program, leave: int, switch: k.Switch, blocks: list[k.Block]) -> None:
    alive = needed(program)
    closed = list(program.blocks)
    closed[leave] = replace(closed[leave], exit=k.Fail(0))
    inside = needed(replace(program, blocks=tuple(closed)))
    after = [alive[target] for target in switch.targets]
    for number, block in enumerate(program.blocks):
        site = site_of(block, switch.local)
        if site is None or not isinstance(block.exit, k.Goto):
            continue
        others = (
            frozenset[int]().union(*after) - after[site] - inside[block.exit.block] - assigned(block.code)
        )
        zeroed = tuple(k.Assign(local, zero(program.locals[local].type)) for local in sorted(others))
        blocks[number] = replace(block, code=(*block.code, *zeroed))


def site_of(block: k.Block, selector: int) -> int | None:
    """Which return a block's call asks for."""
    for statement in block.code:
        if isinstance(statement, k.Assign) and statement.local == selector:
            assert isinstance(statement.value, k.Const)
            return int(statement.value.value)
    return None


def zero(kind: k.Type) -> k.Const:
    """The value of a local that holds nothing."""
    value = max(kind.low, min(0, kind.high)) if isinstance(kind, k.Int) else 0
    return k.Const(kind, bool(value) if isinstance(kind, k.Bool) else value)
