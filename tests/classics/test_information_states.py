"""What players know, counted and played: the numbers are those of OpenSpiel, and of the literature."""

from __future__ import annotations

import pytest

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
