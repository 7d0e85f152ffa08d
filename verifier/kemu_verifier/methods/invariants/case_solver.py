"""One solver for a case of an action, and for all cases that it becomes: what is chosen further is assumed.

Blind first, which leaves hardly anything but logic: comparisons that take arithmetic are truth values of
their own. Then long sums are free integers, but for what is plain of them: by how much those after the step
differ from those before it. "Unsatisfiable" counts; a model may be none if anything was left out, and then it
is asked again; at last exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

import z3

from kemu_verifier.methods.invariants.solvers import solver
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.solve import LONG, Answer, Translator, ask, tell
from kemu_verifier.symbolic.terms import SUM, Lin, Lit, Terms

MOVED = 8  # literals at most in which a sum differs from another


class CaseSolver:
    """Questions about a case. `lives`: by edge, when it is taken; `facts`: what holds, whatever is asked."""

    def __init__(self, terms: Terms, lives: Mapping[int, Lit], facts: Sequence[Lit]) -> None:
        parts = {at: terms.conjuncts(live) for at, live in lives.items()}
        common = set.intersection(*map(set, parts.values())) if parts else set[Lit]()
        self._rest = {at: tuple(lit for lit in lits if lit not in common) for at, lits in parts.items()}
        self._terms, self._facts = terms, dict.fromkeys((*facts, *sorted(common)))
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
        for sight in ("blind", "tied", "exact") if self._sums(posts) else ("blind", "exact"):
            if sight not in self._sights or self._sights[sight].lost:
                self._sights[sight] = _Sight(self._terms, self._facts, sight)
            here = self._sights[sight]
            part = deadline if sight == "exact" else deadline.part(deadline.left / 2)
            answer, rests = here.ask(before, assumed, posts, part)
            if answer.status == "unsat" or (answer.status == "sat" and not here.loose):
                break
        return answer, rests

    def _sums(self, lits: Sequence[Lit]) -> bool:
        return any(long(self._terms, node) for node in self._terms.cone(lits))


def long(terms: Terms, node: int) -> bool:
    """Whether the node is a sum of so many literals that it may be a free integer."""
    return terms.kind[node] == SUM and len(terms.data[node]) > LONG


def difference(terms: Terms, one: int, other: int) -> Lin | None:
    """By how much a sum is greater than another, if they have nearly all in common."""
    items = Counter[Lit]()
    for sign, node in ((1, one), (-1, other)):
        for coef, lit in terms.data[node]:
            items[lit] += sign * coef
    pairs = [(coef, lit) for lit, coef in items.items() if coef]
    return terms.sum(0, pairs) if len(pairs) <= MOVED else None


class _Sight:
    """The solver of one reading. `lost`: it has given up, and is not to be asked again."""

    def __init__(self, terms: Terms, facts: Iterable[Lit], name: str) -> None:
        self._terms, self._tied = terms, name == "tied"
        self._exact, self._told = set[int](), set[tuple[int, int]]()
        self._made = Translator(terms, self._tied, self._exact, name == "blind")
        self._solver = solver(self._made, False, plain=True)
        self._bounds = 0
        self._names: dict[tuple[Lit, ...], z3.BoolRef] = {}  # what is assumed at times, by name
        self.lost = False
        tell(self._solver, self._made.lits(facts))

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
        if self._tied:
            tell(self._solver, self._ties(before.values(), posts))
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

    def _ties(self, before: Iterable[Lit], posts: Sequence[Lit]) -> list[z3.BoolRef]:
        """By how much sums after the step differ from those before it."""
        terms, found = self._terms, list[z3.BoolRef]()
        old = [node for node in terms.cone(before) if long(terms, node)]
        new = [node for node in terms.cone(posts) if long(terms, node)]
        for pair in product(new, old):
            if pair[0] == pair[1] or pair in self._told:
                continue
            self._told.add(pair)
            change = difference(terms, *pair)
            if change is not None:
                self._exact |= {node for _, node in change.terms}
                gap = terms.plus(Lin(0, ((1, pair[0]),)), Lin(0, ((1, pair[1]),)), -1)
                found.append(self._made.equation(terms.plus(gap, change, -1)))
        return found

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
