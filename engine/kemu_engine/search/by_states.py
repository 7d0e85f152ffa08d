"""The same search in Python, from state to state: where WebAssembly cannot be had."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from math import log, sqrt
from random import Random
from typing import Protocol

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.actions import Catalogue
from kemu_engine.kernel.limits import IN_A_ROW
from kemu_engine.kernel.rng import CHANCE, PLAYERS, Stream
from kemu_engine.kernel.standing import Standing
from kemu_engine.play.draw import drawn
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State, stop_of
from kemu_engine.run.wasm.programs.averages import MOST
from kemu_engine.run.wasm.programs.mcts import NOISE, URGENCY, pays
from kemu_engine.search.doubts import grown
from kemu_engine.search.thought import Branch, Thought

WIDE = 0.7
LONGEST = 1000


class Searching(Protocol):
    """What is searched, and what is to be won."""

    game: Game
    scale: tuple[float, float]
    longest: int
    standing: Standing | None


@dataclass(slots=True)
class Node:
    """A way to a state, once it has been gone; `owner` chose it, or the last player before it if chance
    did."""

    owner: int
    first: float = 0.0  # what its action brought elsewhere
    state: State | None = None
    fork: Fork | None = None
    visits: int = 0
    total: float = 0.0
    low: float = 0.0
    high: float = 1.0
    gains: list[float] | None = None  # of an end, or of a step at which the rules break down

    def worth(self, parent: int) -> float:
        """What it promises to the player who may choose it, after so many visits of its parent."""
        if self.low == self.high:
            return self.for_owner[0] or -1.0
        if not self.visits:
            return self.first + URGENCY * (1 + WIDE * sqrt(log(max(1, parent))))
        return self.total / self.visits + WIDE * sqrt(log(parent) / self.visits)

    @property
    def for_owner(self) -> tuple[float, float]:
        """The bounds, as the player sees them who chooses it."""
        return (1 - self.high, 1 - self.low) if self.owner == 1 else (self.low, self.high)


@dataclass(slots=True)
class Fork:
    """What follows a state, whichever way leads there (run/wasm/programs/transpositions.py). `level`: more
    than that of every fork that leads there, so that no way goes round in circles; `visits`: of all nodes
    that have it."""

    level: int
    visits: int
    low: float
    high: float
    children: list[Node] = field(default_factory=list)
    weights: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Distances:
    """How far players were from each other when random games were cut off: added up, and how many."""

    total: float = 1.0
    count: int = 1


@dataclass(slots=True)
class Averages:
    """Of each action of a player: in how many games he chose it, and what these lacked of a win, added up
    (run/wasm/programs/averages.py)."""

    catalogue: Catalogue
    found: dict[tuple[int, int], tuple[int, float]] = field(default_factory=dict)

    def entry(self, state: State, at: int) -> tuple[int, int]:
        return state.player, self.catalogue.number(stop_of(state).block, state.choices[at]) % MOST

    def elsewhere(self, state: State, at: int) -> float:
        """What an action brought in all games; a win in none."""
        games, lacked = self.found.get(self.entry(state, at), (1, 0.0))
        return 1 - lacked / games

    def learn(self, chosen: list[tuple[State, int]], gains: list[float]) -> None:
        for state, at in chosen:
            if state.is_decision:
                entry = self.entry(state, at)
                games, lacked = self.found.get(entry, (0, 0.0))
                self.found[entry] = games + 1, lacked + 1 - gains[state.player]


def think(
    search: Searching, state: State, playouts: int | None, seconds: float | None, seed: int, number: int
) -> Thought:
    """Grows one tree."""
    return grown(Tree(search, state, seed, number), playouts, seconds)


class Tree:
    """One that grows, from a state on."""

    def __init__(self, search: Searching, state: State, seed: int, number: int) -> None:
        self._search = search
        self._program = program = search.game.program
        self._random = Random(Stream(seed, number, 2).key)
        self._chance, self._players = Stream(seed, number, CHANCE), Stream(seed, number, PLAYERS)
        ends = (block.exit for block in program.blocks if isinstance(block.exit, k.End))
        self._solving = len(program.players) == 2 and not any(pays(program, exit) for exit in ends)
        self._past = any(isinstance(var.type, k.History) for var in program.vars)
        self._forks: dict[State, Fork] = {}
        self._averages = Averages(Catalogue(program))
        self._distances = Distances()
        self.games = 0
        self.root = Node(max(0, state.player), state=state)
        self._expand(self.root, 0)

    def _expand(self, node: Node, level: int) -> None:
        state = node.state
        assert state is not None
        known = None if self._past else self._forks.get(state)
        if known is not None and (known.level >= level or known.low == known.high):
            node.fork = known
            return
        low, high = (0.0, 1.0) if known is None else (known.low, known.high)
        node.fork = fork = self._forks[state] = Fork(level, node.visits, low, high)
        owner = state.player if state.is_decision else node.owner
        for at, _ in enumerate(state.choices):
            first = self._averages.elsewhere(state, at) if state.is_decision else 0.0
            fork.children.append(Node(owner, first + NOISE * self._random.random()))
        fork.weights = [choice.weight for choice in state.choices]

    @property
    def solved(self) -> bool:
        return self.root.low == self.root.high

    def grow(self, most: int | None, until: float | None) -> bool:
        while (most is None or self.games < most) and not self.solved:
            if until is not None and time.monotonic() >= until and self.games:
                break
            self.simulate()
        return not self.solved

    def thought(self) -> Thought:
        branches = []
        assert self.root.fork is not None
        for child in self.root.fork.children:
            low, high = child.for_owner
            value = low if low == high else child.total / child.visits if child.visits else 0.5
            branches.append(Branch(child.visits, value, low, high))
        return Thought(tuple(branches), self.games)

    def untried(self, number: int) -> list[int]:
        assert self.root.fork is not None and self.root.state is not None
        child = self.root.fork.children[number]
        after = child.state
        if not self._solving or child.fork is None or after is None or not after.is_decision:
            return []
        if after.player == self.root.state.player:
            return []
        return [at for at, each in enumerate(child.fork.children) if not each.visits]

    def through(self, number: int, reply: int) -> None:
        assert self.root.fork is not None
        choice = self.root.fork.children[number]
        if choice.low != choice.high:
            self.simulate((number, reply))

    def simulate(self, ways: tuple[int, ...] = ()) -> None:
        """One game: down the tree, by these ways first, on at random, and what it brought back up."""
        self.games += 1
        node = self.root
        path = [node]
        chosen: list[tuple[State, int]] = []
        while (fork := node.fork) is not None:
            if self._bounded(node, fork.low, fork.high):
                self._prove(path)
            if node.low == node.high:
                break
            assert node.state is not None
            at = ways[len(chosen)] if len(chosen) < len(ways) else self._chosen(node.state, fork)
            child = fork.children[at]
            chosen.append((node.state, at))
            path.append(child)
            if child.state is None and child.gains is None:
                self._come_to(child, node.state, at, path)
                node = child
                break
            node = child
            if node.fork is None and node.gains is None and node.low != node.high:
                self._expand(node, fork.level + 1)
        gains = node.gains
        if gains is None and node.low == node.high:
            gains = [node.low, 1 - node.low]
        if gains is None:
            assert node.state is not None
            gains = played(node.state, self._search, self._chance, self._players, self._distances, chosen)
        self._averages.learn(chosen, gains)
        for each in path:
            each.visits += 1
            each.total += gains[each.owner]
            if each.fork is not None:
                each.fork.visits += 1
        assert len(gains) == len(self._program.players)

    def _chosen(self, state: State, fork: Fork) -> int:
        """The number of the child to look at next."""
        if state.is_chance:
            return self._random.choices(range(len(fork.children)), fork.weights)[0]
        worths = [child.worth(fork.visits) for child in fork.children]
        most = max(worths)
        return self._random.choice([number for number, worth in enumerate(worths) if worth == most])

    def _come_to(self, child: Node, before: State, at: int, path: list[Node]) -> None:
        players = len(self._program.players)
        try:
            state = before.follow(at)
        except FaultError:
            child.gains = [0.5] * players
            return
        child.state = state
        if state.is_end:
            child.gains = gains(self._program, state, self._search.scale)
            if self._solving:
                child.low = child.high = child.gains[0]
                self._prove(path)

    def _prove(self, path: list[Node]) -> None:
        """Carries bounds that have become closer at the last node to those before it."""
        for node in reversed(path[:-1]):
            fork, state = node.fork, node.state
            assert fork is not None and state is not None
            lows, highs = [each.low for each in fork.children], [each.high for each in fork.children]
            if state.is_chance:
                whole = sum(fork.weights)
                low = sum(map(float.__mul__, lows, map(float, fork.weights))) / whole
                high = sum(map(float.__mul__, highs, map(float, fork.weights))) / whole
            elif state.player == 0:
                low, high = max(lows), max(highs)
            else:
                low, high = min(lows), min(highs)
            fork.low, fork.high = max(low, fork.low), min(high, fork.high)
            if not self._bounded(node, fork.low, fork.high):
                return

    def _bounded(self, node: Node, low: float, high: float) -> bool:
        """Gives a node bounds; whether they are new."""
        new = (low, high) != (node.low, node.high)
        node.low, node.high = low, high
        return new


def played(
    state: State,
    search: Searching,
    chance: Stream,
    players: Stream,
    distances: Distances,
    chosen: list[tuple[State, int]] | None = None,
) -> list[float]:
    """What a random game from a state brings each player, from 0 to 1; how it stands after so many decisions,
    if that can be read. `chosen` gets what was chosen on the way."""
    decided = in_a_row = 0
    try:
        while in_a_row <= IN_A_ROW:
            if state.is_end:
                return gains(search.game.program, state, search.scale)
            if state.is_decision and decided == search.longest:
                break
            decided, in_a_row = (decided + 1, 0) if state.is_decision else (decided, in_a_row + 1)
            at = drawn(state, chance, players)
            if chosen is not None:
                chosen.append((state, at))
            state = state.follow(at)
        if search.standing is not None and state.is_decision:
            return hopes(search.game.program, state.go_on(search.standing), distances)
    except FaultError:
        pass
    return [0.5] * len(search.game.players)


def rows_of(program: k.Program, state: State) -> list[tuple[int, ...]]:
    """The numbers of each player at an end."""
    keys, width = state.vars[program.result], program.width
    assert isinstance(keys, tuple)
    return [keys[at * width : (at + 1) * width] for at in range(len(program.players))]


def hopes(program: k.Program, state: State, distances: Distances) -> list[float]:
    """What each player may hope for where a game was cut off, from 0 to 1, by how far he is ahead of each of
    the others: as far as is usual, three quarters."""
    rows = rows_of(program, state)
    usual = distances.total / distances.count
    found = []
    for at, own in enumerate(rows):
        whole = 0.0
        for row in rows[:at] + rows[at + 1 :]:
            ahead = own[0] - row[0] or (own > row) - (own < row)
            distances.total += abs(ahead)
            distances.count += 1
            whole += ahead / (abs(ahead) + usual)
        found.append((1 + whole / (len(rows) - 1)) / 2)
    return found


def gains(program: k.Program, state: State, scale: tuple[float, float]) -> list[float]:
    """What each player gets at an end, from 0 to 1."""
    rows, players = rows_of(program, state), len(program.players)
    if pays(program, state.stop):
        low, high = scale
        return [(row[0] - low) / (high - low) for row in rows]
    ahead = [sum((own > row) - (own < row) for row in rows) for own in rows]
    return [(each + players - 1) / (2 * (players - 1)) for each in ahead]


def payoffs(game: Game, number: int, longest: int) -> list[int]:
    """What a random game pays each player; nothing if it does not come to an end that pays. Raises
    FaultError."""
    chance, players = Stream(0, number, CHANCE), Stream(0, number, PLAYERS)
    state = game.initial()
    for _ in range(longest):
        if state.is_end:
            keys = state.vars[game.program.result]
            assert isinstance(keys, tuple)
            return list(keys[:: game.program.width]) if pays(game.program, state.stop) else []
        state = state.follow(drawn(state, chance, players))
    return []
