"""Monte-Carlo tree search where players do not see all: a tree for each player, of what he knows.

Information-set search with many observers (P. Cowling, E. Powley, D. Whitehouse, Information set Monte Carlo
tree search, 2012). Each game begins in one of the positions that fit what the player knows who is to choose
(worlds.py), and whoever acts in it chooses by what *he* knows then: all games in which that is the same add
up in one node. A choice is compared by how often it was possible. So the player at the root cannot choose by
what he does not see, nor can the others.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, log, sqrt
from random import Random

from kemu_engine.kernel.draws import outcome
from kemu_engine.kernel.rng import CHANCE, Stream
from kemu_engine.kernel.sight import told
from kemu_engine.kernel.stop import Choice
from kemu_engine.play.game import Game
from kemu_engine.play.information import Glimpse, glimpse, information, listeners
from kemu_engine.play.state import FaultError, State, stop_of
from kemu_engine.search.by_states import WIDE
from kemu_engine.search.positions import positions
from kemu_engine.search.thought import Branch, Thought
from kemu_engine.search.worlds import Worlds

DEEPEST = 1000
"""Decisions and outcomes after which a game is not followed any further."""

Gains = list[float]
"""What each player gets, from 0 to 1."""


class NoPast(ValueError):
    """Nobody knows what the player has seen: play was not followed from its beginning."""


@dataclass(slots=True)
class Arm:
    """A choice of whoever knows so much: in how many games it was made, and could have been; what it brought
    him, added up."""

    visits: int = 0
    possible: int = 0
    total: float = 0.0

    def worth(self) -> float:
        if not self.visits:
            return inf
        return self.total / self.visits + WIDE * sqrt(log(self.possible) / self.visits)


@dataclass(slots=True)
class Walk:
    """A game on its way: what was done since the root, and of each player up to which of it he knows what."""

    world: int
    done: list[tuple[State, int]] = field(default_factory=list)
    known: dict[int, tuple[int, int]] = field(default_factory=dict)


class InformationSets:
    """One search. `played`: what a random game from a state brings each player."""

    def __init__(
        self,
        game: Game,
        played: Callable[[State], Gains],
        ended: Callable[[State], Gains],
        seed: int,
        number: int,
    ) -> None:
        self._game, self._played, self._ended = game, played, ended
        self._random = Random(Stream(seed, number, 2).key)
        self._chance = Stream(seed, number, CHANCE)
        self._names: dict[object, int] = {}
        self._nodes: dict[int, dict[Choice, Arm]] = {}
        self._begun: dict[tuple[int, int], int] = {}

    def think(
        self,
        worlds: Worlds,
        state: State,
        known: tuple[Glimpse, ...],
        playouts: int | None,
        due: float | None,
    ) -> Thought:
        """What is best for who is to choose, if this is what he knows; of the state only what he may do is
        looked at."""
        found = worlds.sample = positions(worlds, known, due)
        states, weights = found.states, found.weights
        root = self._nodes[self._name((known, state.player))] = {choice: Arm() for choice in state.choices}
        self._root = root
        done = 0
        while states and (playouts is None or done < playouts):
            if due is not None and time.monotonic() >= due and done:
                break
            (world,) = self._random.choices(range(len(states)), weights)
            self._play(states[world], world)
            done += 1
        if not done:
            root[self._random.choice(state.choices)].visits = 1
        return Thought(
            tuple(
                Branch(arm.visits, arm.total / arm.visits if arm.visits and done else 0.5)
                for arm in map(root.__getitem__, state.choices)
            ),
            done,
        )

    def _play(self, state: State, world: int) -> None:
        walk, path, gains = Walk(world), list[tuple[int, Arm]](), None
        try:
            while not state.is_end and len(walk.done) < DEEPEST:
                if state.is_decision:
                    node, new = self._node(state, walk)
                    at, arm = self._chosen(state, node)
                    path.append((state.player, arm))
                else:
                    at, new = outcome(self._chance, state.choices), False
                walk.done.append((state, at))
                state = state.follow(at)
                if new:
                    break
            gains = self._ended(state) if state.is_end else self._played(state)
        except FaultError:
            gains = [0.5] * len(self._game.players)
        for player, arm in path:
            arm.visits += 1
            arm.total += gains[player]

    def _chosen(self, state: State, node: dict[Choice, Arm]) -> tuple[int, Arm]:
        arms = [node.get(choice) or node.setdefault(choice, Arm()) for choice in state.choices]
        for arm in arms:
            arm.possible += 1
        worths = [arm.worth() for arm in arms]
        most = max(worths)
        at = self._random.choice([number for number, worth in enumerate(worths) if worth == most])
        return at, arms[at]

    def _node(self, state: State, walk: Walk) -> tuple[dict[Choice, Arm], bool]:
        """What whoever acts knows there; and whether nobody has been there before."""
        if not walk.done:
            return self._root, False
        name = self._knows(state, walk)
        node = self._nodes.get(name)
        if node is not None:
            return node, False
        node = self._nodes[name] = {}
        return node, True

    def _knows(self, state: State, walk: Walk) -> int:
        """The number of the information state of whoever acts."""
        seer, machine = state.player, state.machine
        upto, name = walk.known.get(seer) or (0, self._before(walk, seer))
        for before, at in walk.done[upto:]:
            stop = stop_of(before)
            heard = told(before.program, stop, before.choices[at], seer, listeners(machine, stop))
            name = self._name((name, glimpse(machine, before.past, stop, seer, heard)))
        walk.known[seer] = len(walk.done), name
        return self._name((name, glimpse(machine, state.past, stop_of(state), seer, None)))

    def _before(self, walk: Walk, seer: int) -> int:
        """The number of what a player knew before the root."""
        found = self._begun.get((walk.world, seer))
        if found is None:
            root = walk.done[0][0]
            known = information(root.machine, root.past, stop_of(root), seer)
            found = self._begun[walk.world, seer] = self._name((known[:-1], seer))
        return found

    def _name(self, what: object) -> int:
        return self._names.setdefault(what, len(self._names))


def known_at(game: Game, state: State) -> tuple[Glimpse, ...]:
    """What whoever is to choose has seen since the game began. Raises NoPast."""
    first = stop_of(state) if state.past is None else state.past.stops()[0]
    begin = stop_of(game.initial())
    if (first.block, first.vars, first.locals) != (begin.block, begin.vars, begin.locals):
        raise NoPast("how play came there is not known, and so what its player has seen")
    return information(state.machine, state.past, stop_of(state), state.player)
