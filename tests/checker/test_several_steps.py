"""Proofs by several steps in a row: from the opening, and from any state."""

from pathlib import Path

import pytest

from tests.checker.written import Written, number, op, written

ROUND = """
game "Round"
players ann
state:
    at: 0..6 = 0
rules:
    for p in turns():
        choose step by p
        at = [1, 2, 0, 4, 4, 3, 6][at]
property four:  never at == 4
property two:   never at == 2
property three: at step always at != 3
"""
SHORT = """
game "Short"
players ann
state:
    at: 0..9 = 0
rules:
    for i in 1..3:
        choose by ann:
            up:
                at += 1
            rest:
                at += 0
    end win(ann)
property few:  always at <= 3
property two:  always at <= 2
"""


@pytest.fixture
def round_(tmp_path: Path) -> Written:
    return written(tmp_path, ROUND)


@pytest.mark.parametrize(
    ("name", "steps", "verdict"),
    [
        ("four", 1, "wrong"),  # 3 leads there
        ("four", 2, "wrong"),  # from 5
        ("four", 3, "confirmed"),  # where nothing leads to
        ("two", 1, "wrong"),  # not met in one step from the opening
        ("two", 2, "wrong"),
        ("two", 3, "wrong"),
        ("three", 2, "confirmed"),
        ("four", 0, "wrong"),
        ("four", -1, "wrong"),
        ("four", 1 << 70, "wrong"),
    ],
)
def test_so_many_steps_in_a_row(round_: Written, name: str, steps: int, verdict: str) -> None:
    assert round_.judge(name, "proved", kind="steps", proofs=[], steps=steps) == verdict


def test_with_what_is_known(round_: Written) -> None:
    at = round_.load("at")
    round_.induction("low", {"rules.step": [op("le", at, number(2))]})
    assert round_.judge("four", "proved", kind="steps", proofs=["low"], steps=1) == "confirmed"
    round_.induction("forged", {"rules.step": [op("ne", at, number(2))]})
    assert round_.judge("two", "proved", kind="steps", proofs=["forged"], steps=1) == "wrong"
    round_.induction("time", {"rules.step": [op("le", at, number(2)), op("le", number(0), "Clock(),")]})
    assert round_.judge("four", "proved", kind="steps", proofs=["time"], steps=1) == "open"


def test_to_the_end_of_every_play(tmp_path: Path) -> None:
    short = written(tmp_path, SHORT)
    assert short.judge("few", "proved", kind="steps", proofs=[], steps=3) == "confirmed"
    assert short.judge("few", "proved", kind="steps", proofs=[], steps=2) == "wrong"  # play may go on
    assert short.judge("two", "proved", kind="steps", proofs=[], steps=9) == "wrong"
    assert short.judge("two", "refuted", kind="steps", proofs=[], steps=3) == "wrong"
    assert short.judge("terminates", "proved", kind="steps", proofs=[], steps=3) == "wrong"
