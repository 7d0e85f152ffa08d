"""How much a number can be: the value, a play that shows it, and by what it is known to be the most."""

from __future__ import annotations

import pytest
from kemu_engine.play.game import Game
from kemu_engine.play.replay import replay
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.invariants.bound_search import Ceiling
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.extremes import Search
from kemu_verifier.strategy.verify import verify

from tests.rules import game_in

FILL = """
    game "Filling"
    players ann, bob
    domain Cell = 0..LAST
    state:
        mark: map[Cell, Player?]
    rules:
        for p in turns():
            choose:
                take(c in Cell) if mark[c] is none:
                    mark[c] = p
                skip if p == ann and LAZY:
                    pass
            if all(mark[d] is some for d in Cell):
                end tie
    fun owned(p: Player): len({c for c in Cell if mark[c] == p})
    property most:  maximize owned(bob)
    property least: maximize 0 - owned(ann)
    property even:  at most HALF owned(bob)
    property fewer: at most LESS owned(bob)
    property some:  at least 0 owned(bob)
    property ends:  maximize owned(ann) + owned(bob)
"""


def filling(cells: int, lazy: bool = False) -> Game:
    words = {"LAST": cells - 1, "LAZY": str(lazy).lower(), "HALF": cells // 2, "LESS": cells // 2 - 1}
    text = FILL
    for word, value in words.items():
        text = text.replace(word, str(value))
    return game_in(text)


def verdicts(game: Game, *names: str, seconds: float = 10) -> dict[str, Verdict]:
    return {v.property: v for v in verify(game, names, seconds)}


def owned(game: Game, verdict: Verdict, player: str) -> int:
    """The cells of a player at the end of the trace."""
    last = replay(game, verdict.steps or ()).last
    return last.vars[0].count(game.program.players.index(player))  # type: ignore[union-attr]


def test_the_extreme_by_all_states() -> None:
    game = filling(4)
    found = verdicts(game, "most", "even", "fewer", "some")
    assert (found["most"].kind, found["most"].detail) == ("proved", "the greatest value is 2")
    assert owned(game, found["most"], "bob") == 2 and len(found["most"].steps or ()) == 4
    assert found["even"].kind == "proved" and "the greatest value is 2" in found["even"].detail
    assert found["fewer"].kind == "refuted" and "the greatest value is 2" in found["fewer"].detail
    assert found["some"].kind == "proved" and "the least value is 0" in found["some"].detail


def test_the_extreme_of_a_large_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """From below by a play, from above by thresholds: 3^16 boards are not looked at."""
    monkeypatch.setattr(strategy, "STATES", 0)
    game = filling(16)
    found = verdicts(game, "most", "even", "ends", seconds=15)
    assert (found["most"].kind, found["most"].detail) == ("proved", "the greatest value is 8")
    assert owned(game, found["most"], "bob") == 8
    assert "the greatest value is 8" in found["even"].detail
    assert found["ends"].kind == "proved" and "the greatest value is 16" in found["ends"].detail


def test_what_random_games_do_not_show_is_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """If ann may skip, bob can own all; random games hardly get there."""
    monkeypatch.setattr(strategy, "STATES", 0)
    monkeypatch.setattr(strategy, "PLAYS", 1)
    game = filling(8, lazy=True)
    found = verdicts(game, "most", seconds=20)["most"]
    assert (found.kind, found.detail) == ("proved", "the greatest value is 8")
    assert owned(game, found, "bob") == 8


def test_without_a_proof_it_is_not_called_the_greatest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "STATES", 0)
    monkeypatch.setattr(Search, "_climb", lambda self, value, found, *_: (value, found))
    monkeypatch.setattr(Ceiling, "_allowed", lambda *_: None)
    monkeypatch.setattr(Ceiling, "_inductive", lambda *_: None)
    found = verdicts(filling(16), "most")["most"]
    assert found.kind == "unknown"
    assert found.detail.startswith("at least 8, as a play shows; at most 16, by the type of the number")


RISKY = """
    game "Risky"
    players ann, bob
    state:
        n: 0..3
    rules:
        for p in turns():
            choose:
                go if n < LAST:
                    n += 1
                stop:
                    end tie
    property most: maximize 6 // (2 - n)
"""


@pytest.mark.parametrize("states", [strategy.STATES, 0])
@pytest.mark.parametrize(("last", "kind"), [(1, "proved"), (2, "unknown")])
def test_what_cannot_be_worked_out_everywhere_has_no_greatest_value(
    last: int, kind: str, states: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six are reached; then the divisor is 0."""
    monkeypatch.setattr(strategy, "STATES", states)
    most = verdicts(game_in(RISKY.replace("LAST", str(last))), "most")["most"]
    assert (most.kind, "the greatest value is 6" in most.detail) == (kind, True)
