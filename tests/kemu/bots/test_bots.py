"""Bots in Python, in matches, and at the table."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from kemu.base.opening import load
from kemu.bots import MCTS, Random, bot, match
from kemu.table.hint import Adviser
from kemu.table.worth import meaning
from kemu_engine.search.mcts import LONGEST, horizon

import kemu as api
from tests.kemu.conftest import Run

THREE = "a=random b=random c=random"  # in a game for two


HANDS = """\
game "Two hands"
players ann, ben
state:
    taken: 0..6 = 0
rules:
    choose left(n in 1..3) by ann
    taken += n
    choose right(n in 1..3) by ann
    taken += n
    choose stay by ben
    if taken == 6: end win(ann)
    end win(ben)
"""


class First:
    """A bot of one's own."""

    def choose(self, state: api.State) -> int:
        return state.legal()[0]


def test_a_bot_chooses_something_legal_and_the_same_seed_gives_the_same_game() -> None:
    game = api.load("tic-tac-toe")

    def game_of(seed: int) -> list[str]:
        bots, state, told = [MCTS(playouts=20, seed=seed), Random(seed)], game.initial(), []
        while not state.is_end:
            action = bots[state.player].choose(state)
            state = state.step(action if isinstance(action, int) else action.number)
            told.append(str(action))
        return told

    assert game_of(1) == game_of(1) != game_of(2)


def test_thoughts_tell_of_every_action_the_best_one_first() -> None:
    state = api.load("tic-tac-toe").initial()
    for text in ("put((1, 1))", "put((3, 3))", "put((2, 1))"):
        state = state.apply(text)
    thought = MCTS(playouts=500).think(state)
    assert str(thought.action) == "put((3, 1))" and thought.lines[0].action == thought.action
    assert {line.action for line in thought.lines} == {*state.actions()}


def test_a_search_wins_against_random_play() -> None:
    played = list(match(api.load("connect-four"), {"a": MCTS(playouts=200), "b": "random"}, 6))
    assert (
        sum(each.points[player] for each in played for player in each.points if each.seats[player] == "a") > 4
    )
    assert [each.seats["red"] for each in played] == ["a", "b"] * 3


@pytest.mark.parametrize(
    ("words", "error", "told"),
    [
        ({"playouts": 1.5}, TypeError, "a whole number of random games, not 1.5"),
        ({"playouts": 0}, ValueError, "one game or more, not 0"),
        ({"seconds": "2"}, TypeError, "seconds are a number, not '2'"),
        ({"seconds": -1}, ValueError, "some time, not -1 seconds"),
    ],
)
def test_what_a_search_is_not_given_is_one_error(
    words: dict[str, Any], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        MCTS(**words)


@pytest.mark.parametrize(
    ("entrants", "games", "told"),
    [
        ({"a": "random", "b": "random", "c": "random"}, 1, "for 2 players"),
        ({}, 1, "for 2 players"),
        ({"a": "random", "b": 3}, 1, "b is no bot"),
        ({"a": "random", "b": "random"}, 0, "one game or more, not 0"),
    ],
)
def test_a_match_that_cannot_be_says_so_at_once(entrants: dict[str, Any], games: int, told: str) -> None:
    with pytest.raises((ValueError, TypeError), match=told):
        match("tic-tac-toe", entrants, games)


def test_a_bot_of_ones_own_plays() -> None:
    (played,) = match(api.load("tic-tac-toe"), {"own": First(), "other": First()}, 1)
    assert played.ending == "end" and played.decisions == 7


def test_where_nobody_knows_what_a_player_has_seen_it_is_said() -> None:
    game = api.load("kuhn-poker")
    state = game.initial().apply("1").apply("2")
    assert MCTS(playouts=20).choose(state) in state.actions()
    with pytest.raises(api.BadInput, match="what its player has seen"):
        MCTS(playouts=20).choose(game.state(state.to_json()))


@pytest.mark.parametrize("kind", ["mcts:", "mcts:0", "mcts:1.5", "mcts:0s", "alphabeta", ""])
def test_a_kind_that_there_is_not_is_told_with_those_that_there_are(kind: str) -> None:
    with pytest.raises(api.BadInput, match="mcts:10000"):
        bot(kind)


def test_a_match_is_told_and_kept(kemu: Run, tmp_path: Path) -> None:
    words = ["match", "tic-tac-toe", "--seat", "a=mcts:200", "--seat", "b=random", "--games", "4"]
    done = kemu(*words, "--jobs", "1", "--keep", "kept")
    assert "4 games" in done.out and "as cross" in done.out and "Elo" in done.out
    told = json.loads(kemu(*words, "--jobs", "1", "--json").out)
    assert told["bots"]["a"]["points"] >= 3 and len(told["each"]) == 4
    assert kemu("replay", str(sorted(Path("kept").iterdir())[0])).code == 0


@pytest.mark.parametrize("seats", ["a=random", "a=random a=random", "a b=random", "a=random b=x", THREE])
def test_bad_seats_are_one_error(kemu: Run, seats: str) -> None:
    done = kemu("match", "tic-tac-toe", *(word for seat in seats.split() for word in ("--seat", seat)))
    assert done.code == 64 and done.err.startswith("Error: ") and done.err.count("\n") == 1


def test_at_the_table_a_bot_plays_and_hints_are_given(kemu: Run) -> None:
    typed = "1 1\nhint\nquit\nn\n"
    done = kemu("play", "tic-tac-toe", "--seat", "nought=mcts:50", "--seed", "1", stdin=typed)
    assert "2. nought: put(" in done.out and re.search(
        r"put\(.*\): (about \d+ % to win|wins|is a draw|loses)", done.out
    )


def test_a_hint_in_a_game_with_secrets_is_of_what_the_player_sees(kemu: Run) -> None:
    done = kemu("play", "kuhn-poker", "--seat", "ben=mcts:50", "--seed", "1", stdin="hint\nquit\nn\n")
    assert re.search(r"(check|bet): is paid about \d", done.out)


def test_a_hint_in_a_game_with_secrets_tells_from_what_and_how_sure_it_is(tmp_path: Path) -> None:
    """Each of the three is right in a third of the games."""
    (tmp_path / "guess.kemu").write_text("""\
game "Guess"
players ann, ben
state:
    card: 1..3 secret to ann
rules:
    card = roll 1..3
    choose guess(n in 1..3) by ben
    end win(ben if n == card else ann)
""")
    said = Adviser(MCTS(seconds=1)).hints(api.load(tmp_path / "guess.kemu").initial().apply("1"))
    assert "from 3 positions, all that there may be" in said[0]
    assert re.fullmatch(r"By chance alone the first value may be \d of 100 off\.", said[-1])
    assert all(29 <= int(each) <= 37 for line in said for each in re.findall(r"about (\d+) %", line))


def test_a_hint_says_what_its_value_is() -> None:
    said = {}
    for name in ("connect-four", "hearts", "kuhn-poker", "maori"):
        game = load(name)
        said[name] = meaning(game.program, horizon(game) < LONGEST, (-2.0, 2.0)).told(0.625)
    assert said == {
        "connect-four": "about 62 % to win",
        "hearts": "comes in before about 62 % of the others",
        "kuhn-poker": "is paid about 0.5",
        "maori": "ahead, 62 of 100",
    }


def test_a_hint_tells_how_the_turn_would_go_on(tmp_path: Path) -> None:
    (tmp_path / "hands.kemu").write_text(HANDS)
    state = api.load(tmp_path / "hands.kemu").initial()
    (first, *_) = Adviser(MCTS(playouts=400)).hints(state)
    assert first.startswith("left(3), then right(3): wins for certain (proved")
