"""The context of the proofs of one run: what the engines share, each part made when it is first needed,
within its own time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Literal, get_args

from kemu_engine.kernel import nodes as k
from kemu_engine.play.game import Game
from kemu_engine.play.replay import Replay, ReplayError, replay, text_of
from kemu_engine.play.state import State
from kemu_engine.play.steps import Steps

from kemu_verifier.goal.goal import Goal, stops
from kemu_verifier.goal.lemma_cache import LemmaCache, at_stop
from kemu_verifier.methods.invariants.invariants import Fact, Knowledge
from kemu_verifier.methods.invariants.k_induction import (
    Houdini,
    Proofs,
    Windows,
    proved_facts,
    telling,
)
from kemu_verifier.methods.invariants.linear_features import Feature, sums_in
from kemu_verifier.methods.invariants.pdr import invariant
from kemu_verifier.methods.invariants.solvers import StopSolver
from kemu_verifier.methods.invariants.templates import Candidate, Sample, Samples, candidates, relating
from kemu_verifier.methods.search.bmc import BoundedSearch, Unrolling
from kemu_verifier.methods.search.bmc_windowed import GuidedSearch
from kemu_verifier.methods.search.explicit_state import Graph, explore
from kemu_verifier.methods.search.hill_climb import climb
from kemu_verifier.methods.search.random_search import Play, confidence, play, plays
from kemu_verifier.methods.search.simulation import Simulation
from kemu_verifier.strategy import strategy
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.facts import Facts
from kemu_verifier.symbolic.mapping import Valuation
from kemu_verifier.symbolic.terms import TRUE, Lin, Lit
from kemu_verifier.symbolic.transition import Edge, Transitions
from kemu_verifier.symbolic.wording import Wording

Window = tuple[tuple[int, Valuation], ...]
"""The states of a counterexample to induction: stop and values."""


Guesses = Literal["equal", "telling", "other"]
"""Kinds of guessed invariants: that two things are the same, what speaks of the whole state, all else."""

KINDS_OF_GUESSES: tuple[Guesses, ...] = get_args(Guesses)


def kind_of(guess: Candidate) -> Guesses:
    """The kind of a guess."""
    if guess.rank == 0:
        return "equal"
    return "telling" if telling(guess.words, set()) == (True, False, False) else "other"


def method(support: list[str]) -> str:
    """A proof by induction in words."""
    if not support:
        return "1-induction"
    more = f" and {len(support) - strategy.NAMED} more" if len(support) > strategy.NAMED else ""
    return f"1-induction together with {'; '.join(support[: strategy.NAMED])}{more}"


class ProofContext:
    """One game under examination."""

    def __init__(
        self, game: Game, seconds: float, progress: Callable[[str], None], notes: LemmaCache | None = None
    ) -> None:
        self.game = game
        self.notes = LemmaCache() if notes is None else notes
        self.noted = frozenset(self.notes.guesses)  # those that were noted before
        self.program = game.program
        self.seconds = seconds
        self.shared = seconds  # for the invariants that all questions share
        self.generous = False  # whether time is not short: guesses have some of their own, others have more
        self.exploring = 0.0  # seconds that the search of all states has at least
        self.progress = progress
        self.moving = stops(self.program, k.Decide, k.Chance)
        self._further: list[Play] = []  # random games that go on from others that were found
        self.simulation: Simulation | None = None
        self._played = 0  # random games that were made for one goal alone
        # by what a goal asks for: how many random games were looked through for it
        self._looked: dict[Callable[[Replay], bool], int] = {}
        self.trouble = ""  # why the program could not be read symbolically
        self._proofs = Proofs()
        self._guessed: list[Candidate] | None = None  # guesses that were not noted before
        self._few: set[Candidate] = set()  # guesses that are known, where they were few
        self._solvers: dict[int, StopSolver] = {}
        self.bound: int | None = None  # decisions that no game exceeds, as a ranking function showed

    @cached_property
    def transitions(self) -> Transitions:
        self.progress("reading the program")
        return Transitions(self.program)

    @cached_property
    def steps(self) -> Steps:
        return Steps(self.game)

    @cached_property
    def plays(self) -> list[Play]:
        self.progress("random games")
        if self.trouble:
            return plays(
                self.steps, strategy.MORE_PLAYS, Deadline(min(strategy.STATE_SECONDS, self.seconds / 2))
            )
        return plays(self.steps, strategy.PLAYS, Deadline(min(strategy.PLAY_SECONDS, self.seconds / 4)))

    @cached_property
    def graph(self) -> Graph:
        self.progress("exhaustive search")
        one, all_ = strategy.EXPLORING
        seconds = max(self.seconds * one, self.shared * all_, self.exploring)
        return explore(self.steps, strategy.STATES, Deadline(min(strategy.STATE_SECONDS, seconds)))

    @cached_property
    def samples(self) -> Samples:
        found = []
        for one in self.plays:
            decisions = 0
            for state in one.states:
                found.append(Sample(state, decisions))
                decisions += state.is_decision
        return Samples(self.transitions, found)

    @cached_property
    def knowledge(self) -> Knowledge:
        return Knowledge(self.transitions)

    @cached_property
    def bounded(self) -> BoundedSearch:
        return BoundedSearch(self.game, self.transitions)

    @cached_property
    def guided(self) -> GuidedSearch:
        return GuidedSearch(self.game, self.transitions)

    @cached_property
    def windows(self) -> Windows:
        return Windows(self.knowledge)

    def solver(self, block: int) -> StopSolver:
        """What answers questions about the states at a stop, or the steps from there (-1: the opening)."""
        if block not in self._solvers:
            self._solvers[block] = StopSolver(self.knowledge, block)
        return self._solvers[block]

    @cached_property
    def edges(self) -> list[Edge]:
        return self.knowledge.edges(self.moving)

    # ------------------------------------------------------------------------------------------ random games

    def seen(self, goal: Goal, until: Deadline) -> Replay | None:
        """The shortest beginning of a random game that reaches the goal, as far as looking takes no long
        time: less where simulation has looked already, but for faults in what is asked."""
        simulated = self.simulation is not None and goal in self.simulation.goals.values()
        look = self.seconds / 10 if self.trouble else strategy.GLANCE if simulated else strategy.LOOK
        deadline = until.part(look)
        looked, found = self._shortest(self.plays, goal, deadline)
        self._looked[goal.reached] = looked
        return found

    def simulate(self, goals: Mapping[str, Goal], until: Deadline) -> None:
        """Random games by the thousand that watch for these goals."""
        self.progress("simulation")
        self.simulation = Simulation(self.steps, goals)
        self.simulation.run(strategy.GAMES, until)

    def simulated(self, key: str, goal: Goal) -> Replay | None:
        """The best of these games that reaches the goal."""
        for hit in () if self.simulation is None else self.simulation.hits.get(key, ()):
            one = play(self.steps, hit.game, Deadline(self.seconds), longest=hit.stops)
            way = zip(one.states, one.choices[: hit.stops - 1], strict=False)
            found = replay(self.game, [text_of(*step) for step in way])
            if goal.reached(found):
                return found
        return None

    def watched(self, key: str, goal: Goal) -> bool:
        """Whether simulation has looked for all that the goal asks for."""
        made = self.simulation
        if made is None or goal.holds is None or key not in made.goals or not made.games:
            return False
        return goal.watch is not None and not Facts(self.program).can_fault(goal.watch.test)

    def more_simulated(self, key: str, goal: Goal, deadline: Deadline) -> Replay | None:
        """The same, as long as there is time for more of them."""
        if self.simulation is None or key not in self.simulation.goals:
            return None
        found = self.simulated(key, goal)
        while found is None and self.simulation.games < strategy.MORE_GAMES and not deadline.passed:
            self.simulation.run(self.simulation.games + strategy.GAMES, deadline)
            found = self.simulated(key, goal)
        return found

    def seen_further(self, goal: Goal, until: Deadline) -> Replay | None:
        """The same of games that go on from those that were found."""
        return self._shortest(self._further, goal, until.part(min(strategy.LOOK, until.left / 4)))[1]

    def go_on(self, found: Replay) -> None:
        """Plays random games from where a game that was found leads: few others may get there."""
        deadline = Deadline(min(strategy.GOING_ON, self.seconds / 10))
        if found.fault is None and not found.last.is_end and len(self._further) < strategy.MOST_FURTHER:
            made = (play(self.steps, n, deadline, opening=found.steps) for n in range(strategy.FURTHER))
            self._further += [one for one in made if len(one.choices) > len(found.steps)]

    def _shortest(self, among: Sequence[Play], goal: Goal, deadline: Deadline) -> tuple[int, Replay | None]:
        """How many whole games were looked through; the shortest beginning of one that reaches the goal."""
        best: list[str] | None = None
        test, looked = goal.looking(), 0
        for one in among:
            if deadline.passed:
                break
            looked += one.whole
            length = self._seen_in(one, goal, test)
            if length is not None and (best is None or length < len(best)):
                best = [text_of(s, c) for s, c in zip(one.states[:length], one.choices, strict=False)]
        found = None if best is None else replay(self.game, best)
        return looked, found if found is not None and goal.reached(found) else None

    def lucky(self, goal: Goal, deadline: Deadline) -> Replay | None:
        """A random game that reaches the goal, as long as there is time for more of them."""
        while not deadline.passed:
            self._played += 1
            found = self._shortest(
                [play(self.steps, strategy.MORE_PLAYS + self._played, deadline)], goal, deadline
            )[1]
            if found is not None:
                self.go_on(found)
                return found
        return None

    def remembered(self, goal: Goal, key: str, until: Deadline) -> Replay | None:
        """A game that reached it in another instance, if it does so here."""
        for steps in self.notes.games.get(key, ()):
            if until.passed:
                break
            with suppress(ReplayError):
                found = replay(self.game, steps)
                if goal.reached(found):
                    return found
        return None

    def _seen_in(self, play: Play, goal: Goal, test: Callable[[State], bool]) -> int | None:
        """After how many steps the goal is reached."""
        if goal.holds is not None:
            return next((at for at, state in enumerate(play.states) if test(state)), None)
        if goal.faults is not None:
            return len(play.choices) if play.fault is not None and goal.faults(play.fault) else None
        return next((at for at, met in enumerate(play.met) if met & goal.lines), None)

    def sampled(self, goal: Goal) -> str:
        """What random games without a hit say; nothing if none were looked through."""
        games = self._looked.get(goal.reached, 0)
        if self.simulation is not None and goal in self.simulation.goals.values():
            games = max(games, self.simulation.games)
        return confidence(games) if games else ""

    # ------------------------------------------------------------------------------------------ induction

    def learn(self, claims: Sequence[Candidate], proved: dict[str, str] | None = None) -> dict[str, str]:
        """Proves by induction what it can of the claims, and learns invariants, within the time that all
        share. Returns the method for each claim proved; `proved` is where they are kept, one by one."""
        proved = {} if proved is None else proved
        deadline = Deadline(self.shared)
        self.learn_plainly(claims, proved, deadline)
        deadline = Deadline(self.guessing(deadline.left))
        for kind in KINDS_OF_GUESSES:
            self.learn_by_guesses(kind, claims, proved, deadline)
        return proved

    def guessing(self, left: float) -> float:
        """The seconds for guessed invariants, so many being left for invariants: they have time of their own,
        if there is (`generous`)."""
        return max(self.shared * strategy.GUESSES, left) if self.generous else left

    def learn_plainly(self, claims: Sequence[Candidate], proved: dict[str, str], deadline: Deadline) -> None:
        """Proves what it can of the claims by themselves: first with guessed invariants that held in another
        instance, if there are any; then lemmas, the other claims; last, of what is left, claims about sums
        with linear relations among them."""
        claims = [c for c in claims if c.rank <= 1]
        if self.noted:
            pool = self._pool(claims, deadline.part(deadline.left * strategy.GUESSING))
            noted = [c for c in pool if self._told(c) in self.noted]
            plain = [c for c in claims if not self.sums(c)]
            self._prove(plain, noted, proved, deadline, strategy.FIRST)
        self._prove([c for c in claims if c.rank == 0], (), proved, deadline, strategy.FIRST)
        self._add_up([c for c in claims if c.rank == 1], proved, deadline, again=False)
        self._prove(claims, (), proved, deadline, strategy.FIRST)
        self._relate(claims, proved, deadline)

    def learn_by_guesses(
        self, kind: Guesses, claims: Sequence[Candidate], proved: dict[str, str], deadline: Deadline
    ) -> None:
        """Proves what it can of the claims together with guessed invariants of a kind."""
        if self._guessed is None:
            pool = self._pool(claims, deadline.part(deadline.left * strategy.GUESSING))
            self._guessed = [c for c in pool if self._told(c) not in self.noted]
        plain = [c for c in claims if not self.sums(c)]
        guesses = [c for c in self._guessed if kind_of(c) == kind]
        self._prove(plain, guesses, proved, deadline, strategy.GUESSED[kind])
        if kind != "equal":
            self._add_up(claims, proved, deadline)
        if kind == KINDS_OF_GUESSES[-1]:
            self._prove(claims, (), proved, deadline, 1.0)
            self._proofs.solvers.clear()

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
            self.progress(f"induction for {len(left)} claims{more}")
            proved.update(self._together([*left, *guesses], deadline.part(share * deadline.left)))

    def _add_up(
        self, claims: Sequence[Candidate], proved: dict[str, str], deadline: Deadline, again: bool = True
    ) -> None:
        """Claims about sums, of which what is known says much by itself; then induction `again` for those
        left, if that has shown anything."""
        left = [c for c in claims if c.words not in proved and self.sums(c)]
        left.sort(key=lambda claim: claim.rank)
        known = self.knowledge.size
        until = deadline.part(min(self.seconds, strategy.FOLLOWING * deadline.left))
        follow = self.follow(left, until)
        proved.update(dict.fromkeys((c.words for c in follow), "counters and invariants"))
        if again and self.knowledge.size > known:
            self._prove([c for c in left if c.rank <= 1], (), proved, deadline, strategy.FIRST)

    def _relate(self, claims: Sequence[Candidate], proved: dict[str, str], deadline: Deadline) -> None:
        """Claims about sums, together with linear relations that are guessed."""
        left = [c for c in claims if c.rank <= 1 and c.words not in proved and self.sums(c)]
        if left:
            until = deadline.part(deadline.left * strategy.GUESSING)
            guesses = relating(self.transitions, self.samples, self._sums_in(left), until)
            self.progress(f"induction for {len(left)} claims and {len(guesses)} linear relations")
            wanted, time = [*left, *guesses], deadline.part(deadline.left * strategy.RELATING)
            proved.update(self._together(wanted, time, sparing=True))
            self._add_up(left, proved, deadline)

    def _told(self, guess: Candidate) -> str:
        """A guess as it is noted."""
        return at_stop(self.program, guess.words, list(guess.lits))

    def sums(self, claim: Candidate) -> bool:
        """Whether it speaks of sums."""
        return any(self.knowledge.sums([lit]) for lit in claim.lits.values())

    def _pool(self, claims: Sequence[Candidate], deadline: Deadline) -> list[Candidate]:
        """Guessed invariants; linear relations also among the sums that the claims speak of."""
        return candidates(self.transitions, self.samples, self._sums_in(claims), deadline)

    def _sums_in(self, claims: Sequence[Candidate]) -> list[Feature]:
        return [one for claim in claims for one in sums_in(self.transitions, list(claim.lits.values()))]

    def _together(
        self, wanted: Sequence[Candidate], deadline: Deadline, sparing: bool = False
    ) -> dict[str, str]:
        """Those claims that hold by mutual induction, with what it used; from then on all that held is
        known, or `sparing` only what proofs of claims rest on."""
        houdini = Houdini(self.knowledge, wanted, deadline, self._proofs)
        alive = houdini.run(self.edges)
        if sparing:
            used = houdini.used([c for c in alive if c.claim])
            alive = [c for c in alive if c.claim or c in used]
        self._proofs.settled.update(alive)
        claims, guesses = [c for c in alive if c.claim], [c for c in alive if not c.claim]
        if claims:
            rests = houdini.used(claims) | self._few
            self.notes.guesses |= dict.fromkeys(self._told(c) for c in rests if not c.claim)
        self._few |= set(guesses) if len(guesses) <= strategy.FEW else set()
        proved = {c.words: method(houdini.support(c)) for c in alive if c.claim}
        if any(self.knowledge.facts.values()):
            proved = {name: f"{by}, under invariants proved before" for name, by in proved.items()}
        self.knowledge.add(proved_facts(alive))
        return proved

    def follow(self, claims: Sequence[Candidate], until: Deadline) -> list[Candidate]:
        """Those that follow from what is known at every stop. Where they do they are known from then on."""
        lost: set[Candidate] = set()
        for block in sorted({block for claim in claims for block in claim.lits}):
            for claim in claims:
                lit = claim.lits.get(block, TRUE)
                if lit == TRUE or lit in self.knowledge.facts_at(block):
                    continue
                seconds = (
                    strategy.LOST if claim in lost else min(strategy.QUERY, strategy.QUARTER * until.left)
                )
                if self.solver(block).excludes(-lit, until.part(seconds), False):
                    words = claim.words if claim.rank < 2 else f"not {claim.words}"
                    self.knowledge.add([Fact(block, lit, words)])
                else:
                    lost.add(claim)
        return [claim for claim in claims if claim not in lost]

    def property_directed(self, goal: Goal, deadline: Deadline) -> bool:
        """Whether Spacer found an invariant, which induction proved, that keeps the goal from being reached:
        then it is known."""
        found = invariant(self.knowledge, self.edges, goal, deadline.part(strategy.SPACER * deadline.left))
        if found is None or not Houdini(self.knowledge, [found], deadline).run(self.edges):
            return False
        for block, lit in found.lits.items():
            words, parts = Wording(self.transitions, block), self.transitions.terms.conjuncts(lit)
            facts = [Fact(block, part, words.said(part) or found.words) for part in parts if part != TRUE]
            self.knowledge.add(sorted(facts, key=lambda fact: (len(fact.words), fact.words)))
        return True

    # ------------------------------------------------------------------------------------------ search

    def confirmed(self, goal: Goal, steps: Sequence[str]) -> Replay:
        """The replay of a game that is said to reach the goal. Raises ReplayError if it does not."""
        found = replay(self.game, steps)
        if not goal.reached(found):
            raise ReplayError(
                f"{goal.name}: the interpreter does not confirm the game {', '.join(steps) or 'opening'}"
            )
        return found

    def induct(self, goal: Goal, length: int, deadline: Deadline) -> tuple[str, Window | None]:
        """Whether the goal can be reached after `length` states that do not reach it: "unsat", or the states
        if there are any."""
        claim = {block: -lit for block, lit in goal.states.items()}

        def bad(unrolling: Unrolling, depth: int) -> Lit:
            return unrolling.hits(goal, depth)

        answer, window = self.windows.ask(claim, bad, length, bool(goal.steps), deadline)
        return answer.status, window

    def base(self, goal: Goal, length: int, deadline: Deadline) -> bool | Replay | None:
        """Whether no game reaches the goal in so many steps: true, or the game, or None if that was not found
        out."""
        last = -1
        for depth, found in self.bounded.search(goal, 0, length, deadline):
            if found is not None:
                return found
            last = depth
        return True if last == length or (last >= 0 and not self.bounded.moving(last)) else None

    def deepen(self, goal: Goal, deadline: Deadline) -> tuple[Replay | None, int, bool]:
        """Bounded search: (a shortest game, the depth searched, whether all games end within it)."""
        last = -1
        for depth, found in self.bounded.search(goal, 0, strategy.DEEPEST, deadline):
            if found is not None:
                return found, depth, False
            last = depth
        return None, last, last >= 0 and not self.bounded.moving(last)

    def climbed(self, goal: Goal, deadline: Deadline) -> Replay | None:
        """A random game that climbs to the goal."""
        if goal.far is None or deadline.passed:
            return None
        way = climb(self.steps, goal.far, goal.looking(), deadline)
        if way is None:
            return None
        found = self.confirmed(goal, way)
        self.go_on(found)
        return found

    def directed(self, goal: Goal, deadline: Deadline) -> Replay | None:
        """Directed search at the greatest length that games have, and below."""
        if deadline.passed:
            return None
        known = max((len(play.choices) for play in self.plays), default=8)
        lengths = [known]
        most = min((n for n in (self.longest, self.bound) if n is not None), default=None)
        if most is not None and most <= strategy.DEEPEST and not stops(self.program, k.Chance):
            lengths = list(dict.fromkeys([most, max(most - 1, 0), known]))
        found = self.guided.search(goal, lengths, deadline)
        if found is not None:
            self.go_on(found)
        return found

    # ------------------------------------------------------------------------------------------ length

    @cached_property
    def longest(self) -> int | None:
        """A number of decisions that no game exceeds, from the invariants; None if they give none."""
        known = max((sum(state.is_decision for state in play.states) for play in self.plays), default=0)
        deadline = Deadline(self.seconds / 2)
        for decisions in (known, known + 1, *(known + 2**at for at in range(1, 9))):
            if self._within(decisions, deadline):
                return self._least(known, decisions, deadline)
            known = decisions + 1
        return None

    def _least(self, low: int, high: int, deadline: Deadline) -> int:
        """The least bound that is shown soon, `high` being one."""
        while low < high:
            middle = (low + high) // 2
            if self._within(middle, deadline, strategy.LOWER):
                high = middle
            else:
                low = middle + 1
        return high

    def _within(self, decisions: int, deadline: Deadline, seconds: float = strategy.BOUND) -> bool:
        """Whether fewer decisions than so many were made before, wherever one is to be made."""
        beyond = self.transitions.terms.le0(Lin(decisions, ((-1, self.transitions.clock),)))
        blocks = stops(self.program, k.Decide)
        return all(self.solver(block).excludes(beyond, deadline.part(seconds), False) for block in blocks)
