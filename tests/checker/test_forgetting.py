"""What is worked out loosely, as it depends on what is forgotten: more may happen then, never less."""

from pathlib import Path

import pytest
from kemu_checker.rules import Proofs

from tests.checker.written import TRUE, number, op, written

FOG = """
game "Fog"
players ann, bob
state:
    seen: 0..9 = 0
    fog: 0..9 = 0
rules:
    for p in turns():
        choose:
            look if seen < 5 and 12 // (fog + 1) > 2:
                one: 0..1 = (fog // 3) % 2
                CHANGE
                other: 0..1 = (fog // 3) % 2
                seen += 1 if one != other else 0
            walk if 12 // (9 - fog) < 9:
                fog = (fog * 7 + 3) % 9
            stop:
                end win(p)
property few:  always seen <= 5
property never: always seen == 0
"""
STILL, MOVED = "pass", "fog = (fog + 3) % 9"
AT, END = "rules.choose", "rules.end win"


def judged(folder: Path, change: str, key: str, fact: str) -> str:
    """The verdict on a claim that is said to follow from a fact, the fog forgotten."""
    game = written(folder, FOG.replace("CHANGE", change))
    fact = fact.replace("FOG", game.load("fog")).replace("SEEN", game.load("seen"))
    game.induction("kept", {AT: [fact], END: [fact]}, forget=("fog",))
    return game.judge(key, "proved", kind="excluded", proofs=["kept"])


FEW, NONE = op("le", "SEEN", number(5)), op("eq", "SEEN", number(0))


def test_what_is_kept_whatever_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the exact way; what is forgotten is one and the same while nothing is written."""
    monkeypatch.setattr(Proofs, "_inductive", lambda *_, **__: None)
    assert judged(tmp_path, MOVED, "few", FEW) == "confirmed"
    assert judged(tmp_path, STILL, "never", NONE) == "confirmed"


def test_what_is_written_between_is_not_the_same(tmp_path: Path) -> None:
    assert judged(tmp_path, STILL, "never", NONE) == "confirmed"
    assert judged(tmp_path, MOVED, "never", NONE) == "wrong"


def test_an_invariant_must_not_fault_whatever_is_forgotten(tmp_path: Path) -> None:
    risky = f"Need(Bool(),{op('lt', 'FOG', number(5))}{TRUE}0,),"
    said = op("and", op("or", risky, op("le", "SEEN", number(9))), FEW)
    assert judged(tmp_path, MOVED, "few", said) == "wrong"


def test_a_fault_that_is_met_in_what_is_forgotten_is_one(tmp_path: Path) -> None:
    """`9 - fog` is never 0, but who forgets the fog cannot know; nor is `no_fault` shown loosely."""
    assert judged(tmp_path, MOVED, "no_fault", FEW) == "wrong"
