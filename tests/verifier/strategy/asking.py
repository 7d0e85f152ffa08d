"""What a game is asked, whether it is small enough to be searched whole or not."""

from __future__ import annotations

import pytest
from kemu_engine.play.game import Game
from kemu_engine.play.replay import replay
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.verify import verify


def verdicts(game: Game, *names: str, seconds: float = 40) -> dict[str, Verdict]:
    return {v.property: v for v in verify(game, names, seconds)}


def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on no game is small enough to be searched whole."""
    monkeypatch.setattr(strategy, "STATES", 0)


def comes_back(game: Game, verdict: Verdict) -> bool:
    """Whether the trace of a verdict ends in a state in which it was before."""
    states = replay(game, verdict.steps or ()).states
    return states[-1] in states[:-1]
