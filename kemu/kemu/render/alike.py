"""Whether the lines of the rules may be shown that stand behind a stop: they tell which stop it is."""

from __future__ import annotations

from kemu_engine.interp.machine import Machine
from kemu_engine.kernel import nodes as k


def one_rule(machine: Machine, block: int) -> bool:
    """Whether the same lines of the rules stand behind all stops that somebody may take this one for."""
    exits = (machine.program.blocks[at].exit for at in machine.alike[block])
    return len({_places(machine.program, exit) for exit in exits}) == 1


def _places(program: k.Program, exit: k.Exit) -> tuple[object, ...]:
    """Where a stop stands in the rules, with what it offers and asks."""
    if isinstance(exit, k.Decide):
        return tuple(
            (
                arm.name,
                _place(program, arm.origin),
                *(_place(program, each.origin) for each in arm.conditions),
            )
            for arm in exit.arms
        )
    return (_place(program, exit.origin),) if isinstance(exit, k.Chance | k.End) else ()


def _place(program: k.Program, origin: int) -> object:
    return program.origins[origin].span if origin >= 0 else None
