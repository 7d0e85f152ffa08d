"""Claims that each action keeps by itself: how many there are of a kind, what stands where, what an action
requires of the position that it leaves.

They are proved by induction on a coarse reading (symbolic/coarse.py), which grows with what actions change,
in games too large to be read as a whole. A measure of the author's is tried on it, too; and whether something
can always be done, and who wins, are asked there where the rules say it plainly.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kemu_engine.kernel import nodes as k
from kemu_engine.support.time_limit import postponed

from kemu_verifier.goal.goal import stops
from kemu_verifier.goal.questions import Question
from kemu_verifier.methods.invariants.case_split import ByCases
from kemu_verifier.methods.invariants.k_induction import Houdini, Proofs, proved_facts
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.methods.termination.measures import Measure, StepSamples
from kemu_verifier.methods.termination.ranking import Ranker
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.learning import method
from kemu_verifier.strategy.localization import Localized, Shown, posed
from kemu_verifier.strategy.variable_clusters import is_claim
from kemu_verifier.symbolic.coarse import CoarseTransitions
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.facts import Facts
from kemu_verifier.symbolic.havoc import faults, histories, tries
from kemu_verifier.symbolic.terms import FALSE, TRUE
from kemu_verifier.symbolic.values import TooLarge

WORDS = "each action by itself"


def kept_by_actions(
    context: ProofContext,
    questions: Sequence[Question],
    found: Localized,
    deadline: Deadline,
    broken: Collection[str] = (),
) -> None:
    """Adds what is proved to what was found. `broken`: claims that do not hold."""
    own = _read(context, deadline)
    if own.transitions.unclosed:
        return
    _never_stuck(own, found)
    asked = [q for q in questions if (is_claim(q) or _of_ends(q)) and q.key not in broken]
    claims = [q for q in asked if _readable(own, q)]
    endings = [q for q in questions if q.kind == "terminates" and q.exprs and q.expected in (None, "proved")]
    if claims:
        _induct(own, claims, found, deadline)
    if endings and not found.ending:
        _rank(own, endings[0], claims, found, deadline)


def _read(context: ProofContext, deadline: Deadline) -> ProofContext:
    """The reading, with its edges: if it is too large with what closures work out, that is unknown."""
    facts, blocks = Facts(context.program), context.program.blocks
    flows = any(facts.flows(block) for block in blocks)
    for opaque in (False, True) if flows else (False,):
        context.progress(f"reading the program, {WORDS}")
        own = ProofContext(context.game, context.seconds, context.progress)
        own.transitions = transitions = CoarseTransitions(context.program)
        own.plays = context.plays
        transitions.reader.hiding.opaque = opaque
        more = flows and not opaque
        transitions.reader.deadline = deadline.part(deadline.left * strategy.FLOWING) if more else deadline
        try:
            own.edges  # noqa: B018
        except TooLarge:
            if not more:
                raise
        else:
            break
    transitions.reader.deadline = deadline
    return own


def _of_ends(question: Question) -> bool:
    """Whether it is asked of every game, about the states in which it ends."""
    hoped = question.expected in (None, "proved", "any")
    return question.standard and question.kind == "reach" and question.form == "at_end" and hoped


def _never_stuck(own: ProofContext, found: Localized) -> None:
    """Excludes that nothing can be done at a stop, where something plainly always can. (What is tried out in
    the rules meets no such fault: it stops nowhere.)"""
    program, transitions = own.program, own.transitions
    steps = [transitions.begin(), *map(transitions.step, own.moving)]
    met = {fault for step in steps for lit, fault in step.faults if lit != FALSE}
    stuck = {at for at, fault in enumerate(program.faults) if fault.code == "stuck"}
    new = frozenset(stuck - met - found.faultless)
    if new:
        with postponed():
            found.faultless |= new
            if found.kept is not None:
                found.kept.append(Shown(own, _all(program), WORDS, {}, {}, new))


def _readable(own: ProofContext, question: Question) -> bool:
    """Whether what is claimed can be read: it is not too large, and has nothing of which this reading does
    not see the faults: it tries nothing out, and works out no closure if these are not read.
    """
    if any(tries(own.game.program, expr) for expr in question.exprs):
        return False
    if own.transitions.reader.hiding.opaque and any(map(Facts(own.program).flows, question.exprs)):
        return False
    try:
        assert question.goal is not None
        question.goal(own.transitions)
    except TooLarge:
        return False
    missed = own.transitions.reader.unknowns.missed
    return not any(missed & faults(own.program, expr) for expr in question.exprs)


def _induct(own: ProofContext, questions: Sequence[Question], found: Localized, deadline: Deadline) -> None:
    """First what is easy, then with more patience, and case by case, the rest, which may need that."""
    given = {q.key: q for q in questions if q.key in found.proved}
    left, known = posed(own, questions, found)
    own.knowledge.add(proved_facts(known))
    try:
        _patiently(own, left, found, deadline)
    finally:
        with postponed():  # what was shown needs what it was shown on
            proved = {q.key: q for q in questions if q.key in found.proved and q.key not in given}
            if proved:
                found.known[WORDS] = own.knowledge.told()
                if found.kept is not None:
                    found.kept.append(Shown(own, _all(own.program), WORDS, given, proved, frozenset()))


def _patiently(own: ProofContext, left: list[Candidate], found: Localized, deadline: Deadline) -> None:
    proofs = Proofs()
    for patience in strategy.PATIENT:
        if not left or deadline.passed:
            break
        own.progress(f"induction for {len(left)} claims, {WORDS}")
        before = ", under invariants proved before" if own.knowledge.size else ""
        part = strategy.MOST if patience == strategy.PATIENT[0] else strategy.PART
        until = deadline.part(deadline.left * part)
        houdini = Houdini(own.knowledge, left, until, proofs)
        if patience > strategy.PATIENT[0]:
            houdini = ByCases(own.knowledge, left, until, proofs, own.progress)
        houdini.patience = min(houdini.patience, patience)
        alive = houdini.run(own.edges)
        own.knowledge.add(proved_facts(alive))
        for claim in alive:
            found.proved[claim.words] = f"{method(houdini.support(claim))}{before}, {WORDS}"
        proofs.settled.update(alive)
        left = [claim for claim in left if claim not in alive]


def _rank(
    own: ProofContext,
    question: Question,
    claims: Sequence[Question],
    found: Localized,
    deadline: Deadline,
) -> None:
    """Whether the author's measure falls in each action. What is unknown is no number to go by: after a step
    it is another one."""
    own.progress(f"the measure of `{question.name}`, {WORDS}")
    reader = own.transitions.reader
    measures = []
    for number, expr in enumerate(question.exprs, 1):
        at = {
            block: reader.numbers.lin(reader.number(expr, own.transitions.env(block), TRUE))
            for block in stops(own.program, k.Decide, k.Chance, k.End)
        }
        if any(reader.unknowns.of(term for _, term in value.terms) for value in at.values()):
            return
        part = f", component {number}" if len(question.exprs) > 1 else ""
        measures.append(Measure(f"of the author{part}", at, expr=expr))
    ranker = Ranker(own.knowledge, StepSamples(own.transitions, own.plays), deadline)
    ranking = ranker.rank(own.edges, measures)
    if ranking.proved:
        words = ", then ".join(measure.words for measure in ranking.measures)
        proved = {q.key: q for q in claims if q.key in found.proved}
        shown = Shown(own, _all(own.program), WORDS, proved, {}, frozenset())
        with postponed():
            found.ending = f"ranking function {words or 'not needed'}, {WORDS}"
            found.ranking = ranking, shown
            if found.kept is not None:
                found.kept.append(shown)


def _all(program: k.Program) -> frozenset[int]:
    return frozenset(range(len(program.vars))) - histories(program)
