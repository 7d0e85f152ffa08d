"""The default of an option, worked out from the options before it."""

from __future__ import annotations

import pytest
from kemu_engine.lower.settings import choose_settings
from kemu_grammar.game.game import read_text
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import LIBRARY, game_in

HEAD = 'game "Options"\nplayers ann, ben\n'
RULES = "rules:\n    end tie\n"
OPTIONS = """\
option beginner: bool = false
option size: 3..19 = 9 if beginner else 19
option height: 3..19 = size
option level: easy | hard = easy if beginner or size < 9 else hard
option sure: bool = level == easy
"""


def settings(**given: str | int | bool) -> list[str | int | bool]:
    return list(choose_settings(read_text(HEAD + OPTIONS + RULES, "test.kemu", LIBRARY), given).values())


def test_defaults_follow_the_options_before_them() -> None:
    assert settings() == [False, 19, 19, "hard", False]
    assert settings(beginner=True) == [True, 9, 9, "easy", True]
    assert settings(size=5) == [False, 5, 5, "easy", True]
    assert settings(beginner=True, height=4, level="hard") == [True, 9, 4, "hard", False]


def test_instances_and_rules_have_them() -> None:
    checks = "instance small: beginner = true\ncheck size == height and sure == (level == easy)\n"
    assert dict(game_in(HEAD + OPTIONS + checks + RULES, beginner=True).settings)["height"] == "9"


SIZES = """\
game "Sizes"
players 2..most: ann, ben, cid
option most: 2..3 = 3
option each: 1..9 = 2 * len(Player) + len(Suit)
enum Suit: hearts, spades
check each == 2 * len(Player) + 2
"""


def test_defaults_ask_how_many_there_are() -> None:
    assert [dict(game_in(SIZES + RULES, players).settings)["each"] for players in (None, 2, 3)] == [
        "6",
        "6",
        "8",
    ]


def test_how_many_play_is_known_before() -> None:
    text = SIZES.replace("option most: 2..3 = 3\n", "").replace("enum", "option most: 2..3 = 3\nenum")
    with pytest.raises(RulesError, match="how many players there are depends on an option"):
        game_in(text + RULES)


@pytest.mark.parametrize(
    ("options", "code", "place"),
    [
        ("option a: 1..9 = b\noption b: 1..9 = 3", "E0319", (3, 18)),
        ("option a: 1..9 = a", "E0319", (3, 18)),
        ("option a: 1..9 = 3 if none in Player else 2", "E0319", (3, 31)),
        ("option a: 1..9 = len(Cell)\ndomain Cell = 1..3", "E0319", (3, 22)),
        ("option a: x | y = z", "E0308", (3, 19)),
        ("option a: bool = true\noption b: 1..9 = 12 if a else 3", "E0308", (4, 18)),
        ("option a: bool = true\noption b: x | y = x if a else z", "E0319", (4, 31)),
        ("option a: 1..9 = 9\noption b: 1..9 = a + 1", "E0781", (4, 18)),
        ("option a: on | off = on\noption b: bool = a", "E0781", (4, 18)),
        ("option a: 0..9 = 0\noption b: 1..9 = 9 // a", "E0709", (4, 18)),
    ],
)
def test_what_is_refused(options: str, code: str, place: tuple[int, int]) -> None:
    with pytest.raises(RulesError) as error:
        game_in(f"{HEAD}{options}\n{RULES}")
    assert [(d.code, (d.span.line, d.span.column)) for d in error.value.diagnostics] == [(code, place)]
