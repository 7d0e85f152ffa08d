"""Monte-Carlo tree search: what it proves is true; the same seed gives the same answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import pytest
from kemu.base.opening import load
from kemu_engine.kernel.rng import Stream
from kemu_engine.kernel.standing import standing
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_engine.play.state import stop_of
from kemu_engine.run.wasm.programs.searcher import Searcher
from kemu_engine.search import by_states
from kemu_engine.search.by_states import Distances
from kemu_engine.search.mcts import FAR, LONGEST, Search
from kemu_engine.search.thought import Branch, Thought
from kemu_grammar.game.game import read_text

from tests.engine.run.wasm.test_playouts import LIBRARY
from tests.engine.search.passes import PASSES
from tests.oracles.solved import DRAWN, WON, Solved, Solver, positions

SMALL = [
    ("tic-tac-toe", {}),
    ("hex", {"size": 3}),
    ("wythoffs-nim", {}),
    ("connect-four", {"width": 4, "height": 3}),
    ("go", {"width": 3, "height": 1, "komi": 0}),
]
"""Games that a plain search solves; in the last one no position may recur."""


@pytest.mark.parametrize(("name", "options"), SMALL)
def test_what_is_proved_is_true_and_nothing_that_is_won_or_drawn_is_thrown_away(
    name: str, options: dict[str, int]
) -> None:
    """Many more positions: benchmarks/solved.py."""
    search = Search(load(name, **options))
    assert search.reader == "WebAssembly"
    asked = [*positions(search.game, 8, most=10_000)]
    assert len(asked) == 8 or name == "go"
    for number, solved in enumerate(asked):
        found = search.think(solved.state, playouts=300_000, seed=number)
        assert bounded(found, solved)
        assert not solved.thrown_away(found.best)


def test_a_choice_that_throws_something_away_is_seen() -> None:
    """Else the test above would say nothing: cross lets a draw go, and a win that was sure."""
    game = load("tic-tac-toe")
    solver = Solver(game, most=10_000)
    beginning = Solved(game.initial(), solver.worths(game.initial()))
    assert {*beginning.worths} == {DRAWN} and not any(map(beginning.thrown_away, range(9)))
    won = game.initial().apply("put((1, 1))").apply("put((3, 3))")
    after = Solved(won, solver.worths(won))
    texts = [move.text for move in won.moves()]
    assert after.best == WON and not after.thrown_away(texts.index("put((3, 1))"))
    assert after.worths[texts.index("put((2, 2))")] == DRAWN and after.thrown_away(texts.index("put((2, 2))"))


def test_python_searches_where_nothing_else_can() -> None:
    game = Game(load("tic-tac-toe").program, reader="interpreter")
    search = Search(game)
    assert search.reader == "Python"
    for number, solved in enumerate(positions(load("tic-tac-toe"), 3, most=10_000)):
        state = game.state(solved.state.to_json())
        found = search.think(state, playouts=200, seed=number)
        assert found == search.think(state, playouts=200, seed=number)
        assert bounded(found, solved)


def bounded(found: Thought, solved: Solved) -> bool:
    pairs = zip(found.branches, solved.worths, strict=True)
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


RACE = """
game "Race"
players ann, ben
state:
    tokens: map[Player, 0..200 = 0]
    left: 0..100 = 60
rules:
    for p in turns():
        choose by p:
            gain(n in 1..2): tokens[p] = tokens[p] + n
            lose if tokens[p] > 0: tokens[p] = tokens[p] - 1
        luck = roll 0..1
        left = left - 1
        if left == 0: end rank(tokens)
