"""Which stops a player may take for one another: what he sees tells them apart only in part."""

from __future__ import annotations

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.information_flow import InformationFlow
from kemu_engine.kernel.sight import names, secret

Alike = tuple[tuple[int, ...], ...]
"""Of each block the blocks, itself among them, that it may be taken for."""


def alike(program: k.Program) -> Alike:
    """Of each block the stops that somebody who does not see everything may take it for: all that look like
    it, if a secret may have decided that play comes there, or a secret comes out otherwise; else itself."""
    alone = tuple((at,) for at in range(len(program.blocks)))
    if not secret(program):
        return alone
    flow = InformationFlow(program)
    found: dict[object, list[int]] = {}
    for at, block in enumerate(program.blocks):
        if isinstance(block.exit, k.Decide | k.Chance | k.End):
            found.setdefault(_look(block.exit), []).append(at)
    unsure = [at for look in found.values() for at in look if flow.leaks or at in flow.blocks]
    return tuple(
        tuple(found[_look(block.exit)]) if at in unsure else alone[at]
        for at, block in enumerate(program.blocks)
    )


def _look(exit: k.Exit) -> object:
    """What everybody sees of a stop, but for who decides."""
    if isinstance(exit, k.Decide):
        return "decision", names(exit)
    return ("chance", exit.label) if isinstance(exit, k.Chance) else "end"
