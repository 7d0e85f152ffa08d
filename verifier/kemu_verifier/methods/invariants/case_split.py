"""Induction case by case: where an action is too hard as a whole, its step is looked at anew for each value
of a parameter (action_cases.py), and all that is claimed is asked there (case_questions.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from kemu_verifier.methods.invariants.action_cases import Action
from kemu_verifier.methods.invariants.case_questions import Questions
from kemu_verifier.methods.invariants.invariants import Knowledge
from kemu_verifier.methods.invariants.k_induction import Houdini, Proofs
from kemu_verifier.methods.invariants.solvers import EdgeSolver
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.transition import Edge

WHOLE = 3.0  # seconds for a claim, whatever is chosen


class ByCases(Houdini):
    """Induction that asks about the edges of an action together, by cases, if a claim is too hard as a whole.
    `progress` is told what is asked."""

    def __init__(
        self,
        knowledge: Knowledge,
        candidates: Sequence[Candidate],
        deadline: Deadline,
        proofs: Proofs | None = None,
        progress: Callable[[str], None] = lambda words: None,
    ) -> None:
        super().__init__(knowledge, candidates, deadline, proofs)
        self._progress = progress
        self._actions: dict[tuple[int, int], Action] = {}
        self._hard = set[tuple[int, int]]()  # actions of which something was too hard as a whole
        self._edges: Sequence[Edge] = ()

    def run(self, edges: Sequence[Edge]) -> list[Candidate]:
        self._edges = edges
        return super().run(edges)

    def _edge(self, edge: Edge) -> bool:
        step, key = self.knowledge.step(edge), (edge.source, edge.arm)
        if sum(option.arm == edge.arm for option in step.options) < 2:
            return super()._edge(edge)
        dropped = False
        if key not in self._actions:
            dropped = self._at_once(edge)
        if key in self._hard and key not in self._actions:
            edges = [each for each in self._edges if (each.source, each.arm) == key]
            self._actions[key] = Action(self.knowledge, edges, step, self._progress)
        while key in self._actions and not self.deadline.passed:
            broken = self._by_cases(self._actions[key])
            self._drop(broken)
            dropped |= bool(broken)
            if not broken:
                break
        return dropped

    def _at_once(self, edge: Edge) -> bool:
        """Asks claim by claim about the edge as a whole, as long as nothing is too hard; whether anything was
        dropped."""
        dropped, posts = False, self._posts(edge)
        if id(edge) not in self.proofs.solvers:
            self.proofs.solvers[id(edge)] = EdgeSolver(self.knowledge, edge)
        solver = self.proofs.solvers[id(edge)]
        solver.expect(self.candidates)
        while posts and not self.deadline.passed:
            claim, post = posts[0]
            parts = [(claim, part) for part in self.knowledge.terms.conjuncts(post)]
            answer, rests = solver.ask(self.alive, parts, self.deadline.part(WHOLE), True)
            if answer.status == "unknown":
                self._hard.add((edge.source, edge.arm))
                break
            if answer.status == "unsat":
                self.proofs.reasons[id(edge), claim] = rests
                posts = posts[1:]
            else:
                self._drop(self._broken(posts, posts[:1], answer))
                dropped, posts = True, self._posts(edge)
        return dropped

    def _by_cases(self, action: Action) -> set[Candidate]:
        """What the action breaks, of what is not known to be kept."""
        edges = enumerate(action.edges)
        asked = [(at, claim) for at, each in edges for claim, _ in self._posts(each)]
        questions = Questions(action, self._standing, self.alive, self.deadline)
        broken = questions.broken(asked) if asked else set()
        for (at, claim), rests in action.kept(asked).items():
            self.proofs.reasons[id(action.edges[at]), claim] = rests
        return broken

    def _standing(self, rests: Collection[Candidate]) -> bool:
        """Whether a proof stands that rests on these."""
        return all(claim in self.alive or claim in self.proofs.settled for claim in rests)
