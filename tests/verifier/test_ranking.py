"""Measures of which the first that changes decides, step by step, where no step in between shows which."""

from __future__ import annotations

import pytest

from tests.rules import game_in
from verifier import bench
from verifier.engines import combination
from verifier.verify import verify

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


@pytest.mark.parametrize(("spent", "proved"), [("1", True), ("(1 if g < 99 else 0)", False)])
def test_one_number_falls_or_else_another_does(
    spent: str, proved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No sum with coefficients that small falls each time: a new glass may hold a hundred grains."""
    monkeypatch.setattr(bench, "STATES", 0)
    monkeypatch.setattr(combination, "SIZE", 10)
    (ends,) = verify(game_in(SAND.replace("SPENT", spent)), ["ends"], seconds=20)
    assert (ends.kind == "proved") == proved, ends
    assert not proved or ends.by == "ranking function glasses, then grains", ends
