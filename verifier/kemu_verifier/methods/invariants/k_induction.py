"""Induction over steps: which of many candidates hold together in all reachable states, and k-induction for
single claims.

Houdini: assume all candidates before a step, drop those that a model of the step breaks, until none is
broken. A proof stands as long as none of the candidates that it used is dropped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from kemu_engine.kernel import nodes as k

from kemu_verifier.methods.invariants.invariants import Fact, Knowledge
from kemu_verifier.methods.invariants.solvers import EdgeSolver, Post
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.methods.search.bmc import Frame, Unrolling
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.mapping import Valuation
from kemu_verifier.symbolic.solve import Answer, solve
from kemu_verifier.symbolic.terms import FALSE, IVAR, TRUE, VAR, Lin, Lit
from kemu_verifier.symbolic.transition import Edge, Transitions

PATIENCE, MOST, LEAST = 10.0, 20.0, 1.0  # seconds for a query about a claim
PART, SPARE = 0.25, 0.2  # of what time there is, so much at most; where there is plenty, so much
LOST = 2.0  # seconds for a query about a part of a claim of which another one is broken
HALVED = 10  # times at most that the patience with a claim is halved
MOST_LOST = 6  # parts of a claim that are broken; then the others hardly hold
HURRY = 5  # times as fast a query about guesses has to be
HARD = 4  # guesses given up one by one at an edge; from then on together with those asked about with them
ELEMENT = re.compile(r"\w\[")  # what is said of one element of an array
BATCH = 40  # guesses that are asked about at once
TOGETHER, GROUPS = 12, 4  # parts of a claim that are asked about at once at least; in so many groups at most


@dataclass(slots=True)
class Proofs:
    """What attempts at induction leave behind. `reasons`: by edge and candidate, the candidates that a proof
    used that the edge keeps it. `settled`: those proved for good. `solvers`: by edge."""

    reasons: dict[tuple[int, Candidate], set[Candidate]] = field(default_factory=dict)
    settled: set[Candidate] = field(default_factory=set)
    solvers: dict[int, EdgeSolver] = field(default_factory=dict)


class Houdini:
    """The greatest set of candidates that is inductive, as far as the solver decides."""

    def __init__(
        self,
        knowledge: Knowledge,
        candidates: Sequence[Candidate],
        deadline: Deadline,
        proofs: Proofs | None = None,
    ) -> None:
        self.knowledge = knowledge
        self.candidates = tuple(each for each in candidates if not self._rests_on_unknowns(each))
        self.alive = dict.fromkeys(self.candidates)
        self.deadline = deadline
        self.proofs = Proofs() if proofs is None else proofs
        self.lost = Counter[str]()  # claims of which parts are broken, and how many
        plenty = min(MOST, max(PATIENCE, SPARE * deadline.left))
        self.patience = min(plenty, max(LEAST, PART * deadline.left))
        self.open = Counter[str]()  # claims about which queries had no answer, and how many

    def _rests_on_unknowns(self, candidate: Candidate) -> bool:
        """Whether it says something of hidden state, of which nobody knows what it is after a step."""
        return bool(self.knowledge.transitions.reader.unknowns.of(candidate.lits.values()))

    def run(self, edges: Sequence[Edge]) -> list[Candidate]:
        """What is left; if time ran out, as much of it as needs nothing that is open. Nothing on a reading of
        which paths were cut off."""
        if self.knowledge.transitions.unclosed:
            return []
        changed = True
        while changed and self.alive:
            changed = False
            for edge in edges:
                changed |= self._edge(edge)
                if self.deadline.passed:
                    self._close(edges)
                    return list(self.alive)
        return list(self.alive)

    def support(self, claim: Candidate) -> list[str]:
        """The candidates that the proof of the claim used, besides itself."""
        reasons = [reason for (_, one), reason in self.proofs.reasons.items() if one is claim]
        words = {c.words for reason in reasons for c in reason if c is not claim}
        claims = {c.words for c in self.alive if c.claim} | {c.words for c in self.proofs.settled if c.claim}
        return sorted(words, key=lambda w: (telling(w, claims), w))

    def used(self, claims: Iterable[Candidate]) -> set[Candidate]:
        """The candidates that the proofs of the claims rest on, and those that these rest on."""
        rests: dict[Candidate, set[Candidate]] = {}
        for (_, one), reason in self.proofs.reasons.items():
            rests.setdefault(one, set()).update(reason)
        found, waiting = set[Candidate](), list(claims)
        while waiting:
            more = rests.get(waiting.pop(), set()) - found
            found |= more
            waiting += more
        return found

    def _close(self, edges: Sequence[Edge]) -> None:
        """Drops those for which a proof is missing, or that need what is dropped."""
        for edge in edges:
            self._posts(edge)
        count = len(self.alive) + 1
        while len(self.alive) < count:
            count = len(self.alive)
            for candidate in list(self.alive):
                ends = [edge for edge in edges if edge.target in candidate.lits]
                if not all(self._stands(edge, candidate) for edge in ends):
                    del self.alive[candidate]

    def _edge(self, edge: Edge) -> bool:
        """Drops what this edge breaks; whether that was anything."""
        posts = self._posts(edge)
        dropped, size, most, hard = False, BATCH, BATCH, 0
        while posts and not self.deadline.passed:
            batch = _first(posts, size)
            answer, core = self._ask(edge, batch)
            if answer.status == "unsat":
                self.proofs.reasons.update(((id(edge), c), core) for c, _ in batch)
                size = min(2 * size, most)
                posts = [(c, post) for c, post in posts if not self._stands(edge, c)]
            elif answer.status == "unknown" and (self.deadline.passed or (len(batch) > 1 and hard < HARD)):
                size, most = max(1, len(batch) // 4), max(1, len(batch) // 2)
                self.open.update([batch[0][0].words])
            else:
                if answer.status == "unknown" and not batch[0][0].claim:
                    hard += 1
                    size = 1 if hard < HARD else BATCH // 4
                self._drop(self._broken(posts, batch, answer))
                dropped, most = True, BATCH
                posts = self._posts(edge)
        return dropped

    def _drop(self, broken: Iterable[Candidate]) -> None:
        """Drops these; and of a claim of which many parts are broken the others."""
        for candidate in broken:
            del self.alive[candidate]
            self.lost.update([candidate.words] if candidate.claim else [])
        for candidate in list(self.alive):
            if candidate.claim and self.lost[candidate.words] >= MOST_LOST:
                del self.alive[candidate]

    def _ask(self, edge: Edge, batch: list[Post]) -> tuple[Answer, set[Candidate]]:
        if id(edge) not in self.proofs.solvers:
            self.proofs.solvers[id(edge)] = EdgeSolver(self.knowledge, edge)
        solver = self.proofs.solvers[id(edge)]
        solver.expect(self.candidates)
        claim = batch[0][0].claim
        exactly = claim and batch[0][0].words not in self.lost
        hurry = min(self.patience / HURRY, LOST) if claim else self.patience / HURRY
        patience = self.patience / 2 ** min(self.open[batch[0][0].words], HALVED)
        deadline = self.deadline.part(max(hurry, patience) if exactly else hurry)
        used: set[Candidate] = set()
        for asked in self._taken_apart(*batch[0]) if claim and len(batch) == 1 else [batch]:
            answer, core = solver.ask(self.alive, asked, deadline, exactly)
            if answer.status != "unsat":
                break
            used |= core
        return answer, used

    def _taken_apart(self, claim: Candidate, post: Lit) -> list[list[Post]]:
        """What is claimed of many things, of some of them at a time."""
        parts = self.knowledge.terms.conjuncts(post)
        size = max(TOGETHER, -(-len(parts) // GROUPS))
        return [[(claim, part) for part in parts[at : at + size]] for at in range(0, len(parts), size)]

    def _broken(self, posts: list[Post], batch: list[Post], answer: Answer) -> list[Candidate]:
        """Those that the answer, which may be a model, drops: guesses with a spurious model too."""
        if answer.status == "unknown":
            return [c for c, _ in batch]
        values = Valuation(self.knowledge.terms, answer.values)
        doubtful = not batch[0][0].claim or batch[0][0].words in self.lost
        shown = [c for c, post in posts if not values.lit(post) and not (doubtful and self._whole(c))]
        return shown or [c for c, _ in batch]  # if the model shows none in particular

    def _whole(self, candidate: Candidate) -> bool:
        """Whether it is a claim that may still be proved as a whole."""
        return candidate.claim and candidate.words not in self.lost

    def _posts(self, edge: Edge) -> list[Post]:
        """The candidates that this edge might break, as they read after it; not those that the edge plainly
        keeps, nor those whose last proof still stands."""
        before: dict[Lit, set[Candidate]] = {}
        for candidate in self.alive:
            if edge.source in candidate.lits:
                before.setdefault(candidate.lits[edge.source], {candidate})
        before |= {lit: set() for lit in (*self.knowledge.facts_at(edge.source), TRUE)}
        after, posts = self.knowledge.after(edge), []
        known = set(self.knowledge.facts_at(edge.target))
        for candidate in self.alive:
            lit = candidate.lits.get(edge.target)
            if lit is None or self._stands(edge, candidate):
                continue
            post = after.lit(lit)
            if post in before or lit in known:
                self.proofs.reasons[id(edge), candidate] = before.get(post, set())
            else:
                posts.append((candidate, post))
        return posts

    def _stands(self, edge: Edge, candidate: Candidate) -> bool:
        """Whether a proof is known that the edge keeps it, and what the proof used is alive or settled."""
        reason = self.proofs.reasons.get((id(edge), candidate))
        return reason is not None and all(c in self.alive or c in self.proofs.settled for c in reason)


def _first(posts: list[Post], size: int) -> list[Post]:
    """A claim, or some of the parts that it comes in, as long as there is one; then guesses, so many at
    once."""
    claim = next((candidate for candidate, _ in posts if candidate.claim), None)
    if claim is None:
        return posts[: max(size, 1)]
    parts = [post for post in posts if post[0].claim and post[0].words == claim.words]
    return parts[: max(min(size, TOGETHER), 1)]


def telling(words: str, claims: set[str]) -> tuple[bool, bool, bool]:
    """Sorts claims first, then what speaks of the whole state, then what speaks of one element or value."""
    return words not in claims, ELEMENT.search(words) is not None, "!=" in words


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
        if self.transitions.unclosed:
            return Answer("unknown", reason="paths were cut off"), None
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
