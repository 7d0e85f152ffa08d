"""The workbench of one run: what the engines share, each part made when it is first needed, within its own
time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property

from kemu_engine.kernel import nodes as k
from kemu_engine.play.game import Game
from kemu_engine.play.replay import Replay, ReplayError, replay, text_of
from kemu_engine.play.state import State
from kemu_engine.play.steps import Steps

from kemu_verifier.goal.goal import Goal, stops
from kemu_verifier.goal.lemma_cache import Notes, at_stop
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
from kemu_verifier.methods.invariants.templates import Candidate, Sample, Samples, candidates
from kemu_verifier.methods.search.bmc import BoundedSearch, Unrolling
from kemu_verifier.methods.search.bmc_windowed import GuidedSearch
from kemu_verifier.methods.search.explicit_state import Graph, explore
from kemu_verifier.methods.search.hill_climb import climb
from kemu_verifier.methods.search.random_search import Play, confidence, play, plays
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.mapping import Valuation
from kemu_verifier.symbolic.terms import TRUE, Lin, Lit
from kemu_verifier.symbolic.transition import Edge, Transitions
from kemu_verifier.symbolic.wording import Wording

Window = tuple[tuple[int, Valuation], ...]
"""The states of a counterexample to induction: stop and values."""

PLAYS, PLAY_SECONDS = 100, 3.0
MORE_PLAYS = 1_000  # where there is nothing else to go by
DEEPEST = 10_000  # decisions of a game that is looked for by its length
STATES, STATE_SECONDS = 200_000, 20.0
FURTHER, MOST_FURTHER = 8, 64  # random games that go on from one that was found; from all
GOING_ON = 1.0  # seconds for those of one
LOOK = 0.4  # seconds for looking through random games for one goal, where there are other ways to find one
FEW = 40  # guesses that held together, which later proofs may rest on without its being known
NAMED = 4  # of what a proof rests on, so much is named
FIRST = 0.6  # of the time for invariants: for what the author says, before anything is guessed
IDLE = 0.25  # of such a share, where no claim is left that is hoped to hold
FOLLOWING = 0.3  # of the time that is left for invariants: for claims that follow from what is known of sums
SHORT = 20_000  # terms of a claim that is worked out in sampled states
QUERY, QUARTER = 10.0, 0.25  # seconds for a query about one claim; of the time that is left, so much at most
LOST = 1.0  # seconds for a query about a claim of which one failed
GUESSING = 0.3  # of the time that is left for invariants: for guessing some
SPACER = 0.8  # of the time for property-directed reachability: for finding an invariant, before it is proved
SEARCHING = 1.5  # times the time of one question: for games that are hoped for, all together


def method(support: list[str]) -> str:
    """A proof by induction in words."""
    if not support:
        return "1-induction"
    more = f" and {len(support) - NAMED} more" if len(support) > NAMED else ""
    return f"1-induction together with {'; '.join(support[:NAMED])}{more}"


class Bench:
    """One game under examination."""

    def __init__(
        self, game: Game, seconds: float, progress: Callable[[str], None], notes: Notes | None = None
    ) -> None:
        self.game = game
        self.notes = Notes() if notes is None else notes
        self.noted = frozenset(self.notes.guesses)  # those that were noted before
        self.program = game.program
        self.seconds = seconds
        self.shared = seconds  # for the invariants that all questions share
        self.generous = False  # whether time is not short: guesses have some of their own, others have more
        self.exploring = 0.0  # seconds that the search of all states has at least
        self.progress = progress
        self.moving = stops(self.program, k.Decide, k.Chance)
        self._further: list[Play] = []  # random games that go on from others that were found
        self._played = 0  # random games that were made for one goal alone
        # by what a goal asks for: how many random games were looked through for it
        self._looked: dict[Callable[[Replay], bool], int] = {}
        self.trouble = ""  # why the program could not be read symbolically
        self._proofs = Proofs()
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
            return plays(self.steps, MORE_PLAYS, Deadline(min(STATE_SECONDS, self.seconds / 2)))
        return plays(self.steps, PLAYS, Deadline(min(PLAY_SECONDS, self.seconds / 4)))

    @cached_property
    def graph(self) -> Graph:
        self.progress("exhaustive search")
        seconds = max(self.seconds / 2, self.shared / 4, self.exploring)
        return explore(self.steps, STATES, Deadline(min(STATE_SECONDS, seconds)))

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
        time."""
        deadline = until.part(self.seconds / 10 if self.trouble else LOOK)
        looked, found = self._shortest(self.plays, goal, deadline)
        self._looked[goal.reached] = looked
        return found

    def seen_further(self, goal: Goal, until: Deadline) -> Replay | None:
        """The same of games that go on from those that were found."""
        return self._shortest(self._further, goal, until.part(min(LOOK, until.left / 4)))[1]

    def go_on(self, found: Replay) -> None:
        """Plays random games from where a game that was found leads: few others may get there."""
        deadline = Deadline(min(GOING_ON, self.seconds / 10))
        if found.fault is None and not found.last.is_end and len(self._further) < MOST_FURTHER:
            made = (play(self.steps, n, deadline, opening=found.steps) for n in range(FURTHER))
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
            found = self._shortest([play(self.steps, MORE_PLAYS + self._played, deadline)], goal, deadline)[1]
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
        return confidence(games) if games else ""

    # ------------------------------------------------------------------------------------------ induction

    def learn(
        self, claims: Sequence[Candidate], search: Callable[[str], bool], proved: dict[str, str] | None = None
    ) -> dict[str, str]:
        """Proves by induction what it can of the claims, and learns invariants. Returns the method for each
        claim proved; `proved` is where they are kept, one by one.

        First with guessed invariants that held in another instance, if there are any; then the lemmas by
        themselves, what follows from them of sums, and the other claims; only then, in time of their own if
        there is (`generous`), with other guesses, the telling ones first. `search` looks for a game that
        breaks a claim, given by name, if that is what is hoped for. It is called once invariants are known;
        what it breaks is left alone.
        """
        deadline = Deadline(self.shared)
        claims = [c for c in claims if deadline.passed or self._sampled(c)]
        proved = {} if proved is None else proved

        def prove(of: Sequence[Candidate], guesses: Sequence[Candidate], share: float) -> None:
            """Induction for what is left of the claims, with a share of the time that is left."""
            left = [c for c in of if c.words not in proved]
            share *= 1 if any(c.rank <= 1 for c in left) else IDLE
            if left or guesses:
                more = f" and {len(guesses)} guessed invariants" if guesses else ""
                self.progress(f"induction for {len(left)} claims{more}")
                proved.update(self._together([*left, *guesses], deadline.part(share * deadline.left)))

        def follows() -> None:
            """Claims about sums, of which what is known says much by itself."""
            left = [c for c in claims if c.words not in proved and self.sums(c)]
            left.sort(key=lambda claim: claim.rank)
            follow = self.follow(left, deadline.part(min(self.seconds, FOLLOWING * deadline.left)))
            proved.update(dict.fromkeys((c.words for c in follow), "counters and invariants"))

        def add_up() -> None:
            """The same, then induction for what is left of them."""
            follows()
            prove([c for c in claims if c.rank <= 1 and self.sums(c)], (), FIRST)

        plain = [c for c in claims if not self.sums(c)]
        pool: list[Candidate] = []
        if self.noted:
            pool = self._pool(claims, deadline.part(deadline.left * GUESSING))
            prove([c for c in plain if c.rank <= 1], [c for c in pool if self._told(c) in self.noted], FIRST)
            add_up()
        prove([c for c in claims if c.rank == 0], (), FIRST)
        follows()
        prove([c for c in claims if c.rank <= 1], (), FIRST)
        if self.generous:
            deadline = Deadline(max(self.shared / 2, deadline.left))
        pool = pool or self._pool(claims, deadline.part(deadline.left * GUESSING))
        pool = [c for c in pool if self._told(c) not in self.noted]
        prove(plain, [c for c in pool if c.rank == 0], 0.2)
        others = [c for c in pool if c.rank > 0]
        few = [c for c in others if telling(c.words, set()) == (True, False, False)]
        prove(plain, few, 0.4)
        add_up()
        prove(plain, [c for c in others if c not in few], 0.6)
        until = Deadline(SEARCHING * self.seconds)
        claims = [c for c in claims if c.words in proved or until.passed or not search(c.words)]
        add_up()
        prove(claims, (), 1.0)
        self._proofs.solvers.clear()
        return proved

    def _told(self, guess: Candidate) -> str:
        """A guess as it is noted."""
        return at_stop(self.program, guess.words, list(guess.lits))

    def _sampled(self, claim: Candidate) -> bool:
        """Whether it holds in all states seen in random games, unless it is too long to look."""
        if len(self.transitions.terms.cone(claim.lits.values())) > SHORT:
            return True
        return all(self.samples.hold(block, lit) for block, lit in claim.lits.items())

    def sums(self, claim: Candidate) -> bool:
        """Whether it speaks of sums."""
        return any(self.knowledge.sums([lit]) for lit in claim.lits.values())

    def _pool(self, claims: Sequence[Candidate], deadline: Deadline) -> list[Candidate]:
        """Guessed invariants; linear relations also among the sums that the claims speak of."""
        sums: list[Feature] = []
        for claim in claims:
            sums += sums_in(self.transitions, list(claim.lits.values()))
        return candidates(self.transitions, self.samples, sums, deadline)

    def _together(self, wanted: Sequence[Candidate], deadline: Deadline) -> dict[str, str]:
        """Those claims that hold by mutual induction, with what it used; from then on all that held is
        known."""
        houdini = Houdini(self.knowledge, wanted, deadline, self._proofs)
        alive = houdini.run(self.edges)
        self._proofs.settled.update(alive)
        claims, guesses = [c for c in alive if c.claim], [c for c in alive if not c.claim]
        if claims:
            rests = houdini.used(claims) | self._few
            self.notes.guesses |= dict.fromkeys(self._told(c) for c in rests if not c.claim)
        self._few |= set(guesses) if len(guesses) <= FEW else set()
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
                seconds = LOST if claim in lost else min(QUERY, QUARTER * until.left)
                if self.solver(block).excludes(-lit, until.part(seconds), False):
                    words = claim.words if claim.rank < 2 else f"not {claim.words}"
                    self.knowledge.add([Fact(block, lit, words)])
                else:
                    lost.add(claim)
        return [claim for claim in claims if claim not in lost]

    def property_directed(self, goal: Goal, deadline: Deadline) -> bool:
        """Whether Spacer found an invariant, which induction proved, that keeps the goal from being reached:
        then it is known."""
        found = invariant(self.knowledge, self.edges, goal, deadline.part(SPACER * deadline.left))
        if found is None or not Houdini(self.knowledge, [found], deadline).run(self.edges):
            return False
        for block, lit in found.lits.items():
            words, parts = Wording(self.transitions, block), self.transitions.terms.conjuncts(lit)
            said = [(part, words.said(part) or found.words) for part in parts if part != TRUE]
            self.knowledge.add([Fact(block, part, text) for part, text in said])
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
        for depth, found in self.bounded.search(goal, 0, DEEPEST, deadline):
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
        if most is not None and most <= DEEPEST and not stops(self.program, k.Chance):
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
        tried = sorted({known, known + 1, known + 2, *(known + 2**at for at in range(2, 9))})
        for decisions in tried:
            if self._within(decisions, deadline):
                return self._least(known, decisions, deadline)
        return None

    def _least(self, low: int, high: int, deadline: Deadline) -> int:
        """The least bound that is shown in time, `high` being one."""
        while low < high:
            middle = (low + high) // 2
            if self._within(middle, deadline):
                high = middle
            else:
                low = middle + 1
        return high

    def _within(self, decisions: int, deadline: Deadline) -> bool:
        """Whether fewer decisions than so many were made before, wherever one is to be made."""
        beyond = self.transitions.terms.le0(Lin(decisions, ((-1, self.transitions.clock),)))
        blocks = stops(self.program, k.Decide)
        return all(self.solver(block).excludes(beyond, deadline.part(1.0), False) for block in blocks)
