"""The last steps to a program: the blocks that can be reached, numbered, and what each stop has to keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kemu_grammar.syntax.ast import NOWHERE

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import retargeted, targets
from kemu_engine.kernel.liveness import Reads, needed
from kemu_engine.lower.beginnings import Beginnings, Start
from kemu_engine.lower.statements.kill_dead_locals import forget
from kemu_engine.lower.statements.kill_dead_vars import emptied
from kemu_engine.static.problems import refuse
from kemu_engine.static.work import Work

ANALYSED = 16  # steps of a block in an analysis of all blocks


def finished(
    program: k.Program,
    blocks: list[k.Block | None],
    entry: int,
    examples: Sequence[tuple[k.Example, Start | None]],
    work: Work,
) -> k.Program:
    """The program with the blocks that can be reached, numbered in the order in which they are, and with its
    examples where they begin."""
    work.here = NOWHERE
    order: dict[int, int] = {}
    todo = [entry]
    while todo:
        number = todo.pop()
        if number in order:
            continue
        order[number] = len(order)
        block = blocks[number]
        assert block is not None, f"block {number} was never filled"
        todo += reversed(targets(block.exit))
    kept = sorted(order, key=lambda n: order[n])
    renumbered = tuple(replace(b, exit=retargeted(b.exit, order)) for n in kept if (b := blocks[n]))
    for p in program.properties:
        if p.blocks and not any(b in order for b in p.blocks):
            refuse(
                "E0745",
                program.origins[p.origin].span,
                f"in this instance play never comes where `{p.name}` looks",
            )
    properties = tuple(
        replace(p, blocks=tuple(order[b] for b in p.blocks if b in order)) for p in program.properties
    )
    made = replace(program, blocks=renumbered, entry=order[entry], properties=properties)
    work.spend(ANALYSED * len(made.blocks) * sum(isinstance(b.exit, k.Switch) for b in made.blocks))
    made = emptied(forget(made))
    alive = needed(made)
    live = tuple(
        replace(b, live=tuple(sorted(alive[i]))) if isinstance(b.exit, k.Decide | k.Chance) else b
        for i, b in enumerate(made.blocks)
    )
    made = replace(made, blocks=live)
    for claim in made.properties:
        _lives(claim, made)
    beginnings = Beginnings(made, work)
    begun = (
        beginnings.adjusted(e) if start is None else beginnings.begun(e, start, order)
        for e, start in examples
    )
    return replace(made, examples=tuple(begun))


def _lives(claim: k.Property, program: k.Program) -> None:
    """That the names of a claim about one stop are still known there."""
    span = program.origins[claim.origin].span
    read = Reads().all(claim.exprs)
    for block in claim.blocks:
        for local in sorted(read - frozenset(program.blocks[block].live)):
            name = program.locals[local].name.rpartition(".")[2]
            refuse(
                "E0746",
                span,
                f"`{name}` is forgotten at this stop: nothing that comes after it needs the name",
                "only what play still needs is part of a position; a state variable always is",
            )
