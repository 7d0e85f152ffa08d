"""Claims about where play first comes to a stop: what shows them, and what only seems to."""

from pathlib import Path

import pytest

from tests.checker.written import Written, number, op, written

RULES = (Path(__file__).parents[1] / "gallery" / "beginning.kemu").read_text("utf-8")
FALSE = "Const(Bool(),0,),"  # play does not come there
TAKE = "rules.take"


@pytest.fixture
def beginning(tmp_path: Path) -> Written:
    return written(tmp_path, RULES)


def pile_is(game: Written, n: int) -> str:
    return op("eq", game.load("pile"), number(n))


def test_all_states_up_to_there_or_an_induction(beginning: Written) -> None:
    assert beginning.judge("empty", "proved", kind="all states") == "confirmed"
    assert beginning.judge("one", "refuted", kind="all states") == "confirmed"
    empty = [pile_is(beginning, 0)]
    beginning.induction("first", {"rules.roll": empty, TAKE: empty, "rules.pass_on": [FALSE]})
    assert beginning.judge("empty", "proved", kind="excluded", proofs=["first"]) == "confirmed"


def test_a_play_shows_it_with_its_last_state(beginning: Written) -> None:
    play = ["ann", "take(2)"]
    assert beginning.judge("one", "refuted", kind="play", steps=play) == "confirmed"


def test_what_comes_after_the_first_visit_shows_nothing(beginning: Written) -> None:
    again = ["ann", "take(1)", "pass_on", "take(1)"]
    assert beginning.judge("one", "refuted", kind="play", steps=again) == "wrong"
    assert beginning.judge("empty", "refuted", kind="play", steps=again[:-1]) == "wrong"


def test_what_is_known_of_the_whole_game_is_not_given(beginning: Written) -> None:
    beginning.induction("forged", {TAKE: [pile_is(beginning, 1)]})
    assert beginning.judge("empty", "proved", kind="excluded", proofs=["forged"]) == "wrong"
    assert beginning.judge("one", "proved", kind="all states") == "wrong"
