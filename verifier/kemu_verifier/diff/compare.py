"""`compare`: are two games the same? By equal programs, all games of a length, random games, proofs step by
step."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from kemu_engine.play.game import Game
from kemu_engine.play.record import RecordError
from kemu_engine.play.replay import ReplayError
from kemu_engine.play.trace import trace

from kemu_verifier.diff.bisimulation import Pair as Twins
from kemu_verifier.diff.bisimulation import constants
from kemu_verifier.diff.games import Games, shortened
from kemu_verifier.diff.knowledge import Knowledge
from kemu_verifier.diff.knowledge import difference as told_apart
from kemu_verifier.diff.matching import Apart
from kemu_verifier.diff.names import same_program
from kemu_verifier.diff.observe import Difference, Pair, Sight, broken, opening
from kemu_verifier.diff.search import Found, Search
from kemu_verifier.goal.questions import questions
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.values import TooLarge

Kind = Literal["equivalent", "different", "unknown"]
FEW = 30_000  # pairs of states that are walked through before anything else is tried
FIRST, PLAYED, PROVING = 0.15, 0.15, 0.2  # parts of the time
TURN = 1.0  # seconds, in which random games and the search of all take turns at the end
SAME_PROGRAM = "equal programs"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is known of two games. `equivalent`: proved, `by` says how. `different`: after `steps`, which both
    allow and which the interpreter has replayed, there is `difference`; `shortest` if no shorter game shows
    any. Whatever the kind, no game of up to `depth` steps shows a difference (-1: nothing is known), nor did
    any of the `games` random ones before the first that did. `plays`: by what it is proved that the two play
    the same, though who knows what is different or not known to be the same; else nothing."""

    kind: Kind
    by: str = ""
    steps: tuple[str, ...] = ()
    difference: Difference | None = None
    shortest: bool = False
    depth: int = -1
    games: int = 0
    seconds: float = 0.0
    plays: str = ""

    @property
    def alike(self) -> str:
        """That they play the same, where that is not all there is to say; else nothing."""
        known = "was not compared to the end" if self.difference is None else "differs"
        return self.plays and f"plays the same, proved: {self.plays}; who knows what {known}"


