"""The same search in Python, from state to state: where WebAssembly cannot be had."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from math import log, sqrt
from random import Random
from typing import Protocol

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.actions import Catalogue
from kemu_engine.kernel.rng import CHANCE, PLAYERS, Stream
from kemu_engine.play.draw import drawn
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State, stop_of
from kemu_engine.run.wasm.programs.averages import MOST
from kemu_engine.run.wasm.programs.mcts import NOISE, URGENCY, pays
from kemu_engine.search.thought import Branch, Thought

WIDE = 0.7
LONGEST = 1000


class Searching(Protocol):
    """What is searched, and what is to be won."""

    game: Game
    scale: tuple[float, float]


@dataclass(slots=True)
class Node:
    """A state, once it has been come to; `owner` chose it, or the last player before it if chance did."""

    owner: int
    first: float = 0.0  # what its action brought elsewhere
    state: State | None = None
    children: list[Node] = field(default_factory=list)
    weights: list[int] = field(default_factory=list)
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
    program = search.game.program
    random = Random(Stream(seed, number, 2).key)
    chance, players = Stream(seed, number, CHANCE), Stream(seed, number, PLAYERS)
    ends = (block.exit for block in program.blocks if isinstance(block.exit, k.End))
    solving = len(program.players) == 2 and not any(pays(program, exit) for exit in ends)
    averages = Averages(Catalogue(program))
    root = Node(max(0, state.player), state=state)
    _expand(root, averages, random)
    due = None if seconds is None else time.monotonic() + seconds
    done = 0
    while (playouts is None or done < playouts) and root.low != root.high:
        if due is not None and time.monotonic() >= due and done:
            break
        _simulate(root, averages, random, search, solving, chance, players)
        done += 1
    branches = []
    for child in root.children:
        low, high = child.for_owner
        value = low if low == high else child.total / child.visits if child.visits else 0.5
        branches.append(Branch(child.visits, value, low, high))
    return Thought(tuple(branches), done)


def _expand(node: Node, averages: Averages, random: Random) -> None:
    state = node.state
    assert state is not None
    owner = state.player if state.is_decision else node.owner
    for at, _ in enumerate(state.choices):
        first = averages.elsewhere(state, at) if state.is_decision else 0.0
        node.children.append(Node(owner, first + NOISE * random.random()))
    node.weights = [choice.weight for choice in state.choices]


def _simulate(
    root: Node,
    averages: Averages,
    random: Random,
    search: Searching,
    solving: bool,
    chance: Stream,
    players: Stream,
) -> None:
    program = search.game.program
    path, node = [root], root
    chosen: list[tuple[State, int]] = []
    while node.children and node.low != node.high:
        assert node.state is not None
        if node.state.is_chance:
            at = random.choices(range(len(node.children)), node.weights)[0]
        else:
            worths = [child.worth(node.visits) for child in node.children]
            most = max(worths)
            at = random.choice([number for number, worth in enumerate(worths) if worth == most])
        child = node.children[at]
        chosen.append((node.state, at))
        path.append(child)
        if child.state is None and child.gains is None:
            _come_to(child, node.state, at, search, solving, path)
            node = child
            break
        node = child
        if not node.children and node.gains is None and node.low != node.high:
            _expand(node, averages, random)
    gains = node.gains
    if gains is None and node.low == node.high:
        gains = [node.low, 1 - node.low]
    if gains is None:
        assert node.state is not None
        gains = played(node.state, search, chance, players, chosen)
    averages.learn(chosen, gains)
    for each in path:
        each.visits += 1
        each.total += gains[each.owner]
    assert len(gains) == len(program.players)


def _come_to(child: Node, before: State, at: int, search: Searching, solving: bool, path: list[Node]) -> None:
    players = len(search.game.players)
    try:
        state = before.follow(at)
    except FaultError:
        child.gains = [0.5] * players
        return
    child.state = state
    if state.is_end:
        child.gains = gains(search.game.program, state, search.scale)
        if solving:
            child.low = child.high = child.gains[0]
            _prove(path)


def _prove(path: list[Node]) -> None:
    """Carries bounds that have become closer at the last node to those before it."""
    for node in reversed(path[:-1]):
        assert node.state is not None
        lows, highs = [each.low for each in node.children], [each.high for each in node.children]
        if node.state.is_chance:
            whole = sum(node.weights)
            low = sum(map(float.__mul__, lows, map(float, node.weights))) / whole
            high = sum(map(float.__mul__, highs, map(float, node.weights))) / whole
        elif node.state.player == 0:
            low, high = max(lows), max(highs)
        else:
            low, high = min(lows), min(highs)
        if (low, high) == (node.low, node.high):
            return
        node.low, node.high = low, high


def played(
    state: State,
    search: Searching,
    chance: Stream,
    players: Stream,
    chosen: list[tuple[State, int]] | None = None,
) -> list[float]:
    """What a random game from a state brings each player, from 0 to 1. `chosen` gets what was chosen on the
    way."""
    try:
        for _ in range(LONGEST):
            if state.is_end:
                return gains(search.game.program, state, search.scale)
            at = drawn(state, chance, players)
            if chosen is not None:
                chosen.append((state, at))
            state = state.follow(at)
    except FaultError:
        pass
    return [0.5] * len(search.game.players)


def gains(program: k.Program, state: State, scale: tuple[float, float]) -> list[float]:
    """What each player gets at an end, from 0 to 1."""
    keys, width, players = state.vars[program.result], program.width, len(program.players)
    assert isinstance(keys, tuple)
    rows = [keys[at * width : (at + 1) * width] for at in range(players)]
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
