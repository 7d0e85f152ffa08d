"""Monte-Carlo tree search: what it proves is true; the same seed gives the same answer."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Literal

import pytest
from kemu.base.opening import load
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_engine.play.state import State
from kemu_engine.search.mcts import Search
from kemu_engine.search.thought import Branch, Thought
from kemu_grammar.game.game import read_text

from tests.engine.run.wasm.test_playouts import LIBRARY

SMALL = [
    ("tic-tac-toe", {}),
    ("hex", {"size": 3}),
    ("wythoffs-nim", {}),
    ("connect-four", {"width": 4, "height": 3}),
    ("go", {"width": 3, "height": 1, "komi": 0}),
]
"""Games that a plain search solves; in the last one no position may recur."""


@cache
def worth(state: State) -> float:
    """To the first player, by looking at everything."""
    if state.result is not None:
        return {1: 1.0, 0: 0.5, -1: 0.0}[state.result.payoffs[state.program.players[0]]]
    found = [worth(state.follow(at)) for at in range(len(state.choices))]
    return max(found) if state.player == 0 else min(found)


def sampled(game: Game, random: Random) -> State:
    """A decision somewhere in a random game."""
    way = [game.initial()]
    while not way[-1].is_end:
        way.append(way[-1].follow(random.randrange(len(way[-1].choices))))
    return random.choice([state for state in way if len(state.choices) > 1] or way[:1])


@pytest.mark.parametrize(("name", "options"), SMALL)
def test_what_is_proved_is_true_and_nothing_that_is_won_is_given_away(
    name: str, options: dict[str, int]
) -> None:
    search, random = Search(load(name, **options)), Random(1)
    assert search.reader == "WebAssembly"
    for number in range(12):
        state = sampled(search.game, random)
        found = search.think(state, playouts=50_000, seed=number)
        values = worths(state)
        assert bounded(found, values)
        assert values[found.best] == max(values)


def test_python_searches_where_nothing_else_can() -> None:
    game = Game(load("tic-tac-toe").program, reader="interpreter")
    search, random = Search(game), Random(1)
    assert search.reader == "Python"
    for number in range(3):
        state = sampled(game, random)
        found = search.think(state, playouts=200, seed=number)
        assert found == search.think(state, playouts=200, seed=number)
        assert bounded(found, worths(state))


def worths(state: State) -> list[float]:
    """What each choice is worth to the player who makes it."""
    values = [worth(state.follow(at)) for at in range(len(state.choices))]
    return [1 - value for value in values] if state.player else values


def bounded(found: Thought, values: list[float]) -> bool:
    pairs = zip(found.branches, values, strict=True)
    return all(branch.low <= value <= branch.high for branch, value in pairs)


THREE = """
game "Three dice"
players ann, ben, cem
state:
    total: map[Player, 0..20 = 0]
rules:
    for p in turns():
        choose stake(n in 1..3)
        luck = roll 1..2
        total[p] = min(20, total[p] + n * luck)
        if total[p] >= 5: end win(p)
"""
"""Who stakes three is there first; names of rules are at work where chance acts."""


def test_chance_and_three_players_each_for_oneself() -> None:
    search = Search(Game(instantiate(read_text(THREE, "three.kemu", LIBRARY), {})))
    state = search.game.initial().apply("stake(1)").apply("1")
    one, two, other = (search.think(state, playouts=2000, seed=seed) for seed in (7, 7, 8))
    assert one == two != other
    assert sum(branch.visits for branch in one.branches) == one.games == 2000
    assert str(state.actions()[one.best]) == "stake(3)" and 1 / 3 < one.value < 1 and not one.proved
    rolled = search.think(state.apply("stake(3)"), playouts=50)
    assert sum(branch.visits for branch in rolled.branches) == 50


def test_a_time_is_kept_and_trees_on_several_threads_are_put_together() -> None:
    search = Search(load("connect-four"), threads=2)
    found = search.think(search.game.initial(), seconds=0.05)
    assert found.games > 2 and sum(branch.visits for branch in found.branches) == found.games


def test_of_what_is_known_the_best_is_chosen() -> None:
    lost, drawn, unknown = Branch(9, 0.0, 0.0, 0.0), Branch(1, 0.5, 0.5, 0.5), Branch(5, 0.4)
    assert Thought((lost, drawn, unknown), 15).best == 1
    assert Thought((lost, drawn, Branch(5, 0.6)), 15).best == 2
    assert Thought((Branch(1, 1.0, 1.0, 1.0), unknown), 6).best == 0
    assert Thought((Branch(1, 0.0, 0.0, 0.0), lost), 10).best == 1


ANSWERS = """
game "Answers"
players ann, ben
rules:
    choose say(n in 1..30) by ann
    choose answer(m in 1..30) by ben
    if m == 17: end win(ben)
    end win(ann)
"""


@pytest.mark.parametrize("reader", ["generated", "interpreter"])
def test_what_answers_one_action_well_is_tried_first_against_another(
    reader: Literal["generated", "interpreter"],
) -> None:
    game = Game(instantiate(read_text(ANSWERS, "answers.kemu", LIBRARY), {}), reader=reader)
    found = Search(game).think(game.initial(), playouts=300)
    assert found.proved and found.value == 0 and found.games < 300 < 30 * 30