class Comparing:
    """A comparison under way; whoever stops it can ask what is known `so_far`. `plays`: where a difference is
    likely to be near."""

    def __init__(
        self,
        left: Game,
        right: Game,
        seconds: float,
        progress: Callable[[str], None] | None = None,
        plays: Sequence[Sequence[str]] = (),
    ) -> None:
        self.left = left
        self.right = right
        self.progress = progress or (lambda words: None)
        self.seconds = seconds
        self._plays = plays
        self._deadline = Deadline(seconds)
        self._began = time.monotonic()
        self._sight = Sight(left.program, right.program)
        self._search: Search | None = None
        self._games: Games | None = None
        self._found: Found | None = None
        self._secrets = left.machine.secret or right.machine.secret
        self._known = False  # whether it is proved step by step that everybody knows the same
        self._alike = ""  # by what the two are proved to play the same

    def run(self) -> Comparison:
        """The answer. Raises ReplayError for a difference that the interpreter does not confirm."""
        self.progress("comparing the programs")
        if self.left.players == self.right.players and same_program(self.left.program, self.right.program):
            return self._equivalent(SAME_PROGRAM)
        start = opening(self.left, self.right)
        if start is None:
            return self._equivalent("both break down in the opening")
        if isinstance(start, Difference):
            self._found = (), start
            return self.so_far()
        search, games = Search(self._sight, start), Games(self._sight, start, self._plays)
        self._search, self._games = search, games
        self._walk(search, FIRST, FEW)
        if search.found is None and not search.complete:
            self.progress("random games")
            self._found = games.run(self._deadline.part(PLAYED * self.seconds))
            if self._found is None:
                proof = self._proof()
                if proof:
                    return self._plays_alike(proof, start)
                self._turns(search, games)
        if self._found is not None and search.found is None:
            self._shorten(start, search, games)
        if search.complete:
            return self._plays_alike(f"exhaustive search of {search.count} pairs of positions", start)
        return self.so_far()

    def so_far(self) -> Comparison:
        """What is known by now."""
        search, games = self._search, self._games
        found = self._found
        if search is not None and search.found is not None:
            found = search.found
        elif games is not None and games.best is not None:
            found = min(filter(None, (found, games.best)), key=lambda each: len(each[0]))
        known = Comparison(
            "unknown",
            plays=self._alike,
            depth=-1 if search is None else search.depth,
            games=0 if games is None else games.count,
            seconds=time.monotonic() - self._began,
        )
        if found is None:
            return known
        steps, difference = found
        difference = confirmed(self.left, self.right, steps) or difference
        proved = known.depth >= len(steps) - 1 or not steps
        by = "random games, made shorter"
        if search is not None and search.found is not None:
            by = "search of all games by length"
        return replace(known, kind="different", by=by, steps=steps, difference=difference, shortest=proved)

    def _equivalent(self, by: str) -> Comparison:
        return Comparison("equivalent", by, seconds=time.monotonic() - self._began)

    def _plays_alike(self, by: str, start: Pair) -> Comparison:
        """The answer for two that play the same: whether everybody knows the same, too."""
        if self._known or not self._secrets:
            return self._equivalent(by)
        self._alike = by
        self.progress("who knows what")
        knowledge = Knowledge(self._sight, start)
        told = knowledge.search(self._deadline)
        if told is None:
            if not knowledge.complete:
                return self.so_far()
            return self._equivalent(f"{by}, and of all plays that look alike to somebody")
        difference = told_apart(self.left, self.right, told)
        found = Comparison("different", "plays that look alike", told.plays[0], difference, plays=by)
        return replace(found, seconds=time.monotonic() - self._began)

    # ------------------------------------------------------------------------------------------ ways to know

    def _walk(self, search: Search, part: float, most: int | None = None, depth: int | None = None) -> None:
        """Looks at all games, length by length."""
        self.progress(f"all games of at least {search.depth + 1} steps, {search.count} pairs of positions")
        search.run(self._deadline.part(part * self.seconds), most, depth)

    def _turns(self, search: Search, games: Games) -> None:
        """Random games and all games by length in turns, until time is up or one of them has an answer."""
        while not (self._deadline.passed or search.complete or search.found):
            self._walk(search, TURN / self.seconds)
            self.progress(f"{games.count} random games, all games of {search.depth} steps")
            self._found = games.run(self._deadline.part(TURN))
            if self._found is not None:
                return

    def _shorten(self, start: Pair, search: Search, games: Games) -> None:
        """Finds a shorter difference, perhaps a shortest one: steps are left out, and when none can be spared
        all games by length and random ones take turns."""
        assert self._found is not None
        spare = True
        while not self._deadline.passed:
            length = len(self._found[0])
            self.progress(f"games shorter than {length} steps, all of {search.depth} steps")
            search.run(self._deadline.part(TURN), depth=length - 1)
            if search.found is not None or search.depth >= length - 1:
                return
            if spare:
                self._found = shortened(self._sight, start, self._found, self._deadline.part(TURN))
            self._found = games.improve(self._found, self._deadline.part(TURN))
            spare = len(self._found[0]) < length

    def _proof(self) -> str:
        """How the two are proved to be the same step by step; nothing if they are not."""
        benches = []
        for left, right in ((self.left, self.right), (self.right, self.left)):
            self.progress("bisimulation")
            deadline = self._deadline.part(PROVING * self.seconds)
            context = ProofContext(left, self.seconds * PROVING / 2, self.progress)
            benches.append(context)
            context.transitions.reader.deadline = deadline
            try:
                twins = Twins(context, right.program, deadline)
                if self._same(twins, deadline):
                    return "one-step bisimulation"
                if constants(twins, deadline) and self._same(twins, deadline):
                    return "one-step bisimulation; some of what is remembered never changes"
            except (Apart, TooLarge):
                return ""
        return self._proof_under(benches[0])

    def _same(self, twins: Twins, deadline: Deadline) -> bool:
        """Whether they are proved to play the same; where there are secrets, perhaps that everybody knows the
        same as well."""
        same = twins.same(deadline)
        self._known = same and self._secrets and twins.same(deadline, known=True)
        return same

    def _proof_under(self, context: ProofContext) -> str:
        """The same under invariants of the left game."""
        deadline = self._deadline.part(PROVING * self.seconds)
        context.transitions.reader.deadline = deadline
        try:
            learn(context)
            self.progress("bisimulation under invariants")
            if self._same(Twins(context, self.right.program, deadline), deadline):
                return "one-step bisimulation under the left one's invariants"
        except (Apart, TooLarge):
            pass
        return ""


def learn(context: ProofContext) -> None:
    """Proves by induction what it can of the claims of a game."""
    claims = []
    for question in questions(context.program, standard=False):
        if question.goal is not None and question.bad and question.expected is None:
            states = question.goal(context.transitions).states
            if states:
                claims.append(Candidate(question.name, {b: -lit for b, lit in states.items()}, True))
    context.learning.learn(claims)


def compare(
    left: Game,
    right: Game,
    seconds: float = 60,
    progress: Callable[[str], None] | None = None,
    plays: Sequence[Sequence[str]] = (),
) -> Comparison:
    """What can be found out in the time about whether two games are the same; `plays` end where a difference
    may be near."""
    return Comparing(left, right, seconds, progress, plays).run()


# ---------------------------------------------------------------------------------------------- evidence


def confirmed(left: Game, right: Game, steps: Sequence[str]) -> Difference | None:
    """The difference after these steps, as the interpreter sees it. Raises ReplayError if there is none."""
    if left.players != right.players:
        return None
    try:
        mine, theirs = trace(left, steps), trace(right, steps)
    except RecordError as error:
        raise ReplayError(str(error)) from error
    if mine.fault is not None or theirs.fault is not None:
        difference = broken([mine.fault, theirs.fault])
    else:
        assert mine.final is not None and theirs.final is not None
        difference = Sight(left.program, right.program).unlike(mine.final, theirs.final)
    if difference is None:
        raise ReplayError(f"the interpreter sees no difference after {', '.join(steps) or 'the opening'}")
    return difference
