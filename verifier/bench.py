"""The workbench of one run: what the engines share, each part made when it is first needed, within its own time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from engine import kernel as k
from engine.game import Game
from engine.state import State
from verifier.engines.bounded import BoundedSearch
from verifier.engines.counters import Feature, sums_in
from verifier.engines.explicit import Graph, explore
from verifier.engines.induction import Houdini, Windows, proved_facts
from verifier.engines.knowledge import Knowledge
from verifier.engines.plays import Play, plays
from verifier.engines.pool import Candidate, Sample, Samples, candidates
from verifier.goal import Goal, stops
from verifier.questions import Asked
from verifier.symbolic.solve import Deadline
from verifier.symbolic.transition import Edge, Transitions
from verifier.trace import Replay, replay, text_of

PLAYS, PLAY_SECONDS = 200, 3.0
STATES, STATE_SECONDS = 20_000, 3.0


class Bench:
    """One game under examination."""

    def __init__(self, game: Game, seconds: float, progress: Callable[[str], None]) -> None:
        self.game = game
        self.program = game.program
        self.seconds = seconds
        self.progress = progress
        self.proved: dict[str, str] = {}  # claims that induction proved, by name, with the method
        self.moving = stops(self.program, k.Decide, k.Chance)

    @cached_property
    def transitions(self) -> Transitions:
        self.progress("reading the program")
        return Transitions(self.program)

    @cached_property
    def plays(self) -> list[Play]:
        self.progress("random games")
        return plays(self.game, PLAYS, Deadline(min(PLAY_SECONDS, self.seconds / 4)))

    @cached_property
    def graph(self) -> Graph:
        self.progress("exhaustive search")
        return explore(self.game, STATES, Deadline(min(STATE_SECONDS, self.seconds / 4)))

    @cached_property
    def samples(self) -> Samples:
        found = []
        for play in self.plays:
            decisions = 0
            for state in play.states:
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
    def windows(self) -> Windows:
        return Windows(self.knowledge)

    @cached_property
    def edges(self) -> list[Edge]:
        return self.knowledge.edges(self.moving)

    # ------------------------------------------------------------------------------------------ random games

    def seen(self, goal: Goal) -> Replay | None:
        """The shortest beginning of a random game that reaches the goal."""
        best: list[str] | None = None
        for play in self.plays:
            length = self._seen_in(play, goal)
            if length is not None and (best is None or length < len(best)):
                best = [text_of(s, c) for s, c in zip(play.states[:length], play.choices, strict=False)]
        if best is None:
            return None
        found = replay(self.game, best)
        return found if goal.reached(found) else None

    def _seen_in(self, play: Play, goal: Goal) -> int | None:
        """After how many steps the goal is reached."""
        if goal.holds is not None:
            return next((at for at, state in enumerate(play.states) if goal.holds(state)), None)
        if play.fault is not None and goal.reached(Replay((), play.states, play.fault, ())):
            return len(play.choices)
        return None

    # ------------------------------------------------------------------------------------------ induction

    def learn(self, asked: Sequence[Asked]) -> None:
        """Proves by mutual induction what it can of the claims and of guessed invariants; fills `proved` and `knowledge`."""
        samples = self.samples
        claims = []
        for one in asked:
            if one.safe and all(samples.hold(block, lit) for block, lit in one.safe.items()):
                claims.append(Candidate(one.question.name, one.safe, True))
        self.progress("looking for invariants")
        sums: list[Feature] = []
        for claim in claims:
            sums += sums_in(self.transitions, list(claim.lits.values()))
        pool = candidates(self.transitions, samples, sums)
        self.progress(f"induction with {len(pool)} guesses")
        if self._by_themselves(claims):
            pass
        alive = Houdini(self.knowledge, [*claims, *pool], Deadline(self.seconds)).run(self.edges)
        if not alive and claims:
            alive = Houdini(self.knowledge, claims, Deadline(self.seconds / 2)).run(self.edges)
        for candidate in alive:
            if candidate.claim:
                self.proved.setdefault(candidate.words, "1-induction with guessed invariants")
        self.knowledge.add(proved_facts(alive))

    def _by_themselves(self, claims: list[Candidate]) -> bool:
        return False

    def is_at(self, state: State, block: int) -> bool:
        return state.block == block
