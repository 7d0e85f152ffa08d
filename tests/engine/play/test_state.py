"""Games and states as seen from outside: who may do what, what follows, how it ends, what it looks like."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kemu_engine.kernel import nodes as k
from kemu_engine.play.action import Action
from kemu_engine.play.game import Game, StateError
from kemu_engine.play.state import IllegalAction, State

from tests.engine.build import Builder, num, op, subset
from tests.engine.games import hidden_coin, nim, pig

NIM, PIG, COIN = (Game(program, checked=True) for program in (nim(), pig(), hidden_coin()))


def play(game: Game, *texts: str) -> State:
    state = game.initial()
    for text in texts:
        state = state.apply(text)
    return state


def texts(state: State) -> list[str]:
    return [action.text for action in state.actions()]


# what can be done


def test_a_decision_has_an_actor_and_actions() -> None:
    state = play(NIM, "take(3)", "take(2)")
    assert (state.is_decision, state.is_chance, state.is_end) == (True, False, False)
    assert (state.actor, state.label, state["heap"]) == ("north", "take", 2)
    assert texts(state) == ["take(1)", "take(2)"]
    assert state.outcomes() == ()


def test_a_chance_node_has_outcomes_with_weights() -> None:
    state = COIN.initial()
    assert state.is_chance
    assert state.actor is None
    assert [(outcome.text, weight) for outcome, weight in state.outcomes()] == [("heads", 3), ("tails", 1)]
    assert state.actions() == ()


def test_outcomes_of_weight_zero_do_not_exist() -> None:
    b = Builder()
    die = b.local("die", k.Int(0, 2))
    result = b.var("result", k.Int(0, 1), (0, 0))
    end = b.block([], k.End("tie"), name="end")
    weight = op("mod", b.get(die), num(2))
    start = b.block([], b.chance("roll", die, b.domain("a", "b", "c"), end, weight), name="roll")
    assert [(o.text, w) for o, w in Game(b.program(start, result)).initial().outcomes()] == [("b", 1)]


def test_arms_come_as_written_and_the_last_parameter_is_fastest() -> None:
    b = Builder()
    cells = b.domain("(1, 1)", "(1, 2)", "(2, 1)")
    x, y = b.local("x", k.Int(0, 2)), b.local("y", k.Int(0, 2))
    result = b.var("result", k.Int(0, 1), (0, 0))
    end = b.block([], k.End("tie"), name="end")
    later = b.param("y", y, cells, where=op("lt", b.get(x), b.get(y)))
    menu = b.decide(
        "menu", num(0),
        b.arm("jump", end, b.param("x", x, cells), later),
        b.arm("pass", end),
        b.arm("drop", end, b.param("x", x, cells, over=subset(3, 0, 2)), legal=op("ne", b.get(x), num(0))),
    )  # fmt: skip
    state = Game(b.program(b.block([], menu, name="menu"), result)).initial()
    assert texts(state) == [
        "jump((1, 1), (1, 2))", "jump((1, 1), (2, 1))", "jump((1, 2), (2, 1))", "pass", "drop((2, 1))"
    ]  # fmt: skip
    assert state.apply("jump( (1,2) ,(2,1))").is_end


def test_what_is_not_possible_is_told_with_what_is() -> None:
    state = NIM.initial()
    with pytest.raises(
        IllegalAction, match=r"take\(4\) is not possible for north at take; possible: take\(1\), "
    ):
        state.apply("take(4)")
    with pytest.raises(IllegalAction, match="the game is over"):
        play(NIM, "take(3)", "take(3)", "take(1)").apply("take(1)")
    many = Game(nim(stones=40, taken=20)).initial()
    with pytest.raises(IllegalAction, match=r"did you mean .*take\(1"):
        many.apply("tkae(1)")


# what a state is


def test_states_are_values() -> None:
    one, other = play(NIM, "take(1)", "take(2)"), play(NIM, "take(2)", "take(1)")
    assert one == other
    assert len({one, other, play(Game(nim()), "take(2)", "take(1)")}) == 1
    assert one != play(NIM, "take(3)")
    assert one != play(NIM, "take(1)", "take(1)")
    assert NIM.initial() != Game(nim(taken=2)).initial()


def test_an_action_leaves_the_state_as_it_was() -> None:
    state = PIG.initial()
    state.apply("roll").apply("6")
    assert state == PIG.initial()
    assert state["total"] == 0


def test_locals_that_are_not_alive_are_forgotten() -> None:
    """A one ends the turn; the die's value is gone, so the state is the same as if the turn had been held."""
    assert play(PIG, "roll", "1", "roll", "1") == PIG.initial()


