"""Claims that nothing is lost: long sums, whose parts are moved from place to place.

What the solver cannot add up over dozens of places cancels in a linear reading (symbolic/linear.py), before
the solver is asked: most steps then leave the claim as it was, word for word. Claims that look at the same
variables are proved together, by induction, resting on what is known already. If that is to be written down,
it is shown once more where long loops are cut (symbolic/laps.py): each lap is a step then, before which the
claims hold, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import product

from kemu_engine.kernel import nodes as k
from kemu_engine.play.game import Game
from kemu_engine.support.time_limit import postponed

from kemu_verifier.goal.goal import reading
from kemu_verifier.goal.questions import Question, claimed
from kemu_verifier.methods.invariants.equal_locals import Copies, copies
from kemu_verifier.methods.invariants.k_induction import Houdini, proved_facts
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.learning import method
from kemu_verifier.strategy.localization import Localized, Shown, named, posed
from kemu_verifier.strategy.variable_clusters import adds_up, components, is_claim, looks_at, wide
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.facts import Facts
from kemu_verifier.symbolic.havoc import free
from kemu_verifier.symbolic.laps import Cut, cut
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
    _among(context, [q for q in questions if q.key not in broken], found, deadline, None)


def lap_by_lap(
    context: ProofContext, questions: Sequence[Question], shown: Shown, deadline: Deadline
) -> list[Shown]:
    """Shows once more, where long loops are cut, what was shown by what cancels: that is easier to check.
    The part as it was, if it does not come out so, or there is no such loop."""
    made = cut(context.program, opened_only=True)
    if made is None or not isinstance(shown.context.transitions, LinearTransitions):
        return [shown]
    again = Localized(dict.fromkeys(shown.given, ""), kept=[])
    _among(
        context,
        [q for q in questions if q.key in shown.proved or q.key in shown.given],
        again,
        deadline,
        made,
    )
    assert again.kept is not None
    return again.kept if shown.proved.keys() <= again.proved.keys() else [shown]


def _among(
    context: ProofContext,
    questions: Sequence[Question],
    found: Localized,
    deadline: Deadline,
    loops: Cut | None,
) -> None:
    """The claims about sums among these, part by part; `loops`: that are cut."""
    program, facts = context.program, Facts(context.program)
    hidden = wide(program)
    seen = {q.key: looks_at(program, facts, q, hidden) for q in questions if is_claim(q)}
    sums = {
        q.key for q in questions if q.key in seen and seen[q.key].isdisjoint(hidden) and adds_up(program, q)
    }
    left = sums - found.proved.keys()
    same = _copies(program if loops is None else loops.program, deadline) if left else {}
    for part in components(seen[key] for key in left):
        here = [q for q in questions if q.key in seen and seen[q.key] <= part]
        here = [q for q in here if q.key in sums or q.key in found.proved]
        if not deadline.passed:
            try:
                _prove(context, part, here, found, same, deadline, loops)
            except TooLarge as error:
                context.progress(str(error))


def _copies(program: k.Program, deadline: Deadline) -> Copies:
    try:
        return copies(program, deadline.part(strategy.COPIES))
    except TooLarge:
        return {}


def _prove(
    context: ProofContext,
    seen: frozenset[int],
    questions: Sequence[Question],
    found: Localized,
    same: Copies,
    deadline: Deadline,
    loops: Cut | None,
) -> None:
    words = f"by what cancels, {named(context.program, seen)}"
    context.progress(f"reading the program, {words}{'' if loops is None else ', its loops cut'}")
    game = context.game if loops is None else Game(loops.program)
    own = ProofContext(game, context.seconds, context.progress)
    hidden = frozenset(range(len(context.program.vars))) - seen
    own.transitions = transitions = LinearTransitions(
        own.program, hidden, same, {} if loops is None else loops.elements
    )
    transitions.reader.deadline = deadline
    claims, known = posed(own, questions, found)
    own.knowledge.add(proved_facts(known))
    edges = own.edges
    if transitions.unclosed:
        return
    context.progress(f"induction for {len(claims)} claims about sums")
    before = ", under invariants proved before" if any(own.knowledge.facts.values()) else ""
    at_heads = [] if loops is None else list(_at_heads(transitions, questions, loops))
    houdini = Houdini(own.knowledge, [*claims, *at_heads], deadline)
    houdini.patience = min(houdini.patience, strategy.PATIENCE)
    kept = houdini.run(edges)
    own.knowledge.add(proved_facts(kept))
    alive = {claim.words: claim for claim in kept if claim not in at_heads}
    with postponed():  # what is proved and on what it rests
        if found.kept is not None and alive:
            proved = {q.key: q for q in questions if q.key in alive}
            given = {q.key: q for q in questions if q.key in found.proved and q.key not in alive}
            found.kept.append(Shown(own, seen, words, given, proved, frozenset(), same, loops))
        for key, claim in alive.items():
            found.proved[key] = f"{method(houdini.support(claim))}{before}, {words}"
        found.known[words] = own.knowledge.told()


def _at_heads(
    transitions: LinearTransitions, questions: Sequence[Question], loops: Cut
) -> Iterator[Candidate]:
    """The claims where laps begin, each once, if they can be said there."""
    asked: dict[tuple[k.Expr, int], str] = {}
    for question, head in product(questions, sorted(loops.heads)):
        said = claimed(transitions.program, question)
        if said is not None and free(said) <= set(transitions.program.blocks[head].live):
            asked.setdefault((said, head), question.key)
    for (said, head), key in asked.items():
        yield Candidate(key, {head: transitions.terms.both(*reading(transitions, said, head))}, True, 0)
