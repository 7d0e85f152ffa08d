"""The public interface: `kemu.load` and what it gives, `kemu.games`, `kemu.verify`."""

import pytest

import kemu

from .conftest import CROSSES, RACE


def test_a_game_is_loaded_and_played() -> None:
    game = kemu.load(CROSSES)
    state = game.initial()
    assert (state.actor, len(state.actions())) == ("cross", 9)
    for text in ("place((1, 1))", "place((1, 2))", "place((2, 1))", "place((2, 2))", "place((3, 1))"):
        state = state.apply(text)
    assert state.is_end
    assert state.result
    assert state.result.winner == "cross"


def test_options_and_players_choose_the_instance() -> None:
    assert kemu.load(RACE, players=3, goal=10).settings == {"goal": "10"}
    assert kemu.load(RACE, players=3).players == ("red", "blue", "green")


def test_every_game_of_the_library_is_found_by_its_name() -> None:
    assert kemu.games()
    for name in kemu.games():
        assert kemu.load(name).initial().is_decision or kemu.load(name).initial().is_chance


def test_what_a_game_does_not_have_is_refused() -> None:
    with pytest.raises(kemu.BadInput, match="no game"):
        kemu.load("no-such-game")
    with pytest.raises(kemu.SettingError, match="gaol"):
        kemu.load(RACE, gaol=5)


def test_verdicts_come_one_by_one() -> None:
    verdicts = {verdict.property: verdict.kind for verdict in kemu.verify(kemu.load(CROSSES), standard=False)}
    assert verdicts["one_winner"] == "proved"
    assert verdicts["always_decided"] == "refuted"


def test_every_public_name_is_there() -> None:
    for name in kemu.__all__:
        assert getattr(kemu, name).__name__ == name.removesuffix("_record")
