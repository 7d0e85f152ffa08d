"""What players know, counted and played: the numbers are those of OpenSpiel, and of the literature."""

from __future__ import annotations

import pytest
from kemu_engine.kernel.information_flow import InformationFlow
from kemu_verifier.strategy.verify import verify

from tests.classics.cfr import Tree
from tests.test_classics import classic

GAMES = {
    "kuhn-poker": ({}, (6, 6), -1 / 18, 0.001, 200),
    "leduc-poker": ({}, (468, 468), -0.0856, 0.001, 200),
    "liars-dice": ({"faces": 3}, (96, 96), None, 0, 0),
}


@pytest.mark.parametrize("name", GAMES)
def test_players_know_as_many_things_and_win_as_much_as_others_have_found(name: str) -> None:
    options, number, value, error, rounds = GAMES[name]
    tree = Tree(classic(name, **options).initial())  # type: ignore[arg-type]
    assert (len(tree.known[0]), len(tree.known[1])) == number
    if value is not None:
        assert tree.value(rounds) == pytest.approx(value, abs=error)


SMALL: dict[str, dict[str, int | str]] = {
    "rock-paper-scissors": {"rounds": 1},
    "goofspiel": {"cards": 3},
    "kuhn-poker": {},
    "leduc-poker": {"ranks": 2, "raises": 1},
    "liars-dice": {"faces": 3},
    "battleship": {"size": 2, "longest": 1},
    "love-letter": {"cards": "few"},
    "hearts": {"ranks": 3, "suits": 2},
    "cribbage": {
        "ranks": 5,
        "suits": 1,
        "kept": 1,
        "away": 1,
        "fifteen": 4,
        "limit": 6,
        "goal": 6,
    },
    "stratego": {"army": "duel", "limit": 4},
    "hanabi": {"colours": 1, "ranks": 2, "cards": 1, "notes": 1, "lives": 1},
}


@pytest.mark.parametrize("name", SMALL)
def test_in_small_games_everybody_knows_what_he_may_do_and_nothing_leaks(name: str) -> None:
    answers = {v.property: v.kind for v in verify(classic(name, **SMALL[name]), ["informed", "no_leak"], 20)}
    assert answers == {"informed": "proved", "no_leak": "proved"}


@pytest.mark.parametrize("name", SMALL)
def test_in_whole_games_nothing_that_everybody_sees_depends_on_a_secret(name: str) -> None:
    assert InformationFlow(classic(name).program).leaks == []
