"""The table of methods: it is whole, time is kept to, and thousands of random games show what few do not."""

from __future__ import annotations

import time

import pytest
from kemu_engine.play.game import Game
from kemu_engine.play.steps import Steps
from kemu_verifier.goal.goal import Goal
from kemu_verifier.goal.questions import questions
from kemu_verifier.methods.search.simulation import Simulation
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.case import Case
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.methods import METHODS, WORKS
from kemu_verifier.strategy.portfolio_safety import BoundedModelChecking, KInduction, PropertyDirected
from kemu_verifier.strategy.strategy import STRATEGY
from kemu_verifier.strategy.verify import LAST, Effort, verify
from kemu_verifier.symbolic.deadline import Deadline

from tests.rules import game_in
from tests.verifier.games import noughts

RARE = """game "Rare"
players ann, bob
state:
    heads: 0..10
    thrown: 0..10
rules:
    for n in 1..10:
        thrown += 1
        choose call(side in 1..2) by ann
        if side == 1: heads += 1
    end tie
property all_heads: possible heads == 10
property too_many:  never heads > thrown
"""


def goals_of(game: Game) -> dict[str, Goal]:
    return {q.key: q.goal(None) for q in questions(game.program, False) if q.goal is not None}


def test_every_row_has_its_method_and_every_method_its_row() -> None:
    assert {row.method for row in STRATEGY} == METHODS.keys() | WORKS.keys()
    assert not METHODS.keys() & WORKS.keys()
    assert STRATEGY[-1].method == LAST


def test_no_method_rests_on_a_reading_that_there_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "STATES", 0)
    context = ProofContext(game_in(RARE), 1.0, lambda _: None)
    case = Case(context, questions(context.program, True), True)
    kinds = (KInduction, PropertyDirected, BoundedModelChecking)
    mine = [method for method in METHODS.values() if isinstance(method, kinds)]
    assert {type(method) for method in mine} == set(kinds)
    assert all(any(method.applies(case, q) for q in case.questions) for method in mine)
    context.trouble = "too large"
    assert not any(method.applies(case, q) for method in mine for q in case.questions)


def test_thousands_of_games_show_what_few_would_not() -> None:
    """One game in a thousand does it; whatever is found is played again."""
    game = game_in(RARE)
    goals, context = goals_of(game), ProofContext(game, 10, lambda words: None)
    context.games.simulate(goals, Deadline(0))
    assert context.games.simulated("all_heads", goals["all_heads"]) is None
    found = context.games.more_simulated("all_heads", goals["all_heads"], Deadline(20))
    assert found is not None and goals["all_heads"].reached(found)
    assert context.games.simulated("too_many", goals["too_many"]) is None
    assert "none" in context.games.sampled(goals["too_many"])


def test_lines_of_the_rules_are_seen_in_simulated_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of an end among them; each game found leads to its line with its last step."""
    monkeypatch.setattr(strategy, "STATES", 0)
    monkeypatch.setattr(strategy, "PLAYS", 1)
    game = game_in(RARE)
    found = [v for v in verify(game, ["branch_possible"]) if v.kind == "possible"]
    assert len(found) == 3 and {len(v.steps or ()) for v in found} == {0, 1, 10}


def test_the_same_games_are_simulated_every_time() -> None:
    game = game_in(RARE)
    one, other = (Simulation(Steps(game), goals_of(game)) for _ in range(2))
    one.run(3_000, Deadline(100))
    for most in (100, 3_000):
        other.run(most, Deadline(100))
    assert one.hits == other.hits and one.hits.keys() == {"all_heads"}


@pytest.mark.parametrize("limit", [0.2, 0.8])
def test_a_limit_for_everything_is_kept_to_and_what_is_open_is_told(
    monkeypatch: pytest.MonkeyPatch, limit: float
) -> None:
    monkeypatch.setattr(strategy, "STATES", 0)
    game, began = Game(noughts()), time.process_time()
    found = list(verify(game, effort=Effort(limit=limit)))
    assert len(found) == len(questions(game.program, True))
    assert time.process_time() - began < limit + 1.5


def test_what_is_shared_is_charged_to_no_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "STATES", 0)
    shared: dict[str, float] = {}
    for _ in verify(Game(noughts()), shared=shared):
        pass
    assert {"symbolic reading", "simulation", "induction of claims"} <= shared.keys()
