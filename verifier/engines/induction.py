"""Induction over steps: which of many candidates hold together in all reachable states, and k-induction for
single claims.

Houdini: assume all candidates before a step, drop those that a model of the step breaks, until none is
broken. Sums are free integers first, tied to their old values by what the step changes; only a claim broken
by such a model is asked again exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import z3

from engine import kernel as k
from verifier.engines.bounded import Frame, Unrolling
from verifier.engines.knowledge import Fact, Knowledge
from verifier.engines.pool import Candidate
from verifier.symbolic.deadline import Deadline
from verifier.symbolic.mapping import Valuation
from verifier.symbolic.solve import Answer, Translator, ask, solve
from verifier.symbolic.terms import FALSE, IVAR, TRUE, VAR, Lin, Lit
from verifier.symbolic.transition import Edge, Transitions

PATIENCE = 10.0  # seconds for a query that decides about a claim


class Houdini:
    """The greatest set of candidates that is inductive, as far as the solver decides. `broken`: by claim, the
    edge and model that last broke it; `unsure`: claims dropped because the solver gave up."""

    def __init__(self, knowledge: Knowledge, candidates: Sequence[Candidate], deadline: Deadline) -> None:
        self.knowledge = knowledge
        self.terms = knowledge.terms
        self.alive = list(candidates)
        self.deadline = deadline
        self.unsure: set[str] = set()
        self._solvers: dict[int, EdgeSolver] = {}

    def run(self, edges: Sequence[Edge]) -> list[Candidate]:
        """What is left; nothing if time ran out, because then nothing is proved."""
        cleared: dict[
            int, tuple[int, int]
        ] = {}  # edges that broke nothing: how many candidates lived at their ends
        changed = True
        while changed and self.alive:
            changed = False
            for edge in edges:
                if cleared.get(id(edge)) == self._living(edge):
                    continue
                changed |= self._edge(edge)
                cleared[id(edge)] = self._living(edge)
                if self.deadline.passed:
                    return []
        return self.alive

    def support(self, claim: Candidate, edges: Sequence[Edge], deadline: Deadline) -> list[str] | None:
        """The candidates alive that a proof of the claim used, besides itself; None if that was not
        found out."""
        used: dict[str, None] = {}
        for edge in edges:
            post = self.knowledge.after(edge).lit(claim.lits.get(edge.target, TRUE))
            same = next((c for c in self.alive if c.lits.get(edge.source) == post), None)
            if post == TRUE or same is not None:
                used |= {same.words: None} if same is not None else {}
            elif id(edge) in self._solvers and post not in self.knowledge.at(edge.source):
                found = self._solvers[id(edge)].support(self.alive, post, deadline)
                if found is None:
                    return None
                used |= dict.fromkeys(found)
        claims = {c.words for c in self.alive if c.claim}
        return sorted((words for words in used if words != claim.words), key=lambda w: telling(w, claims))

    def _living(self, edge: Edge) -> tuple[int, int]:
        """How many candidates speak of the source, and of the target."""
        blocks = (edge.source, edge.target)
        source, target = (sum(block in c.lits for c in self.alive) for block in blocks)
        return source, target

    def _edge(self, edge: Edge) -> bool:
        """Drops what this edge breaks; whether that was anything."""
        dropped = False
        sound: set[int] = set()  # claims that an exact query has cleared
        while True:
            posts = self._posts(edge, sound)
            if not posts or self.deadline.passed:
                return dropped
            broken = self._broken(edge, posts, sound)
            if broken is None:
                return dropped
            if broken:
                self.alive = [c for c in self.alive if c not in broken]
                sound.clear()
                dropped = True

    def _posts(self, edge: Edge, sound: set[int]) -> list[tuple[Candidate, Lit]]:
        """The candidates that this edge might break, as they read after it; not those that the edge plainly
        keeps."""
        known = {c.lits[edge.source] for c in self.alive if edge.source in c.lits}
        known |= set(self.knowledge.at(edge.source))
        after, posts = self.knowledge.after(edge), []
        for candidate in self.alive:
            lit = candidate.lits.get(edge.target)
            if lit is not None and id(candidate) not in sound:
                post = after.lit(lit)
                if post != TRUE and post not in known:
                    posts.append((candidate, post))
        return posts

    def _broken(
        self, edge: Edge, posts: list[tuple[Candidate, Lit]], sound: set[int]
    ) -> list[Candidate] | None:
        """Those that one model breaks; None if there is no model; empty if exact queries cleared all that it
        breaks."""
        if id(edge) not in self._solvers:
            self._solvers[id(edge)] = EdgeSolver(self.knowledge, edge, self.alive)
        solver = self._solvers[id(edge)]
        answer = solver.ask(self.alive, [post for _, post in posts], self.deadline.part(PATIENCE))
        if answer.status == "unsat":
            return None
        if answer.status == "unknown":
            return self._one_by_one(edge, posts, sound)
        values = Valuation(self.terms, answer.values)
        shown = [(candidate, post) for candidate, post in posts if not values.lit(post)]
        if not shown:  # the model shows none in particular
            return self._one_by_one(edge, posts, sound)
        broken = []
        for candidate, post in shown:
            if candidate.claim and solver.sums and self._cleared(edge, candidate, post):
                sound.add(id(candidate))
            else:
                broken.append(candidate)
        return broken

    def _cleared(self, edge: Edge, candidate: Candidate, post: Lit) -> bool:
        """Whether the claim is kept after all, sums taken exactly."""
        before = [c.lits[edge.source] for c in self.alive if edge.source in c.lits]
        lits = [*self.knowledge.before(edge), *before, -post]
        answer = solve(self.terms, lits, self.deadline.part(PATIENCE))
        if answer.status == "unknown":
            self.unsure.add(candidate.words)
        return answer.status == "unsat"

    def _one_by_one(
        self, edge: Edge, posts: list[tuple[Candidate, Lit]], sound: set[int]
    ) -> list[Candidate] | None:
        broken = []
        for candidate, post in posts:
            seconds = PATIENCE / 2 if candidate.claim else PATIENCE / 10
            answer = self._solvers[id(edge)].ask(self.alive, [post], self.deadline.part(seconds))
            kept = answer.status == "unsat" or (candidate.claim and self._cleared(edge, candidate, post))
            if kept:
                sound.add(id(candidate))
            else:
                broken.append(candidate)
        return broken or None


def telling(words: str, claims: set[str]) -> tuple[bool, bool, bool]:
    """Sorts claims first, then what speaks of the whole state, then what speaks of one element or value."""
    return words not in claims, "[" in words, "!=" in words


class EdgeSolver:
    """One solver for all questions about an edge: candidates are assumed before it as wanted, sums are free
    integers tied to their old values by what the edge changes."""

    def __init__(self, knowledge: Knowledge, edge: Edge, candidates: Sequence[Candidate]) -> None:
        after = knowledge.after(edge)
        before = {id(c): c.lits[edge.source] for c in candidates if edge.source in c.lits}
        targets = [c.lits[edge.target] for c in candidates if edge.target in c.lits]
        posts = [after.lit(lit) for lit in targets]
        context = [*knowledge.before(edge), *(after.lit(lit) for lit in knowledge.at(edge.target))]
        self.sums = knowledge.sums([*context, *before.values(), *posts])
        tied = [*before.values(), *targets, *knowledge.at(edge.source), *knowledge.at(edge.target)]
        equations, exact = knowledge.tied(edge, knowledge.sums(tied))
        self._made = Translator(knowledge.terms, bool(self.sums), exact)
        asserted = self._made.lits([*context, *(knowledge.some(self.sums) if self.sums else [])])
        if self.sums:
            equations += knowledge.defined(edge, self.sums)
            asserted += [self._made.equation(value) for value in equations]
        self._assumed = dict(zip(before, self._made.lits(before.values()), strict=True))
        self._made.lits(posts)
        self._solver = z3.Solver() if self._made.integers else z3.SolverFor("QF_FD")
        self._solver.add(asserted)
        self._selectors: dict[int, z3.BoolRef] = {}
        self.core: set[str] = set()  # the selectors that the last "unsat" rests on
        for number, (key, expression) in enumerate(self._assumed.items()):
            self._selectors[key] = z3.Bool(f"assume{number}")
            self._solver.add(z3.Implies(self._selectors[key], expression))
        self._solver.add(self._made.bounds)

    def ask(self, alive: Sequence[Candidate], posts: Sequence[Lit], deadline: Deadline) -> Answer:
        """Whether the edge can break one of the posts if the candidates alive hold before."""
        if deadline.passed:
            return Answer("unknown", reason="out of time")
        self.core = set()
        self._solver.push()
        asked = [z3.Or([z3.Not(post) for post in self._made.lits(posts)])]
        assumed = [self._selectors[id(c)] for c in alive if id(c) in self._selectors]
        answer = ask(self._solver, asked, self._made, deadline, assumed)
        if answer.status == "unsat":
            self.core = {str(selector) for selector in self._solver.unsat_core()}
        self._solver.pop()
        return answer

    def support(self, alive: Sequence[Candidate], post: Lit, deadline: Deadline) -> list[str] | None:
        """Those of the candidates that keep the post from being broken; None if that is not known."""
        if self.ask(alive, [post], deadline).status != "unsat":
            return None
        return [c.words for c in alive if str(self._selectors.get(id(c))) in self.core]


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


def proved_facts(candidates: Iterable[Candidate]) -> list[Fact]:
    """Candidates that turned out inductive, as facts."""
    return [Fact(block, lit, c.words) for c in candidates for block, lit in c.lits.items() if lit != TRUE]


# ---------------------------------------------------------------------------------------------- k-induction


class Windows:
    """Any k steps in a row, from any states that the knowledge allows (Sheeran, Singh, Stålmarck, 2000)."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.transitions: Transitions = knowledge.transitions
        self.terms = knowledge.terms
        blocks = [
            n
            for n, b in enumerate(self.transitions.program.blocks)
            if isinstance(b.exit, k.Decide | k.Chance)
        ]
        names = [f"play stands at {block}" for block in blocks]
        stands = self.terms.one_of(names)
        self.clauses = self.terms.exactly_one(stands) if len(stands) > 2 else []
        for block in blocks:  # makes the variables of live locals
            self.transitions.env(block)
        kinds = self.terms.kind
        lits = {node: node for node, kind in enumerate(kinds) if kind == VAR}
        lins = {node: Lin(0, ((1, node),)) for node, kind in enumerate(kinds) if kind == IVAR}
        start = {block: Frame(lit, dict(lits), dict(lins)) for block, lit in zip(blocks, stands, strict=True)}
        self.unrolling = Unrolling(self.transitions, start=start)

    def ask(
        self,
        claim: dict[int, Lit],
        bad: Callable[[Unrolling, int], Lit],
        length: int,
        leaving: bool,
        deadline: Deadline,
    ) -> tuple[Answer, tuple[tuple[int, Valuation], ...] | None]:
        """Whether, after `length` states in which the claim holds, something bad can come (unsat: it cannot).

        Also the states. `leaving`: what is bad is a step that leaves the last of them.
        """
        while len(self.unrolling.frames) <= length + leaving:
            if deadline.passed or not self.unrolling.extend(deadline):
                return Answer("unknown", reason="out of time"), None
        lits = [*self.transitions.layout.typing, *self.clauses, *self.unrolling.clauses]
        for depth in range(length + 1):
            for block, frame in self.unrolling.frames[depth].items():
                known = list(self.knowledge.at(block))
                if depth < length and block in claim:
                    known.append(claim[block])
                here = self.unrolling.state(depth, block)
                lits += [self.terms.either(-frame.reach, here.lit(lit)) for lit in known]
        lits.append(bad(self.unrolling, length))
        if FALSE in lits:
            return Answer("unsat"), None
        answer = solve(self.terms, lits, deadline.part(deadline.left / 2), abstract=True)
        if answer.status != "unsat":
            answer = solve(self.terms, lits, deadline)
        return answer, self._window(answer, length) if answer.status == "sat" else None

    def _window(self, answer: Answer, length: int) -> tuple[tuple[int, Valuation], ...]:
        values = Valuation(self.terms, answer.values)
        states = []
        for depth in range(length + 1):
            for block, frame in self.unrolling.frames[depth].items():
                if values.lit(frame.reach):
                    here = self.unrolling.state(depth, block)
                    shown = {node: int(values.lit(here.lit(node))) for node in frame.lits}
                    shown |= {term: values.lin(lin) for term, lin in frame.lins.items()}
                    states.append((block, Valuation(self.terms, {**answer.values, **shown})))
        return tuple(states)
