"""Closures whose steps may fault: where the element is reached, and nowhere else."""

from pathlib import Path

import pytest

from tests.checker.written import Written, number, op, written

ISLANDS = """
game "Islands"
players ann
domain Isle = 0..3
state:
    bridge: map[Isle, Isle?] = {0: 1, 1: 2, 2: 0, 3: none}
    at: Isle = 0
    seen: 0..4 = 0
fun over(i: Isle) -> Isle: bridge[i]
fun around(i: Isle): closure({i}, x -> {over(x)})
rules:
    for p in turns():
        choose step(k in Isle) by p if k < 3
        at = k
        seen = len(around(at))
property three: always seen <= 3
property two:   always seen <= 2
"""
STOP = "rules.step"


def islands(folder: Path, text: str = ISLANDS) -> Written:
    return written(folder, text)


def bridges(game: Written, *to: int) -> list[str]:
    at = next(i for i, var in enumerate(game.program.vars) if var.name == "bridge")
    return [op("eq", f"At(Int(-1,3,),{at:x},{number(i)}),", number(n)) for i, n in enumerate(to)]


def test_what_is_not_reached_faults_for_nobody(tmp_path: Path) -> None:
    game = islands(tmp_path)
    low = op("le", game.load("at"), number(2))
    game.induction("kept", {STOP: [*bridges(game, 1, 2, 0), low]})
    assert game.judge("no_fault", "proved", kind="excluded", proofs=["kept"]) == "confirmed"
    game.induction("seen", {STOP: [op("le", game.load("seen"), number(3))]}, uses=("kept",))
    assert game.judge("three", "proved", kind="excluded", proofs=["seen"]) == "confirmed"


@pytest.mark.parametrize("known", [(1, 2), (1, 2, 3)])
def test_what_is_reached_faults(tmp_path: Path, known: tuple[int, ...]) -> None:
    text = ISLANDS.replace("2: 0,", f"2: {known[2]},") if len(known) > 2 else ISLANDS
    game = islands(tmp_path, text)
    game.induction("kept", {STOP: bridges(game, *known)})
    assert game.judge("no_fault", "proved", kind="excluded", proofs=["kept"]) == "wrong"


def test_what_is_found_is_not_less(tmp_path: Path) -> None:
    game = islands(tmp_path)
    game.induction("kept", {STOP: bridges(game, 1, 2, 0)})
    game.induction("seen", {STOP: [op("le", game.load("seen"), number(2))]}, uses=("kept",))
    assert game.judge("two", "proved", kind="excluded", proofs=["seen"]) == "wrong"
