"""Products whose later fields depend on earlier ones."""

from __future__ import annotations

import pytest
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.state import FaultError
from kemu_grammar.game.game import read_text
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import LIBRARY, game_in, play, texts

ISLES = """\
game "Isles"
players ann, ben
table Isle(shores: 0..3):
    mea   2
    tuha  0
    reef  1
fun last(i): i.shores - 1
domain Beach = (isle: Isle, nr: 0..last(isle))
domain Step = (a: 1..3, b: a..3, c: 0..b - a)
check len(Beach) == 3 and len(Step) == 10 and (2, 3, 1) in Step and (3, 2, 0) not in Step
"""
PLAY = """\
state:
    at:    Beach?
    boats: map[Beach, 0..9]
rules:
    for p in turns():
        choose:
            land(b in Beach):
                at = b
                boats[b] += 1
            move_to(n in 0..3) if at is some:
                at = (at.isle, n)
            stop if at is some and boats[at] == 1:
                end win(p)
"""


def test_only_what_fits_is_an_element() -> None:
    state = game_in(ISLES + PLAY).initial()
    assert texts(state) == ["land((mea, 0))", "land((mea, 1))", "land((reef, 0))"]
    state = play(state, "land((mea, 0))", "move_to(1)")
    assert (state["at"], state["boats"]) == ("(mea, 1)", {"(mea, 0)": 1, "(mea, 1)": 0, "(reef, 0)": 0})
    with pytest.raises(FaultError, match="out_of_range"):
        play(state, "move_to(2)")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("domain Odd = (n: 0..m, m: 0..3)", "E0301"),
        ("domain Odd = (n: 0..3, m: 0..far)", "E0301"),
        ("domain Odd = (isle: Isle, m: 0..isle)", "E0402"),
        ("record Odd(n: 0..3, m: 0..n)", "E0301"),
        ("domain Odd = (n: 3..4, m: 5..n)", "E0704"),
        ("domain Odd = (n: 1..9999, m: 1..n)", "E0705"),
    ],
)
def test_a_field_depends_on_those_before_it_only(text: str, code: str) -> None:
    with pytest.raises(RulesError) as error:
        instantiate(read_text(f"{ISLES}{text}\nrules:\n    end tie\n", "test.kemu", LIBRARY))
    assert [d.code for d in error.value.diagnostics] == [code]
