"""That players can keep play going whatever chance brings is seen among few states: from the right one on."""

from pathlib import Path

import pytest
from kemu_verifier.evidence.keeping_up import kept_up_since
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.context import ProofContext

from tests.checker.written import written
from tests.rules import game_in, play

HUB = """
game "Hub"
players ann
state:
    at: 0..1
    n:  0..20
rules:
    for p in turns():
        choose:
            wander(k in 1..20) if at == 1 and n == 0: n = k
            stop if n > 0:
                n = roll 1..2
                end win(p)
            go if at == 0: at = 1
            back if at == 1 and n == 0: at = 0
"""
"""From where `go` leads to there are many other ways before that back."""


@pytest.mark.parametrize(
    ("since", "verdict"),
    [({}, "wrong"), ({"since": 0}, "confirmed"), ({"since": 7}, "wrong"), ({"since": "0"}, "wrong")],
)
def test_the_checker_looks_from_there_on(since: dict[str, object], verdict: str, tmp_path: Path) -> None:
    game = written(tmp_path, HUB)
    shown = {"kind": "play", "steps": ["go", "back", "go"], "loop": 1, "around": 10}
    assert game.judge("ends_almost_surely", "refuted", **shown, **since) == verdict


def test_the_prover_says_from_where_on_it_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "STATES", 1)
    monkeypatch.setattr(strategy, "NEAR", 2)
    game = game_in(HUB)
    states = [play(game, *["go", "back", "go"][:steps]) for steps in range(4)]
    assert kept_up_since(ProofContext(game, 5, lambda words: None), states) == (2, 22)
