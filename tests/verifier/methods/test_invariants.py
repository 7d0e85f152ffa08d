"""What is known of all reachable states."""

from __future__ import annotations

import signal

import pytest
from kemu_engine.support.time_limit import OutOfTime, within
from kemu_verifier.methods.invariants.invariants import Fact, Knowledge
from kemu_verifier.symbolic.terms import TRUE
from kemu_verifier.symbolic.transition import Transitions

from tests.rules import game_in

RULES = """
game "Steps"
players ann, bob
state:
    n: 0..3 = 0
rules:
    while n < 3:
        choose step by ann
        n += 1
    end tie
"""


class Ringing(dict[int, list[Fact]]):
    """Time is up whenever something is put into it."""

    def setdefault(self, block: int, facts: list[Fact]) -> list[Fact]:  # type: ignore[override]
        signal.raise_signal(signal.SIGPROF)
        return super().setdefault(block, facts)


def test_of_what_was_proved_together_all_is_known_or_nothing() -> None:
    knowledge = Knowledge(Transitions(game_in(RULES).program))
    knowledge.facts = Ringing()
    with pytest.raises(OutOfTime), within(100.0):
        knowledge.add(Fact(block, TRUE, "true") for block in range(3))
    assert knowledge.size == 3
