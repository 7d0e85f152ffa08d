"""Preferred choices: what shows that a goal can always be reached, and what only seems to."""

from pathlib import Path

import pytest
from kemu_checker import views

from tests.checker.written import Round, Written, whole, written

HILL = """
game "Hill"
players ann, bob
state:
    height: 0..30 = 1
rules:
    for p in turns():
        choose:
            climb if height < {top}: height += {pace}
            slide if height > 0: height = 0
            leap if height == 30: end win(p)
property goal: always possible height == 30
property low:  always possible height == 0
"""
AT, CLIMB, SLIDE = "rules.choose", 0, 1


@pytest.fixture(autouse=True, params=[views._MUCH, 0], ids=["one_by_one", "at_once"])
def _edges(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The edges of a stop are looked at one by one, or those of an arm at once."""
    monkeypatch.setattr(views, "_MUCH", request.param)


def hill(folder: Path, top: int = 30, pace: int = 1) -> Written:
    rules = HILL.replace("{top}", str(top)).replace("{pace}", str(pace))
    return written(
        folder,
        rules
        if top == 30 and pace == 1
        else rules.replace("            slide if height > 0: height = 0\n", ""),
    )


def judged(game: Written, key: str, *preferred: tuple[str, int, int | None], low: int = -30) -> str:
    """The verdict on a claim by the height: that of `low` falls, that of the goal rises."""
    height = game.load("height")
    falling: Round = ({AT: height}, 0, None) if key == "low" else ({AT: whole("neg", height)}, low, None)
    game.strategy("way", list(preferred), falling)
    return game.judge(key, "proved", kind="ranking", proofs=[], ranking="way")


def test_a_goal_that_a_choice_leads_to(tmp_path: Path) -> None:
    game = hill(tmp_path)
    assert judged(game, "goal", (AT, CLIMB, None)) == "confirmed"
    assert judged(game, "goal") == "wrong"
    assert judged(game, "goal", (AT, SLIDE, None)) == "wrong"
    assert judged(game, "goal", (AT, CLIMB, None), (AT, SLIDE, None)) == "wrong"
    assert judged(game, "goal", (AT, CLIMB, 0)) == "wrong", "there is no such action"


def test_a_measure_below_its_bound(tmp_path: Path) -> None:
    game = hill(tmp_path)
    assert judged(game, "goal", (AT, CLIMB, None), low=-29) == "confirmed", "only short of the goal"
    assert judged(game, "goal", (AT, CLIMB, None), low=-28) == "wrong"


def test_an_end_without_the_goal(tmp_path: Path) -> None:
    assert judged(hill(tmp_path), "low", (AT, SLIDE, None)) == "wrong"


def test_a_choice_that_runs_into_a_fault(tmp_path: Path) -> None:
    """From 1 on by twos, up to 31."""
    game = hill(tmp_path, pace=2)
    assert judged(game, "goal") == "wrong"
    assert game.judge("goal", "refuted", kind="all states") == "confirmed"


def test_a_choice_that_comes_to_where_play_cannot_go_on(tmp_path: Path) -> None:
    game = hill(tmp_path, top=20)
    assert judged(game, "goal") == "wrong"
    assert game.judge("goal", "refuted", kind="all states") == "confirmed"


def test_a_ranking_is_no_strategy(tmp_path: Path) -> None:
    game = hill(tmp_path)
    assert judged(game, "goal", (AT, CLIMB, None)) == "confirmed"
    assert game.judge("terminates", "proved", kind="ranking", proofs=[], ranking="way") == "wrong"
    game.ranking("way", ({AT: whole("neg", game.load("height"))}, -30, None))
    assert game.judge("goal", "proved", kind="ranking", proofs=[], ranking="way") == "wrong"


DICE = """
game "Dice"
players ann, bob
state:
    left: 0..5 = 5
rules:
    for p in turns():
        choose:
            stop: end win(p)
            on: pass
        d = roll 1..3
        if d == 1:
            if left == 1: end win(p)
            left -= 1
        elif d == 2:
            left = 5
"""
ROLL = "rules.roll"


@pytest.mark.parametrize(
    ("preferred", "high", "verdict"),
    [
        pytest.param([(ROLL, 0, 0)], 5, "confirmed", id="one lowers it"),
        pytest.param([(ROLL, 0, 0)], None, "wrong", id="bounded from below only"),
        pytest.param([(ROLL, 0, 0)], 4, "wrong", id="above its bound"),
        pytest.param([(ROLL, 0, 1)], 5, "wrong", id="two raises it"),
        pytest.param([(ROLL, 0, 0), (ROLL, 0, 2)], 5, "wrong", id="three keeps it"),
        pytest.param([], 5, "wrong", id="nothing preferred"),
        pytest.param([(AT, 0, None)], 5, "wrong", id="players need not"),
    ],
)
def test_what_chance_may_choose(
    tmp_path: Path, preferred: list[tuple[str, int, int | None]], high: int | None, verdict: str
) -> None:
    game = written(tmp_path, DICE)
    left = game.load("left")
    game.strategy("lucky", preferred, ({AT: left, ROLL: left}, 0, high))
    given = {"kind": "ranking", "proofs": [], "ranking": "lucky"}
    assert game.judge("ends_almost_surely", "proved", **given) == verdict
    assert game.judge("terminates", "proved", **given) == "wrong"
