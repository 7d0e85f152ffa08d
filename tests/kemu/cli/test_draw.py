"""`kemu draw`: a position as a picture or as data."""

import json
from pathlib import Path

import pytest

from tests.kemu.conftest import CROSSES, Run


def test_a_position_of_a_random_game_as_a_picture_and_as_data(kemu: Run) -> None:
    done = kemu("draw", CROSSES, "--seed", "3", "--step", "2", "-o", "board.svg")
    assert (done.code, done.out, done.err) == (0, "", "drawn: board.svg\n")
    assert Path("board.svg").read_text("utf-8").startswith("<svg")
    assert kemu("draw", CROSSES).out.startswith("<svg")
    kemu("draw", CROSSES, "--seed", "3", "--step", "2", "-o", "board.json")
    found = json.loads(Path("board.json").read_text("utf-8"))
    assert (found["format"], found["version"]) == ("kemu-scene", 1)


def test_a_position_of_a_saved_game(kemu: Run) -> None:
    kemu("simulate", CROSSES, "--game", "0", "--save", "game.json")
    assert "<svg" in kemu("draw", CROSSES, "--record", "game.json", "--step", "1").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "board.png"], "its name ends in .svg or .json"),
        (["-o", "nowhere/board.svg"], "there is no folder"),
        (["--seed", "3", "--step", "99"], "no position after step 99"),
        (["--example", "nothing like it"], "has no example"),
        (["--record", "missing.json"], "cannot read"),
        (["--record", "a.json", "--seed", "3"], "give only one of them"),
        (["--record", "a.json", "--players", "2"], "leave the options away"),
        (["--example", "a", "--step", "3"], "after its last step"),
    ],
)
def test_bad_input_gets_one_clear_error(kemu: Run, arguments: list[str], message: str) -> None:
    done = kemu("draw", CROSSES, *arguments)
    assert done.code == 64 and message in done.err and done.out == ""
