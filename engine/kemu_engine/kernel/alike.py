"""Which stops a player may take for one another: what he sees tells them apart only in part."""

from __future__ import annotations

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import onward, reached
from kemu_engine.kernel.information_flow import InformationFlow
from kemu_engine.kernel.sight import names, secret
from kemu_engine.kernel.walk import assigned, statements

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


def follows_all(program: k.Program, seer: int) -> bool:
    """Whether a player can tell all that is done: he sees all variables of the rules file, is told of all
    decisions, and of each outcome, or sees it in the variable that it goes into."""
    seen = all(mask >> seer & 1 for var in program.vars if not var.local for mask in var.seen or ())
    return seen and all(_followed(program, block.exit, seer) for block in program.blocks)


def _followed(program: k.Program, exit: k.Exit, seer: int) -> bool:
    if not isinstance(exit, k.Chance) or exit.told is None:
        return not isinstance(exit, k.Decide) or exit.told == "at once"
    if isinstance(exit.told, k.Const) and exit.told.value >> seer & 1:
        return True
    stretch = [
        program.blocks[at] for at in reached([exit.target], lambda at: onward(program.blocks[at].exit))
    ]
    writes = [each for block in stretch for each in statements(block.code) if isinstance(each, k.Writing)]
    if any(exit.local in assigned(block.code) for block in stretch):
        return False
    kept = [
        each.var
        for each in program.blocks[exit.target].code
        if isinstance(each, k.Store | k.Put) and _says(each.value, exit.local)
    ]
    return any(not program.vars[var].local and sum(w.var == var for w in writes) == 1 for var in kept)


def _says(value: k.Expr, local: int) -> bool:
    """Whether a value tells that of a local: it is the same, or a constant more."""
    if isinstance(value, k.Op) and value.op == "add" and isinstance(value.args[1], k.Const):
        value = value.args[0]
    return isinstance(value, k.Local) and value.id == local
