"""What was shown of one instance is tried on another: it saves the search, and proves nothing by itself."""

from __future__ import annotations

import pytest
from kemu_engine.play.game import Game
from kemu_verifier.goal.lemma_cache import LemmaCache
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.verify import verify

from tests.rules import game_in

pytestmark = pytest.mark.slow

LOCK = """
    game "Lock"
    players ann
    state:
        turned: 0..9
        at:     0..99999
        other:  0..9
    rules:
        for p in turns():
            choose:
                turn(d in 0..99):
                    turned = turned + 1 if d == (turned * KEY + 7) % 100 else 0
                wait if at < 99999:
                    at += 1
                quit:
                    end rank({p: 0 for p in Player})
            other = turned
            if turned == 9:
                end rank({p: 1 for p in Player})
    property opened: possible turned == 9
    property same: never at == 99999 and other != turned
"""

WAY = [f"turn({(n * 31 + 7) % 100})" for n in range(9)]


def lock(key: int = 31) -> Game:
    return game_in(LOCK.replace("KEY", str(key)))


def opened(game: Game, notes: LemmaCache) -> tuple[str, str]:
    (verdict,) = verify(game, ["opened"], 0.5, symbolic=False, notes=notes)
    return verdict.kind, verdict.by


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """No game is small enough to be searched whole."""
    monkeypatch.setattr(strategy, "STATES", 0)


def test_a_game_found_elsewhere_is_replayed() -> None:
    assert opened(lock(), LemmaCache())[0] == "unknown"
    found = opened(lock(), LemmaCache(games={"opened": [("quit",), tuple(WAY)]}))
    assert found == ("possible", "a game of another instance")


def test_a_game_that_leads_elsewhere_here_shows_nothing() -> None:
    assert opened(lock(key=3), LemmaCache(games={"opened": [tuple(WAY)]}))[0] == "unknown"


def test_what_is_shown_is_noted() -> None:
    notes = LemmaCache(games={"opened": [tuple(WAY)]})
    kinds = {v.property: v.kind for v in verify(lock(), ["opened", "same"], 10, notes=notes)}
    assert kinds == {"opened": "possible", "same": "proved"}
    assert list(notes.proved) == ["same"]
    again = LemmaCache()
    again.add(notes)
    again.add(notes)
    assert again == notes


def test_a_guess_that_does_not_hold_here_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds in all sampled states of a lock that nobody opens; still it has to be shown anew."""
    monkeypatch.setattr(ProofContext, "windowed", lambda *_: None)
    notes = LemmaCache(guesses={"turned != 4 at rules.choose": None, "other != 9 at rules.choose": None})
    game = game_in(LOCK.replace("KEY", "31").replace("possible turned == 9", "never turned == 5"))
    (verdict,) = verify(game, ["opened"], 4, notes=notes)
    assert (verdict.kind, verdict.by, notes.proved) == ("refuted", "bounded model checking, shortest", {})
