"""What random players draw: the words that it takes, and the same games in every reader."""

from __future__ import annotations

from collections import Counter

import pytest
from kemu_engine.batch.batch import Batch
from kemu_engine.batch.playout import stepwise
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.draws import FEW, SPARSE, action, enough, large_domain, outcome
from kemu_engine.kernel.rng import CHANCE, PLAYERS, Stream
from kemu_engine.kernel.stop import Choice
from kemu_engine.play.game import Game
from kemu_engine.run.python.loader import player
from kemu_engine.run.wasm.asm.runtime import installed
from kemu_engine.run.wasm.programs.player import Player

from tests.engine.build import Builder, every, num, op


def emptying(size: int, weight: int = 1, by_one: bool = False) -> k.Program:
    """One player takes the elements of a set, any of those that are left; before each, chance says heads or
    tails, heads three times as likely. `by_one`: each element is tried by itself."""
    b = Builder("Emptying", players=("alone",))
    left = b.var("left", k.Set(size), (1 << size) - 1)
    fallen = b.var("fallen", k.Int(0, size), 0)
    result = b.var("result", k.Int(0, size), (0,))
    x = b.local("x", k.Int(0, size - 1), texts=tuple(map(str, range(size))))
    side = b.local("side", k.Int(0, 1), texts=("heads", "tails"))
    texts, sides = b.domain(*map(str, range(size))), b.domain("heads", "tails")
    here = b.load(left)
    weights = k.If(k.Int(weight, 3 * weight), op("eq", b.get(side), num(0)), num(3 * weight), num(weight))
    toss, tossed, choose, taken, more, done, end = (b.hole() for _ in range(7))
    b.block([], b.chance("toss", side, sides, tossed, weights), toss, name="toss")
    tails = b.fit(op("add", b.load(fallen), op("sub", num(1), b.get(side))), 0, size)
    b.block([k.Store(fallen, tails)], k.Goto(choose), tossed)
    inside = op("in", b.get(x), here)
    param = b.param("x", x, texts, every(size), where=inside) if by_one else b.param("x", x, texts, here)
    b.block([], b.decide("take", num(0), b.arm("take", taken, param)), choose, name="take")
    rest = k.Op(k.Set(size), "diff", (here, k.Op(k.Set(size), "single", (b.get(x),))))
    empty = op("eq", op("card", here), num(0))
    b.block([k.Store(left, rest)], k.Goto(more), taken)
    b.block([], k.Split(empty, done, toss), more)
    b.block([k.Put(result, num(0), b.load(fallen))], k.Goto(end), done)
    b.block([], k.End("rank"), end, name="end")
    return b.program(toss, result)


def decision(program: k.Program) -> k.Decide:
    (found,) = (block.exit for block in program.blocks if isinstance(block.exit, k.Decide))
    return found


def draw(players: Stream, size: int, legal: range) -> int:
    """An element of those that are legal."""
    program = emptying(size)
    choices = [Choice(0, (value,)) for value in legal]
    return choices[action(players, program, decision(program), choices)].values[0]


def test_a_small_domain_and_a_sparse_one_take_a_word() -> None:
    for size, legal in ((FEW, range(FEW)), (200, range(0, 200, SPARSE + 1)), (200, range(7, 8))):
        players, other = Stream(1, 2, PLAYERS), Stream(1, 2, PLAYERS)
        assert draw(players, size, legal) == legal[other.below(len(legal))]
        assert players.draws == other.draws == 1


def test_of_a_large_domain_numbers_are_drawn_until_one_is_legal() -> None:
    legal = range(0, 200, SPARSE)
    assert len(legal) == enough(200)
    for game in range(20):
        players, other = Stream(1, game, PLAYERS), Stream(1, game, PLAYERS)
        while (value := other.below(200)) not in legal:
            pass
        assert draw(players, 200, legal) == value
        assert players.draws == other.draws


def test_every_legal_action_is_as_likely_as_any_other() -> None:
    legal, players = range(1, 90, 3), Stream(3, 0, PLAYERS)
    counts = Counter(draw(players, 90, legal) for _ in range(6000))
    assert set(counts) == set(legal)
    assert all(140 < count < 265 for count in counts.values())  # 200 expected; five standard deviations


@pytest.mark.parametrize("weight", [1, 1 << 30, 1 << 31, 1 << 60])
@pytest.mark.parametrize("size", [FEW, FEW + 1, 130, 300])
@pytest.mark.parametrize("by_one", [False, True])
def test_every_reader_plays_the_same_games(size: int, weight: int, by_one: bool) -> None:
    program = emptying(size, weight, by_one)
    assert (large_domain(program, decision(program)) is not None) == (size > FEW)
    reference, fused = Game(program, reader="interpreter"), player(program)
    assert fused is not None
    games = [fused(5, index, 1000) for index in range(4)]
    for index, (decisions, branching, outcomes, ending, told) in enumerate(games):
        summary = stepwise(reference, 5, index)
        assert (decisions, branching, outcomes) == (
            summary.decisions,
            summary.branching,
            summary.outcomes,
        )
        assert ending == summary.ending == "end"
        assert summary.result is not None
        assert summary.result.scores == {"alone": told[1]}
    if installed():
        assert list(Player(program).playouts(5, 0, 4, 1000)) == games


@pytest.mark.parametrize("weight", [1, 1 << 30, 1 << 31, 1 << 60])
def test_chance_draws_the_same_in_games_side_by_side(weight: int) -> None:
    program = emptying(8, weight)
    tosses = []
    for reader in ("generated", "interpreter"):
        batch = Batch(Game(program, reader=reader), 6, seed=9)
        for step in range(8):
            for at in range(6):
                batch.actions[at] = step
            batch.step()
        assert [int(status) for status in batch.status] == [1] * 6
        tosses.append([int(batch.keys[at, 0, 0]) for at in range(6)])
    assert tosses[0] == tosses[1]
    assert len(set(tosses[0])) > 1


def test_chance_follows_its_weights() -> None:
    choices = [Choice(0, (side,), weight) for side, weight in enumerate((3, 0, 1))]
    chance = Stream(4, 0, CHANCE)
    counts = Counter(outcome(chance, choices) for _ in range(4000))
    assert set(counts) == {0, 2}
    assert 2850 < counts[0] < 3150
