"""Equal positions are equal states: lists, bags and maps of rules are empty where nobody needs them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.dataflow import backward, forward
from kemu_engine.kernel.snapshots import Snapshots
from kemu_engine.kernel.walk import NONE, asked, nodes, written

Vars = frozenset[int]


def emptied(program: k.Program) -> k.Program:
    """The program with its local variables (Var.local) at their initial values wherever they are dead."""
    local = frozenset(i for i, var in enumerate(program.vars) if var.local)
    if not local:
        return program
    alive = needed_vars(program)
    filled = _filled(program, [written(b.code) & local for b in program.blocks])
    locals_ = list(program.locals)
    blocks = list(program.blocks)
    for number, block in enumerate(program.blocks):
        if not isinstance(block.exit, k.Goto):
            continue
        stop = program.blocks[block.exit.block]
        if isinstance(stop.exit, k.Decide | k.Chance | k.End):
            dead = sorted((filled[number] | written(block.code) & local) - alive[block.exit.block])
            code = tuple(_reset(program, var, locals_) for var in dead if program.vars[var].length != 0)
            blocks[number] = replace(block, code=(*block.code, *code))
    return replace(program, blocks=tuple(blocks), locals=tuple(locals_))


def _reset(program: k.Program, number: int, locals_: list[k.LocalInfo]) -> k.Stmt:
    length = program.vars[number].length
    if length is not None:
        locals_.append(k.LocalInfo("at", k.Int(0, length - 1)))
    return reset(program, number, len(locals_) - 1)


def reset(program: k.Program, number: int, binder: int) -> k.Stmt:
    """What empties a variable."""
    var = program.vars[number]
    if isinstance(var.initial, tuple):
        return k.Fill(number, binder, k.Const(var.type, var.initial[0]))
    if isinstance(var.initial, Snapshots):
        return k.Forget(number)
    return k.Store(number, k.Const(var.type, var.initial))


def _flow(block: k.Block, program: k.Program, local: Vars) -> tuple[Vars, Vars]:
    """What a block may read before giving it a whole new value, and what it gives one."""
    read: set[int] = set()
    whole: set[int] = set()
    puts: dict[int, set[int]] = {}
    for statement in block.code:
        read |= set(read_vars((statement,))) - whole
        match statement:
            case k.Store(var=var) | k.Fill(var=var):
                whole.add(var)
            case k.Put(var=var, index=k.Const(value=at)):
                puts.setdefault(var, set()).add(at)
                if len(puts[var]) == program.vars[var].length:
                    whole.add(var)
    read |= set(read_vars(tuple(asked(block.exit)))) - whole
    return frozenset(read) & local, frozenset(whole - read) & local


def needed_vars(program: k.Program) -> list[Vars]:
    """For every block the local variables whose values on entry may still be read."""
    local = frozenset(i for i, var in enumerate(program.vars) if var.local)
    flows = [_flow(block, program, local) for block in program.blocks]
    return backward(
        program, lambda number, onward: flows[number][0] | onward - flows[number][1], lambda edge: NONE
    )


def _filled(program: k.Program, by_block: list[Vars]) -> list[Vars]:
    """For every block the local variables that may hold something on entry."""
    return forward(program, lambda number, entry: entry | by_block[number], lambda edge: NONE)


def read_vars(root: k.Code | tuple[k.Expr, ...]) -> Iterator[int]:
    """The state variables that code reads."""
    return (node.var for node in nodes(root) if isinstance(node, k.Load | k.At))
