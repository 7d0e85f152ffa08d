"""The last steps to a program: the blocks that can be reached, numbered, and what each stop has to keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kemu_grammar.syntax.ast import NOWHERE

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import retargeted, targets
from kemu_engine.kernel.information_flow import marked
from kemu_engine.kernel.liveness import Reads, needed
from kemu_engine.lower.beginnings import Beginnings, Start
from kemu_engine.lower.statements.kill_dead_locals import forget
from kemu_engine.lower.statements.kill_dead_vars import emptied, needed_vars, read_vars
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
        if p.blocks and not any(b in order for b in claimed_at(p)):
            refuse(
                "E0745",
                program.origins[p.origin].span,
                f"in this instance play never comes where `{p.name}` looks",
            )
    properties = tuple(
        replace(p, blocks=tuple(order[b] for b in p.blocks if b in order)) for p in program.properties
    )
    views = tuple(_viewed(view, order) for view in program.views)
    made = replace(program, blocks=renumbered, entry=order[entry], properties=properties, views=views)
    work.spend(ANALYSED * len(made.blocks) * sum(isinstance(b.exit, k.Switch) for b in made.blocks))
    made = emptied(forget(made))
    alive = needed(made)
    live = tuple(
        replace(b, live=tuple(sorted(alive[i]))) if isinstance(b.exit, k.Decide | k.Chance) else b
        for i, b in enumerate(made.blocks)
    )
    made = marked(replace(made, blocks=live))
    known = _Known(made)
    for claim in made.properties:
        known.asked(claim.exprs, claimed_at(claim), claim.origin)
    for line in (line for view in made.views for line in view.lines if line.block >= 0):
        read = [part[0] for part in line.parts if not isinstance(part, str)]
        known.asked((line.when, *read), (line.block,), line.origin)
    beginnings = Beginnings(made, work)
    begun = (
        beginnings.adjusted(e) if start is None else beginnings.begun(e, start, order)
        for e, start in examples
    )
    return replace(made, examples=tuple(begun))


def _viewed(view: k.View, order: Mapping[int, int]) -> k.View:
    """The view with its lines at the stops that there are."""
    here = {-1: -1, **order}
    return replace(view, lines=tuple(replace(x, block=here[x.block]) for x in view.lines if x.block in here))


def claimed_at(claim: k.Property) -> tuple[int, ...]:
    """The stops of which something is claimed."""
    return claim.blocks[:1] if claim.form == "initially" else claim.blocks


class _Known:
    """What is known of rules at a stop: the names that what comes after it still needs."""

    def __init__(self, program: k.Program) -> None:
        self.program = program
        self.reads = Reads()
        self.vars = needed_vars(program)

    def asked(self, exprs: Sequence[k.Expr], blocks: Sequence[int], origin: int) -> None:
        """Refuses what asks, at one of these stops, for a name that is forgotten there."""
        locals_, vars_ = self.program.locals, self.program.vars
        held = {var for var in read_vars(tuple(exprs)) if vars_[var].local}
        for block in blocks:
            lost = self.reads.all(exprs) - frozenset(self.program.blocks[block].live)
            names = [locals_[local].name for local in sorted(lost)]
            names += [vars_[var].name for var in sorted(held - self.vars[block])]
            for name in names:
                refuse(
                    "E0746",
                    self.program.origins[origin].span,
                    f"`{name.rpartition('.')[2]}` is forgotten at this stop: nothing that comes after it"
                    " needs the name",
                    "only what play still needs is part of a position; a state variable always is",
                )
