"""What TLC found about three games, from models written by hand in TLA+, is what Kemu finds.

counts.json is written by `python benchmarks/outside.py`, which runs TLC.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kemu.base.opening import load
from kemu_engine.batch.explore import explore
from kemu_verifier.strategy.verify import verify

from tests.soak import as_far

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
FOUND = json.loads((HERE / "counts.json").read_text())
GAMES = {
    "TicTacToe": HERE.parent / "gallery/tic_tac_toe.kemu",
    "Pig": HERE.parent / "gallery/pig.kemu",
    "FourInARow": HERE / "four_in_a_row.kemu",
}
SAME = {  # TLC's claim: ours, and the verdict that says that it holds
    "OneWinner": ("one_winner", "proved"),
    "NoMore": ("no_more", "proved"),
    "NoDraw": ("draw", "impossible"),
    "Bounded": ("bounded", "proved"),
    "Rolls": ("no_fault", "proved"),  # an eleventh roll would overrun the loop
    "AnnNeverWins": ("ann_can_win", "impossible"),
    "Ends": ("terminates", "proved"),
}


@pytest.mark.parametrize("model", as_far(2, list(GAMES)))
def test_tlc_finds_the_same(model: str) -> None:
    game = load(GAMES[model])
    *_, explored = explore(game)
    assert explored.count == FOUND[model]["states"]

    names = {claim: SAME[claim][0] for claim in FOUND[model]["holds"]}
    kinds = {verdict.property: verdict.kind for verdict in verify(game, list(names.values()), 20)}
    for claim, holds in FOUND[model]["holds"].items():
        assert (kinds[names[claim]] == SAME[claim][1]) == holds, claim
