"""Examples and properties that no declared instance asks for."""

from __future__ import annotations

from pathlib import Path

import pytest
from kemu_engine.lint.unused_claims import idle
from kemu_grammar.game.game import read, read_text

from tests.rules import LIBRARY

GALLERY = sorted((Path(__file__).parents[2] / "gallery").glob("*.kemu"))
GAME = """\
game "Levels"
players 2..3: ann, ben, cid
option level: low | mid | high = low
option size: 1..9 = 3
instance middle: level = mid
instance large: like middle; size = 9; players = 3
rules:
    end tie
"""


def told(text: str) -> list[tuple[int, str]]:
    found = idle(read_text(GAME + text, "test.kemu", LIBRARY))
    assert {d.code for d in found} <= {"E0766"}
    return [(d.span.line, d.message.split(":")[0]) for d in found]


@pytest.mark.parametrize(
    ("claim", "told_of"),
    [
        ("property it: always true", None),
        ("property it if level == low: always true", None),
        ("property it if level == mid and size == 9: always true", None),
        ("property it if level == high: always true", "property"),
        ("lemma it if size == 4: always true", "lemma"),
        ('example "it" if len(Player) == 3:\n    expect: true', None),
        ('example "it" if len(Player) == 3 and size == 3:\n    expect: true', "example"),
        ("property it for p in Player if p == cid: always true", None),
        ("property it for n in 1..size if n == 8: always true", None),
        ("property it for n in 1..size if n == 10: always true", "property"),
        ("under level == high:\n    property it: always true", "property"),
        ("under level == mid:\n    property it if size == 4: always true", "property"),
    ],
)
def test_an_if_that_holds_in_no_instance_is_an_error_at_its_line(claim: str, told_of: str | None) -> None:
    line = 10 if claim.startswith("under") else 9
    assert told(claim) == ([] if told_of is None else [(line, f"this {told_of} is never looked at")])


def test_the_instances_are_named() -> None:
    (found,) = idle(read_text(GAME + "lemma it if size == 4: always true", "test.kemu", LIBRARY))
    assert found.message.endswith("to the game as it stands, nor in `middle`, `large`")


def test_while_an_instance_cannot_be_made_nothing_is_told() -> None:
    assert told("needs size < 9\nproperty it if level == high: always true") == []


@pytest.mark.parametrize("file", GALLERY, ids=lambda f: f.stem)
def test_everything_in_the_gallery_is_looked_at(file: Path) -> None:
    assert idle(read(file, LIBRARY)) == ()
