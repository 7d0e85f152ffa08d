"""Claims that loops keep: a loop without a stop is cut (symbolic/laps.py), so that each lap is a step.

That the seeds in the hand and in the pits are all there are is kept by each seed that is sown; how many are
sown does not matter then, nor is the loop unrolled.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from kemu_engine.play.game import Game

from kemu_verifier.goal.questions import Question
from kemu_verifier.methods.termination.measures import StepSamples, numbers
from kemu_verifier.methods.termination.ranking import Ranker, Ranking
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.localization import Lapped, Localized, Shown, Slice
from kemu_verifier.strategy.variable_clusters import Group, about, is_claim, wide
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.facts import Facts
from kemu_verifier.symbolic.laps import cut
from kemu_verifier.symbolic.values import TooLarge

WORDS = "lap by lap"


def kept_by_laps(
    context: ProofContext,
    questions: Sequence[Question],
    found: Localized,
    deadline: Deadline,
    broken: Collection[str] = (),
) -> None:
    """Adds the claims that are proved, and the faults that no step meets, to what was found. `broken`: claims
    that do not hold."""
    made = cut(context.program)
    if made is None:
        return
    program = made.program
    own = ProofContext(Game(program), context.seconds, context.progress)
    own.trouble = "its loops are cut"
    parts: list[Shown] = []
    shown = replace(found, proved=dict(found.proved), faultless=set(found.faultless), known={}, kept=parts)
    ending: Ranking | None = None
    asked = [q for q in questions if is_claim(q) and q.key not in broken]
    facts, hidden = Facts(program), wide(program)
    seen = frozenset(range(len(program.vars))) - hidden
    topics = {q.key: about(program, facts, q, hidden) for q in asked}
    for opaque in (False, True):
        group = Group(seen, opaque, True)
        try:
            one = Slice(own, group, deadline, shown, False)
            one.words = WORDS
            one.cut = made
            if one.run([q for q in asked if topics[q.key].said_in(group)]):
                falling = _falling(one, made.heads, deadline)
                found.closed = found.closed or falling.proved
                ending = falling if falling.proved else None
                if not parts or parts[-1].context is not one.context:
                    parts.append(Shown(one.context, one.seen, WORDS, {}, {}, frozenset(), cut=made))
                break
        except TooLarge as error:
            context.progress(str(error))
    if found.kept is not None:
        found.laps = Lapped(made, tuple(parts), ending)
    found.proved |= {key: by for key, by in shown.proved.items() if key not in found.proved}
    found.faultless |= shown.faultless
    found.known |= shown.known


def _falling(one: Slice, loops: Collection[int], deadline: Deadline) -> Ranking:
    """Why every loop ends, if that is shown: some number falls from lap to lap."""
    one.context.progress("ranking functions for loops")
    transitions, context = one.transitions, one.context
    laps = [edge for edge in context.edges if edge.source in loops and edge.target in loops]
    ranker = Ranker(context.knowledge, StepSamples(transitions, context.plays), deadline)
    return ranker.rank(laps, numbers(transitions, ()), combine=True)
