"""What holds when play first comes to a stop: later it need not hold, and what holds later says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from kemu.base.opening import load
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.verify import verify

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
