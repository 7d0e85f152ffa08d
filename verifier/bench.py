"""The workbench of one run: what the engines share, each part made when it is first needed, within its own time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from engine import kernel as k
from engine.game import Game
from verifier.engines.bounded import BoundedSearch, Unrolling
from verifier.engines.counters import Feature, sums_in
from verifier.engines.explicit import Graph, explore
from verifier.engines.guided import GuidedSearch
from verifier.engines.induction import Houdini, Windows, proved_facts
from verifier.engines.knowledge import Knowledge
from verifier.engines.plays import Play, plays
from verifier.engines.pool import Candidate, Sample, Samples, candidates
from verifier.goal import Goal, stops
from verifier.symbolic.solve import Deadline
from verifier.symbolic.mapping import Valuation
from verifier.symbolic.terms import TRUE, Lin, Lit
from verifier.symbolic.transition import Edge, Transitions
from verifier.trace import Replay, ReplayError, replay, text_of

Window = tuple[tuple[int, Valuation], ...]
"""The states of a counterexample to induction: stop and values."""

PLAYS, PLAY_SECONDS = 120, 2.0
STATES, STATE_SECONDS = 20_000, 2.5
LOOK = 0.4  # seconds for looking through random games for one goal
QUERY = 4.0  # seconds for a query about one claim


class Bench:
    """One game under examination."""

    def __init__(self, game: Game, seconds: float, progress: Callable[[str], None]) -> None:
        self.game = game
        self.program = game.program
        self.seconds = seconds
        self.progress = progress
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
    def guided(self) -> GuidedSearch:
        return GuidedSearch(self.game, self.transitions)

    @cached_property
    def windows(self) -> Windows:
        return Windows(self.knowledge)

    @cached_property
    def edges(self) -> list[Edge]:
        return self.knowledge.edges(self.moving)

    # ------------------------------------------------------------------------------------------ random games

    def seen(self, goal: Goal) -> Replay | None:
        """The shortest beginning of a random game that reaches the goal, as far as looking takes no long time."""
        best: list[str] | None = None
        deadline = Deadline(LOOK)
        for play in self.plays:
            if deadline.passed:
                break
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
        if goal.origins:
            return next((at for at, met in enumerate(play.met) if not met.isdisjoint(goal.origins)), None)
        return None

    # ------------------------------------------------------------------------------------------ induction

    def learn(self, claims: Sequence[Candidate]) -> dict[str, str]:
        """Proves by induction what it can of the claims, together with guessed invariants, which become known. Returns the
        method for each claim proved."""
        samples = self.samples
        claims = [c for c in claims if all(samples.hold(block, lit) for block, lit in c.lits.items())]
        plain = [c for c in claims if not any(self.knowledge.sums([lit]) for lit in c.lits.values())]
        proved: dict[str, str] = {}
        self._alone(plain, proved)
        sums: list[Feature] = []
        for claim in claims:
            sums += sums_in(self.transitions, list(claim.lits.values()))
        pool = candidates(self.transitions, samples, sums)
        rest = [c for c in plain if c.words not in proved]
        self.progress(f"induction with {len(pool)} guessed invariants")
        alive = Houdini(self.knowledge, [*rest, *pool], Deadline(self.seconds)).run(self.edges)
        self.knowledge.add(proved_facts(alive))
        proved.update((c.words, "1-induction with invariants") for c in alive if c.claim)
        for claim in claims:
            if claim.words not in proved and claim not in rest:
                self.progress(f"induction for {claim.words}")
                method = self.follows(claim, Deadline(min(QUERY * 2, self.seconds)))
                if method:
                    proved[claim.words] = method
                    self.knowledge.add(proved_facts([claim]))
        return proved

    def _alone(self, claims: Sequence[Candidate], proved: dict[str, str]) -> None:
        """Claims that are inductive together without any guess."""
        alive = Houdini(self.knowledge, claims, Deadline(min(QUERY, self.seconds / 4))).run(self.edges)
        self.knowledge.add(proved_facts(alive))
        names = [c.words for c in alive]
        for claim in alive:
            others = [name for name in names if name != claim.words]
            alone = Houdini(self.knowledge.bare(), [claim], Deadline(min(QUERY, self.seconds / 4)))
            single = not others or alone.run(self.edges)
            proved[claim.words] = "1-induction" if single else f"1-induction together with {', '.join(others[:4])}"

    def follows(self, claim: Candidate, deadline: Deadline) -> str:
        """How the claim follows from what is known: at every stop by itself, or after every step; empty if it does not."""
        open_ = []
        for block, lit in claim.lits.items():
            if lit != TRUE:
                lits = [*self.knowledge.at(block), -lit]
                answer, _ = self.knowledge.abstract(None, lits, deadline.part(QUERY))
                if answer.status != "unsat":
                    open_.append(block)
        if not open_:
            return "counters and invariants"
        for edge in self.edges:
            if edge.target in open_ and not self.kept(claim, edge, deadline):
                return ""
        return "1-induction with counters and invariants"

    def kept(self, claim: Candidate, edge: Edge, deadline: Deadline) -> bool:
        """Whether the claim holds after the edge if it does before."""
        after = self.knowledge.after(edge)
        post = after.lit(claim.lits[edge.target])
        context = [*self.knowledge.before(edge), claim.lits.get(edge.source, TRUE)]
        context += [after.lit(lit) for lit in self.knowledge.at(edge.target)]
        watched = self.knowledge.sums([*context, claim.lits[edge.target]])
        answer, _ = self.knowledge.ask(edge, [*context, -post], deadline.part(QUERY), watched)
        return answer.status == "unsat"

    # ------------------------------------------------------------------------------------------ search

    def confirmed(self, goal: Goal, steps: Sequence[str]) -> Replay:
        """The replay of a game that is said to reach the goal. Raises ReplayError if it does not."""
        found = replay(self.game, steps)
        if not goal.reached(found):
            raise ReplayError(f"{goal.name}: the interpreter does not confirm the game {', '.join(steps) or 'opening'}")
        return found

    def induct(self, goal: Goal, length: int, deadline: Deadline) -> tuple[str, Window | None]:
        """Whether the goal can be reached after `length` states that do not reach it: "unsat", or the states if there are any."""
        claim = {block: -lit for block, lit in goal.states.items()}

        def bad(unrolling: Unrolling, depth: int) -> Lit:
            return unrolling.hits(goal, depth)

        answer, window = self.windows.ask(claim, bad, length, bool(goal.steps), deadline)
        return answer.status, window

    def base(self, goal: Goal, length: int, deadline: Deadline) -> bool | Replay | None:
        """Whether no game reaches the goal in so many steps: true, or the game, or None if that was not found out."""
        last = -1
        for depth, found in self.bounded.search(goal, 0, length, deadline):
            if found is not None:
                return found
            last = depth
        return True if last == length or (last >= 0 and not self.bounded.moving(last)) else None

    def deepen(self, goal: Goal, deadline: Deadline) -> tuple[Replay | None, int, bool]:
        """Bounded search: (a shortest game, the depth searched, whether all games end within it)."""
        last = -1
        for depth, found in self.bounded.search(goal, 0, 10_000, deadline):
            if found is not None:
                return found, depth, False
            last = depth
        return None, last, last >= 0 and not self.bounded.moving(last)

    def directed(self, goal: Goal, deadline: Deadline) -> Replay | None:
        """Directed search at the greatest length that games have, and below."""
        if deadline.passed:
            return None
        known = max((len(play.choices) for play in self.plays), default=8)
        lengths = [known]
        if self.longest is not None and not any(state.is_chance for play in self.plays for state in play.states):
            lengths = list(dict.fromkeys([self.longest, max(self.longest - 1, 0), known]))
        return self.guided.search(goal, lengths, deadline)

    # ------------------------------------------------------------------------------------------ length

    @cached_property
    def longest(self) -> int | None:
        """A number of decisions that no game exceeds, from the invariants; None if they give none."""
        known = max((len([s for s in play.states if s.is_decision]) for play in self.plays), default=0)
        high = 4 * known + 64
        if not self._at_most(high):
            return None
        low = known
        while low < high:
            middle = (low + high) // 2
            if self._at_most(middle):
                high = middle
            else:
                low = middle + 1
        return high

    def _at_most(self, decisions: int) -> bool:
        """Whether every decision is at most the so many-th, as far as is known."""
        clock = Lin(decisions, ((-1, self.transitions.clock),))  # decisions - clock <= 0: so many were made before
        for block in stops(self.program, k.Decide):
            lits: list[Lit] = [*self.knowledge.at(block), self.transitions.terms.le0(clock)]
            answer, _ = self.knowledge.abstract(None, lits, Deadline(2.0))
            if answer.status != "unsat":
                return False
        return True
