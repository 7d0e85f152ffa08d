"""Claims that nothing is lost: long sums, whose parts are moved from place to place.

What the solver cannot add up over dozens of places cancels in a linear reading (symbolic/linear.py), before
the solver is asked: most steps then leave the claim as it was, word for word. Claims that look at the same
variables are proved together, by induction, resting on what is known already.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kemu_verifier.goal.questions import Question
from kemu_verifier.methods.invariants.equal_locals import Copies, copies
from kemu_verifier.methods.invariants.k_induction import Houdini, proved_facts
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.learning import method
from kemu_verifier.strategy.localization import Localized, Shown, named, posed
from kemu_verifier.strategy.variable_clusters import adds_up, components, is_claim, looks_at, wide
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.facts import Facts
from kemu_verifier.symbolic.linear import LinearTransitions
from kemu_verifier.symbolic.values import TooLarge


def conserved(
    context: ProofContext,
    questions: Sequence[Question],
    found: Localized,
    deadline: Deadline,
    broken: Collection[str] = (),
) -> None:
    """Adds the claims about sums that are proved to what was found. `broken`: claims that do not hold."""
    questions = [question for question in questions if question.key not in broken]
    program, facts = context.program, Facts(context.program)
    hidden = wide(program)
    seen = {q.key: looks_at(program, facts, q, hidden) for q in questions if is_claim(q)}
    sums = {
        q.key for q in questions if q.key in seen and seen[q.key].isdisjoint(hidden) and adds_up(program, q)
    }
    try:
        same = copies(program, deadline.part(strategy.COPIES)) if sums - found.proved.keys() else {}
    except TooLarge:
        same = {}
    for part in components(seen[key] for key in sums - found.proved.keys()):
        here = [q for q in questions if q.key in seen and seen[q.key] <= part]
        here = [q for q in here if q.key in sums or q.key in found.proved]
        if not deadline.passed:
            try:
                _prove(context, part, here, found, same, deadline)
            except TooLarge as error:
                context.progress(str(error))


def _prove(
    context: ProofContext,
    seen: frozenset[int],
    questions: Sequence[Question],
    found: Localized,
    same: Copies,
    deadline: Deadline,
) -> None:
    words = f"by what cancels, {named(context.program, seen)}"
    context.progress(f"reading the program, {words}")
    own = ProofContext(context.game, context.seconds, context.progress)
    hidden = frozenset(range(len(context.program.vars))) - seen
    own.transitions = transitions = LinearTransitions(context.program, hidden, same)
    transitions.reader.deadline = deadline
    claims, known = posed(own, questions, found)
    own.knowledge.add(proved_facts(known))
    edges = own.edges
    if transitions.unclosed:
        return
    context.progress(f"induction for {len(claims)} claims about sums")
    before = ", under invariants proved before" if any(own.knowledge.facts.values()) else ""
    houdini = Houdini(own.knowledge, claims, deadline)
    houdini.patience = min(houdini.patience, strategy.PATIENCE)
    alive = houdini.run(edges)
    own.knowledge.add(proved_facts(alive))
    for claim in alive:
        found.proved[claim.words] = f"{method(houdini.support(claim))}{before}, {words}"
    found.known[words] = own.knowledge.told()
    if found.kept is not None and alive:
        mine = {claim.words for claim in alive}
        proved = {q.key: q for q in questions if q.key in mine}
        given = {q.key: q for q in questions if q.key in found.proved and q.key not in mine}
        found.kept.append(Shown(own, seen, words, given, proved, frozenset(), same))
