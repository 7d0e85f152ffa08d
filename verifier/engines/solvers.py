"""Solvers kept for many questions about one edge, or about the states at one stop.

What may be assumed before an edge is only put to the solver where a model breaks it: most proofs need little
of what is known, and the rest would only be in the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import z3

from verifier.engines.knowledge import Knowledge
from verifier.engines.pool import Candidate
from verifier.symbolic.deadline import Deadline
from verifier.symbolic.mapping import Valuation
from verifier.symbolic.solve import Answer, Translator, ask
from verifier.symbolic.terms import AND, LE, Lin, Lit, Terms
from verifier.symbolic.transition import Edge

LARGE, LESS = 20_000, 10  # terms of a condition that is taken apart; of how many times less a part has to be


class EdgeSolver:
    """Questions about an edge, candidates being assumed before it.

    Four readings, each made when it is first needed. Plain: whatever speaks of numbers is left out. Near: of
    a large condition for taking the edge only the parts that are short. Abstract: sums are free integers tied
    to their old values by what the edge changes. Exact. "Unsatisfiable" counts in all of them; a model of the
    last is one, of the others only if there is nothing to leave out or to tie.
    """

    def __init__(self, knowledge: Knowledge, edge: Edge, candidates: Sequence[Candidate]) -> None:
        self.knowledge = knowledge
        self.edge = edge
        self._candidates = candidates
        step = knowledge.step(edge)
        self._frame = [*knowledge.types(edge.source), *step.clauses]
        self._context = [*self._frame, edge.env.live]
        self._near = near(knowledge.terms, edge.env.live)
        self._readings: dict[str, Reading] = {}
        self._numeric: dict[Lit, bool] = {}

    def ask(
        self, alive: Sequence[Candidate], posts: Sequence[Lit], deadline: Deadline, exactly: bool
    ) -> tuple[Answer, set[Candidate]]:
        """Whether the edge can break one of the posts if the candidates alive hold before; (answer, if
        "unsat" the candidates that this rests on). `exactly`: "sat" is to be a true model; else it
        may be spurious, where sums are spoken of."""
        before = {c: c.lits[self.edge.source] for c in alive if self.edge.source in c.lits}
        facts = self.knowledge.facts_at(self.edge.source)
        whole = not any(map(self.numeric, [*self._context, *facts, *before.values(), *posts]))
        if not any(map(self.numeric, posts)):
            plain = {key: lit for key, lit in before.items() if not self.numeric(lit)}
            answer, core = self._reading("plain").ask(
                plain, [lit for lit in facts if not self.numeric(lit)], posts, deadline
            )
            if answer.status == "unsat" or (whole and self._near is None):
                return answer, core
        if self._near is not None:
            answer, core = self._reading("near").ask(before, facts, posts, deadline.part(deadline.left / 3))
            if answer.status == "unsat":
                return answer, core
        abstract = self._reading("abstract")
        answer, core = abstract.ask(before, facts, posts, deadline.part(deadline.left / 2))
        if answer.status == "unsat" or not exactly or not abstract.loose:
            return answer, core
        return self._reading("exact").ask(before, facts, posts, deadline)

    def numeric(self, lit: Lit) -> bool:
        """Whether the literal rests on a comparison of numbers."""
        if lit not in self._numeric:
            kind = self.knowledge.terms.kind
            self._numeric[lit] = any(kind[node] == LE for node in self.knowledge.terms.cone([lit]))
        return self._numeric[lit]

    def _reading(self, name: str) -> Reading:
        if name not in self._readings:
            self._readings[name] = self._read(name)
        return self._readings[name]

    def _read(self, name: str) -> Reading:
        knowledge, edge = self.knowledge, self.edge
        short = self._context if self._near is None else [*self._frame, *self._near]
        if name == "plain":
            return Reading(Translator(knowledge.terms), [lit for lit in short if not self.numeric(lit)])
        before = [c.lits[edge.source] for c in self._candidates if edge.source in c.lits]
        targets = [c.lits[edge.target] for c in self._candidates if edge.target in c.lits]
        posts = [knowledge.after(edge).lit(lit) for lit in targets]
        facts = [*knowledge.facts_at(edge.source), *knowledge.facts_at(edge.target)]
        if name == "exact":
            made = Translator(knowledge.terms)
            made.lits([*facts, *before, *posts])
            return Reading(made, self._context)
        context = short if name == "near" else self._context
        sums = knowledge.sums([*context, *facts, *before, *posts])
        equations, exact = knowledge.tied(edge, knowledge.sums([*before, *targets, *facts]))
        equations += knowledge.defined(edge, sums) if sums else []
        made = Translator(knowledge.terms, bool(sums), exact)
        made.lits([*facts, *before, *posts])
        return Reading(made, [*context, *(knowledge.some(sums) if sums else [])], equations, bool(sums))


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


class Reading:
    """One solver. `loose`: whether its models may be spurious."""

    def __init__(
        self, made: Translator, context: Sequence[Lit], equations: Iterable[Lin] = (), loose: bool = False
    ) -> None:
        self.loose = loose
        self._made = made
        asserted = made.lits(context)
        asserted += [made.equation(value) for value in equations]
        self._solver = z3.Solver() if made.integers else z3.SolverFor("QF_FD")
        self._solver.add([*asserted, *made.bounds])
        self._bounds = len(made.bounds)
        self._selectors: dict[Candidate, z3.BoolRef] = {}
        self._wanted: dict[Candidate, None] = {}  # the candidates that were needed before
        self._facts: set[Lit] = set()  # those put to the solver

    def ask(
        self, before: dict[Candidate, Lit], facts: Sequence[Lit], posts: Sequence[Lit], deadline: Deadline
    ) -> tuple[Answer, set[Candidate]]:
        """Whether one of the posts can be false under all of `before` and the facts."""
        missing = z3.Or([z3.Not(post) for post in self._lits(posts)])
        assumed = [key for key in self._wanted if key in before]
        while not deadline.passed:
            chosen = [self._selector(key, before[key]) for key in assumed]
            self._solver.push()
            answer = ask(self._solver, [missing], self._made, deadline, chosen)
            core = set(map(str, self._solver.unsat_core())) if answer.status == "unsat" else set()
            self._solver.pop()
            if answer.status == "unsat":
                used = {key for key in assumed if str(self._selectors[key]) in core}
                self._wanted = dict.fromkeys((*used, *self._wanted))
                return answer, used
            if answer.status == "unknown":
                return answer, set()
            values = Valuation(self._made.terms, answer.values)
            told = [lit for lit in facts if lit not in self._facts and not values.lit(lit)]
            more = [key for key, lit in before.items() if key not in assumed and not values.lit(lit)]
            cuts = self._made.cuts(answer.values) if self.loose and not told and not more else []
            if not (told or more or cuts):
                return answer, set()
            self._solver.add([*cuts, *self._lits(told)])
            self._facts.update(told)
            assumed += more
        return Answer("unknown", reason="out of time"), set()

    def _lits(self, lits: Sequence[Lit]) -> list[z3.BoolRef]:
        """As expressions; with what bounds the integers in them."""
        made: list[z3.BoolRef] = self._made.lits(lits)
        self._solver.add(self._made.bounds[self._bounds :])
        self._bounds = len(self._made.bounds)
        return made

    def _selector(self, key: Candidate, lit: Lit) -> z3.BoolRef:
        if key not in self._selectors:
            self._selectors[key] = z3.Bool(f"assume{len(self._selectors)}")
            self._solver.add(z3.Implies(self._selectors[key], self._lits([lit])[0]))
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
