"""Many actions on one screen: their names first, then what they begin with, then one by one."""

from pathlib import Path

from kemu.table.menu import menu, overview
from kemu_engine.play.action import Action

from tests.kemu.cli.test_playthrough import MANY
from tests.kemu.conftest import Run

TAKES = [Action("take", (str(depth), f"({x}, 1)")) for depth in (1, 2) for x in range(40)]
ACTIONS = [Action("place", (f"({x}, 1)",)) for x in range(3)] + TAKES + [Action("pass")]


def test_the_overview_says_how_one_is_typed_and_how_many_there_are_of_each_name() -> None:
    assert overview(ACTIONS) == ", such as `take 1 0 1`: place (3), take (80), pass"
    assert overview(ACTIONS[:3]) == ", such as `place 0 1`"


def test_few_are_listed_with_their_numbers() -> None:
    listed = list(enumerate(ACTIONS, 1))
    assert menu(listed[2:4], 80) == ["3  place((2, 1))     4  take(1, (0, 1))"]
    assert menu(listed[2:4], 20, sign="#") == ["#3  place((2, 1))", "#4  take(1, (0, 1))"]


def test_where_there_is_room_actions_are_told_in_words() -> None:
    listed = list(enumerate(ACTIONS, 1))

    def said(text: str) -> str:
        return "lays a stone" if text.startswith("place") else ""

    assert menu(listed[2:4], 80, said) == ["3  place((2, 1)): lays a stone   4  take(1, (0, 1))"]
    assert menu(listed[3:40], 80, said) == menu(listed[3:40], 80)
    assert menu([(at, ACTIONS[0]) for at in range(7)], 30, said)[0] == "0  place((0, 1))"
    assert overview(ACTIONS[:3], said) == ", such as `place 0 1` (lays a stone)"


def test_of_many_the_first_argument_is_told() -> None:
    assert menu(list(enumerate(ACTIONS, 1)), 80) == [
        "1-3  place, 3 actions",
        "  (0, 1)  (1, 1)  (2, 1)",
        "4-83  take, 80 actions, by first argument",
        "  1 (40)  2 (40)",
        "84  pass",
    ]


def test_at_the_table_a_beginning_narrows_hundreds_of_actions(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "many.kemu").write_text(MANY)
    done = kemu("play", "many.kemu", stdin="?\n? pick 39\npick 40\npick 500\n")
    assert "ann: pick, 400 actions, such as `pick 1`; `?` lists them" in done.out
    assert "#1-400  pick, 400 actions\n  1  2  3" in done.out
    assert " #39  pick(39)    #390  pick(390)" in done.out
    assert "pick(40)\n" in done.out, "what is an action is done, though others begin so"
