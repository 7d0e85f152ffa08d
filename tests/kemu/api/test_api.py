"""What `import kemu` gives: loading, playing by text and by number, records, pickles, verdicts."""

import copy
import inspect
import json
import pickle
import subprocess
import sys
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from kemu.base.library import find, games
from kemu_engine.kernel.actions import MOST_NUMBERED

import kemu
from tests.instances import grouped, instance
from tests.kemu.conftest import CROSSES, RACE


@cache
def loaded(name: str) -> kemu.Game:
    """A game of the library, made once for all tests."""
    return kemu.Game(instance(name))


each_game = pytest.mark.parametrize("name", grouped(kemu.games()))

# ---------------------------------------------------------------------------------------------- loading


def test_a_game_is_loaded_and_played() -> None:
    state = kemu.load(CROSSES).initial()
    assert (state.actor, state.player, len(state.actions())) == ("cross", 0, 9)
    for text in ("place((1, 1))", "place((1, 2))", "place((2, 1))", "place((2, 2))", "place((3, 1))"):
        state = state.apply(text)
    assert state.is_end
    assert (state.actor, state.player, state.legal()) == (None, -1, [])
    assert state.result
    assert state.result.winner == "cross"


def test_options_and_players_choose_the_instance() -> None:
    assert kemu.load(RACE, players=3, goal=10).settings == {"goal": "10"}
    assert kemu.load(RACE, players=3).players == ("red", "blue", "green")


def test_every_game_of_the_library_is_found_by_its_name() -> None:
    for name, path in games().items():
        assert find(name) == path
    assert kemu.load("tic-tac-toe").hash == loaded("tic-tac-toe").hash


def test_what_a_game_does_not_have_is_refused() -> None:
    with pytest.raises(kemu.BadInput, match="no game"):
        kemu.load("no-such-game")
    with pytest.raises(kemu.SettingError, match="gaol"):
        kemu.load(RACE, gaol=5)
    with pytest.raises(kemu.StateError, match="no state"):
        kemu.load(RACE).state({})


# ---------------------------------------------------------------------------------------------- by number


@each_game
def test_numbers_and_texts_lead_to_the_same_states(name: str) -> None:
    state, random = loaded(name).initial(), Random(1)
    for _ in range(25):
        if state.is_end:
            break
        moves = state.actions() or tuple(outcome for outcome, _ in state.outcomes())
        assert [move.number for move in moves] == state.legal()
        assert len(set(state.legal())) == len(moves)
        move = random.choice(moves)
        after = state.step(move.number)
        assert after == state.apply(move) == state.apply(move.text)
        if state.is_decision:
            assert state.game.action(move.number) == move
        if state.game.action_count > MOST_NUMBERED:  # paths: no row has room for them
            with pytest.raises(OverflowError, match="more actions than fit into a row"):
                state.mask()
        elif state.is_decision:
            assert [number for number, legal in enumerate(state.mask()) if legal] == sorted(state.legal())
        else:
            assert not any(state.mask())
        state = after


def test_an_action_has_its_number_in_every_state() -> None:
    game = kemu.load(CROSSES)
    assert game.action_count == 9
    texts = [game.action(number).text for number in range(9)]
    state = game.initial().step(4)
    assert [texts[number] for number in state.legal()] == [action.text for action in state.actions()]
    assert game.action(4).name == "place" and game.action(4).args == ("(2, 2)",)


def test_actions_have_the_same_numbers_in_a_batch() -> None:
    game = kemu.load(CROSSES)
    games, state = kemu.Batch(game, 2), game.initial()
    assert games.game is game and repr(games) == "<Batch of Noughts and Crosses: 2 games>"
    assert [games.texts[number] for number in state.legal()] == [action.text for action in state.actions()]
    for number in (4, 0):
        games.actions[:] = number
        games.step()
        state = state.step(number)
        assert bytes(games.legal[0]) == bytes(games.legal[1]) == state.mask()
        assert games.actors[0] == state.player


