"""Proofs by several steps in a row: from the opening, and from any state."""

from pathlib import Path

import pytest
from kemu.recheck.texts import texts_of
from kemu_checker.bundle import open_bundle
from kemu_checker.questions import questions
from kemu_checker.rules import Proofs
from kemu_checker.unrolling import excluded
from kemu_checker.views import Limits

import kemu
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


TRAP = """
game "Trap"
players ann
state:
    at: 0..6 = {start}
    sixes: 0..99 = 0
rules:
    for p in turns():
        choose:
            step if {guard}: pass
            leap if at == 4: pass
        if at == 3:
            sixes = 6
        if at == 4:
            assert never_four: false
        at = [1, 2, 0, 4, 4, 3, 6][at]
"""


class Told(Written):
    """With all that is asked of a game, its lines, too."""

    def claims(self) -> str:
        return texts_of(self.program)["claims.txt"].decode()


def trap(folder: Path, start: int = 0, guard: str = "true") -> Told:
    """From 5 play would come to 3, and to 4; nothing leads to 5."""
    (folder / "game.kemu").write_text(TRAP.replace("{start}", str(start)).replace("{guard}", guard))
    return Told(folder, kemu.load(folder / "game.kemu"))


def verdicts(game: Written, key: str, verdict: str = "proved") -> list[str]:
    """Those for one step in a row, for two, ..."""
    return [game.judge(key, verdict, kind="steps", proofs=[], steps=n) for n in range(1, 5)]


SHOWN_BY_THREE = ["wrong", "wrong", "confirmed", "confirmed"]
SHOWN_BY_FOUR = ["wrong", "wrong", "wrong", "confirmed"]


def test_faults_lines_and_arms(tmp_path: Path) -> None:
    game = trap(tmp_path)
    assert verdicts(game, "no_fault") == verdicts(game, "never_four") == SHOWN_BY_FOUR
    (line,) = (each.key for each in game.questions() if each.key == "branch_possible(game.kemu 13)")
    assert verdicts(game, line, "impossible") == SHOWN_BY_THREE
    assert verdicts(game, "action_possible(leap)", "impossible") == SHOWN_BY_THREE
    assert verdicts(game, "never_stuck") == ["confirmed"] * 4
    at = game.load("at")
    game.induction("low", {"rules.choose": [op("le", at, number(2))]})
    assert game.judge("no_fault", "proved", kind="steps", proofs=["low"], steps=1) == "confirmed"


def test_what_is_met_from_the_opening(tmp_path: Path) -> None:
    """From any state after so many steps it is not: nothing leads to 5."""
    game = trap(tmp_path, start=5)
    assert verdicts(game, "no_fault") == ["wrong"] * 4
    assert verdicts(game, "action_possible(leap)", "impossible") == ["wrong"] * 4


def test_lines_that_are_not_looked_at_are_not_judged(tmp_path: Path) -> None:
    game = trap(tmp_path, start=5)
    game.judge("no_fault", "proved", kind="steps", proofs=[], steps=1)
    bundle = open_bundle(tmp_path)
    asked = questions(bundle.program, bundle.claims)
    (line,) = (each for each in asked if each.key == "branch_possible(game.kemu 13)")
    blind = Proofs(bundle.program, Limits("glucose"), frozenset(), note=lambda said: None)
    with pytest.raises(ValueError, match="not looked at"):
        blind.excluded(line, [])
    with pytest.raises(ValueError, match="not looked at"):
        excluded(blind, line, [], 1)


@pytest.mark.parametrize(
    ("guard", "key"),
    [
        pytest.param("12 // (4 - at) < 99", "no_fault", id="a fault in looking"),
        pytest.param("at != 4 and at != 6", "never_stuck", id="nothing to be done"),
    ],
)
def test_where_play_would_come_to(tmp_path: Path, guard: str, key: str) -> None:
    """It belongs to the step there."""
    text = TRAP.replace("            leap if at == 4: pass\n", "").replace("4, 4, 3, 6", "4, 4, 3, 0")
    (tmp_path / "game.kemu").write_text(text.replace("{start}", "0").replace("{guard}", guard))
    assert verdicts(Told(tmp_path, kemu.load(tmp_path / "game.kemu")), key) == SHOWN_BY_THREE
