"""Search where there are secrets: positions fit what the player knows, and nothing else is looked at."""

from __future__ import annotations

import time
from random import Random

import pytest
from kemu.base.opening import load
from kemu_engine.search.information_sets import known_at
from kemu_engine.search.mcts import Search
from kemu_engine.search.positions import positions
from kemu_engine.search.worlds import Worlds

from tests.oracles.solved import decisions

GAMES = {
    "kuhn-poker": {},
    "leduc-poker": {},
    "liars-dice": {},
    "love-letter": {"cards": "few"},
    "goofspiel": {},
    "hanabi": {"colours": 2, "ranks": 2, "cards": 2},
    "hearts": {"ranks": 3, "suits": 2, "players": 3},
    "cribbage": {"ranks": 5, "suits": 1, "kept": 1, "away": 1, "fifteen": 4, "limit": 6, "goal": 6},
    "battleship": {"size": 3, "longest": 2},
    "stratego": {"army": "duel"},
}
"""Cards, dice, what is chosen together or sealed, and a hand that only the others see."""


@pytest.mark.parametrize("name", GAMES)
def test_positions_fit_what_the_player_knows_and_a_search_of_any_of_them_says_the_same(name: str) -> None:
    game = load(name, **GAMES[name])
    search = Search(game)
    met = decisions(game, Random(1))
    for state in {met[0], met[len(met) // 2], met[-1]}:
        known = known_at(game, state)
        others, weights = Worlds(game, state.player, seed=3, size=16).fitting(known)
        assert 8 <= len(others) == len(weights) <= 16
        assert all(known_at(game, other) == known for other in others)
        other = next((each for each in others if each != state), state)
        found = search.think(state, playouts=30, seed=5)
        assert found == search.think(other, playouts=30, seed=5)
        assert found.games == 30 == sum(branch.visits for branch in found.branches)


def test_some_other_position_is_possible() -> None:
    """Else the test above would say nothing: two of the four cards that he does not see are with each."""
    game = load("hearts", **GAMES["hearts"])
    (state, *_) = decisions(game, Random(1))
    others, _ = Worlds(game, state.player, seed=3).fitting(known_at(game, state))
    assert len({*others}) == 6


def test_a_full_deck_is_dealt_without_what_the_player_holds() -> None:
    """Few of the plays would be left if what is dealt to him later could lie elsewhere before."""
    game = load("hearts")
    random, state = Random(1), game.initial()
    while not (state.is_decision and state.player == 2):
        state = state.follow(random.randrange(len(state.choices)))
    others, _ = Worlds(game, 2, seed=3).fitting(known_at(game, state))
    assert len({*others}) > 8


def test_positions_are_as_likely_as_chance_makes_them() -> None:
    game = load("kuhn-poker", cards=5)
    state = game.initial().apply("3").apply("5").apply("check")
    seen, weighed = [0.0] * 6, 0.0
    for seed in range(20):
        others, weights = Worlds(game, 1, seed).fitting(known_at(game, state))
        for other, weight in zip(others, weights, strict=True):
            seen[int(str(other["card"]["ann"]))] += weight  # type: ignore[call-overload, index]
            weighed += weight
    assert seen[5] == 0 and all(abs(each / weighed - 1 / 4) < 0.05 for each in seen[1:5])


def test_with_time_all_positions_are_looked_at_where_they_are_few_and_more_are_drawn_elsewhere() -> None:
    game = load("kuhn-poker", cards=5)
    state = game.initial().apply("3").apply("5").apply("check")
    found = positions(Worlds(game, 1, 1), known_at(game, state), time.monotonic() + 10)
    cards = {str(each["card"]["ann"]): part for each, part in zip(found.states, found.weights, strict=True)}  # type: ignore[call-overload, index]
    assert found.every and found.error(10**9) < 0.001
    assert cards == pytest.approx(dict.fromkeys("1234", found.weights[0]))
    game = load("hearts")
    (state, *_) = decisions(game, Random(1))
    found = positions(Worlds(game, state.player, 1, size=8), known_at(game, state), time.monotonic() + 10)
    assert not found.every and 8 < len(found.states) == len(found.weights)
    assert found.worth <= len(found.states) * 1.001


@pytest.mark.parametrize("name", ["love-letter", "hearts"])
def test_what_is_known_of_a_play_is_the_same_whenever_it_was_asked_for(name: str) -> None:
    game = load(name, **GAMES[name])
    asked = [state for state in decisions(game, Random(2)) if state.player == 0]
    along, anew = Worlds(game, 0, 1), Worlds(game, 0, 1)
    for state in asked:
        found = along.fitting(known_at(game, state))
    assert found == anew.fitting(known_at(game, asked[-1]))


def test_who_knows_that_he_wins_calls_and_who_knows_that_he_loses_folds() -> None:
    game = load("kuhn-poker")
    search = Search(game)
    for card, other, best in ("3", "1", "call"), ("1", "3", "fold"), ("1", "2", "fold"):
        state = game.initial().apply(other).apply(card).apply("bet")
        found = search.think(state, playouts=200)
        assert str(state.actions()[found.best]) == best


def test_it_wins_against_random_play() -> None:
    game, won = load("liars-dice"), 0
    search, random = Search(game), Random(1)
    for number in range(20):
        state = game.initial()
        while not state.is_end:
            if state.is_decision and state.player == number % 2 and len(state.choices) > 1:
                state = state.follow(search.think(state, playouts=60, seed=number).best)
            else:
                state = state.follow(random.randrange(len(state.choices)))
        assert state.result is not None
        won += state.result.winner == game.players[number % 2]
    assert won > 12
