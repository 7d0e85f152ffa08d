"""`kemu playthrough`: a random game as a text in which every change of the rules shows."""

from pathlib import Path

import pytest

from tests.kemu.conftest import COIN, CROSSES, RACE, Run


def test_every_step_has_what_is_possible_and_every_turn_its_boards(kemu: Run) -> None:
    assert kemu("playthrough", COIN).out.splitlines() == [
        "# Coin: players=2",
        f"# kemu playthrough {COIN} --seed 0 --steps 100",
        "",
        "-- 1. chance at draw, position 244e214a",
        "the coin shows none",
        "the teller says none",
        "2 outcomes: heads | tails",
        "> heads",
        "",
        "-- 2. teller at say, position 02f275f2",
        "the coin shows heads",
        "the teller says none",
        "2 actions: say: heads | tails",
        "> say(tails)",
        "",
        "-- 3. listener at choose, position 56a8af96",
        "the coin shows heads",
        "the teller says tails",
        "2 actions: believe; doubt",
        "> believe",
        "",
        "== the end after 3 steps, position 040591bf",
        "teller wins",
        "places: teller 1, listener 2",
    ]


def test_a_long_game_is_cut_off_and_says_so(kemu: Run) -> None:
    lines = kemu("playthrough", CROSSES, "--steps", "2", "--seed", "4").out.splitlines()
    assert lines[1] == f"# kemu playthrough {CROSSES} --seed 4 --steps 2"
    assert [line[:24] for line in lines if line[:2] in ("--", "==")] == [
        "-- 1. cross at place, po",
        "-- 2. nought at place, p",
        "== cut off after 2 steps",
    ]
    assert sum(sign in "xo" for sign in "".join(lines[-3:])) == 2, "the board at the end"


MANY = """\
game "Many"
players ann, ben
option least: 1..2 = 1
state:
    cards: bag[1..3, 3] = {1: 2, 3: 1}
    n: 0..500 = 0
rules:
    draw c from cards
    choose pick(k in 1..400) by ann if k >= least
    n = k
    choose give(k in 1..2, l in 1..2) by ben
    n -= 500 * c
    end tie
"""


def test_of_many_actions_the_beginning_and_a_digest_are_written(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "many.kemu").write_text(MANY)
    shown = kemu("playthrough", "many.kemu").out
    assert "\n2 outcomes: 1 x2 | 3 x1\n" in shown
    assert "\n400 actions: pick: 1 | 2 | 3 |" in shown
    assert "\n4 actions: give: 1 1 | 1 2 | 2 1 | 2 2\n" in shown
    assert shown.splitlines()[-1].startswith("fault after 3 steps: out_of_range: ")
    (listed,) = [line for line in shown.splitlines() if "..." in line]
    (tmp_path / "many.kemu").write_text(MANY.replace("k >= least", "k >= least and k != 399"))
    assert listed not in kemu("playthrough", "many.kemu").out, "a change beyond what is shown"


@pytest.mark.parametrize("asked", [("--players", "3"), ("--set", "goal=10")])
def test_the_second_line_writes_the_same_again(kemu: Run, asked: tuple[str, ...]) -> None:
    first = kemu("playthrough", RACE, *asked).out
    again = first.splitlines()[1].split()[2:]
    assert asked[0] in again and kemu(*again).out == first
