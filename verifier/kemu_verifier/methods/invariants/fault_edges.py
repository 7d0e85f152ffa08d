"""Faults as places where play ends up: that none is met is a claim that is false there, and induction asks
about it as about any other.
"""

from __future__ import annotations

from dataclasses import dataclass

from kemu_verifier.goal.goal import Goal
from kemu_verifier.methods.invariants.invariants import Knowledge
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.symbolic.layout import Binding
from kemu_verifier.symbolic.terms import FALSE
from kemu_verifier.symbolic.transition import Edge

NOWHERE = -2  # the first of the numbers that no stop has


@dataclass(frozen=True, slots=True)
class Unmet:
    """That no step meets some faults: the claim, false where the `edges` lead that meet one."""

    claim: Candidate
    edges: tuple[Edge, ...]


def unmet(knowledge: Knowledge, goal: Goal, number: int) -> Unmet | None:
    """The claim that the goal, which is about faults, is reached by no step; none if it may be on the way to
    the first stop. `number`: of another such claim no two may have the same."""
    transitions, place, edges = knowledge.transitions, NOWHERE - number, list[Edge]()
    for block, lit in goal.steps.items():
        if lit == FALSE:
            continue
        if block < 0:
            return None
        step = transitions.step(block)
        for arm in sorted({option.arm for option in step.options}):
            mine = [lit for option, lit in zip(step.options, step.chosen, strict=True) if option.arm == arm]
            live = transitions.terms.both(lit, transitions.terms.disj(mine))
            if live != FALSE:
                edges.append(Edge(block, arm, place, transitions.env(block).copy(live), Binding()))
    return Unmet(Candidate(goal.name, {place: FALSE}, True, 1), tuple(edges))
