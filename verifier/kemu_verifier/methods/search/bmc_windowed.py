"""Windowed bounded model checking, for deep witnesses: each step may take only a few, guessed options.

The options of each stop are put in a random order, and at depth d only those in a window that slides along
this order are open. Where actions fill a board this leaves the final position free and fixes most of the
order of play; the formula shrinks by orders of magnitude. What is found is a game like any other; that
nothing is found says nothing.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

from kemu_engine.play.game import Game
from kemu_engine.play.replay import Replay

from kemu_verifier.goal.goal import Goal
from kemu_verifier.methods.search.bmc import Allowed, BoundedSearch, Pace
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.transition import Transitions


def windowed(transitions: Transitions, width: int, seed: int) -> Allowed:
    """What `Unrolling` asks for its options: those within `width` of the depth, in an order drawn for each
    stop."""
    rng = random.Random(seed)
    orders: dict[int, list[int]] = {}

    def allowed(depth: int, block: int, open_: list[int]) -> list[int]:
        count = len(transitions.step(block).options)
        if count <= 2 * width + 1:
            return open_
        if block not in orders:
            orders[block] = rng.sample(range(count), count)
        order = orders[block]
        chosen = {order[at % count] for at in range(depth - width, depth + width + 1)}
        return [at for at in open_ if at in chosen] or open_[:1]

    return allowed


class WindowedBoundedSearch:
    """Unrollings by width and seed, kept for further goals."""

    def __init__(self, game: Game, transitions: Transitions) -> None:
        self.game = game
        self.transitions = transitions
        self._pace = Pace()
        self._searches: dict[tuple[int, int], BoundedSearch] = {}

    def search(self, goal: Goal, lengths: Iterable[int], deadline: Deadline) -> Replay | None:
        """A game of one of these lengths, tried in this order with ever wider windows, that reaches the
        goal."""
        lengths = list(lengths)
        for width, seed in ((1, 0), (1, 1), (1, 2), (2, 3), (1, 4), (2, 5), (3, 6), (4, 7), (3, 8), (5, 9)):
            for depths in [*([length] for length in lengths), range(max(lengths) + 1)]:
                if deadline.passed:
                    return None
                found = self._try(
                    goal, list(depths), width, seed, deadline.part(max(1.0, deadline.left / 2.5))
                )
                if found is not None:
                    return found
        return None

    def _try(self, goal: Goal, depths: list[int], width: int, seed: int, deadline: Deadline) -> Replay | None:
        key = (width, seed)
        if key not in self._searches:
            allowed = windowed(self.transitions, width, seed)
            self._searches[key] = BoundedSearch(self.game, self.transitions, allowed, self._pace)
        search = self._searches[key]
        unrolling = search.unrolling
        while len(unrolling.frames) <= max(depths) + bool(goal.steps):
            if deadline.passed or not unrolling.extend(deadline):
                return None
        lit = self.transitions.terms.disj([unrolling.hits(goal, depth) for depth in depths])
        answer = search.ask([lit], deadline)
        return search.game_of(answer, goal) if answer.status == "sat" else None
