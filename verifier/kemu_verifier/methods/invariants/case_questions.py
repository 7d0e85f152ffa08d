"""What is asked of the cases of an action: whether all that is claimed is kept there.

All of it is asked at once, wherever the action leads; of what a claim says, only what the action may change.
Where a case is too hard it becomes one for each value of the next parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from kemu_verifier.methods.invariants.action_cases import Action, Case, Pair
from kemu_verifier.methods.invariants.case_solver import CaseSolver
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.mapping import Interrupted, Valuation
from kemu_verifier.symbolic.solve import Answer
from kemu_verifier.symbolic.terms import TRUE, Lit

CASE = 3.0  # seconds for a case
HOPELESS = 2  # cases of as many parameters that were too hard, none having been decided: then none is asked
LONGER = 4  # times as long for one claim in a case that cannot be split
Standing = Callable[[Collection[Candidate]], bool]


@dataclass(frozen=True, slots=True)
class Questions:
    """One round of questions about an action. `standing`: whether a proof stands that rests on these."""

    action: Action
    standing: Standing
    alive: Collection[Candidate]
    deadline: Deadline

    def broken(self, asked: Sequence[Pair]) -> set[Candidate]:
        """Claims that do not hold after an edge though all that are alive hold before, or that are too hard;
        if there are none, all that was asked is kept, unless the time is up."""
        if self.action.root is None:
            self.action.root = self.action.whole(self.alive)
        try:
            return self._broken(self.action.root, asked)
        except Interrupted:
            return set()

    def _broken(self, case: Case, pairs: Iterable[Pair], solver: CaseSolver | None = None) -> set[Candidate]:
        """What is broken in a case; raises Interrupted when the time is up. `solver`: of the case that this
        is a part of."""
        left = [pair for pair in pairs if not self._stands(case, pair)]
        if not case.taken:
            case.kept |= {pair: set[Candidate]() for pair in left}
        if not left or not case.taken:
            return set()
        if solver is None and (case.chosen or case.acting):
            solver = self._solver(case)
        if case.more is None:
            if solver is not None and self._hopeful(case):
                found = self._decided(case, left, solver)
                if found is not None:
                    return found
            case.more = self.action.cases(case, self.deadline)
        if not case.more:
            fine = self.action.put(case, self.deadline)
            found = self._finally(fine, left)
            case.kept |= fine.kept
            return found
        for number, more in enumerate(case.more, 1):
            if not case.chosen:
                self.action.tell(number, len(case.more), len({claim for _, claim in left}))
            if found := self._broken(more, left, solver if case.chosen else None):
                return found
        for pair in left:
            case.kept[pair] = set[Candidate]().union(*(more.kept[pair] for more in case.more))
        return set()

    def _solver(self, case: Case) -> CaseSolver:
        knowledge = self.action.knowledge
        lives = {at: case.lives[at] for at in case.taken}
        facts = [*case.known, *knowledge.facts_at(self.action.source)]
        return CaseSolver(knowledge.terms, lives, facts, case.ties)

    def _hopeful(self, case: Case) -> bool:
        """Whether a case of so many parameters may be decided: not if none was yet, of some."""
        decided, hard = self.action.decided[len(case.chosen)], self.action.hard[len(case.chosen)]
        return decided > 0 or hard < HOPELESS

    def _decided(self, case: Case, pairs: Sequence[Pair], solver: CaseSolver) -> set[Candidate] | None:
        """What is broken in the case as a whole; None if that was too hard."""
        found = self._put(case, pairs, solver, self.deadline.part(CASE))
        (self.action.hard if found is None else self.action.decided).update([len(case.chosen)])
        return found

    def _finally(self, case: Case, pairs: Sequence[Pair]) -> set[Candidate]:
        """The same of a case that cannot be split: of all claims, then claim by claim; a claim that is too
        hard is given up."""
        solver = self._solver(case)
        found = self._put(case, pairs, solver, self.deadline.part(CASE))
        for pair in pairs if found is None else ():
            if self._stands(case, pair):
                continue
            found = self._put(case, [pair], solver, self.deadline.part(LONGER * CASE))
            if self.deadline.passed:
                raise Interrupted
            if found is None or found:
                return {pair[1]}
        return found or set()

    def _put(
        self, case: Case, pairs: Sequence[Pair], solver: CaseSolver, deadline: Deadline
    ) -> set[Candidate] | None:
        """The same of some pairs: first under what the edges have in common, then edge by edge."""
        apart, taken = self.action.apart, case.taken
        case.kept |= {pair: set[Candidate]() for pair in pairs if pair[0] not in taken}
        asked = [pair for pair in pairs if pair[0] in taken]
        together = [pair for pair in asked if pair not in apart and len(taken) > 1]
        while together:
            answer = self._ask(solver, None, case, together, deadline)
            if answer.status == "unknown":
                return None
            wrong = self._wrong(case, together, answer)
            apart |= wrong
            together = [pair for pair in together if answer.status == "sat" and pair not in wrong]
        for at in taken:
            mine = [pair for pair in asked if pair[0] == at and not self._stands(case, pair)]
            if mine:
                answer = self._ask(solver, at, case, mine, deadline)
                if answer.status == "unknown":
                    return None
                if answer.status == "sat":
                    return {claim for _, claim in self._wrong(case, mine, answer)}
        return set()

    def _ask(
        self, solver: CaseSolver, edge: int | None, case: Case, pairs: Sequence[Pair], deadline: Deadline
    ) -> Answer:
        """Whether one of the pairs can be broken; if not, that is noted. What a claim says that is what it
        says before the step, or when the edge is taken, is not asked."""
        terms = self.action.terms
        before = {claim: lit for claim, lit in case.before.items() if claim in self.alive}
        parts, same = list[Lit](), dict[Pair, set[Candidate]]()
        for pair in pairs:
            live = set(terms.conjuncts(case.lives[pair[0]]))
            said = set(terms.conjuncts(before.get(pair[1], TRUE)))
            left = [part for part in terms.conjuncts(case.posts[pair]) if part not in live and part != TRUE]
            parts += [part for part in left if part not in said]
            same[pair] = {pair[1]} if any(part in said for part in left) else set()
        answer, rests = Answer("unsat"), set[Candidate]()
        if parts:
            answer, rests = solver.ask(edge, before, case.known, list(dict.fromkeys(parts)), deadline)
        if answer.status == "unsat":
            case.kept |= {pair: rests | same[pair] for pair in pairs}
        return answer

    def _wrong(self, case: Case, pairs: Sequence[Pair], answer: Answer) -> set[Pair]:
        """The pairs that a model breaks."""
        if answer.status != "sat":
            return set()
        values = Valuation(self.action.terms, answer.values)
        return {pair for pair in pairs if not values.lit(case.posts[pair])} or set(pairs)

    def _stands(self, case: Case, pair: Pair) -> bool:
        rests = case.kept.get(pair)
        return rests is not None and self.standing(rests)
