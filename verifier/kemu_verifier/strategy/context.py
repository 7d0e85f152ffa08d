"""The context of the proofs of one run: what the engines share, each part made when it is first needed,
within its own time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from kemu_engine.kernel import nodes as k
from kemu_engine.play.game import Game
from kemu_engine.play.replay import Replay, ReplayError, replay
from kemu_engine.play.steps import Steps

from kemu_verifier.goal.goal import Goal, stops
from kemu_verifier.goal.lemma_cache import LemmaCache
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.invariants.invariants import Knowledge
from kemu_verifier.methods.invariants.k_induction import Windows
from kemu_verifier.methods.invariants.solvers import StopSolver
from kemu_verifier.methods.invariants.templates import Sample, Samples
from kemu_verifier.methods.search.bmc import BoundedSearch, Unrolling
from kemu_verifier.methods.search.bmc_windowed import WindowedBoundedSearch
from kemu_verifier.methods.search.explicit_state import Graph, explore
from kemu_verifier.methods.search.hill_climb import climb
from kemu_verifier.methods.search.random_search import Play, plays
from kemu_verifier.methods.termination.ranking import Ranking
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.learning import Learning
from kemu_verifier.strategy.look_alikes import Twins
from kemu_verifier.strategy.random_games import RandomGames
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.mapping import Valuation
from kemu_verifier.symbolic.terms import Lin, Lit
from kemu_verifier.symbolic.transition import Edge, Transitions

Window = tuple[tuple[int, Valuation], ...]
"""The states of a counterexample to induction: stop and values."""


@dataclass(frozen=True, slots=True)
class RunProof:
    """What a proof about a rule by itself rests on: what is known of the run, and a ranking if it took
    one."""

    knowledge: Knowledge
    edges: list[Edge]
    ranking: Ranking | None


class ProofContext:
    """One game under examination. `runs`: the proofs about rules by themselves, by question; `twins`: the two
    plays that answer one; `led`: the rankings that some choice lowers, by which one was proved; `abstract`:
    of a claim that forgets functions the verdict with any of them, where another is told; `excluded`: by
    stop, what no step from there does."""

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
        self.trouble = ""  # why the program could not be read symbolically
        self.runs: dict[str, RunProof] = {}
        self.beginnings: dict[str, ProofContext] = {}  # where claims about first visits were proved
        self.twins: dict[str, Twins] = {}
        self.led: dict[str, Ranking] = {}
        self.abstract: dict[str, Verdict] = {}
        self.excluded: dict[int, set[Lit]] = {}
        self.games = RandomGames(self)
        self.learning = Learning(self)
        self._graph: Graph | None = None
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

    @property
    def graph(self) -> Graph:
        """The states, as far as they have been explored: a few to begin with."""
        if self._graph is None:
            self._explored(min(strategy.FEW_STATES, strategy.STATES))
        assert self._graph is not None
        return self._graph

    @property
    def promising(self) -> bool:
        """Whether there may be all states soon, and are not yet."""
        return strategy.FEW_STATES < len(self.graph.states) <= strategy.STATES and not self.graph.complete

    def explore(self) -> None:
        """All states, if there is hope."""
        if self.promising:
            self._explored(strategy.STATES)

    def _explored(self, most: int) -> None:
        self.progress("exhaustive search")
        one, all_ = strategy.EXPLORING
        seconds = max(self.seconds * one, self.shared * all_, self.exploring)
        deadline = Deadline(min(strategy.STATE_SECONDS, seconds))
        self._graph = explore(self.steps, most, deadline, self.progress)

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
    def windowed_search(self) -> WindowedBoundedSearch:
        return WindowedBoundedSearch(self.game, self.transitions)

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
        if answer.status == "unsat":
            self.knowledge.rest_on_all()
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
        over = last >= 0 and not self.bounded.moving(last) and not self.transitions.unclosed
        return None, last, over

    def climbed(self, goal: Goal, deadline: Deadline) -> Replay | None:
        """A random game that climbs to the goal."""
        if goal.far is None or deadline.passed:
            return None
        way = climb(self.steps, goal.far, goal.looking(), deadline)
        if way is None:
            return None
        found = self.confirmed(goal, way)
        self.games.go_on(found)
        return found

    def windowed(self, goal: Goal, deadline: Deadline) -> Replay | None:
        """Windowed search at the greatest length that games have, and below."""
        if deadline.passed:
            return None
        known = max((len(play.choices) for play in self.plays), default=8)
        lengths = [known]
        most = min((n for n in (self.longest, self.bound) if n is not None), default=None)
        if most is not None and most <= strategy.DEEPEST and not stops(self.program, k.Chance):
            lengths = list(dict.fromkeys([most, max(most - 1, 0), known]))
        found = self.windowed_search.search(goal, lengths, deadline)
        if found is not None:
            self.games.go_on(found)
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
            if self._within(middle, deadline):
                high = middle
            else:
                low = middle + 1
        return high

    def _within(self, decisions: int, deadline: Deadline) -> bool:
        """Whether fewer decisions than so many were made before, wherever one is to be made."""
        beyond = self.transitions.terms.le0(Lin(decisions, ((-1, self.transitions.clock),)))
        blocks = stops(self.program, k.Decide)
        return all(
            self.solver(block).excludes(beyond, deadline.part(strategy.BOUND), False) for block in blocks
        )
