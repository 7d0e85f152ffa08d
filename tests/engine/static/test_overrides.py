"""What `under` replaces where its condition holds, and what `before` is there."""

from __future__ import annotations

import pytest
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import game_in, play

UNDER = """\
game "Under"
players ann, bob
option level: low | middle | high = low
domain Range = 1..2
const bonus = 1
fun score(x: 0..9): x + bonus
rule act(x: 0..9):
    n += x
under level != low:
    domain Range = 1..3
    const bonus = 10
    fun score(x: 0..9): before(x) * 2
    rule act(x: 0..9):
        before(x)
        n += 100
    fun extra(x: 0..9): x
under level == high:
    fun score(x: 0..9): before(x) + 1000
    rule act(x: 0..9):
        n += 5
        before(x + 1)
state:
    n: 0..9999
    m: 0..9 = 3
rules:
    choose go(r in Range) by ann
    n = score(m)
    act(m)
    choose stop by ann
    end tie
"""


@pytest.mark.parametrize(
    ("level", "actions", "n"), [("low", 2, 4 + 3), ("middle", 3, 26 + 103), ("high", 3, 1026 + 5 + 104)]
)
def test_what_under_replaces_and_before_is(level: str, actions: int, n: int) -> None:
    state = game_in(UNDER, level=level).initial()
    assert len(state.actions()) == actions and play(state, "go(1)")["n"] == n


def test_a_condition_of_under_has_not_looked_at_what_it_replaces() -> None:
    with pytest.raises(RulesError, match="E0755"):
        game_in(
            UNDER.replace("under level == high:", "under bonus == 10:\n    const bonus = 3"),
            level="high",
        )
    with pytest.raises(RulesError, match="E0728"):
        game_in(UNDER.replace("n = score(m)", "n = extra(m)"))


def test_what_a_condition_has_asked_is_worked_out_anew_with_what_is_replaced() -> None:
    game_in(
        """
        game "Under"
        players ann, bob
        fun one(): 1
        fun above(n: 0..3): n + one()
        under above(1) == 2:
            fun one(): 5
        check above(1) == 6
        rules:
            choose stop by ann
            end tie
        """
    )
