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
    mist: map[0..2, 0..3] = {0: 1, 1: 1, 2: 1}
rules:
    for p in turns():
        choose:
            look if seen < 5 and 12 // (fog + 1) > 2:
                one: 0..1 = (fog // 3) % 2
                CHANGE
                other: 0..1 = (fog // 3) % 2
                seen += 1 if one != other else 0
            RISE
            walk if 12 // (9 - fog) < 9:
                fog = (fog * 7 + 3) % 9
            stop:
                end win(p)
fun half(n: 0..9): n // 2
property few:  always seen <= 5
property never: always seen == 0
"""
STILL, MOVED = "pass", "fog = (fog + 3) % 9"
AT, END = "rules.choose", "rules.end win"


def judged(folder: Path, change: str, key: str, fact: str, rise: str = "thin: pass") -> str:
    """The verdict on a claim that is said to follow from a fact, fog and mist forgotten."""
    game = written(folder, FOG.replace("CHANGE", change).replace("RISE", rise))
    fact = fact.replace("FOG", game.load("fog")).replace("SEEN", game.load("seen"))
    game.induction("kept", {AT: [fact], END: [fact]}, forget=("fog", "mist"))
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


@pytest.mark.parametrize(
    "value",
    [
        "sum(mist[i] for i in 0..2)",
        "max(mist[i] for i in 0..2)",
        "len({i for i in 0..2 if mist[i] == 1})",
        "(2 if first(i for i in 0..2 if mist[i] == 3) is none else 0)",
        "2 - mist[0] * 2",
        "(3 if fog == 3 else 0)",
        "len(closure({0}, i -> {(i + mist[i]) % 3}))",
        "fog * fog",
        "half(fog)",
    ],
)
def test_what_is_not_worked_out_has_any_value_of_its_type(tmp_path: Path, value: str) -> None:
    """Beside something that is seen, so that the value is one by itself."""
    rise = f"rise if {value} > 1 + seen // 8: seen = 9"
    assert judged(tmp_path, MOVED, "few", FEW, rise) == "wrong"


def test_an_invariant_must_not_fault_whatever_is_forgotten(tmp_path: Path) -> None:
    risky = f"Need(Bool(),{op('lt', 'FOG', number(5))}{TRUE}0,),"
    said = op("and", op("or", risky, op("le", "SEEN", number(9))), FEW)
    assert judged(tmp_path, MOVED, "few", said) == "wrong"


def test_a_fault_that_is_met_in_what_is_forgotten_is_one(tmp_path: Path) -> None:
    """`9 - fog` is never 0, but who forgets the fog cannot know; nor is `no_fault` shown loosely."""
    assert judged(tmp_path, MOVED, "no_fault", FEW) == "wrong"