def test_a_number_that_is_not_legal_is_told_from_one_that_does_not_exist() -> None:
    game = kemu.load(CROSSES)
    state = game.initial().step(4)
    with pytest.raises(kemu.IllegalAction, match=r"action 4, place\(\(2, 2\)\), is not legal"):
        state.step(4)
    with pytest.raises(kemu.IllegalAction, match="no action 9: Noughts and Crosses has 9, numbered from 0"):
        state.step(9)
    with pytest.raises(kemu.IllegalAction, match="is not possible for nought"):
        state.apply(game.action(4))
    with pytest.raises(IndexError, match="no action number -1"):
        game.action(-1)
    with pytest.raises(
        TypeError, match=r"`step` takes a number, `apply` an action or its text: 'place\(\(1, 1\)\)'"
    ):
        state.step("place((1, 1))")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a batch has one game or more, not -1"):
        kemu.Batch(game, -1)


# ---------------------------------------------------------------------------------------------- as objects


def states(name: str) -> list[kemu.State]:
    """The states of a random game, chance and the end among them."""
    return to_the_end(kemu.load(name).initial())


def to_the_end(state: kemu.State) -> list[kemu.State]:
    found, random = [state], Random(3)
    while not found[-1].is_end:
        found.append(found[-1].step(random.choice(found[-1].legal())))
    return found


@pytest.mark.parametrize("path", [CROSSES, RACE])
def test_games_states_and_actions_are_pickled_and_copied(path: str) -> None:
    game = kemu.load(path)
    moves = [move for state in states(path) for move in state.actions()]
    for thing in [game, *states(path), *moves]:
        for again in (pickle.loads(pickle.dumps(thing)), copy.copy(thing), copy.deepcopy(thing)):
            assert again == thing
            assert hash(again) == hash(thing)
            assert repr(again) == repr(thing)
    again = pickle.loads(pickle.dumps(game.initial()))
    assert again.step(again.legal()[0]) == game.initial().step(game.initial().legal()[0])


@each_game
def test_states_of_every_game_go_to_another_process_and_share_a_game_there(name: str) -> None:
    state = loaded(name).initial()
    one, other = pickle.loads(pickle.dumps(state)), pickle.loads(pickle.dumps(state.step(state.legal()[0])))
    assert one.game is other.game
    assert one == state
    assert game_of(one.to_json()) == game_of(state.to_json())


def game_of(json: Any) -> str:
    return str(json["program"])


def test_errors_and_results_are_pickled() -> None:
    game = kemu.load(Path(__file__).parents[2] / "gallery" / "stuck.kemu")
    with pytest.raises(kemu.FaultError) as caught:
        to_the_end(game.initial())
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.code, again.origin) == (str(caught.value), "stuck", caught.value.origin)
    result = states(CROSSES)[-1].result
    assert pickle.loads(pickle.dumps(result)) == result


def test_what_is_printed_is_the_board_and_repr_is_short() -> None:
    state = kemu.load(CROSSES).initial().apply("place((2, 1))")
    assert str(state) == "  1 2 3\n1 . x .\n2 . . .\n3 . . ."
    assert repr(state) == "<State of Noughts and Crosses: nought at place, 8 actions>"
    assert repr(state.actions()[0]) == "<Action 0: place((1, 1))>"
    assert repr(state.game) == "<Game Noughts and Crosses: 2 players, size=3>"
    assert all(len(repr(each)) < 100 for each in states(RACE))


def test_a_history_is_printed_as_how_much_was_noted_and_read_whole() -> None:
    game = kemu.load(Path(__file__).parents[2] / "gallery" / "repetition.kemu")
    state = game.initial().apply("step(1)").apply("step(2)")
    assert str(state).endswith("seen: 3 noted")
    assert [each["times"] for each in state["seen"]] == [1, 1, 1]
    assert game.state(state.to_json()) == state == pickle.loads(pickle.dumps(state))
    games = kemu.Batch(game, 2)
    assert [len(each) for each in games.variable("seen")] == [1, 1]


