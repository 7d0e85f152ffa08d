"""The games as written in their rules files, against plain-Python models made from the rule texts alone.

In lockstep through random games: who acts, which actions are legal, how likely each outcome is, who wins.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from types import ModuleType
from typing import Literal, Protocol

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kemu_engine.play.game import Game
from kemu_engine.play.state import State

from tests.instances import instance, instances, rules, together
from tests.oracles import mahe, maori, moeraki_kemu_master, tongiaki
from tests.soak import examples

pytestmark = pytest.mark.slow

MODELS: dict[str, ModuleType] = {
    "mahe": mahe,
    "maori": maori,
    "moeraki-kemu": moeraki_kemu_master,
    "tongiaki": tongiaki,
}
LONGEST = 400
"""Steps after which a game is left; in some games doing nothing for ever is legal."""

BEYOND = {"mahe": {"lagoon"}, "maori": {"box"}, "moeraki-kemu": {"side"}, "tongiaki": set[str]()}
"""Options that the models do not have: smaller boards, for proofs."""


class Model(Protocol):
    kind: Literal["decision", "chance", "end"]
    actor: str | None

    def actions(self) -> list[str]: ...
    def outcomes(self) -> dict[str, int]: ...
    def apply(self, text: str) -> Model: ...
    def places(self) -> dict[str, int]: ...


def cases() -> Iterator[tuple[str, str | None]]:
    """The games as they stand, and their declared instances but those that no model has."""
    for name, which in instances():
        if name in MODELS and not (
            which and BEYOND[name] & dict(rules(name).instances[which].settings).keys()
        ):
            yield name, which


def opening(name: str, game: Game) -> Model:
    options = {option: plain(value) for option, value in game.settings.items() if option not in BEYOND[name]}
    model: Model = MODELS[name].initial(len(game.players), **options)
    return model


def plain(value: str) -> str | int | bool:
    return value == "true" if value in ("true", "false") else int(value) if value.isdigit() else value


def agree(state: State, model: Model) -> None:
    """The same player to move and legal actions, the same outcomes with the same chances, the same result."""
    assert (state.is_end, state.is_chance, state.actor) == (
        model.kind == "end",
        model.kind == "chance",
        model.actor,
    )
    if state.is_chance:
        assert chances({action.text: weight for action, weight in state.outcomes()}) == chances(
            model.outcomes()
        )
    elif state.is_end:
        assert state.result is not None and state.result.places == model.places()
    else:
        assert sorted(action.text for action in state.actions()) == sorted(model.actions())


def chances(weights: dict[str, int]) -> dict[str, Fraction]:
    return {text: Fraction(weight, sum(weights.values())) for text, weight in weights.items()}


@pytest.mark.parametrize(("name", "which"), [together(*each) for each in cases()])
@examples(1)
@given(seed=st.integers(0, 2**32))
def test_random_games_agree(name: str, which: str | None, seed: int) -> None:
    random, playable = Random(seed), instance(name, which)
    state, model = playable.initial(), opening(name, playable)
    for _ in range(LONGEST):
        agree(state, model)
        if state.is_end:
            return
        choice = random.choice(state.moves()).text
        state, model = state.apply(choice), model.apply(choice)
