"""Locals that hold the same: what a rule is given is often what its caller was given.

Shown by induction on a reading in which the whole state is hidden, so that it takes little even in games too
large to be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from kemu_engine.kernel import nodes as k

from kemu_verifier.goal.goal import stops
from kemu_verifier.methods.invariants.invariants import Knowledge
from kemu_verifier.methods.invariants.k_induction import Houdini
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.transition import Transitions

Copies = Mapping[int, Mapping[int, int]]
"""By stop, for each local that stands for an element the first that always holds the same, itself perhaps."""


def copies(program: k.Program, deadline: Deadline) -> Copies:
    """Those that are found in time. Raises TooLarge."""
    transitions = Transitions(program, hidden=frozenset(range(len(program.vars))))
    transitions.reader.deadline = deadline
    knowledge = Knowledge(transitions)
    moving = stops(program, k.Decide, k.Chance)
    edges = knowledge.edges(moving)
    if transitions.unclosed:
        return {}
    pairs: dict[Candidate, tuple[int, int, int]] = {}
    first: dict[int, dict[int, int]] = {}
    for block in moving:
        locals = [at for at in program.blocks[block].live if stands_for_an_element(program.locals[at])]
        first[block] = {at: at for at in locals}
        for one, other in combinations(locals, 2):
            if program.locals[one].type == program.locals[other].type:
                same = transitions.reader.numbers.equal(
                    transitions.layout.local(one), transitions.layout.local(other)
                )
                pairs[Candidate(f"{one} is {other}", {block: same})] = block, one, other
    for same_ in Houdini(knowledge, list(pairs), deadline).run(edges):
        block, one, other = pairs[same_]
        first[block][other] = min(first[block][other], one)
    return first


def stands_for_an_element(local: k.LocalInfo) -> bool:
    """Whether its values are elements of a domain, not numbers."""
    return isinstance(local.type, k.Int) and bool(local.texts)
