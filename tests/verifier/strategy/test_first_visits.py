"""What holds when play first comes to a stop: later it need not hold, and what holds later says nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from kemu.base.opening import load
from kemu_verifier.goal.goal import Goal
from kemu_verifier.goal.questions import questions
from kemu_verifier.methods.invariants.k_induction import Houdini
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.methods.termination.measures import StepSamples
from kemu_verifier.methods.termination.ranking import Ranker
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.asked import Asked
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.first_visits import settle_first
from kemu_verifier.strategy.portfolio_safety import follows_for_steps
from kemu_verifier.strategy.verify import verify
from kemu_verifier.symbolic import transition
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.terms import TRUE

from tests.rules import game_in

BEGINNING = Path(__file__).parents[2] / "gallery" / "beginning.kemu"
EXPECTED = {
    "empty": "proved",
    "begun": "proved",
    "taken": "proved",
    "the_lead": "refuted",
    "one": "refuted",
}


@pytest.mark.parametrize("by", ["exhaustive search", "1-induction"])
def test_first_visits_by_each_method(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if by == "1-induction":
        monkeypatch.setattr(strategy, "STATES", 1)
    found = {each.property: each for each in verify(load(BEGINNING), tuple(EXPECTED), 5)}
    assert {name: each.kind for name, each in found.items()} == EXPECTED
    assert all(each.by.startswith(by) for each in found.values() if each.kind == "proved")
    assert found["one"].steps is not None and len(found["one"].steps) == 2  # no further than the first visit


RARE = """
game "Rare"
players ann
state:
    a: 0..9 = 0
rules:
    c = roll 1..5
    d = roll 1..5
    e = roll 1..5
    if c == 5 and d == 5 and e == 5:
        while a < 9:
            a += 1
    choose go by ann
    end tie
property few: at go initially a < 8
"""


def test_nothing_is_proved_where_a_loop_was_followed_only_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATES", "GAMES", "PLAYS"):
        monkeypatch.setattr(strategy, name, 1)
    monkeypatch.setattr(transition, "MOST_ROUNDS", 6)
    game = game_in(RARE)
    (few,) = questions(game.program, standard=False)
    context = ProofContext(game, 1.0, lambda _: None)
    found = settle_first(context, Asked(few, Goal("few", lambda _: False), time.monotonic()), Deadline(1.0))
    assert found.kind == "unknown", found.by
    claim = Candidate("anything", dict.fromkeys(context.moving, TRUE), True)
    assert Houdini(context.knowledge, [claim], Deadline(1.0)).run(context.edges) == []
    assert (
        not Ranker(context.knowledge, StepSamples(context.transitions, []), Deadline(1.0)).rank([], []).proved
    )
    assert context.induct(Goal("nothing", lambda _: False), 1, Deadline(1.0))[0] == "unknown"
    assert not follows_for_steps(context, Goal("nothing", lambda _: False), Deadline(1.0))
