"""The last steps to a program: the blocks that can be reached, numbered, and what each stop has to keep."""

from __future__ import annotations

from dataclasses import replace

from engine import kernel as k
from engine.emptying import emptied
from engine.forget import forget
from engine.liveness import Reads, needed
from engine.problems import refuse


def numbered(program: k.Program, blocks: list[k.Block | None], entry: int) -> k.Program:
    """The program with the blocks that can be reached, numbered in the order in which they are."""
    order: dict[int, int] = {}
    todo = [entry]
    while todo:
        number = todo.pop()
        if number in order:
            continue
        order[number] = len(order)
        block = blocks[number]
        assert block is not None, f"block {number} was never filled"
        todo += reversed(_targets(block.exit))
    kept = sorted(order, key=lambda n: order[n])
    renumbered = tuple(_renumber(blocks[n], order) for n in kept)
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
    examples = tuple(replace(e, block=order.get(e.block, -1)) for e in program.examples)
    made = replace(program, blocks=renumbered, entry=order[entry], properties=properties, examples=examples)
    made = emptied(forget(made))
    alive = needed(made)
    live = tuple(
        replace(b, live=tuple(sorted(alive[i]))) if isinstance(b.exit, k.Decide | k.Chance) else b
        for i, b in enumerate(made.blocks)
    )
    made = replace(made, blocks=live)
    for claim in made.properties:
        _lives(claim, made)
    return made


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


def _targets(leave: k.Exit) -> list[int]:
    match leave:
        case k.Goto(block):
            return [block]
        case k.Split(_, then, other):
            return [then, other]
        case k.Switch(_, targets):
            return list(targets)
        case k.Decide(arms=arms, other=other):
            return [a.target for a in arms] + ([other] if other >= 0 else [])
        case k.Chance(target=target):
            return [target]
    return []


def _renumber(block: k.Block | None, order: dict[int, int]) -> k.Block:
    assert block is not None
    leave = block.exit
    match leave:
        case k.Goto(target):
            leave = k.Goto(order[target])
        case k.Split(test, then, other):
            leave = k.Split(test, order[then], order[other])
        case k.Switch(local, targets):
            leave = k.Switch(local, tuple(order[x] for x in targets))
        case k.Decide(arms=arms, other=other):
            made = tuple(replace(a, target=order[a.target]) for a in arms)
            leave = replace(leave, arms=made, other=order.get(other, -1))
        case k.Chance(target=target):
            leave = replace(leave, target=order[target])
    return replace(block, exit=leave)
