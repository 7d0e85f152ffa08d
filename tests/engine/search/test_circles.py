"""What is proved is true where play may go round in circles, chance acts, and several ways lead somewhere.

Games on graphs, made at random: the two players and chance move a piece along, each place says who does, or
who has won.
"""

from __future__ import annotations

from random import Random

import pytest
from kemu_engine.interp.frame import Frame
from kemu_engine.kernel.stop import Stop
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_engine.play.state import State, result_of
from kemu_engine.search.mcts import Search
from kemu_grammar.game.game import read_text

from tests.rules import LIBRARY

GRAPH = """
game "Graph"
players ann, ben
domain Node = 0..11
state:
    at: Node = 0
    a: map[Node, Node = 0]
    b: map[Node, Node = 0]
    c: map[Node, Node = 0]
    kind: map[Node, 0..5 = 0]
rules:
    crossed: bool = false
    while true:
        if kind[at] == 3: end win(ann)
        if kind[at] == 4: end win(ben)
        if kind[at] == 5: end tie
        if kind[at] == 2:
            d = roll 1..3
            at = a[at] if d == 1 else b[at]
        else:
            choose by (ann if kind[at] == 0 else ben):
                left: at = c[at] if crossed else a[at]
                right: at = b[at]
                cross:
                    at = a[at]
                    crossed = not crossed
"""
ANN, BEN, CHANCE, ENDS = 0, 1, 2, (3, 4, 5)
ROUNDS = 400
"""Lower bounds rise from 0, upper ones fall from 1: after so many they are close to what can be enforced."""


def made(game: Game, random: Random) -> Stop:
    """The first stop of a game on a graph."""
    ends = random.randint(2, 5)
    kind = [random.choice((ANN, BEN, CHANCE)) for _ in range(12 - ends)]
    cells = {"kind": (*kind, *random.choices(ENDS, k=ends))}
    for way in "abc":
        cells[way] = tuple(random.randrange(random.choice((0, at, at, at, at)), 12) for at in range(12))
    values = [cells.get(var.name, var.initial) for var in game.program.vars]
    machine = game.machine
    return machine.advance(Frame(values, [0] * len(game.program.locals)), game.program.entry)


def bounds(game: Game, start: Stop) -> list[tuple[float, float]]:
    """Of each choice there: what ann can enforce, and what ben can keep her from getting more than."""
    stops, numbers, after = [start], {start: 0}, []
    for stop in stops:
        after.append([])
        for choice in stop.choices:
            following = game.machine.follow(stop, choice)
            if following not in numbers:
                numbers[following] = len(stops)
                stops.append(following)
            after[-1].append(numbers[following])
    found = []
    for unknown in (0.0, 1.0):
        worths = [unknown if stop.choices else ended(game, stop) for stop in stops]
        for _ in range(ROUNDS):
            for at, stop in enumerate(stops):
                next_ = [worths[each] for each in after[at]]
                if stop.choices and stop.actor < 0:
                    worths[at] = sum(next_) / len(next_)
                elif stop.choices:
                    worths[at] = min(next_) if stop.actor else max(next_)
        found.append([worths[each] for each in after[0]])
    return [*zip(*found, strict=True)]


def ended(game: Game, stop: Stop) -> float:
    keys = stop.vars[game.program.result]
    assert isinstance(keys, tuple)
    return (1 + result_of(game.program, stop.block, keys).payoffs["ann"]) / 2


@pytest.mark.parametrize(
    ("memory", "games", "graphs"), [(1 << 30, 300, 60), (1 << 20, 20_000, 5), (0, 60, 10)]
)
def test_what_is_proved_is_true_where_play_may_go_round_in_circles(
    memory: int, games: int, graphs: int
) -> None:
    """`memory`: so much for the tree; 0: it is one of Python's."""
    program = instantiate(read_text(GRAPH, "graph.kemu", LIBRARY), {})
    game = Game(program, reader="generated" if memory else "interpreter")
    search, proved = Search(game, threads=1, memory=memory), 0
    search.longest = 40
    for seed in range(graphs):
        start = made(game, Random(seed))
        if len(start.choices) < 2:
            continue
        thought = search.think(State.at(game.machine, start), playouts=games, seed=seed)
        for branch, (low, high) in zip(thought.branches, bounds(game, start), strict=True):
            if start.actor == 1:
                low, high = 1 - high, 1 - low
            assert branch.low <= low + 1e-9 and high - 1e-9 <= branch.high
            proved += branch.proved
    assert proved
