"""Lists of sets that are written out, of which play chooses one."""

from __future__ import annotations

import pytest

from tests.rules import game_in, play

HEAD = """\
game "Chosen"
players ann, ben
state:
    n: 0..2 = 1
    s: set[0..5] = {1}
    out: bool
rules:
    choose go by ann
    out = HERE
    choose stop by ann
"""


@pytest.mark.parametrize(
    ("here", "out"),
    [
        ("s in [[{}], [{2}, {1}]][n]", True),
        ("s in [[{1}], []][n]", False),
        ("s not in [[], []][n]", True),
        ("(s, n) in [[], [({1}, 1)]][n]", True),
        ("[s] in [[[{1}]], []][n]", False),
        ("s == [[], [{1}]][n][0]", True),
        ("[s] == [[], [{1}]][n]", True),
        ("any(x == s for x in [[], [{1}]][n])", True),
        ("s in [[], [{1}]][n] + [{2}]", True),
    ],
)
def test_what_is_chosen_is_looked_into(here: str, out: bool) -> None:
    assert play(game_in(HEAD.replace("HERE", here)), "go")["out"] == out
