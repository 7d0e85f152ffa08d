"""Simulation: random games by the thousand, played by generated code that watches for what is looked for.

Of a game only its number is known and when each goal was first reached in it; who needs more plays that game
again (random_search.py): the same number is the same game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from kemu_engine.batch.playout import Ends
from kemu_engine.play.game import Game
from kemu_engine.play.steps import Steps
from kemu_engine.play.watched import watchable, watched

from kemu_verifier.goal.goal import Goal
from kemu_verifier.methods.search.random_search import LONGEST, SEED
from kemu_verifier.symbolic.deadline import Deadline

KEPT = 4  # games for a goal; a decision at which nothing can be done is no state, but looks like one here
AT_ONCE = 50  # games between two looks at the time, or more, if they take less than
OFTEN = 0.05  # seconds


@dataclass(frozen=True, slots=True)
class Hit:
    """A game in which a goal is reached: its number, and how many stops there are until then."""

    game: int
    stops: int


class Simulation:
    """Random games of one program, from number `first` on. `games`: the number of the next. `hits`: by goal,
    the best games."""

    def __init__(self, steps: Steps, goals: Mapping[str, Goal], first: int = 0) -> None:
        self.program = steps.program
        self.first = self.games = first
        self.hits: dict[str, list[Hit]] = {}
        self.goals = {
            key: goal
            for key, goal in goals.items()
            if goal.watch is not None and watchable(self.program, goal.watch.test)
        }

    @property
    def played(self) -> int:
        """How many games there were."""
        return self.games - self.first

    @property
    def decisions(self) -> int:
        """How many decisions were made in them."""
        return self._ends.decisions if self.played else 0

    @cached_property
    def _ends(self) -> Ends:
        watches = [goal.watch for goal in self.goals.values() if goal.watch is not None]
        return Ends(Game(watched(self.program, watches, LONGEST)))

    def run(self, most: int, deadline: Deadline) -> None:
        """Plays on, up to the game with this number. The best games for a goal have the fewest stops."""
        if self.goals and not self._ends.able:
            self.goals = {}
        number = AT_ONCE
        while self.goals and self.games < most and not deadline.passed:
            began = deadline.left
            games = range(self.games, min(self.games + number, most))
            self._play(games)
            self.games = games.stop
            number = 2 * number if began - deadline.left < OFTEN else AT_ONCE

    def _play(self, games: range) -> None:
        keys = list(self.goals)
        within = {key: self._within(key) for key in keys}
        for index, told in zip(games, self._ends.of(SEED, games, LONGEST), strict=True):
            if told is None:
                continue
            for key, stops in zip(keys, told, strict=False):  # each player has a result, told or not
                if 0 < stops <= within[key]:
                    known = [*self.hits.get(key, ()), Hit(index, stops)]
                    self.hits[key] = sorted(known, key=lambda hit: hit.stops)[:KEPT]
                    within[key] = self._within(key)

    def _within(self, key: str) -> int:
        """After how many stops at most a game has to reach a goal for it to be kept."""
        known = self.hits.get(key, [])
        return LONGEST if len(known) < KEPT else known[-1].stops - 1
