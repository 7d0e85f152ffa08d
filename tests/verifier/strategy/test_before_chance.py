"""Claims about decisions and ends that can only be proved with what holds before chance, too."""

from __future__ import annotations

import pytest
from kemu_verifier.strategy.learning import Learning

from tests.rules import game_in
from tests.verifier.strategy.asking import large, verdicts

SQUARE = """
    game "Square"
    players ann
    state:
        side: 0..9 = 0
        area: 0..81 = 0
    rules:
        while true:
            choose grow by ann
            side = (side + 1) % 10
            LATE
            luck = roll 1..6
            EARLY
            if luck == 6:
                area = side * side
                end tie
    property square: FORM
"""


@pytest.mark.parametrize("form", ["always area == side * side", "never area != side * side"])
def test_what_holds_before_chance_helps(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    large(monkeypatch)
    monkeypatch.setattr(Learning, "learn_by_guesses", lambda *_: None)
    for late, early, rests in (("area = side * side", "pass", True), ("pass", "area = side * side", False)):
        rules = SQUARE.replace("FORM", form).replace("LATE", late).replace("EARLY", early)
        square = verdicts(game_in(rules), "square")["square"]
        assert square.kind == "proved" and ("square before chance, too" in square.by) == rests, square
