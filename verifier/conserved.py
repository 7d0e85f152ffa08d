"""Claims that nothing is lost: long sums, whose parts are moved from place to place.

What the solver cannot add up over dozens of places cancels in a linear reading (symbolic/linear.py), before
the solver is asked: most steps then leave the claim as it was, word for word. Claims that look at the same
variables are proved together, by induction, resting on what is known already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine import kernel as k
from verifier.bench import Bench, method
from verifier.engines.copies import copies
from verifier.engines.induction import Houdini, proved_facts
from verifier.engines.knowledge import Fact
from verifier.engines.pool import Candidate
from verifier.questions import Question
from verifier.slices import WIDE, Sliced, components, is_claim, looks_at, width
from verifier.symbolic.deadline import Deadline
from verifier.symbolic.facts import Facts, nodes
from verifier.symbolic.linear import LinearTransitions
from verifier.symbolic.values import TooLarge

SHARE = 0.4  # of the time that all questions share


def conserved(bench: Bench, questions: Sequence[Question], found: Sliced) -> None:
    """Adds the claims about sums that are proved to what slices have found."""
    program, facts = bench.program, Facts(bench.program)
    wide = frozenset(at for at, var in enumerate(program.vars) if width(var) > WIDE)
    seen = {q.key: looks_at(program, facts, q, wide) for q in questions if is_claim(q)}
    wanted = [q for q in questions if q.key in seen and q.key not in found.proved and adds_up(program, q)]
    wanted = [q for q in wanted if seen[q.key].isdisjoint(wide)]
    deadline = Deadline(SHARE * bench.shared)
    for part in components(seen[q.key] for q in wanted):
        here = [q for q in questions if q.key in seen and seen[q.key] <= part]
        if not deadline.passed:
            try:
                _prove(bench, part, here, {q.key for q in wanted}, found, deadline)
            except TooLarge as error:
                bench.progress(str(error))


def adds_up(program: k.Program, question: Question) -> bool:
    """Whether a claim speaks of a sum, itself or through functions."""
    waiting: list[Any] = [*question.exprs]
    called: set[int] = set()
    while waiting:
        for node in nodes(waiting.pop()):
            if isinstance(node, k.Fold) and node.op == "sum":
                return True
            if isinstance(node, k.Call) and node.function not in called:
                called.add(node.function)
                waiting.append(program.functions[node.function].body)
    return False


def _prove(
    bench: Bench,
    seen: frozenset[int],
    questions: Iterable[Question],
    wanted: set[str],
    found: Sliced,
    deadline: Deadline,
) -> None:
    program = bench.program
    names = ", ".join(program.vars[at].name for at in sorted(seen) if not program.vars[at].local)
    bench.progress(f"reading the program for sums, looking at {names} only")
    hidden = frozenset(range(len(program.vars))) - seen
    transitions = LinearTransitions(program, hidden, copies(program, deadline))
    transitions.reader.deadline = deadline
    own = Bench(bench.game, bench.seconds, bench.progress)
    own.transitions = transitions
    claims = []
    for q in questions:
        assert q.goal is not None
        lits = {block: -lit for block, lit in q.goal(transitions).states.items()}
        if q.key in found.proved:
            own.knowledge.add(Fact(block, lit, q.key) for block, lit in lits.items())
        elif q.key in wanted:
            claims.append(Candidate(q.key, lits, True))
    edges = own.edges
    if transitions.unclosed:
        return
    bench.progress(f"induction for {len(claims)} claims about sums")
    before = ", under invariants proved before" if any(own.knowledge.facts.values()) else ""
    houdini = Houdini(own.knowledge, claims, deadline)
    for claim in (alive := houdini.run(edges)):
        by = method(houdini.support(claim)) + before
        found.proved[claim.words] = f"{by}, by what cancels, looking at {names} only"
    own.knowledge.add(proved_facts(alive))
    found.known[f"by what cancels, looking at {names} only"] = own.knowledge.told()
