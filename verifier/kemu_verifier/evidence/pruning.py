"""What of the known is needed: guesses that held, but on which nothing rests, are not written down."""

from __future__ import annotations

from collections.abc import Collection

from kemu_verifier.evidence.inductions import Base
from kemu_verifier.methods.invariants.invariants import Knowledge
from kemu_verifier.methods.invariants.k_induction import Houdini
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.terms import Lit

FEW = 64  # facts that are rather all checked than made fewer

Needed = set[tuple[int, Lit]]
"""Stops and what holds there."""


def needed(base: Base, claims: Collection[str], answered: Collection[str], deadline: Deadline) -> Needed:
    """The facts that make up the claims that are `answered`, those that other answers rested on, and all
    those that these rest on: by induction once more, all facts together. If it does not come out in time,
    all facts."""
    facts = [fact for each in base.knowledge.facts.values() for fact in each if base.own(fact)]
    mine = {Candidate(fact.words, {fact.block: fact.lit}, fact.words in claims): fact for fact in facts}
    every = {(fact.block, fact.lit) for fact in facts}
    rested = base.knowledge.rested
    wanted = [
        candidate
        for candidate, fact in mine.items()
        if fact.words in answered or fact.lit in rested.get(fact.block, ())
    ]
    if len(wanted) == len(mine) or len(mine) <= FEW:
        return every
    anew = Knowledge(base.transitions)
    anew.add(fact for each in base.knowledge.facts.values() for fact in each if fact.words in base.given)
    houdini = Houdini(anew, list(mine), deadline)
    if len(houdini.run(base.edges)) < len(mine):
        return every
    return {(mine[one].block, mine[one].lit) for one in (*wanted, *houdini.used(wanted))}
