"""What a person types means an action: its number, its text, or enough of it."""

import pytest
from kemu.table.input import NotUnderstood, meant
from kemu.table.prompt import listed

LEGAL = ["place((3, 1))", "place((1, 3))", "take(deep, 3)", "take(deep, 4)", "pass"]


@pytest.mark.parametrize(
    ("typed", "action"),
    [
        ("place((3, 1))", "place((3, 1))"),
        ("2", "place((1, 3))"),
        ("place 3,1", "place((3, 1))"),
        ("1 3", "place((1, 3))"),
        ("Take Deep 4", "take(deep, 4)"),
        ("PA", "pass"),
        ("#4", "take(deep, 4)"),
        ("3, 1", "place((3, 1))"),
        ("plac 1", "place((1, 3))"),
    ],
)
def test_enough_of_an_action_means_it(typed: str, action: str) -> None:
    assert meant(typed, LEGAL, listed=range(1, 6)) == action


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("6", "numbered from 1 to 5"),
        ("take deep", "could mean take(deep, 3) or take(deep, 4)"),
        ("plase((3, 1))", "did you mean place((3, 1))"),
        ("tkae 3", "did you mean take?"),
        ("place 3 7", "after `place 3` comes 1"),
        ("place 5", "after `place` comes 3 or 1"),
        ("udno", "did you mean undo?"),
        ("se anticlockwise", "`?` lists what is possible"),
        ("xyzzy", "`?` lists what is possible"),
        ("9" * 5_000, f"'{'9' * 77}...' is not possible here"),
    ],
)
def test_anything_else_is_answered_with_what_could_have_been_meant(typed: str, hint: str) -> None:
    with pytest.raises(NotUnderstood) as answer:
        meant(typed, LEGAL, ["save", "undo"])
    assert hint in str(answer.value)


def test_what_several_actions_begin_with_narrows_them() -> None:
    with pytest.raises(NotUnderstood) as answer:
        meant("ta de", LEGAL)
    assert answer.value.several == ("take(deep, 3)", "take(deep, 4)")


SAIL = ["sail(2)", "sail(1)", "sail(9)", "land(4, 1)", "land(4, 2)"]


def test_where_actions_take_numbers_a_number_alone_is_no_number_of_the_list() -> None:
    typed = ("1", "#1", "sail 1", "9")
    means = [meant(text, SAIL, listed=range(1, 6), arguments=True) for text in typed]
    assert means == ["sail(1)", "sail(2)", "sail(1)", "sail(9)"]
    with pytest.raises(NotUnderstood, match=r"no action here begins with 3; `#3` is sail\(9\)"):
        meant("3", SAIL, listed=range(1, 6), arguments=True)
    with pytest.raises(NotUnderstood) as answer:
        meant("4", SAIL, arguments=True)
    assert answer.value.several == ("land(4, 1)", "land(4, 2)")


def test_a_number_that_was_not_shown_is_asked_about() -> None:
    assert meant("2", ["stop", "throw"], listed=[2]) == "throw"
    with pytest.raises(NotUnderstood, match="`#2` is throw"):
        meant("2", ["stop", "throw"], listed=[1])


def test_numbers_that_may_come_next_are_shown_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    listed(["1 ", "10 ", "2 ", "pass "], "ann> ")
    assert capsys.readouterr().out == "\n1     2     10    pass\nann> "
