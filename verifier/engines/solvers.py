"""Solvers kept for many questions about one edge, or about the states at one stop.

What may be assumed before an edge is only put to the solver where a model breaks it: most proofs need little
of what is known, and the rest would only be in the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import z3

from verifier.engines.knowledge import Knowledge
from verifier.engines.pool import Candidate
from verifier.symbolic.deadline import Deadline
from verifier.symbolic.mapping import Valuation
from verifier.symbolic.solve import Answer, Translator, ask, tell, weighs
from verifier.symbolic.terms import AND, DIV, ITE, IVAR, MOD, MUL, Lin, Lit, Terms
from verifier.symbolic.transition import Edge

GROWN = 4  # times as many terms as for its first question: when a solver is done with
LARGE, LESS = 20_000, 10  # terms of a condition that is taken apart; of how many times less a part has to be

Post = tuple[Candidate, Lit]
"""A candidate, and how it reads after an edge."""


class EdgeSolver:
    """Questions about an edge, candidates being assumed before it.

    Four readings, each made when it is first needed. Blind: comparisons that take arithmetic are truth values
    of their own. Near: of a large condition for taking the edge only the parts that are short. Abstract: sums
    are free integers tied to their old values by what the edge changes. Exact. "Unsatisfiable" counts in all
    of them; a model of the last is one, of the others only if there is nothing to leave out or to tie.
    """

    def __init__(self, knowledge: Knowledge, edge: Edge) -> None:
        self.knowledge = knowledge
        self.edge = edge
        self._expected: dict[Candidate, None] = {}
        self._frame = [knowledge.transitions.arrival(edge.source).stands] if edge.source >= 0 else []
        self._context = [*self._frame, edge.env.live]
        self._near = near(knowledge.terms, edge.env.live)
        self._readings: dict[str, Reading] = {}
        self._weighs: dict[Lit, bool] = {}

    def expect(self, candidates: Iterable[Candidate]) -> None:
        """That these will be asked about: readings that do not tie their sums are made anew."""
        expected = dict.fromkeys(candidates)
        if not expected.keys() <= self._expected.keys():
            self._expected = expected
            self._readings = {name: made for name, made in self._readings.items() if name == "blind"}

    def ask(
        self, alive: Iterable[Candidate], posts: Sequence[Post], deadline: Deadline, exactly: bool
    ) -> tuple[Answer, set[Candidate]]:
        """Whether the edge can break one of the posts if the candidates alive hold before; (answer, if
        "unsat" the candidates that this rests on). `exactly`: "sat" is to be a true model; else it
        may be spurious, where sums are spoken of."""
        before = {c: c.lits[self.edge.source] for c in alive if self.edge.source in c.lits}
        facts = self.knowledge.facts_at(self.edge.source)
        lits = [lit for _, lit in posts]
        first = posts[0][0] if exactly else None
        if not any(self.weighs(c.lits[self.edge.target]) for c, _ in posts):
            blind = self._reading("blind")
            last = self._near is None and not blind.loose
            answer, core = blind.ask(
                before, facts, lits, deadline.part(deadline.left / (1 if last else 2)), first
            )
            if answer.status == "unsat" or (self._near is None and not blind.loose):
                return answer, core
        if self._near is not None:
            near = self._reading("near")
            answer, core = near.ask(before, facts, lits, deadline.part(deadline.left / 3), first)
            if answer.status == "unsat":
                return answer, core
        abstract = self._reading("abstract")
        answer, core = abstract.ask(before, facts, lits, deadline.part(deadline.left / 2), first)
        if answer.status == "unsat" or not exactly or not abstract.loose:
            return answer, core
        return self._reading("exact").ask(before, facts, lits, deadline, first)

    def weighs(self, lit: Lit) -> bool:
        """Whether the literal rests on a comparison that takes arithmetic."""
        if lit not in self._weighs:
            terms = self.knowledge.terms
            self._weighs[lit] = any(weighs(terms, node) for node in terms.cone([lit]))
        return self._weighs[lit]

    def _reading(self, name: str) -> Reading:
        if name not in self._readings or self._readings[name].grown:
            self._readings[name] = self._read(name)
        return self._readings[name]

    def _read(self, name: str) -> Reading:
        knowledge, edge = self.knowledge, self.edge
        short = self._context if self._near is None else [*self._frame, *self._near]
        if name == "blind":
            return Reading(Translator(knowledge.terms, blind=True), short, False)
        before = [c.lits[edge.source] for c in self._expected if edge.source in c.lits]
        targets = [c.lits[edge.target] for c in self._expected if edge.target in c.lits]
        posts = [knowledge.after(edge).lit(lit) for lit in targets]
        facts = [*knowledge.facts_at(edge.source), *knowledge.facts_at(edge.target)]
        context = short if name == "near" else self._context
        if name == "exact" or not knowledge.sums([*context, *facts, *before, *posts]):
            integers = self._integers([*context, *facts, *before, *posts])
            return Reading(Translator(knowledge.terms), context, integers)
        ties = Ties(knowledge, edge, knowledge.sums([*before, *targets, *facts]))
        return Reading(Translator(knowledge.terms, True, ties.exact), context, True, ties)

    def _integers(self, lits: Sequence[Lit]) -> bool:
        """Whether the literals speak of numbers other than sums of literals."""
        terms = self.knowledge.terms
        return any(terms.kind[node] in (IVAR, ITE, MUL, DIV, MOD) for node in terms.cone(lits))


class Ties:
    """What is known of sums besides that they are numbers: of those that are watched what an edge changes in
    them."""

    def __init__(self, knowledge: Knowledge, edge: Edge | None, watched: Sequence[int]) -> None:
        self.knowledge = knowledge
        self.edge = edge
        self.exact: set[int] = set()  # the sums that are to be taken as they are
        self._before: dict[int, list[int]] = {}  # by sum after the edge, those before
        for term in watched:
            assert edge is not None
            for _, after in knowledge.after(edge).lin(Lin(0, ((1, term),))).terms:
                self._before.setdefault(after, []).append(term)

    def of(self, lits: Sequence[Lit]) -> tuple[set[int], list[Lit], list[Lin]]:
        """(the sums that matter for the literals, what holds of them: literals, and equations)"""
        sums = set(self.knowledge.sums(lits))
        tied = sorted({term for after in sums for term in self._before.get(after, ())})
        equations: list[Lin] = []
        if self.edge is not None:
            equations, exact = self.knowledge.tied(self.edge, tied)
            self.exact |= exact
        sums.update(tied)
        return sums, self.knowledge.some(sums), equations + self.knowledge.defined(self.edge, sums)


def near(terms: Terms, lit: Lit) -> list[Lit] | None:
    """Some of what follows from a literal, where that is much less to read; else nothing."""
    whole = len(terms.cone([lit]))
    if whole < LARGE:
        return None
    found: list[Lit] = []
    waiting = [lit]
    while waiting:
        part = waiting.pop()
        if len(terms.cone([part])) * LESS <= whole:
            found.append(part)
        elif part > 0 and terms.kind[part] == AND:
            waiting += terms.data[part]
    return found


def solver(made: Translator, integers: bool) -> z3.Solver:
    """One that suits what there is to be solved: whether there are integers in it."""
    if made.blind:  # nothing but logic, which is best looked at as a whole
        found = z3.SimpleSolver()
        found.set("relevancy", 0)
        return found
    return z3.Solver() if integers else z3.SolverFor("QF_FD")


class Reading:
    """One solver. With `ties`, sums are free integers, of which so much is said as matters for a question:
    its models may be spurious."""

    def __init__(
        self, made: Translator, context: Sequence[Lit], integers: bool, ties: Ties | None = None
    ) -> None:
        self._ties = ties
        self._made = made
        self._sums: set[int] = set()  # those of which what is known was said for good
        self._bounds = 0
        asserted = made.lits(context)
        self._solver = solver(made, integers)
        tell(self._solver, [*asserted, *self._bounded(), *self._tied(context, self._sums)])
        self._selectors: dict[Candidate, z3.BoolRef] = {}
        self._wanted: dict[Candidate, None] = {}  # the candidates that were needed before
        self._facts: set[Lit] = set()  # those put to the solver
        self._first = 0  # terms after the first question

    @property
    def loose(self) -> bool:
        """Whether its models may be spurious."""
        return self._ties is not None or self._made.unseen > 0

    def ask(
        self,
        before: dict[Candidate, Lit],
        facts: Sequence[Lit],
        posts: Sequence[Lit],
        deadline: Deadline,
        first: Candidate | None = None,
    ) -> tuple[Answer, set[Candidate]]:
        """Whether one of the posts can be false under all of `before`, of which `first` is put to the solver
        at once, and the facts."""
        sums: set[int] = set()
        self._lits(posts)
        asked = [self._made.not_all(posts), *self._tied(posts, sums)]
        assumed = [key for key in dict.fromkeys((first, *self._wanted)) if key is not None and key in before]
        while not deadline.passed:
            chosen = [self._selector(key, before[key]) for key in assumed]
            tell(self._solver, self._made.grouped())
            self._solver.push()
            answer = ask(self._solver, asked, self._made, deadline, chosen)
            core = set(map(str, self._solver.unsat_core())) if answer.status == "unsat" else set()
            self._solver.pop()
            if answer.status == "unsat":
                used = {key for key in assumed if str(self._selectors[key]) in core}
                self._wanted = dict.fromkeys((*used, *self._wanted))
                self._first = self._first or self._made.size
                return answer, used
            if answer.status == "unknown":
                return answer, set()
            answer = replace(answer, values=self._made.completed(answer.values))
            values = Valuation(self._made.terms, answer.values)
            told = [lit for lit in facts if lit not in self._facts and not values.lit(lit)]
            more = [key for key, lit in before.items() if key not in assumed and not values.lit(lit)]
            cuts = []
            if self._ties is not None and not told and not more:
                cuts = self._made.cuts(answer.values, sums | self._sums)
            if not (told or more or cuts):
                return answer, set()
            tell(self._solver, [*cuts, *self._lits(told), *self._tied(told, self._sums)])
            self._facts.update(told)
            assumed += more
        return Answer("unknown", reason="out of time"), set()

    @property
    def grown(self) -> bool:
        """Whether most of what it holds is of earlier questions, which would only be in the way."""
        return self._made.size > GROWN * self._first > 0

    def _tied(self, lits: Sequence[Lit], sums: set[int]) -> list[z3.BoolRef]:
        """What is known of the sums that matter for the literals, which join those given."""
        if self._ties is None:
            return []
        found, clauses, equations = self._ties.of(lits)
        sums |= found
        made = self._made.lits(clauses) + [self._made.equation(value) for value in equations]
        tell(self._solver, self._bounded())
        return made

    def _lits(self, lits: Sequence[Lit]) -> list[z3.BoolRef]:
        """As expressions; with what bounds the integers in them."""
        made: list[z3.BoolRef] = self._made.lits(lits)
        tell(self._solver, self._bounded())
        return made

    def _bounded(self) -> list[z3.BoolRef]:
        """What bounds the integers that were made since this was asked last."""
        new = self._made.bounds[self._bounds :]
        self._bounds += len(new)
        return new

    def _selector(self, key: Candidate, lit: Lit) -> z3.BoolRef:
        if key not in self._selectors:
            self._selectors[key] = z3.Bool(f"assume{len(self._selectors)}")
            said = z3.Implies(self._selectors[key], self._lits([lit])[0])
            tell(self._solver, [said, *self._tied([lit], self._sums)])
        return self._selectors[key]


class StateSolver:
    """One solver for questions about the states at a stop that what is known allows; sums are free
    integers."""

    def __init__(self, knowledge: Knowledge, block: int, asked: Sequence[Lit]) -> None:
        known = knowledge.at(block)
        sums = knowledge.sums([*known, *asked])
        self._made = Translator(knowledge.terms, bool(sums))
        asserted = self._made.lits([*known, *knowledge.some(sums)])
        asserted += [self._made.equation(value) for value in knowledge.defined(None, sums)]
        self._made.lits(asked)
        self._solver = z3.Solver() if self._made.integers else z3.SolverFor("QF_FD")
        self._solver.add([*asserted, *self._made.bounds])

    def excludes(self, lit: Lit, deadline: Deadline) -> bool:
        """Whether no such state satisfies the literal, which is one of those announced."""
        if deadline.passed:
            return False
        self._solver.push()
        answer = ask(self._solver, self._made.lits([lit]), self._made, deadline)
        self._solver.pop()
        return answer.status == "unsat"
