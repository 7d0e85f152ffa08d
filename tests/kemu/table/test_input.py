"""What a person types means an action: its number, its text, or enough of it."""

import pytest
from kemu.table.input import NotUnderstood, meant

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
    assert meant(typed, LEGAL) == action


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("6", "numbered from 1 to 5"),
        ("take deep", "could mean take(deep, 3) or take(deep, 4)"),
        ("plase((3, 1))", "did you mean place((3, 1))"),
        ("tkae 3", "did you mean take?"),
        ("place 3 7", "after `place 3` comes 1"),
        ("place 5", "after `place` comes 3 or 1"),
        ("xyzzy", "`?` lists what is possible"),
        ("9" * 5_000, f"'{'9' * 77}...' is not possible here"),
    ],
)
def test_anything_else_is_answered_with_what_could_have_been_meant(typed: str, hint: str) -> None:
    with pytest.raises(NotUnderstood) as answer:
        meant(typed, LEGAL)
    assert hint in str(answer.value)


def test_what_several_actions_begin_with_narrows_them() -> None:
    with pytest.raises(NotUnderstood) as answer:
        meant("ta de", LEGAL)
    assert answer.value.several == ("take(deep, 3)", "take(deep, 4)")


SAIL = ["sail(2)", "sail(1)", "sail(9)"]


def test_a_number_alone_is_that_of_the_list_even_if_it_is_an_argument_too() -> None:
    assert [meant(typed, SAIL) for typed in ("1", "#1", "sail 1")] == ["sail(2)", "sail(2)", "sail(1)"]
    with pytest.raises(NotUnderstood, match=r"from 1 to 3; `sail 9` is sail\(9\)"):
        meant("9", SAIL)


def test_where_no_list_was_shown_a_number_that_is_an_argument_too_is_asked_about() -> None:
    with pytest.raises(NotUnderstood, match=r"`sail 1` or `#1`"):
        meant("1", SAIL, listed=False)
    typed = ("#1", "sail 1", "9", "3")
    assert [meant(text, [*SAIL[:2], "sail(9)"], listed=False) for text in typed] == [
        "sail(2)", "sail(1)", "sail(9)", "sail(9)",
    ]  # fmt: skip