def test_variables_are_read_by_name_and_in_words() -> None:
    state = play(PIG, "roll", "6", "hold")
    assert state["score"] == {"north": 6, "south": 0}
    assert play(COIN, "heads")["coin"] == "heads"
    with pytest.raises(KeyError):
        state["nothing"]


# how it ends


def test_the_result_ranks_the_players() -> None:
    assert NIM.initial().result is None
    result = play(NIM, "take(3)", "take(3)", "take(1)").result
    assert result is not None
    assert (result.form, result.places, result.winner) == ("win", {"north": 1, "south": 2}, "north")


def test_payoffs_are_scores() -> None:
    result = play(COIN, "tails", "say(heads)", "doubt").result
    assert result is not None
    assert result.scores == {"north": (-2,), "south": (2,)}
    assert result.winners == ("south",)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=5))
def test_equal_keys_share_the_better_place(keys: list[tuple[int, int]]) -> None:
    names = [f"p{i}" for i in range(len(keys))]
    b = Builder(players=names)
    result = b.var("result", k.Int(0, 3), tuple(key for pair in keys for key in pair))
    program = b.program(b.block([], k.End("rank"), name="end"), result, width=2)
    ranked = Game(program).initial().result
    assert ranked is not None
    assert ranked.scores == dict(zip(names, keys, strict=True))
    assert [ranked.places[name] for name in names] == [1 + sum(o > key for o in keys) for key in keys]
    assert (ranked.winner is None) == (keys.count(max(keys)) > 1)


# what is seen


def test_a_player_sees_all_but_the_secrets_of_others() -> None:
    say = play(COIN, "heads")
    assert say.observation("north")["vars"]["coin"] == "heads"  # type: ignore[index,call-overload]
    assert say.observation("south") == {
        "at": "say", "actor": "north", "menu": ["say"], "vars": {"coin": "?", "said": "none"},
    }  # fmt: skip
    assert play(COIN, "tails").observation("south") == say.observation("south")
    with pytest.raises(ValueError, match="no player is called west"):
        say.observation("west")


# as JSON


@given(st.sampled_from([NIM, PIG, COIN]), st.lists(st.integers(0, 99), max_size=12))
def test_states_come_back_from_json(game: Game, choices: list[int]) -> None:
    state = game.initial()
    for choice in choices:
        if not state.is_end:
            state = state.follow(choice % len(state.moves()))
    again = game.state(json.loads(json.dumps(state.to_json())))
    assert again == state
    assert again.moves() == state.moves()


def test_json_names_things_and_numbers_nothing() -> None:
    assert play(NIM, "take(2)").to_json() == {
        "format": "kemu-state", "game": "Nim", "program": NIM.hash, "at": "play.take",
        "vars": {"heap": 5, "result": {"0": 0, "1": 0}}, "locals": {"p": "south"},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "x"}, "no state of a game"),
        ({"program": "0"}, "belongs to another program: Nim"),
        ({"at": "play.give"}, "no stop 'play.give'"),
        ({"vars": {"heap": 5}}, "result is missing among the variables"),
        ({"vars": {"heap": 9, "result": {"0": 0, "1": 0}}}, "heap: 9 is no integer in 0..7"),
        ({"vars": {"heap": True, "result": {"0": 0, "1": 0}}}, "heap: True is no integer"),
        ({"vars": {"heap": 0, "result": {"0": 0, "1": 0}}}, "cannot stand at play.take so"),
        ({"locals": {"p": "west"}}, "p: 'west' is none of north, south"),
        ({"locals": {"p": "north", "q": 1}}, "q is none of the locals"),
    ],
)
def test_other_json_is_refused_with_a_reason(change: dict[str, Any], message: str) -> None:
    with pytest.raises(StateError, match=message):
        NIM.state(NIM.initial().to_json() | change)


# texts of actions

names = st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True)
points = st.tuples(st.integers(-9, 99), st.integers(-9, 99)).map(str)
args = st.one_of(names, points, st.integers(-5, 99).map(str))


@given(names, st.lists(args, max_size=3), st.randoms())
def test_actions_parse_from_what_they_print(name: str, given_args: list[str], random: Any) -> None:
    action = Action(name, tuple(given_args))
    spaced = "".join(
        f"{' ' * random.randint(0, 2)}{sign}{' ' * random.randint(0, 2)}" if sign in "(),-" else sign
        for sign in action.text.replace(" ", "")
    )
    assert Action.parse(action.text) == action
    assert Action.parse(f" {spaced}\n") == action


def test_any_text_is_some_action() -> None:
    assert Action.parse("(6, 6)") == Action("(6, 6)")
    assert Action.parse("big  red") == Action("big red")
    assert Action.parse("f(a)(b)") == Action("f(a)(b)")
    assert Action.parse("f(a, (b)") == Action("f(a, (b)")
