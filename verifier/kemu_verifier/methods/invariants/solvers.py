"""Solvers kept for many questions about one edge, or about the states at one stop.

What may be assumed before an edge is only put to the solver where a model breaks it: most proofs need little
of what is known, and the rest would only be in the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import z3

from kemu_verifier.methods.invariants.invariants import Knowledge
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.mapping import Valuation
from kemu_verifier.symbolic.solve import Answer, Translator, ask, scope, tell, weighs
from kemu_verifier.symbolic.terms import (
    AND,
    DIV,
    FALSE,
    ITE,
    IVAR,
    MOD,
    MUL,
    TRUE,
    VAR,
    Lin,
    Lit,
    Terms,
)
from kemu_verifier.symbolic.transition import Edge

GROWN = 4  # times as many terms as for its first question: when a solver is done with
LARGE, LESS = 20_000, 10  # terms of a condition that is taken apart; of how many times less a part has to be

Post = tuple[Candidate, Lit]
"""A candidate, and how it reads after an edge."""


class StopSolver:
    """Questions about the states at a stop that what is known allows, about the steps from there, or about
    those of one edge, which ties the sums `watched` to their old values.

    Four readings, each made when it is first needed. Blind: comparisons that take arithmetic are truth values
    of their own. Near: of a large condition for taking an edge only the parts that are short. Abstract: sums
    are free integers. Exact. "Unsatisfiable" counts in all of them; a model of the last is one, of the others
    only if nothing was left out, or if it turns out to be one.
    """

    def __init__(
        self, knowledge: Knowledge, block: int, edge: Edge | None = None, watched: Sequence[int] = ()
    ) -> None:
        self.noting = True
        live = TRUE if edge is None else edge.env.live
        self.knowledge = knowledge
        self.block = block
        self.edge = edge
        self.watched = watched
        self._frame = [knowledge.transitions.arrival(block).stands] if block >= 0 else []
        self._context = [*self._frame, live]
        self._near = near(knowledge.terms, live)
        self._readings: dict[str, Reading] = {}
        self._weighs: dict[Lit, bool] = {}

    def possible(self, lits: Iterable[Lit], deadline: Deadline, exactly: bool = True) -> Answer:
        """Whether all these can hold at once; `exactly`: a model is a true one."""
        lit = self.knowledge.terms.conj(lits)
        if lit == FALSE:
            return Answer("unsat")
        if deadline.passed:
            return Answer("unknown", reason="out of time")
        return self._ask({}, [-lit], deadline, not self.weighs(lit), exactly)[0]

    def excludes(self, lit: Lit, deadline: Deadline, exactly: bool = True) -> bool:
        """Whether this cannot hold, as far as is found out; not `exactly`: sums taken as free integers."""
        return self.possible([lit], deadline, exactly).status == "unsat"

    def excludes_all(self, lits: Sequence[Lit], deadline: Deadline) -> bool:
        """Whether none of these can hold, asked in one question."""
        if deadline.passed:
            return False
        blindly = not any(map(self.weighs, lits))
        return self._ask({}, [-lit for lit in lits], deadline, blindly)[0].status == "unsat"

    def weighs(self, lit: Lit) -> bool:
        """Whether the literal rests on a comparison that takes arithmetic."""
        if lit not in self._weighs:
            terms = self.knowledge.terms
            self._weighs[lit] = any(weighs(terms, node) for node in terms.cone([lit]))
        return self._weighs[lit]

    def _ask(
        self,
        before: dict[Candidate, Lit],
        posts: Sequence[Lit],
        deadline: Deadline,
        blindly: bool,
        exactly: bool = True,
        first: Candidate | None = None,
    ) -> tuple[Answer, set[Candidate]]:
        """Whether one of the posts can be false under what is known and all of `before`, of which `first` is
        put to the solver at once; (answer, if "unsat" those of `before` that this rests on). `blindly`: the
        blind reading is asked too; `exactly`: a model is to be a true one."""
        facts = self.knowledge.facts_at(self.block)
        names = [*(["blind"] if blindly else []), *([] if self._near is None else ["near"]), "abstract"]
        for name in names:
            reading = self._reading(name)
            whole = self._near is None or name == "abstract"
            last = (whole and not reading.loose) or (name == "abstract" and not exactly)
            part = deadline if last else deadline.part(deadline.left / (3 if name == "near" else 2))
            answer, core = self._put(name, before, facts, posts, part, first)
            if answer.status == "unsat" or (whole and not reading.loose):
                return answer, core
            true = self._true(answer, [*facts, *before.values()], posts)
            if true is not None:
                return true, core
        if not exactly:
            return answer, core
        return self._put("exact", before, facts, posts, deadline, first)

    def _put(
        self,
        name: str,
        before: dict[Candidate, Lit],
        facts: Sequence[Lit],
        posts: Sequence[Lit],
        deadline: Deadline,
        first: Candidate | None,
    ) -> tuple[Answer, set[Candidate]]:
        """Puts a question to one reading, and notes the facts that "unsat" rests on."""
        reading = self._reading(name)
        answer, core = reading.ask(before, facts, posts, deadline, first)
        if answer.status == "unsat" and self.noting:
            self.knowledge.rested.setdefault(self.block, set()).update(reading.facts)
        return answer, core

    def _true(self, answer: Answer, known: Iterable[Lit], posts: Iterable[Lit]) -> Answer | None:
        """The model, if it is one after all: if all that is asked for holds under what it says of the
        variables."""
        terms = self.knowledge.terms
        said = {node: value for node, value in answer.values.items() if terms.kind[node] in (VAR, IVAR)}
        values = Valuation(terms, said)
        if answer.status != "sat" or all(map(values.lit, posts)):
            return None
        return Answer("sat", said) if all(map(values.lit, (*self._context, *known))) else None

    def _reading(self, name: str) -> Reading:
        if name not in self._readings or self._readings[name].grown:
            self._readings[name] = self._read(name)
        return self._readings[name]

    def _read(self, name: str) -> Reading:
        terms = self.knowledge.terms
        short = self._context if self._near is None else [*self._frame, *self._near]
        if name == "blind":
            return Reading(Translator(terms, blind=True), short, False)
        context = short if name == "near" else self._context
        ties, integers = self._spoken_of(context)
        if name == "exact" or ties is None:
            return Reading(Translator(terms), context, integers)
        return Reading(Translator(terms, True, ties.exact), context, True, ties)

    def _spoken_of(self, context: Sequence[Lit]) -> tuple[Ties | None, bool]:
        """What is known of the sums that are spoken of, if there are any; whether there are integers."""
        return Ties(self.knowledge, self.edge, self.watched), True


class EdgeSolver(StopSolver):
    """Questions about an edge, candidates being assumed before it; sums after it are tied to their old values
    by what the edge changes."""

    def __init__(self, knowledge: Knowledge, edge: Edge) -> None:
        super().__init__(knowledge, edge.source, edge)
        self.noting = False
        self.target = edge.target
        self._expected: dict[Candidate, None] = {}

    def expect(self, candidates: Iterable[Candidate]) -> None:
        """That these will be asked about: readings that do not tie their sums are made anew."""
        expected = dict.fromkeys(candidates)
        if not expected.keys() <= self._expected.keys():
            self._expected = expected
            self._readings = {name: made for name, made in self._readings.items() if name == "blind"}

    def ask(
        self,
        alive: Iterable[Candidate],
        posts: Sequence[Post],
        deadline: Deadline,
        exactly: bool,
    ) -> tuple[Answer, set[Candidate]]:
        """Whether the edge can break one of the posts if the candidates alive hold before; (answer, if
        "unsat" the candidates that this rests on). `exactly`: "sat" is to be a true model; else it may be
        spurious, where sums are spoken of."""
        before = {c: c.lits[self.block] for c in alive if self.block in c.lits}
        blindly = not any(self.weighs(c.lits.get(self.target, lit)) for c, lit in posts)
        first = posts[0][0] if exactly else None
        return self._ask(before, [lit for _, lit in posts], deadline, blindly, exactly, first)

    def _spoken_of(self, context: Sequence[Lit]) -> tuple[Ties | None, bool]:
        knowledge, edge = self.knowledge, self.edge
        assert edge is not None
        before = [c.lits[edge.source] for c in self._expected if edge.source in c.lits]
        targets = [c.lits[edge.target] for c in self._expected if edge.target in c.lits]
        posts = [knowledge.after(edge).lit(lit) for lit in targets]
        facts = [*knowledge.facts_at(edge.source), *knowledge.facts_at(edge.target)]
        spoken = [*context, *facts, *before, *posts]
        terms = knowledge.terms
        integers = any(terms.kind[node] in (IVAR, ITE, MUL, DIV, MOD) for node in terms.cone(spoken))
        if not knowledge.sums(spoken):
            return None, integers
        return Ties(knowledge, edge, knowledge.sums([*before, *targets, *facts])), integers


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


def solver(made: Translator, integers: bool, plain: bool = False) -> z3.Solver:
    """One that suits what there is to be solved: whether there are integers in it."""
    if made.blind or plain:  # hardly anything but logic, which is best looked at as a whole
        found = z3.SimpleSolver()
        found.set("relevancy", 0)
        return found
    return z3.Solver() if integers else z3.SolverFor("QF_FD")


class Reading:
    """One solver. With `ties`, sums are free integers, of which so much is said as matters for a question:
    its models may be spurious."""

    def __init__(
        self,
        made: Translator,
        context: Sequence[Lit],
        integers: bool,
        ties: Ties | None = None,
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
        self.facts: set[Lit] = set()  # those put to the solver
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
            with scope(self._solver):
                answer = ask(self._solver, asked, self._made, deadline, chosen)
                core = set(map(str, self._solver.unsat_core())) if answer.status == "unsat" else set()
            if answer.status == "unsat":
                used = self._named(assumed, core)
                self._wanted = {**used, **self._wanted}
                self._first = self._first or self._made.size
                return answer, set(used)
            if answer.status == "unknown":
                return answer, set()
            answer = replace(answer, values=self._made.completed(answer.values))
            values = Valuation(self._made.terms, answer.values)
            missed = [lit for lit in facts if lit not in self.facts and not values.lit(lit)]
            more = [key for key, lit in before.items() if key not in assumed and not values.lit(lit)]
            cuts = []
            if self._ties is not None and not missed and not more:
                cuts = self._made.cuts(answer.values, sums | self._sums)
            if not (missed or more or cuts):
                return answer, set()
            tell(self._solver, [*cuts, *self._lits(missed), *self._tied(missed, self._sums)])
            self.facts.update(missed)
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

    def _named(self, keys: Iterable[Candidate], core: set[str]) -> dict[Candidate, None]:
        """Those whose selectors are in a core."""
        return dict.fromkeys(key for key in keys if str(self._selectors[key]) in core)

    def _selector(self, key: Candidate, lit: Lit) -> z3.BoolRef:
        if key not in self._selectors:
            self._selectors[key] = z3.Bool(f"assume{len(self._selectors)}")
            said = z3.Implies(self._selectors[key], self._lits([lit])[0])
            tell(self._solver, [said, *self._tied([lit], self._sums)])
        return self._selectors[key]
