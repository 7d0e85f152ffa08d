"""One solver for a case of an action, and for all cases that it becomes: what is chosen further is assumed.

Blind first, which leaves hardly anything but logic: comparisons that take arithmetic are truth values of
their own. Then long sums are free integers, but for what is plain of them: by how much those after the step
differ from those before it. "Unsatisfiable" counts; a model may be none if anything was left out, and then it
is asked again; at last exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import z3

from kemu_verifier.methods.invariants.solvers import solver
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.solve import LONG, Answer, Translator, ask, tell, weighs
from kemu_verifier.symbolic.terms import SUM, Lin, Lit, Terms

Tie = tuple[Lin, Lin]
"""A sum after the step less what it was before; the same by what the step changes in it."""


class CaseSolver:
    """Questions about a case. `lives`: by edge, when it is taken; `facts`: what holds, whatever is asked;
    `ties`: what sums grow by."""

    def __init__(
        self, terms: Terms, lives: Mapping[int, Lit], facts: Sequence[Lit], ties: Sequence[Tie]
    ) -> None:
        parts = {at: terms.conjuncts(live) for at, live in lives.items()}
        common = set.intersection(*map(set, parts.values())) if parts else set[Lit]()
        self._rest = {at: tuple(lit for lit in lits if lit not in common) for at, lits in parts.items()}
        self._terms, self._facts = terms, dict.fromkeys((*facts, *sorted(common)))
        self._ties = ties
        self._sights: dict[str, _Sight] = {}

    def ask(
        self,
        edge: int | None,
        before: Mapping[Candidate, Lit],
        known: Sequence[Lit],
        posts: Sequence[Lit],
        deadline: Deadline,
    ) -> tuple[Answer, set[Candidate]]:
        """Whether one of the posts can be false after the edge (None: under what all edges have in common),
        if all of `before` and what is known holds; (answer, if "unsat" those of `before` that this rests
        on)."""
        rest = () if edge is None else self._rest[edge]
        assumed = [lit for lit in (*known, *rest) if lit not in self._facts]
        answer, rests = Answer("unknown"), set[Candidate]()
        for sight in self._wanted(posts):
            if sight not in self._sights or self._sights[sight].lost:
                self._sights[sight] = _Sight(self._terms, self._facts, self._ties, sight)
            here = self._sights[sight]
            part = deadline if sight == "exact" else deadline.part(deadline.left / 2)
            answer, rests = here.ask(before, assumed, posts, part)
            if answer.status == "unsat" or (answer.status == "sat" and not here.loose):
                break
        return answer, rests

    def _wanted(self, posts: Sequence[Lit]) -> list[str]:
        """The sights that may decide this, in their order."""
        cone = self._terms.cone(posts)
        blind = not any(weighs(self._terms, node) for node in cone)
        tied = bool(self._ties) and any(long(self._terms, node) for node in cone)
        return [*(["blind"] if blind else []), *(["tied"] if tied else []), "exact"]


def long(terms: Terms, node: int) -> bool:
    """Whether the node is a sum of so many literals that it may be a free integer."""
    return terms.kind[node] == SUM and len(terms.data[node]) > LONG


class _Sight:
    """The solver of one reading. `lost`: it has given up, and is not to be asked again."""

    def __init__(self, terms: Terms, facts: Iterable[Lit], ties: Sequence[Tie], name: str) -> None:
        self._tied = name == "tied"
        exact = {node for _, change in ties for _, node in change.terms}
        self._made = Translator(terms, self._tied, exact, name == "blind")
        self._solver = solver(self._made, False, plain=True)
        self._bounds = 0
        self._names: dict[tuple[Lit, ...], z3.BoolRef] = {}  # what is assumed at times, by name
        self.lost = False
        tell(self._solver, self._made.lits(facts))
        for grown, change in ties if self._tied else ():
            tell(self._solver, [self._made.equation(terms.plus(grown, change, -1))])

    @property
    def loose(self) -> bool:
        """Whether its models may be none."""
        return self._tied or self._made.unseen > 0

    def ask(
        self,
        before: Mapping[Candidate, Lit],
        assumed: Sequence[Lit],
        posts: Sequence[Lit],
        deadline: Deadline,
    ) -> tuple[Answer, set[Candidate]]:
        """As its case."""
        if deadline.passed:
            return Answer("unknown", reason="out of time"), set()
        claims = {claim: self._name((lit,)) for claim, lit in before.items()}
        broken = self._some_broken(posts)
        chosen = [*claims.values(), *(self._name((lit,)) for lit in assumed), broken]
        tell(self._solver, [*self._made.grouped(), *self._made.bounds[self._bounds :]])
        self._bounds = len(self._made.bounds)
        answer = ask(self._solver, [], self._made, deadline, chosen)
        if answer.status == "unsat":
            core = set(map(str, self._solver.unsat_core()))
            return answer, {claim for claim, name in claims.items() if str(name) in core}
        self.lost = answer.status == "unknown"
        if answer.status == "sat":
            answer = replace(answer, values=self._made.completed(answer.values))
        return answer, set()

    def _name(self, lits: tuple[Lit, ...]) -> z3.BoolRef:
        """A name from which the literal follows."""
        if lits not in self._names:
            self._names[lits] = z3.Bool(f"assume{len(self._names)}")
            tell(self._solver, [z3.Implies(self._names[lits], lit) for lit in self._made.lits(lits)])
        return self._names[lits]

    def _some_broken(self, posts: Sequence[Lit]) -> z3.BoolRef:
        """A name from which it follows that one of the posts is false."""
        key = (0, *posts)
        if key not in self._names:
            self._names[key] = z3.Bool(f"assume{len(self._names)}")
            self._made.lits(posts)
            tell(self._solver, [z3.Implies(self._names[key], self._made.not_all(posts))])
        return self._names[key]