# ---------------------------------------------------------------------------------------------- plays


def test_a_play_is_recorded_kept_and_replayed(tmp_path: Path) -> None:
    game = kemu.load(CROSSES)
    actions = [game.initial().actions()[0], "place((1, 2))", kemu.Step("place((2, 1))", "cross")]
    kemu.save_record(kemu.record(game, actions), tmp_path / "play.json")
    after = kemu.replay(game, kemu.load_record(tmp_path / "play.json", game))
    assert [state.actor for state in after] == ["cross", "nought", "cross", "nought"]
    assert kemu.trace(game, actions).states == tuple(after)
    with pytest.raises(kemu.RecordError, match="step 1"):
        kemu.replay(game, kemu.record(game, [kemu.Step("place((1, 1))", "nought")]))


def test_a_trace_says_what_each_step_changed() -> None:
    found = kemu.trace(kemu.load(CROSSES), ["place((1, 2))"])
    assert isinstance(found, kemu.Trace)
    (change,) = [change for change in found.steps[0].changes if "(1, 2)" in change.where]
    assert (change.old, change.new) == ("none", "cross")
    assert change.origin is not None and change.origin.span.line > 0
    assert found.final == found.states[-1] == found.steps[0].after


def test_what_explore_tells_does_not_change_afterwards() -> None:
    found = list(kemu.explore(CROSSES))
    assert all(isinstance(each, kemu.Explored) for each in found)
    assert [each.count for each in found] == sorted(each.count for each in found)
    with pytest.raises(AttributeError):
        found[-1].count = 0  # type: ignore[misc]


def test_verdicts_come_one_by_one() -> None:
    verdicts = {verdict.property: verdict.kind for verdict in kemu.verify(CROSSES, standard=False)}
    assert verdicts["one_winner"] == "proved"
    assert verdicts["always_decided"] == "refuted"


def test_verify_takes_a_game_or_its_name_and_says_so() -> None:
    (verdict,) = kemu.verify(kemu.load("tic-tac-toe"), "one_winner")
    (again,) = kemu.verify("tic-tac-toe", ["one_winner"])
    assert verdict.kind == again.kind == "proved"
    with pytest.raises(TypeError, match="the name of one"):
        kemu.verify(kemu.load("tic-tac-toe").initial())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no property is called draws"):
        kemu.verify("tic-tac-toe", "draws")


# ---------------------------------------------------------------------------------------------- the module


def test_every_public_name_is_there_and_says_that_it_is_of_kemu() -> None:
    for name in set(kemu.__all__) - {"__version__"}:
        thing = getattr(kemu, name)
        assert (thing.__module__, thing.__name__) == ("kemu", name)
    assert set(dir(kemu)) == set(kemu.__all__)
    with pytest.raises(AttributeError, match="'lod'"):
        kemu.lod  # type: ignore[attr-defined]  # noqa: B018


def test_what_is_private_begins_with_a_line() -> None:
    for kind in (kemu.Game, kemu.State, kemu.Action):
        public = {name for name in vars(kind) if not name.startswith("_")}
        assert public.isdisjoint({"machine", "block", "vars", "locals", "choices", "program", "evaluate"})
        for name in public:
            assert inspect.getdoc(getattr(kind, name)), f"{kind.__name__}.{name} does not say what it is"


def test_the_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert kemu.__version__ == version("kemu")


def test_importing_kemu_loads_neither_the_solver_nor_the_engine() -> None:
    probe = (
        "import sys, kemu; print([n for n in ('z3', 'kemu_engine', 'click', 'numpy') if n in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True).stdout == "[]\n"
    probe = "import sys, kemu; kemu.load('tic-tac-toe'); print('z3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True).stdout == "False\n"


def test_a_state_is_written_as_json_and_read_back() -> None:
    for path in (CROSSES, RACE):
        game = kemu.load(path)
        for state in states(path):
            assert game.state(json.loads(json.dumps(state.to_json()))) == state
