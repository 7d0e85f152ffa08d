"""What the steps of one edge do to numbers: whether they lower one, keep it, or may raise it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kemu_engine.kernel import nodes as k

from kemu_verifier.methods.invariants.invariants import Knowledge
from kemu_verifier.methods.invariants.solvers import StopSolver
from kemu_verifier.methods.termination.measures import Measure, Sampled, StepSamples, change, legal_of
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.mapping import Valuation
from kemu_verifier.symbolic.solve import Answer
from kemu_verifier.symbolic.terms import FALSE, TRUE, Lin, Lit
from kemu_verifier.symbolic.transition import Edge

QUERY = 5.0  # seconds for one question

Preference = frozenset[int]
"""Options, by index, that are taken wherever one of them is legal."""

Key = tuple[int, int, Preference | None, tuple[int, ...]]
"""An edge, a measure, what is preferred, and the measures that the steps looked at keep."""


class DecreaseCheck:
    """Answers for the edges of one program, each given once. `aims`: by stop, what ends what is asked about.
    `kept`: by edge, the measures that those of its steps keep that are looked at still."""

    def __init__(
        self, knowledge: Knowledge, samples: StepSamples, deadline: Deadline, aims: Mapping[int, Lit]
    ) -> None:
        self.knowledge = knowledge
        self.samples = samples
        self.transitions = knowledge.transitions
        self.terms = knowledge.terms
        self.deadline = deadline
        self.aims = aims
        self.kept: dict[int, tuple[Measure, ...]] = {}
        self._fell: dict[Key, int] = {}
        self._unused: dict[Key, bool] = {}
        self._seen_to_fall: dict[Key, bool] = {}
        self._steps: dict[tuple[int, Preference | None], list[Valuation]] = {}
        self._solvers: dict[int, StopSolver] = {}  # by edge
        self._changes: dict[tuple[int, int], tuple[Measure, Lin]] = {}  # by edge and measure, which it keeps
        self._asked: list[Measure | None] = []  # keeps the measures, by whose identity answers are kept

    def falls(self, edge: Edge, measure: Measure | None, preference: Preference | None = None) -> int:
        """By how much the edge lowers the measure at least, under the preference: 1, 0, or -1 if it may raise
        it. Of no measure: 1 if the edge is not taken, else 0."""
        key = self._key(edge, measure, preference)
        if key not in self._fell:
            self._asked.append(measure)
            self._fell[key] = self._fall(edge, measure, preference)
        return self._fell[key]

    def _fall(self, edge: Edge, measure: Measure | None, preference: Preference | None) -> int:
        seen = [s for s in self.samples.of(edge) if self.taken(edge, s, preference)]
        dead = not seen and self._dead(edge, preference)
        if measure is None or dead:
            return int(dead)
        amount = self._amount(edge, measure)
        if not amount.terms:
            return max(-1, min(1, -amount.const))
        known = [self.seen(edge, measure, s) for s in seen]
        known += [
            step.lin(amount) for step in self._steps.get((id(edge), preference), ()) if self._even(edge, step)
        ]
        most = max(known, default=-1)
        if most < 0 and self._never(edge, [self.terms.le0(minus(amount))], preference):
            return 1
        if most > 0 or not self._never(edge, [self.terms.le0(minus(amount, 1))], preference):
            return -1
        return 0

    def _dead(self, edge: Edge, preference: Preference | None) -> bool:
        """Whether the edge cannot be taken under the preference."""
        key = self._key(edge, None, preference)
        if key not in self._unused:
            self._unused[key] = self._never(edge, [], preference)
        return self._unused[key]

    def never_rises(self, edge: Edge, measure: Measure) -> bool:
        """Whether it was found out that the edge does not raise the measure."""
        return self._fell.get(self._key(edge, measure, None), -1) >= 0

    def varies(self, edge: Edge, measure: Measure) -> bool:
        """Whether the edge may do one thing or another to the measure, as it reads."""
        return bool(self._amount(edge, measure).terms)

    def may_fall(self, edge: Edge, measure: Measure) -> bool:
        """Whether some step of the edge lowers the measure, as far as is found out."""
        amount = self._amount(edge, measure)
        if not amount.terms:
            return amount.const < 0
        lits = [*self.context(edge, None), self.terms.le0(self.terms.plus(Lin(1), amount))]
        return self.ask(edge, lits).status == "sat"

    def keeps(self, edge: Edge) -> tuple[Measure, ...]:
        """The measures that the steps of the edge that are left keep."""
        return self.kept.get(id(edge), ())

    def _key(self, edge: Edge, measure: Measure | None, preference: Preference | None) -> Key:
        return id(edge), id(measure), preference, tuple(map(id, self.keeps(edge)))

    def _amount(self, edge: Edge, measure: Measure) -> Lin:
        """By how much the edge raises the measure."""
        return self.terms.plus(Lin(0), self.change(edge, measure), measure.sign)

    def _even(self, edge: Edge, step: Valuation) -> bool:
        """Whether a step that was found has to be looked at still."""
        return not any(step.lin(self._amount(edge, measure)) for measure in self.keeps(edge))

    def seen_to_fall(self, edge: Edge, measure: Measure) -> bool:
        """Whether a sampled step that has to be looked at lowers the measure."""
        key = self._key(edge, measure, None)
        if key not in self._seen_to_fall:
            self._asked.append(measure)
            steps = (step for step in self.samples.of(edge) if self.taken(edge, step, None))
            self._seen_to_fall[key] = any(self.seen(edge, measure, step) < 0 for step in steps)
        return self._seen_to_fall[key]

    def seen(self, edge: Edge, measure: Measure, step: Sampled) -> int:
        """By how much a sampled step raises the measure."""
        before, after = measure.at[edge.source], measure.at[edge.target]
        return measure.sign * (step.after.lin(after) - step.before.lin(before))

    def taken(self, edge: Edge, step: Sampled, preference: Preference | None) -> bool:
        """Whether a sampled step has to be looked at."""
        if step.before.lit(self.aims.get(edge.source, FALSE)):
            return False
        if step.after.lit(self.aims.get(edge.target, FALSE)):
            return False
        if any(self.seen(edge, measure, step) for measure in self.keeps(edge)):
            return False
        if preference is None or step.option in preference:
            return True
        return not step.before.lit(legal_of(self.transitions, edge.source, preference))

    def context(self, edge: Edge, preference: Preference | None) -> list[Lit]:
        """What may be assumed besides when the edge is taken, and does not reach an aim."""
        found = [-self.aims.get(edge.source, FALSE)]
        if edge.target in self.aims:
            after = self.knowledge.after(edge)
            found.append(-after.lit(self.aims[edge.target]))
            if isinstance(self.transitions.program.blocks[edge.target].exit, k.End):
                found += [after.lit(lit) for lit in self.knowledge.at(edge.target)]
        if preference is not None:
            found.append(self.prefers(edge.source, preference))
        for measure in self.keeps(edge):
            amount = self._amount(edge, measure)
            found += [self.terms.le0(amount), self.terms.le0(minus(amount))]
        return [lit for lit in found if lit != TRUE]

    def prefers(self, block: int, preference: Preference) -> Lit:
        """That an option of the preference is chosen where one is legal."""
        chosen = self.transitions.step(block).chosen
        legal = legal_of(self.transitions, block, preference)
        return self.terms.either(self.terms.disj([chosen[at] for at in sorted(preference)]), -legal)

    def _never(self, edge: Edge, lits: list[Lit], preference: Preference | None) -> bool:
        answer = self.ask(edge, [*self.context(edge, preference), *lits])
        if answer.status == "sat":  # a step that breaks other measures, too
            steps = self._steps.setdefault((id(edge), preference), [])
            steps.append(Valuation(self.terms, answer.values))
        return answer.status == "unsat"

    def ask(self, edge: Edge, lits: Iterable[Lit]) -> Answer:
        """Whether the edge can be taken with all these."""
        if id(edge) not in self._solvers:
            watched = self.knowledge.sums([self.aims.get(edge.target, FALSE)])
            self._solvers[id(edge)] = StopSolver(self.knowledge, edge.source, edge, watched)
        return self._solvers[id(edge)].possible(lits, self.deadline.part(QUERY))

    def change(self, edge: Edge, measure: Measure) -> Lin:
        """The measure after - before."""
        key = id(edge), id(measure)
        if key not in self._changes:
            self._changes[key] = measure, change(self.knowledge, edge, measure)
        return self._changes[key][1]


def minus(value: Lin, const: int = 0) -> Lin:
    """const - value"""
    return Lin(const - value.const, tuple((-coef, term) for coef, term in value.terms))
