"""What those are told who write as in other languages, where no line can be written for them."""

from __future__ import annotations

import pytest

from tests.grammar.support import faults

STATE = """
enum Hue: red, green
state:
    owner: map[Hue, Player?]
    score: map[Player, 0..9]
"""


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("match ann:\n        pass", "there is no `match`; write `if ann == ...:`, `elif ann == ...:`"),
        ("choose (h in Hue) by ann", "an action needs a name: `choose place(c in Cell)`"),
        ("choose(h in Hue) if true", "an action needs a name: `choose place(c in Cell)`"),
        ("owner.append(ann)", "`owner` is a map; a value is given to a key: `owner[key] = ...`"),
        ("score.add(3)", "`score` is a map; a value is given to a key: `score[p] = ...`"),
    ],
)
def test_what_a_statement_is_told(statement: str, told: str) -> None:
    assert [d.message for d in faults(STATE, f"{statement}\n    end tie")] == [told]
