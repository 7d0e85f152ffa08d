"""That play comes to no stop where nothing can be done, nor into a fault by looking what can be: where only
the way there says so, it is written as an invariant of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kemu_engine.kernel import build as b
from kemu_engine.kernel import nodes as k

from kemu_verifier.evidence.inductions import Base
from kemu_verifier.evidence.proof import Induction, Known
from kemu_verifier.symbolic.deadline import Deadline

QUERY = 5.0  # seconds for one stop


def arrivals(name: str, base: Base, uses: Sequence[str], until: Deadline) -> Induction | None:
    """The invariants at those stops at which what is known does not say so already; None if it does at
    all."""
    stops = _stops(base.program)
    known = tuple(Known(block, (expr,)) for block, expr in stops if not _follows(base, block, until))
    return Induction(name, (), tuple(uses), (), known) if known else None


def _stops(program: k.Program) -> Iterator[tuple[int, k.Expr]]:
    """The stops that cannot be passed by, each with the expression that something can be done there."""
    for number, block in enumerate(program.blocks):
        if isinstance(block.exit, k.Decide) and block.exit.other < 0:
            yield number, _some_action(block.exit)
        elif isinstance(block.exit, k.Chance):
            size = len(program.domains[block.exit.domain].texts)
            total = b.fold("sum", block.exit.local, b.full(size), b.TRUE, block.exit.weight)
            yield number, b.lt(b.integer(0), total)


def _some_action(decide: k.Decide) -> k.Expr:
    """That an action is legal, every one of them looked at, and the actor before."""
    total: k.Expr = b.integer(0)
    for arm in decide.arms:
        total = b.add(total, b.when(arm.guard, _count(arm, 0), b.integer(0)))
    low, _ = b.interval(decide.actor)
    return k.Op(
        k.BOOL, "and", (k.Op(k.BOOL, "le", (b.integer(low), decide.actor)), b.lt(b.integer(0), total))
    )


def _count(arm: k.Arm, at: int) -> k.Expr:
    """How many actions of an arm are legal, its first parameters given."""
    if at == len(arm.params):
        return b.when(arm.legal, b.integer(1), b.integer(0))
    param = arm.params[at]
    return b.fold("sum", param.local, param.over, param.where, _count(arm, at + 1))


def _follows(base: Base, block: int, until: Deadline) -> bool:
    """Whether what is known at the stop says that something can be done, and that to look does not fault."""
    transitions, knowledge = base.transitions, base.knowledge
    arrival = transitions.arrival(block)
    bad = transitions.terms.disj([-arrival.stands, *(lit for lit, _ in arrival.faults)])
    facts = [
        fact.lit for fact in knowledge.facts.get(block, ()) if fact.words in base.given or base.has(fact)
    ]
    lits = [*transitions.layout.typing, *facts, bad]
    return knowledge.ask(None, lits, until.part(QUERY))[0].status == "unsat"
