"""The Mahé oracle against hand-made positions; HE numbers are the worked examples of the rule facts."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

import pytest

from . import mahe as oracle
from .mahe import MIXES, Model, Turtle

RED, YELLOW, BLUE, GREEN = oracle.COLOURS[:4]


def turtle(colour: str, number: int = 1) -> Turtle:
    return colour, number


def at(
    fields: Mapping[int, tuple[str, ...]],
    *,
    players: int = 4,
    hands: Mapping[str, tuple[int, ...]] | None = None,
    open_card: int | None = 5,
    unseen: Mapping[int, int] | None = None,
    options: Mapping[str, str | bool] | None = None,
) -> Model:
    """Red about to throw the first die (with two turtles: to choose); stacks from below by colour."""
    start = oracle.initial(players, **(options or {}))
    placed = replace(
        start,
        fields={field: tuple(turtle(colour) for colour in stack) for field, stack in fields.items()},
        hands={**start.hands, **(hands or {})},
    )
    ready = placed.apply("3")
    return replace(ready, open_card=open_card, unseen=unseen or start.unseen)


def play(model: Model, *texts: str) -> Model:
    for text in texts:
        assert text in (model.actions() or model.outcomes()), (text, model.actions(), model.outcomes())
        model = model.apply(text)
    return model


def throw(model: Model, *pips: int) -> Model:
    """The dice of one swim, the pilot asking for each after the first."""
    texts = [text for number in pips for text in ("throw", str(number))]
    return play(model, *texts[1:])


def test_setup() -> None:
    model = oracle.initial(2)
    assert model.outcomes() == {"1": 3, "2": 3, "3": 5, "4": 5, "5": 5, "6": 3}
    opened = play(model, "5")
    assert opened.actor == RED and opened.actions() == ["next_swimmer((red, 1))", "next_swimmer((red, 2))"]
    single = play(oracle.initial(4), "5")
    assert single.outcomes() == dict.fromkeys("123456", 1) and len(single.turtles) == 4
    assert len(oracle.initial(3).turtles) == 6
    with pytest.raises(ValueError):
        oracle.initial(8)
    with pytest.raises(ValueError):
        oracle.initial(2, H9="never")


def test_dice() -> None:
    bust = throw(at({4: (RED,)}), 2, 6)  # HE1
    assert bust.where(turtle(RED)) == 0 and bust.mover == YELLOW and bust.stage == "die"
    two = play(throw(at({4: (RED,)}), 2, 4), "stop")  # HE2
    assert two.where(turtle(RED)) == 16
    round_trip = throw(at({4: (RED,)}), 2, 1, 4)  # HE3
    assert round_trip.where(turtle(RED)) == 4 and round_trip.hands[RED] == (5,)
    from_raft = throw(at({}), 2, 1, 4)
    assert from_raft.where(turtle(RED)) == 21 and from_raft.hands[RED] == (5,)
    for pips in range(1, 7):  # HE4
        assert play(throw(at({}), pips), "stop").where(turtle(RED)) == pips
    # A third die may be thrown at seven, and is always too much.
    assert set(throw(at({4: (RED,)}), 3, 4).actions()) == {"stop", "throw"}
    assert throw(at({4: (RED,)}), 3, 4, 1).where(turtle(RED)) == 0


def test_a_stack() -> None:
    stack = {18: (BLUE, RED, YELLOW)}
    model = throw(at(stack), 1)
    assert model.actor == YELLOW
    moved = throw(at(stack), 1, 2, 3)  # HE5
    assert moved.hands[YELLOW] == (5,) and moved.hands[RED] == () and moved.kind == "chance"
    assert moved.fields == {15: (turtle(RED), turtle(YELLOW)), 18: (turtle(BLUE),)}
    back = throw(at(stack), 1, 5, 4)  # HE6
    assert back.fields == {18: (turtle(BLUE),)} and back.hands[YELLOW] == ()
    # HE13: on a field with a stack the load lands on top.
    landed = play(throw(at({1: (RED, YELLOW), 4: (BLUE, GREEN)}), 3), "stop")
    assert landed.fields == {4: (turtle(BLUE), turtle(GREEN), turtle(RED), turtle(YELLOW))}
    # A full round ends on those left behind.
    full = throw(at({18: (BLUE, RED)}), 1, 2, 4)
    assert full.fields == {18: (turtle(BLUE), turtle(RED))}


def test_the_beach() -> None:
    left = play(throw(at({21: (RED,)}), 6), "stop")
    assert left.where(turtle(RED)) == 6 and left.hands[RED] == ()
    again = throw(at({21: (RED,)}), 2, 1, 4)
    assert again.where(turtle(RED)) == 21 and again.hands[RED] == (5,)
    exactly = play(throw(at({20: (RED,)}), 1), "stop")
    assert exactly.where(turtle(RED)) == 21 and exactly.hands[RED] == (5,)
    following = play(exactly, "6")
    assert following.open_card == 6 and following.mover == YELLOW and following.unseen[6] == 2


def test_the_nest() -> None:
    def last_card(**options: str | bool) -> Model:
        four = {1: 1, 2: 1, 3: 0, 4: 0, 5: 2, 6: 0}
        model = at({21: (YELLOW,), 20: (RED,)}, unseen=four, options=options)
        model = play(throw(model, 1), "stop")  # red lands on yellow and takes the twentieth card
        assert model.open_card is None and model.hands[RED] == (5,) and model.kind == "chance"
        return model

    # Yellow swims a round with red on top: the same top turtle as before.
    for edition in ("dutch", "french"):
        same = throw(last_card(edition=edition), 1, 2, 4)
        assert same.kind == "end" and same.nest == RED and same.eggs(RED) == 12
    swimmer = throw(last_card(H6="swimmer"), 1, 2, 4)
    assert swimmer.kind == "end" and swimmer.nest == YELLOW and swimmer.eggs(RED) == 5
    again = throw(last_card(H7="another_turtle"), 1, 2, 4)
    assert again.kind == "chance" and again.nest is None and again.mover == BLUE
    other = throw(again, 2, 1, 4)
    assert other.kind == "end" and other.nest == BLUE and other.eggs(BLUE) == 7


def test_the_mix_of_cards() -> None:  # H20
    shown = "13345612446234633455"  # in the scoring example, which deals out twenty
    for name, cards in MIXES.items():
        assert oracle.initial(4, H20=name).unseen == cards and sum(cards.values()) == 24
        assert all(shown.count(str(eggs)) <= number for eggs, number in cards.items())
    assert [sum(eggs * number for eggs, number in cards.items()) for cards in MIXES.values()] == [87, 88]


def test_the_winner() -> None:  # HE7
    hands = {RED: (1, 3, 3, 4, 5, 6), YELLOW: (1, 2, 4, 4, 6), BLUE: (2, 3, 4, 6), GREEN: (3, 3, 4, 5, 5)}
    model = replace(at({}, hands=hands), nest=BLUE, stage="over")
    assert [model.eggs(player) for player in model.players] == [22, 17, 22, 20]
    assert model.places() == {RED: 1, BLUE: 2, GREEN: 3, YELLOW: 4}
    five = replace(at({}, hands=hands | {RED: (3, 4, 4, 5, 6)}), nest=BLUE, stage="over")
    assert five.places() == {RED: 1, BLUE: 1, GREEN: 3, YELLOW: 4}
    cards_only = replace(at({}, hands=hands | {RED: (3, 4, 4, 5, 6)}, options={"V1": "no"}), nest=BLUE)
    assert cards_only.places()[BLUE] == 2


def test_two_turtles() -> None:  # HE12
    model = play(at({}, players=3), "next_swimmer((red, 2))", "2", "stop")
    assert model.where((RED, 2)) == 2 and model.kind == "chance" and model.swimmer == (RED, 1)
    both = play(model, "2", "stop")
    assert both.fields == {2: ((RED, 2), (RED, 1))} and both.actor == YELLOW
    # A card is opened before the second one swims.
    laid = throw(play(at({}, players=2), "next_swimmer((red, 1))"), 2, 1, 4)
    assert laid.stage == "open" and play(laid, "1").swimmer == (RED, 2)
    # The second does not swim when the first has ended the game.
    ended = throw(play(at({}, players=2, open_card=None), "next_swimmer((red, 1))"), 2, 1, 4)
    assert ended.kind == "end" and ended.nest == RED


def test_a_bust_of_the_first_turtle() -> None:  # H18
    for answer, mover in (("goes", RED), ("waits", YELLOW)):
        model = play(at({}, players=2, options={"H18": answer}), "next_swimmer((red, 1))")
        assert throw(model, 5, 6).mover == mover


VARIANT: dict[str, str | bool] = {"card_variant": True}


def test_cards_as_dice() -> None:
    hands = {RED: (2, 3, 2)}
    start = at({}, hands=hands, options=VARIANT)
    assert start.kind == "chance"  # HE9: the first die is thrown
    model = throw(start, 5)
    assert set(model.actions()) == {"stop", "throw", "play(2)"}
    played = play(model, "play(2)")
    assert set(played.actions()) == {"stop", "throw"}  # HE10
    done = play(played, "stop")  # HE8
    assert done.where(turtle(RED)) == 14 and done.hands[RED] == (3, 2) and done.eggs(RED) == 5
    assert "play(2)" not in throw(at({}, hands=hands), 5).actions()
    third = play(throw(start, 1, 1), "play(3)")
    assert third.where(turtle(RED)) == 15 and third.mover == YELLOW
    # A card may send the load back by option (H10), and by the French text.
    assert "play(3)" in throw(at({}, hands=hands, options=VARIANT | {"edition": "french"}), 5).actions()
    allowed = throw(at({}, hands=hands, options=VARIANT | {"H10": "allowed"}), 5)
    bust = play(allowed, "play(3)")
    assert bust.where(turtle(RED)) == 0 and bust.hands[RED] == (2, 2)


def test_one_card_in_a_turn_or_for_each_turtle_or_player() -> None:  # H9
    for answer, may_play in (("turn", False), ("turtle", True), ("player", False)):
        options = VARIANT | {"H9": answer}
        model = play(at({}, players=2, hands={RED: (1, 2)}, options=options), "next_swimmer((red, 1))", "4")
        model = play(model, "play(2)", "stop", "3")
        assert ("play(1)" in model.actions()) is may_play
    hands, stack = {RED: (1,), YELLOW: (2,)}, {3: (RED, YELLOW)}
    for answer, may_play in (("turn", False), ("turtle", False), ("player", True)):
        options = VARIANT | {"H9": answer, "H11": "yes"}
        model = throw(at(stack, hands=hands, options=options), 4)
        assert ("instead(1)" in play(model, "throw").actions()) is True
        assert ("play(2)" in play(model, "throw", "instead(1)").actions()) is may_play


def test_the_top_turtle_plays_its_own_cards() -> None:
    hands = {RED: (1, 6), YELLOW: (2,)}
    stack = {3: (RED, YELLOW)}
    model = throw(at(stack, hands=hands, options=VARIANT), 4)
    assert model.actor == YELLOW and set(model.actions()) == {"stop", "throw", "play(2)"}
    assert play(model, "throw").kind == "chance"
    played = play(model, "play(2)", "stop")
    assert played.hands == {RED: (1, 6), YELLOW: (), BLUE: (), GREEN: ()}
    assert played.where(turtle(YELLOW)) == 15
    # H11: the swimmer's owner may answer with a card of his own.
    answer = play(throw(at(stack, hands=hands, options=VARIANT | {"H11": "yes"}), 4), "throw")
    assert answer.actor == RED and set(answer.actions()) == {"pass", "instead(1)"}
    assert play(answer, "pass").kind == "chance"
    instead = play(answer, "instead(1)")
    assert instead.actor == YELLOW and set(instead.actions()) == {"stop", "throw"}
    assert play(instead, "throw").kind == "chance" and instead.hands[RED] == (6,)


@pytest.mark.parametrize("players", [2, 3, 4, 7])
@pytest.mark.parametrize("card_variant", [False, True])
def test_random_games(players: int, card_variant: bool) -> None:  # HE11
    chance = random.Random(players)
    model = oracle.initial(players, card_variant=card_variant, H10="allowed", H11="yes")
    for _ in range(6000):
        if model.kind == "end":
            break
        assert sum(model.unseen.values()) >= 4
        if model.kind == "chance":
            outcomes = model.outcomes()
            text = chance.choices(list(outcomes), list(outcomes.values()))[0]
        else:
            texts = model.actions()
            assert texts and len(set(texts)) == len(texts)
            text = chance.choice(texts)
        model = model.apply(text)
        swimming = [each for stack in model.fields.values() for each in stack]
        assert len(set(swimming)) == len(swimming)
    assert model.kind == "end" and model.nest is not None and min(model.places().values()) == 1
    laid = sum(model.eggs(player) for player in model.players) - 7
    seen = sum(eggs * (number - model.unseen[eggs]) for eggs, number in MIXES["middling"].items())
    assert laid == seen if not card_variant else laid <= seen
    assert sum(model.unseen.values()) == 4