"""
"""Random games are longer than they are followed; who is ahead can be read at any time."""


@pytest.mark.parametrize(("bold", "reader", "seeds"), [
    (30, "generated", (2, 3, 4)), (29, "generated", range(8)), (30, "interpreter", (3,)),
])  # fmt: skip
def test_each_reply_to_what_is_chosen_was_looked_at(
    bold: int, reader: Literal["generated", "interpreter"], seeds: Sequence[int]
) -> None:
    """With the first seeds no other game would try the reply that loses. Where two choices are refuted, none
    is thought about any longer for that."""
    rules = PASSES.replace("k == 30", f"k >= {bold}")
    game = Game(instantiate(read_text(rules, "passes.kemu", LIBRARY), {}), reader=reader)
    for seed in seeds:
        found = Search(game).think(game.initial(), playouts=1000, seed=seed)
        assert found.best < bold - 1 and found.games == 1000
        assert sum(each.visits for each in found.branches[bold - 1 :] if each.proved) < 400


def test_a_random_game_counts_as_it_stands_when_it_is_cut_off() -> None:
    game = Game(instantiate(read_text(RACE, "race.kemu", LIBRARY), {}))
    search = Search(game)
    assert search.standing is not None and search.longest < 60
    search.longest = 0
    for action, gains in (("gain(2)", [0.75, 0.25]), ("gain(1)", [0.5, 0.5])):
        state = game.initial().apply(action).apply("0").apply("gain(1)").apply("1")
        assert Searcher(game.program).played(stop_of(state), 0) == gains
        assert by_states.played(state, search, Stream(1), Stream(2), Distances()) == gains


def test_who_is_ahead_cannot_be_read_where_there_is_more_than_one_end() -> None:
    assert standing(instantiate(read_text(RACE, "race.kemu", LIBRARY), {})) is not None
    two = RACE.replace("lose if", "stop: end win(p)\n            lose if")
    assert standing(instantiate(read_text(two, "race.kemu", LIBRARY), {})) is None


TWICE = """
game "Twice"
players ann, ben
state:
    crossed: map[1..12, bool = false]
rules:
    for p in turns():
        if all(crossed[n] for n in 1..12): end win(p)
        choose cross(n in 1..12) by p if not crossed[n]
        crossed[n] = true
"""
"""Whoever begins has lost: to 2^12 positions lead hundreds of millions of ways."""


@pytest.mark.parametrize("reader", ["generated", "interpreter"])
def test_a_position_is_looked_at_once_whichever_way_leads_there(
    reader: Literal["generated", "interpreter"],
) -> None:
    game = Game(instantiate(read_text(TWICE, "twice.kemu", LIBRARY), {}), reader=reader)
    state = game.initial()
    if reader == "interpreter":
        for n in range(1, 5):
            state = state.apply(f"cross({n})")
    found = Search(game).think(state, playouts=30_000)
    assert found.proved


PRIZES = """
game "Prizes"
players ann, ben
state:
    prize: map[6..9, 0..200 = 3]
    tokens: map[Player, 0..200 = 0]
    left: 0..9 = 9
rules:
    for p in turns():
        choose go by p
        luck = roll 6..9
        left = left - 1
        if left == 0:
            prize[luck] += 50
            tokens[ann] = prize[6] + prize[7] + prize[8] + prize[9]
            end rank(tokens)
"""
"""The end reads a local that has no value before the first roll, and 0 is none of its values."""


@pytest.mark.parametrize("reader", ["generated", "interpreter"])
def test_a_local_that_the_end_reads_has_a_value_wherever_a_game_is_cut_off(
    reader: Literal["generated", "interpreter"],
) -> None:
    game = Game(instantiate(read_text(PRIZES, "prizes.kemu", LIBRARY), {}), reader=reader)
    search, state = Search(game), game.initial()
    search.longest = 0
    found = by_states.played(state, search, Stream(1), Stream(2), Distances())
    assert found[0] == pytest.approx((1 + 62 / 63) / 2)
    if reader == "generated":
        searcher = Searcher(game.program)
        assert searcher.played(stop_of(state), 0) == searcher.played(stop_of(state), 0) == found


def test_where_the_end_cannot_be_read_at_any_time_random_games_are_played_to_it() -> None:
    sound = RACE.replace("end rank", "\n            left = left + 1\n            end rank")
    faulty = RACE.replace("end rank", "\n            left = left + 100\n            end rank")
    for text, longest in ((sound, FAR), (faulty, LONGEST)):
        assert Search(Game(instantiate(read_text(text, "race.kemu", LIBRARY), {}))).longest == longest


def test_outcomes_of_chance_are_no_decisions() -> None:
    text = PRIZES.replace("0..9 = 9", "0..700 = 600")
    game = Game(instantiate(read_text(text, "prizes.kemu", LIBRARY), {}), reader="interpreter")
    search = Search(game)
    search.longest = LONGEST
    assert by_states.played(game.initial(), search, Stream(1), Stream(2), Distances()) == [1, 0]
