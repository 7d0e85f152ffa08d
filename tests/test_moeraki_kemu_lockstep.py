"""Moeraki-Kemu as written in its rules file, against the plain-Python model made from the rulebook alone."""

from __future__ import annotations

from functools import cache
from itertools import zip_longest
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kemu
from kemu import Game, State
from tests.oracles import moeraki_kemu as oracle
from tests.oracles import test_moeraki_kemu_oracle as drawn
from tests.soak import examples

levels = st.sampled_from(oracle.LEVELS)


@cache
def game(level: str) -> Game:
    return kemu.load("moeraki-kemu", level=level)


def agree(state: State, model: oracle.State) -> None:
    """The same player to move, the same legal actions, the same board, the same result."""
    assert state.actor == oracle.actor(model)
    assert [action.text for action in state.actions()] == oracle.legal(model)
    stone, tile = board(state, "stone"), board(state, "tile")
    assert stone == {str(cell): owner for cell, owner in model.stones}
    assert tile == {str(field): owner for field, owner in oracle.tiles(model).items()}
    assert state["ball"] == ("none" if model.ball is None else str(model.ball))
    assert state.is_end == (model.result is not None)
    if model.result is not None:
        assert state.result is not None and state.result.winner == model.result.winner


def board(state: State, name: str) -> dict[str, object]:
    held = state[name]
    assert isinstance(held, dict)
    return {place: owner for place, owner in held.items() if owner != "none"}


@examples(12)
@given(levels, st.integers(0, 2**32))
def test_random_games_agree_to_the_end(level: str, seed: int) -> None:
    random = Random(seed)
    state, model = game(level).initial(), oracle.initial(level)
    agree(state, model)
    while not state.is_end:
        text = random.choice(oracle.legal(model))
        state, model = state.apply(text), oracle.apply(model, text)
        agree(state, model)


@examples(8)
@given(levels, st.integers(0, 2**32))
def test_long_games_agree_to_the_end(level: str, seed: int) -> None:
    """Stones that would win are avoided as long as there are others, so that most boards fill up."""
    random = Random(seed)
    state, model = game(level).initial(), oracle.initial(level)
    while not state.is_end:
        texts = random.sample(oracle.legal(model), len(oracle.legal(model)))
        text = next((t for t in texts if not early(oracle.apply(model, t))), texts[0])
        state, model = state.apply(text), oracle.apply(model, text)
    agree(state, model)


def early(model: oracle.State) -> bool:
    return model.result is not None and model.result.ways not in ((), ("marae",))


DRAWINGS = {
    "11 to 10.5": (drawn.BLACK_11_WHITE_10_AND_A_HALF, "matau"),
    "16 each": (drawn.SIXTEEN_EACH, "matau"),
    "16.5 to 17": (drawn.BLACK_16_AND_A_HALF_WHITE_17, "manaia"),
}


@pytest.mark.parametrize("level", oracle.LEVELS)
@pytest.mark.parametrize("points", DRAWINGS)
def test_full_boards_are_counted_alike(level: str, points: str) -> None:
    drawing, winner = DRAWINGS[points]
    letters = drawing.replace("/", " ").split()
    held = {x: [c for c, here in zip(oracle.CELLS, letters, strict=True) if here == x] for x in "BWO"}
    state, model = game(level).initial(), oracle.initial(level)
    order = [c for pair in zip_longest(held["W"], held["B"]) for c in pair]
    for text in [f"place_ball({held['O'][0]})", *(f"place({c})" for c in order)]:
        state, model = state.apply(text), oracle.apply(model, text)
        agree(state, model)
    assert state.result is not None
    assert state.result.winner == (winner if level == "basic" else None)
