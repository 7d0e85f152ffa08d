"""Questions about a step that are too hard as a whole: one for each value of a parameter of its action.

Where one of these is too hard, too, it becomes one for each value of the next parameter. What an action keeps
wherever it leads is asked once for all its edges.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from kemu_verifier.methods.invariants.invariants import Knowledge
from kemu_verifier.methods.invariants.solvers import EdgeSolver, Post
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.solve import Answer
from kemu_verifier.symbolic.terms import TRUE, Lit
from kemu_verifier.symbolic.transition import Edge

Action = tuple[int, int]
"""A stop, and the arm that is taken there."""
Chosen = tuple[int, ...]
"""The values of the first parameters of an action."""


class CaseSplit:
    """What is asked case by case. `patience`: seconds for a question as a whole, and for a case of it."""

    def __init__(self, knowledge: Knowledge, edges: Sequence[Edge], patience: float) -> None:
        self.knowledge, self.patience = knowledge, patience
        self._edges: dict[Action, list[Edge]] = {}
        for edge in edges:
            self._edges.setdefault((edge.source, edge.arm), []).append(edge)
        self._wherever: dict[Action, EdgeSolver] = {}
        self._kept: dict[tuple[Action, Lit], set[Candidate]] = {}  # whatever the edge: what that rests on
        self._hard: set[Action] = set()  # something about these was too hard as a whole

    def ask(
        self, edge: Edge, solver: EdgeSolver, alive: Collection[Candidate], asked: Post, deadline: Deadline
    ) -> tuple[Answer, set[Candidate]]:
        """Whether the edge can break what is asked: as a whole, unless something about the action has been
        too hard, then for the action wherever it leads, then for the edge; as `EdgeSolver.ask`."""
        (claim, post), action = asked, (edge.source, edge.arm)
        posts = [(claim, part) for part in self.knowledge.terms.conjuncts(post)]
        several = len(self._values(edge, ())) > 1
        if not (several and action in self._hard):
            whole = deadline.part(self.patience) if several else deadline
            answer, core = solver.ask(alive, posts, whole, True)
            if answer.status != "unknown" or not several:
                return answer, core
            self._hard.add(action)
        if sum(other.target in claim.lits for other in self._edges[action]) > 1:
            kept = self._kept.get((action, post))
            if kept is not None and all(one in alive for one in kept):
                return Answer("unsat"), kept
            answer, core = self._by_cases(self._solver(edge), alive, posts, deadline)
            if answer.status == "unsat":
                self._kept[action, post] = core
                return answer, core
        return self._by_cases(solver, alive, posts, deadline)

    def _by_cases(
        self,
        solver: EdgeSolver,
        alive: Collection[Candidate],
        posts: Sequence[Post],
        deadline: Deadline,
        chosen: Chosen = (),
        case: Lit = TRUE,
    ) -> tuple[Answer, set[Candidate]]:
        """The same where so much is chosen, which `case` says. That the cases are all there are is not taken
        on trust: that it is none of them is a case, too."""
        terms, rests = self.knowledge.terms, set[Candidate]()
        assert solver.edge is not None
        cases = self._values(solver.edge, chosen)
        if len(cases) < 2:
            return Answer("unknown", reason="out of time"), rests
        none = terms.conj([case, *(-lit for lit in cases.values())])
        for more, lit in (*cases.items(), (None, none)):
            answer, core = solver.ask(alive, posts, deadline.part(self.patience), True, lit)
            if answer.status == "unknown" and more is not None and not deadline.passed:
                answer, core = self._by_cases(solver, alive, posts, deadline, more, lit)
            if answer.status != "unsat":
                return answer, set()
            rests |= core
        return Answer("unsat"), rests

    def _values(self, edge: Edge, chosen: Chosen) -> dict[Chosen, Lit]:
        """What may be chosen next, each with the literal that it is."""
        step, found = self.knowledge.step(edge), dict[Chosen, list[Lit]]()
        for option, lit in zip(step.options, step.chosen, strict=True):
            if option.arm == edge.arm and option.values[: len(chosen)] == chosen:
                found.setdefault(option.values[: len(chosen) + 1], []).append(lit)
        return (
            {} if chosen in found else {more: self.knowledge.terms.disj(lits) for more, lits in found.items()}
        )

    def _solver(self, edge: Edge) -> EdgeSolver:
        """Of what holds on all edges of the action, in the plain reading: what it excludes of the state after
        one of them is excluded of the same words after another."""
        action, terms = (edge.source, edge.arm), self.knowledge.terms
        if action not in self._wherever:
            lives = [set(terms.conjuncts(other.env.live)) for other in self._edges[action]]
            common = terms.conj(set.intersection(*lives))
            wherever = replace(edge, env=edge.env.copy(common))
            self._wherever[action] = EdgeSolver(self.knowledge, wherever, plainly=True)
        return self._wherever[action]
