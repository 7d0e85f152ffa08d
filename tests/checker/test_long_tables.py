"""Functions that look into a long table: what they give is any value, and is asked for no further."""

from pathlib import Path

import pytest
from kemu_checker.looks import Care, Looks, below
from kemu_checker.shapes import check_program
from kemu_checker.text import read

from tests.checker.written import number, whole, written

SEA = """
game "Sea"
players ann
domain Cell = 0..2999
const LEAP: map[Cell, Cell] = {c: (7 * c + 3) % 3000 for c in Cell}
state:
    at: Cell = 0
    near: 0..9 = 4
    far: 0..9 = 5
fun leap() -> Cell: LEAP[at]
fun ahead(): leap() > 1500
rules:
    for p in turns():
        choose:
            sail: at = leap()
            fetch if ahead() and near > 0 and far < 9:
                near -= 1
                far += FETCHED
property nine: always near + far == 9
property away: always leap() != 1
"""
STOP = "rules.choose"


@pytest.mark.parametrize(("fetched", "verdict"), [(1, "confirmed"), (2, "open")])
def test_what_does_not_rest_on_them_is_shown(tmp_path: Path, fetched: int, verdict: str) -> None:
    game = written(tmp_path, SEA.replace("FETCHED", str(fetched)))
    total = whole("add", game.load("near"), game.load("far"))
    game.induction("kept", {STOP: [f'Op(Bool(),"eq",[{total}{number(9)}],),']})
    assert game.judge("nine", "proved", kind="excluded", proofs=["kept"]) == verdict


@pytest.mark.parametrize("who", ["ann", "bob", "eve"])
@pytest.mark.parametrize(("more", "verdict"), [("1", "confirmed"), ("2", "open")])
def test_whoever_is_on_turn_is_looked_at(tmp_path: Path, who: str, more: str, verdict: str) -> None:
    text = SEA.replace("players ann", "players ann, bob, eve")
    game = written(tmp_path, text.replace("FETCHED", f"({more} if p == {who} else 1)"))
    total = whole("add", game.load("near"), game.load("far"))
    game.induction("kept", {STOP: [f'Op(Bool(),"eq",[{total}{number(9)}],),']})
    assert game.judge("nine", "proved", kind="excluded", proofs=["kept"]) == verdict


def test_what_rests_on_them_is_open(tmp_path: Path) -> None:
    game = written(tmp_path, SEA.replace("FETCHED", "1"))
    game.induction("nothing", {STOP: [number(1).replace("Int(1,1,)", "Bool()")]})
    assert game.judge("away", "proved", kind="excluded", proofs=["nothing"]) == "open"


@pytest.mark.parametrize("care", Care)
def test_what_they_give_is_not_worked_out(tmp_path: Path, care: Care) -> None:
    program = check_program(read(written(tmp_path, SEA.replace("FETCHED", "1")).text()))
    looks = Looks(program, frozenset(), care)
    calls = [node for node in below(program.fields[9]) if node.kind == "Call"]
    assert calls
    assert {looks.loose(each) for each in calls} == {care is Care.BLIND}
