"""Induction over steps: which of many candidates hold together in all reachable states, and k-induction for
single claims.

Houdini: assume all candidates before a step, drop those that a model of the step breaks, until none is
broken. Sums are free
integers first, tied to their old values by what the step changes; only a claim broken by such a model is
asked again exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from engine import kernel as k
from verifier.engines.bounded import Frame, Unrolling
from verifier.engines.knowledge import Fact, Knowledge
from verifier.engines.pool import Candidate
from verifier.symbolic.mapping import Valuation
from verifier.symbolic.solve import Answer, Deadline, solve
from verifier.symbolic.terms import FALSE, SUM, TRUE, Lit
from verifier.symbolic.transition import Edge, Transitions

PATIENCE = 10.0  # seconds for a query that decides about a claim


class Houdini:
    """The greatest set of candidates that is inductive, as far as the solver decides. `broken`: by claim, the
    edge and model
    that last broke it; `unsure`: claims dropped because the solver gave up."""

    def __init__(self, knowledge: Knowledge, candidates: Sequence[Candidate], deadline: Deadline) -> None:
        self.knowledge = knowledge
        self.terms = knowledge.terms
        self.alive = list(candidates)
        self.deadline = deadline
        self.unsure: set[str] = set()

    def run(self, edges: Sequence[Edge]) -> list[Candidate]:
        """What is left; nothing if time ran out, because then nothing is proved."""
        changed = True
        while changed and self.alive:
            changed = False
            for edge in edges:
                changed |= self._edge(edge)
                if self.deadline.passed:
                    return []
        return self.alive

    def _edge(self, edge: Edge) -> bool:
        """Drops what this edge breaks; whether that was anything."""
        dropped = False
        sound: set[int] = set()  # claims that have been asked exactly
        while True:
            before = {c.lits[edge.source] for c in self.alive if edge.source in c.lits}
            known = before | set(self.knowledge.at(edge.source))
            after = self.knowledge.after(edge)
            posts = []
            for candidate in self.alive:
                lit = candidate.lits.get(edge.target)
                if lit is not None and id(candidate) not in sound:
                    post = after.lit(lit)
                    if post != TRUE and post not in known:
                        posts.append((candidate, post))
            if not posts:
                return dropped
            broken = self._broken(edge, sorted(before), posts, sound)
            if broken:
                self.alive = [c for c in self.alive if c not in broken]
                sound.clear()
                dropped = True
            elif broken is None:
                return dropped

    def _broken(
        self, edge: Edge, before: list[Lit], posts: list[tuple[Candidate, Lit]], sound: set[int]
    ) -> list[Candidate] | None:
        """Those that one model breaks; None if there is no model; empty if only exact claims were asked,
        which then are sound.
        """
        context = [*self.knowledge.before(edge), *before]
        watched = [n for n in self.terms.cone([*before, *self._lits(edge, posts)]) if self.terms.kind[n] == SUM]
        violated = self.terms.disj([-post for _, post in posts])
        answer, exact = self._ask(edge, [*context, violated], watched)
        if answer.status == "unsat":
            return None
        if answer.status == "unknown":
            return self._one_by_one(edge, context, posts, watched, sound)
        values = Valuation(self.terms, answer.values)
        broken = [candidate for candidate, post in posts if not values.lit(post)]
        result = []
        for candidate in broken:
            if not candidate.claim or exact:
                result.append(candidate)
                continue
            post = next(p for c, p in posts if c is candidate)
            again = solve(self.terms, [*context, -post], self.deadline.part(PATIENCE))
            if again.status == "unsat":
                sound.add(id(candidate))
            else:
                if again.status == "unknown":
                    self.unsure.add(candidate.words)
                result.append(candidate)
        if not broken:  # a model of free sums that no candidate's own sums show: ask for each
            return self._one_by_one(edge, context, posts, watched, sound)
        return result

    def _lits(self, edge: Edge, posts: list[tuple[Candidate, Lit]]) -> list[Lit]:
        return [candidate.lits[edge.target] for candidate, _ in posts]

    def _ask(self, edge: Edge, lits: list[Lit], watched: Sequence[int]) -> tuple[Answer, bool]:
        return self.knowledge.abstract(edge, lits, self.deadline.part(PATIENCE), watched)

    def _one_by_one(
        self,
        edge: Edge,
        context: list[Lit],
        posts: list[tuple[Candidate, Lit]],
        watched: Sequence[int],
        sound: set[int],
    ) -> list[Candidate]:
        broken = []
        for candidate, post in posts:
            seconds = PATIENCE if candidate.claim else PATIENCE / 10
            part = self.deadline.part(seconds)
            answer, _ = self.knowledge.abstract(edge, [*context, -post], part, watched)
            if answer.status != "unsat" and candidate.claim:
                answer = solve(self.terms, [*context, -post], self.deadline.part(PATIENCE))
            if answer.status == "unsat":
                sound.add(id(candidate))
            else:
                broken.append(candidate)
                if answer.status == "unknown":
                    self.unsure.add(candidate.words)
        return broken


def proved_facts(candidates: Iterable[Candidate]) -> list[Fact]:
    """Candidates that turned out inductive, as facts."""
    return [Fact(block, lit, c.words) for c in candidates for block, lit in c.lits.items() if lit != TRUE]


# ---------------------------------------------------------------------------------------------- k-induction


@dataclass(frozen=True, slots=True)
class Window:
    """The states of a counterexample to induction: (block, values) in order."""

    states: tuple[tuple[int, Valuation], ...]


class Windows:
    """Any k steps in a row, from any states that the knowledge allows (Sheeran, Singh, Stålmarck, 2000)."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.transitions: Transitions = knowledge.transitions
        self.terms = knowledge.terms
        blocks = [n for n, b in enumerate(self.transitions.program.blocks) if isinstance(b.exit, k.Decide | k.Chance)]
        names = [f"play stands at {block}" for block in blocks]
        stands = self.terms.one_of(names)
        self.clauses = self.terms.exactly_one(stands) if len(stands) > 2 else []
        self.unrolling = Unrolling.__new__(Unrolling)
        self.unrolling.transitions = self.transitions
        self.unrolling.terms = self.terms
        self.unrolling.clauses = []
        for block in blocks:  # makes the variables of live locals
            self.transitions.env(block)
        nodes = [n for n, kind in enumerate(self.terms.kind) if kind == 1]
        identity = {node: node for node in nodes}
        self.unrolling.frames = [
            {block: Frame(lit, dict(identity), {}) for block, lit in zip(blocks, stands, strict=True)}
        ]

    def ask(
        self, claim: dict[int, Lit], bad: Callable[[Unrolling, int], Lit], length: int, deadline: Deadline
    ) -> tuple[Answer, Window | None]:
        """Whether, after `length` states in which the claim holds, something bad can come (unsat: it cannot).
        """
        while len(self.unrolling.frames) <= length:
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

    def _window(self, answer: Answer, length: int) -> Window:
        values = Valuation(self.terms, answer.values)
        states = []
        for depth in range(length + 1):
            for block, frame in self.unrolling.frames[depth].items():
                if values.lit(frame.reach):
                    here = self.unrolling.state(depth, block)
                    shown = {node: int(values.lit(here.lit(node))) for node in frame.lits}
                    shown |= {term: values.lin(lin) for term, lin in frame.lins.items()}
                    states.append((block, Valuation(self.terms, {**answer.values, **shown})))
        return Window(tuple(states))
