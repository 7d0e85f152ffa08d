"""Measures of which the first that changes decides, step by step, where no step in between shows which."""

from __future__ import annotations

import pytest
from kemu_verifier.methods.search.random_search import play
from kemu_verifier.methods.termination import linear_ranking
from kemu_verifier.methods.termination.measures import StepSamples, numbers
from kemu_verifier.methods.termination.ranking import Ranker
from kemu_verifier.strategy import context, strategy
from kemu_verifier.strategy.verify import verify
from kemu_verifier.symbolic.deadline import Deadline

from tests.rules import game_in
from tests.verifier.strategy.test_termination import SWAP

SAND = """
    game "Sand"
    players ann
    state:
        glasses: 0..9 = 9
        grains:  0..99
    rules:
        for p in turns():
            choose turn(g in 0..99) if g == 0 or grains == 0
            if grains > 0:
                grains -= 1
            else:
                glasses -= SPENT
                grains = g
            if glasses == 0:
                end win(p)
    property ends: terminates
"""


@pytest.mark.slow
def test_one_number_falls_or_else_another_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """No sum with coefficients that small falls each time: a new glass may hold a hundred grains."""
    monkeypatch.setattr(strategy, "STATES", 0)
    monkeypatch.setattr(linear_ranking, "SIZE", 10)
    (ends,) = verify(game_in(SAND.replace("SPENT", "1")), ["ends"], seconds=20)
    assert ends.kind == "proved" and ends.by == "ranking function glasses, then grains", ends


@pytest.mark.parametrize(
    ("text", "opening", "proved"),
    [
        (SWAP.replace("GAIN", "1"), ("lose", "drop", "turn"), True),
        (SWAP.replace("GAIN", "6"), ("lose", "drop", "turn"), False),
        (SAND.replace("SPENT", "1"), ("turn(5)", "turn(0)", "turn(0)"), True),
        (SAND.replace("SPENT", "(1 if g < 99 else 0)"), ("turn(5)", "turn(0)", "turn(0)"), False),
    ],
)
def test_what_no_sample_shows_the_solver_does(
    text: str, opening: tuple[str, ...], proved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody looks for loops, and the step that breaks the ranking was never sampled."""
    monkeypatch.setattr(linear_ranking, "SIZE", 10)
    one = context.ProofContext(game_in(text), 10, lambda words: None)
    samples = StepSamples(one.transitions, [play(one.steps, 0, Deadline(5), len(opening), opening)])
    ranker = Ranker(one.knowledge, samples, Deadline(5))
    assert ranker.rank(one.edges, numbers(one.transitions, []), combine=True).proved == proved
