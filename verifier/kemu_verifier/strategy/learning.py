"""Invariants learnt by induction: of what the author says by itself, then together with guesses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Literal, Protocol, get_args

from kemu_engine.kernel import nodes as k

from kemu_verifier.goal.goal import Goal
from kemu_verifier.goal.lemma_cache import LemmaCache, at_stop
from kemu_verifier.methods.invariants.case_split import ByCases
from kemu_verifier.methods.invariants.fault_edges import Unmet, unmet
from kemu_verifier.methods.invariants.invariants import Fact, Knowledge
from kemu_verifier.methods.invariants.k_induction import Houdini, Proofs, proved_facts, telling
from kemu_verifier.methods.invariants.linear_features import NAMELESS, Feature, sums_in
from kemu_verifier.methods.invariants.pdr import invariant
from kemu_verifier.methods.invariants.solvers import StopSolver
from kemu_verifier.methods.invariants.templates import Candidate, Samples, candidates, relating
from kemu_verifier.strategy import strategy
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.terms import TRUE
from kemu_verifier.symbolic.transition import Edge, Transitions
from kemu_verifier.symbolic.values import TooLarge
from kemu_verifier.symbolic.wording import Wording

Guesses = Literal["equal", "telling", "other"]
"""Kinds of guessed invariants: that two things are the same, what speaks of the whole state, all else."""

KINDS_OF_GUESSES: tuple[Guesses, ...] = get_args(Guesses)


def kind_of(guess: Candidate) -> Guesses:
    """The kind of a guess."""
    if guess.rank == 0:
        return "equal"
    return "telling" if telling(guess.words, set()) == (True, False, False) else "other"


def method(support: list[str]) -> str:
    """A proof by induction in words; of what it rests on the first few that have words of their own."""
    if not support:
        return "1-induction"
    named = [words for words in support if NAMELESS not in words][: strategy.NAMED]
    more = len(support) - len(named)
    if not named:
        return f"1-induction together with {more} guessed invariant{'s' * (more > 1)}"
    return f"1-induction together with {'; '.join(named)}{f' and {more} more' if more else ''}"


class Inductive(Protocol):
    """What learning needs of the context of proofs. `noted`: guesses that held in another instance. `shared`:
    seconds for the invariants that all questions share; `generous`: guesses have some of their own."""

    @property
    def program(self) -> k.Program: ...
    @property
    def notes(self) -> LemmaCache: ...
    @property
    def noted(self) -> frozenset[str]: ...
    @property
    def seconds(self) -> float: ...
    @property
    def shared(self) -> float: ...
    @property
    def generous(self) -> bool: ...
    @property
    def progress(self) -> Callable[[str], None]: ...
    @property
    def transitions(self) -> Transitions: ...
    @property
    def samples(self) -> Samples: ...
    @property
    def knowledge(self) -> Knowledge: ...
    @property
    def edges(self) -> list[Edge]: ...

    def solver(self, block: int) -> StopSolver: ...


class Learning:
    """What is learnt about one game under examination; all that holds is known to its context."""

    def __init__(self, context: Inductive) -> None:
        self.context = context
        self._proofs = Proofs()
        self._guessed: list[Candidate] | None = None  # guesses that were not noted before
        self._unmet: list[Unmet] = []  # the questions about faults: their edges are known by what they are
        self._few: set[Candidate] = set()  # guesses that are known, where they were few

    def learn(self, claims: Sequence[Candidate], proved: dict[str, str] | None = None) -> dict[str, str]:
        """Proves by induction what it can of the claims, and learns invariants, within the time that all
        share. Returns the method for each claim proved; `proved` is where they are kept, one by one."""
        proved = {} if proved is None else proved
        deadline = Deadline(self.context.shared)
        self.learn_plainly(claims, proved, deadline)
        deadline = Deadline(self.guessing(deadline.left))
        for kind in KINDS_OF_GUESSES:
            self.learn_by_guesses(kind, claims, proved, deadline)
        return proved

    def guessing(self, left: float) -> float:
        """The seconds for guessed invariants, so many being left for invariants: they have time of their own,
        if there is (`generous`)."""
        return max(self.context.shared * strategy.GUESSES, left) if self.context.generous else left

    def learn_plainly(self, claims: Sequence[Candidate], proved: dict[str, str], deadline: Deadline) -> None:
        """Proves what it can of the claims by themselves: first with guessed invariants that held in another
        instance, if there are any; then lemmas, the other claims; last, of what is left, claims about sums
        with linear relations among them."""
        claims = [c for c in claims if c.rank <= 1]
        if self.context.noted:
            pool = self._pool(claims, deadline.part(deadline.left * strategy.GUESSING))
            noted = [c for c in pool if self._told(c) in self.context.noted]
            plain = [c for c in claims if not self.sums(c)]
            self._prove(plain, noted, proved, deadline, strategy.FIRST)
        self._prove([c for c in claims if c.rank == 0], (), proved, deadline, strategy.FIRST)
        self._add_up([c for c in claims if c.rank == 1], proved, deadline, again=False)
        self._prove(claims, (), proved, deadline, strategy.FIRST)
        self._prove_between(claims, proved, deadline)
        self._relate(claims, proved, deadline)

    def learn_by_guesses(
        self, kind: Guesses, claims: Sequence[Candidate], proved: dict[str, str], deadline: Deadline
    ) -> None:
        """Proves what it can of the claims together with guessed invariants of a kind."""
        if self._guessed is None:
            pool = self._pool(claims, deadline.part(deadline.left * strategy.GUESSING))
            self._guessed = [c for c in pool if self._told(c) not in self.context.noted]
        plain = [c for c in claims if not self.sums(c)]
        guesses = [c for c in self._guessed if kind_of(c) == kind]
        self._prove(plain, guesses, proved, deadline, strategy.GUESSED[kind])
        if kind != "equal":
            self._add_up(claims, proved, deadline)
        if kind == KINDS_OF_GUESSES[-1]:
            self._prove(claims, (), proved, deadline, 1.0)
            self._proofs.solvers.clear()

    def learn_by_cases(
        self,
        claims: Sequence[Candidate],
        faults: Sequence[Goal],
        proved: dict[str, str],
        deadline: Deadline,
    ) -> None:
        """Proves what it can of the claims, and that these faults are not met, case by case where an action
        is too hard as a whole."""
        knowledge, edges = self.context.knowledge, list(self.context.edges)
        wanted = [claim for claim in claims if claim.words not in proved]
        for goal in faults:
            asked = unmet(knowledge, goal, len(self._unmet))
            if asked is not None:
                self._unmet.append(asked)
                edges += asked.edges
                wanted.append(asked.claim)
        self.context.progress(f"induction for {len(wanted)} claims, case by case")
        houdini = ByCases(knowledge, wanted, deadline, progress=self.context.progress)
        alive = houdini.run(edges)
        before = ", under invariants proved before" if any(knowledge.facts.values()) else ""
        knowledge.add(proved_facts(claim for claim in alive if claim in claims))
        proved.update((c.words, f"{method(houdini.support(c))}, case by case{before}") for c in alive)

    def _prove(
        self,
        claims: Sequence[Candidate],
        guesses: Sequence[Candidate],
        proved: dict[str, str],
        deadline: Deadline,
        share: float,
    ) -> None:
        """Induction for what is left of the claims, with a share of the time that is left."""
        left = [c for c in claims if c.words not in proved]
        share *= 1 if any(c.rank <= 1 for c in left) else strategy.IDLE
        if left or guesses:
            more = f" and {len(guesses)} guessed invariants" if guesses else ""
            self.context.progress(f"induction for {len(left)} claims{more}")
            proved.update(self._together([*left, *guesses], deadline.part(share * deadline.left)))

    def _prove_between(self, claims: Sequence[Candidate], proved: dict[str, str], deadline: Deadline) -> None:
        """Of claims about decisions and ends what holds at stops of chance as well, so that it is known what
        chance begins with."""
        left = [c for c in claims if c.words not in proved and c.rank <= 1]
        guesses = []
        for claim in left:
            with suppress(TooLarge):
                lits = claim.between() if claim.between is not None else {}
                if lits and all(self.context.samples.hold(block, lit) for block, lit in lits.items()):
                    guesses.append(Candidate(f"{claim.words} before chance, too", lits))
        if guesses:
            self._prove(left, guesses, proved, deadline, strategy.FIRST)

    def _add_up(
        self, claims: Sequence[Candidate], proved: dict[str, str], deadline: Deadline, again: bool = True
    ) -> None:
        """Claims about sums, of which what is known says much by itself; then induction `again` for those
        left, if that has shown anything."""
        left = [c for c in claims if c.words not in proved and self.sums(c)]
        left.sort(key=lambda claim: claim.rank)
        known = self.context.knowledge.size
        until = deadline.part(min(self.context.seconds, strategy.FOLLOWING * deadline.left))
        follow = self.follow(left, until)
        proved.update(dict.fromkeys((c.words for c in follow), "counters and invariants"))
        if again and self.context.knowledge.size > known:
            self._prove([c for c in left if c.rank <= 1], (), proved, deadline, strategy.FIRST)

    def _relate(self, claims: Sequence[Candidate], proved: dict[str, str], deadline: Deadline) -> None:
        """Claims about sums, together with linear relations that are guessed."""
        left = [c for c in claims if c.rank <= 1 and c.words not in proved and self.sums(c)]
        if left:
            until = deadline.part(deadline.left * strategy.GUESSING)
            guesses = relating(self.context.transitions, self.context.samples, self._sums_in(left), until)
            self.context.progress(f"induction for {len(left)} claims and {len(guesses)} linear relations")
            wanted, time = [*left, *guesses], deadline.part(deadline.left * strategy.RELATING)
            proved.update(self._together(wanted, time, sparing=True))
            self._add_up(left, proved, deadline)

    def _told(self, guess: Candidate) -> str:
        """A guess as it is noted."""
        return at_stop(self.context.program, guess.words, list(guess.lits))

    def sums(self, claim: Candidate) -> bool:
        """Whether it speaks of sums."""
        return any(self.context.knowledge.sums([lit]) for lit in claim.lits.values())

    def _pool(self, claims: Sequence[Candidate], deadline: Deadline) -> list[Candidate]:
        """Guessed invariants; linear relations also among the sums that the claims speak of."""
        return candidates(self.context.transitions, self.context.samples, self._sums_in(claims), deadline)

    def _sums_in(self, claims: Sequence[Candidate]) -> list[Feature]:
        transitions = self.context.transitions
        return [one for claim in claims for one in sums_in(transitions, list(claim.lits.values()))]

    def _together(
        self, wanted: Sequence[Candidate], deadline: Deadline, sparing: bool = False
    ) -> dict[str, str]:
        """Those claims that hold by mutual induction, with what it used; from then on all that held is
        known, or `sparing` only what proofs of claims rest on."""
        houdini = Houdini(self.context.knowledge, wanted, deadline, self._proofs)
        alive = houdini.run(self.context.edges)
        if sparing:
            used = houdini.used([c for c in alive if c.claim])
            alive = [c for c in alive if c.claim or c in used]
        self._proofs.settled.update(alive)
        claims, guesses = [c for c in alive if c.claim], [c for c in alive if not c.claim]
        if claims:
            rests = houdini.used(claims) | self._few
            self.context.notes.guesses |= dict.fromkeys(self._told(c) for c in rests if not c.claim)
        self._few |= set(guesses) if len(guesses) <= strategy.FEW else set()
        proved = {c.words: method(houdini.support(c)) for c in alive if c.claim}
        if any(self.context.knowledge.facts.values()):
            proved = {name: f"{by}, under invariants proved before" for name, by in proved.items()}
        self.context.knowledge.add(proved_facts(alive))
        return proved

    def follow(self, claims: Sequence[Candidate], until: Deadline) -> list[Candidate]:
        """Those that follow from what is known at every stop. Where they do they are known from then on."""
        lost: set[Candidate] = set()
        for block in sorted({block for claim in claims for block in claim.lits}):
            for claim in claims:
                lit = claim.lits.get(block, TRUE)
                if lit == TRUE or lit in self.context.knowledge.facts_at(block):
                    continue
                seconds = (
                    strategy.LOST if claim in lost else min(strategy.QUERY, strategy.QUARTER * until.left)
                )
                if self.context.solver(block).excludes(-lit, until.part(seconds), False):
                    words = claim.words if claim.rank < 2 else f"not {claim.words}"
                    self.context.knowledge.add([Fact(block, lit, words, True)])
                else:
                    lost.add(claim)
        return [claim for claim in claims if claim not in lost]

    def property_directed(self, goal: Goal, deadline: Deadline) -> bool:
        """Whether Spacer found an invariant, which induction proved, that keeps the goal from being reached:
        then it is known."""
        knowledge, edges, transitions = self.context.knowledge, self.context.edges, self.context.transitions
        found = invariant(knowledge, edges, goal, deadline.part(strategy.SPACER * deadline.left))
        if found is None or not Houdini(knowledge, [found], deadline).run(edges):
            return False
        facts: list[Fact] = []
        for block, lit in found.lits.items():
            words, parts = Wording(transitions, block), transitions.terms.conjuncts(lit)
            those = [Fact(block, part, words.said(part) or found.words) for part in parts if part != TRUE]
            facts += sorted(those, key=lambda fact: (len(fact.words), fact.words))
        knowledge.add(facts)
        return True
