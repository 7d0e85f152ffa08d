"""What players see, are told and know: observations, events, information states."""

from __future__ import annotations

import pytest
from kemu_engine.play.game import Game
from kemu_engine.play.state import State

from tests.rules import game_in

HEAD = """
language 2
game "Cards"
players ann, ben, cid
domain Card = 1..3
state:
    deck: set[Card] hidden = Card
    top: Card?
    each p in Player:
        hand: Card? secret to p
        brow: Card? secret to others(p)
rules:
"""


def played(rules: str, *moves: str) -> State:
    lines = [f"    {line}" for line in rules.strip().split("\n")]
    state = game_in(HEAD + "\n".join(lines)).initial()
    for move in moves:
        state = state.apply(move)
    return state


def told(state: State) -> list[list[str | None]]:
    """What each player was told of what was done."""
    return [[stop.done for stop in state.information_state(p).stops][:-1] for p in state.program.players]


def test_a_secret_is_kept_to_a_set_of_players() -> None:
    state = played("brow[ann] = 2\nchoose go by ben\nend tie")
    shown = [dict(state.observation(p)["vars"])["brow"]["ann"] for p in state.program.players]  # type: ignore
    assert shown == ["?", "2", "2"]


@pytest.mark.parametrize(
    "event", ["hand[ann] = draw from deck", "hand[ann] = roll Card", "c = draw from deck"]
)
def test_what_goes_into_a_secret_or_comes_out_of_one_is_told_to_nobody(event: str) -> None:
    state = played(f"{event}\nchoose go by ben\nend tie", "2")
    assert told(state) == [["?"]] * 3


@pytest.mark.parametrize("event", ["top = draw from deck", "c = roll Card", "top = roll Card"])
def test_what_everybody_sees_is_told(event: str) -> None:
    state = played(f"{event}\nchoose go by ben\nend tie", "2")
    assert told(state) == [["2"]] * 3


@pytest.mark.parametrize(
    ("shown", "who"),
    [
        ("reveal hand[ann]", "abc"), ("top = reveal hand[ann]", "abc"), ("reveal hand[ann] to ben", "b"),
        ("reveal hand[ann] to others(ben)", "ac"), ("reveal hand[ann] to {ann}", "a"),
    ],
)  # fmt: skip
def test_what_is_revealed_is_told_to_those_who_are_named(shown: str, who: str) -> None:
    state = played(f"hand[ann] = 3\n{shown}\nchoose go by ben\nend tie", "3")
    assert told(state) == [["3"] if p[0] in who else ["?"] for p in state.program.players]


def test_a_result_is_revealed_without_what_it_comes_from() -> None:
    state = played("hand[ann] = 3\nhigh = reveal hand[ann] > 1\nif high: end win(ann)\nend tie", "true")
    assert state.is_end
    assert state.information_state("ben").to_json()[0]["done"] == "true"
    assert "3" not in str(state.information_state("ben"))


def test_an_information_state_has_everything_in_order_and_no_names_of_rules() -> None:
    state = played(
        """
hand[ann] = draw from deck
sealed choose keep(c in Card) by ann
hand[ann] = c
choose by ben:
    say(n in Card):
        x = n
        choose go by cid
        top = x
end tie
""",
        "2", "keep(1)", "say(3)",
    )  # fmt: skip
    assert str(state.information_state("ann")).split("\n") == [
        "draw: ?", "hand[ann] = 2", "ann of keep: keep(1)", "hand[ann] = 1", "ben of say: say(3)",
        "cid of go",
    ]  # fmt: skip
    assert str(state.information_state("cid")).split("\n") == [
        "draw: ?", "ann of keep: ?", "ben of say: say(3)", "cid of go"
    ]  # fmt: skip


def test_plays_that_look_alike_give_equal_information_states() -> None:
    rules = "hand[ann] = draw from deck\nchoose go by ann\nchoose on by ben\nend tie"
    one, two = (played(rules, card, "go") for card in "12")
    assert [one.information_state(p) == two.information_state(p) for p in one.program.players] == [
        False, True, True,
    ]  # fmt: skip
    assert len({one.information_state("ben"), two.information_state("ben")}) == 1


def test_a_state_that_is_read_from_a_file_has_no_past() -> None:
    state = played("hand[ann] = draw from deck\nchoose go by ann\nchoose on by ann\nend tie", "2", "go")
    read = Game(state.program).state(state.to_json())
    assert [len(s.information_state("ann").stops) for s in (state, read)] == [3, 1]
    assert str(read.information_state("ann")) == "hand[ann] = 2\nann of on"


@pytest.mark.parametrize(
    ("rule", "call"),
    [
        ("rule cup(inout d: Card?):\n    d = roll Card", "cup(hand[ann])"),
        ("rule cup(inout d: Card?):\n    d = roll Card\n    choose wait by ben", "cup(hand[ann])"),
        (
            "rule cup(inout d: Card?):\n    deal(d)\nrule deal(inout e: Card?):\n    e = roll Card",
            "cup(hand[ann])",
        ),
        ("rule take(inout d: set[Card]):\n    c = draw from d", "take(deck)"),
    ],
)
def test_what_goes_into_a_secret_by_way_of_a_rule_is_told_to_nobody(rule: str, call: str) -> None:
    declared = HEAD.replace("rules:", f"{rule}\nrules:")
    state = game_in(f"{declared}    {call}\n    choose go by ben\n    end tie\n").initial().apply("2")
    assert told(state) == [["?"]] * 3


@pytest.mark.parametrize(
    ("value", "steps"),
    [
        ("deck", "1 2 3"), ("{2}", "2 none"), ("pile", "3 1 none"), ("coins", "1 1 none"), ("brow", "2 2 2"),
        ("(pile[0], hand[ann])", "(3,none)"),
    ],
)  # fmt: skip
def test_a_collection_is_revealed_thing_by_thing(value: str, steps: str) -> None:
    declared = HEAD.replace(
        "rules:",
        "    pile: list[Card, 4] hidden = [3, 1]\n    coins: bag[Card, 3] hidden = {1: 2}\n"
        "    held: set[Card] hidden = {2}\nrules:\n    for p in Player: brow[p] = 2\n",
    )
    shown = value.replace("{2}", "held")
    rules = f"    x = reveal {shown}\n    choose go by ben if x == {shown}\n    end tie\n"
    state = game_in(declared + rules).initial()
    for step in steps.replace(",", ", ").split(" ") if "(" not in steps else ["(3, none)"]:
        state = state.apply(step)
    assert state.label == "go"
    assert [stop.done for stop in state.information_state(None).stops[:-1]] == [
        *(["(3, none)"] if "(" in steps else steps.split())
    ]


def test_to_some_a_collection_is_revealed_in_as_many_stops_whatever_it_holds() -> None:
    state = played("deck = {2}\nreveal deck to ben\nchoose go by ben\nend tie", "2", "none", "none")
    assert told(state) == [["?"] * 3, ["2", "none", "none"], ["?"] * 3]
