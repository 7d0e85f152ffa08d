"""`draw n from deck to hand[p]`, and `again`: the turn of the same player anew."""

from __future__ import annotations

import pytest
from kemu_engine.play.state import FaultError
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import game_in, play, sound_in, texts

DEAL = """\
game "Deal"
players ann, ben
option n: 0..3 = 2
enum Card: ace, king, queen
state:
    deck: bag[Card, 5] = {ace: 2, king: 2, queen: 1}
    hand: map[Player, bag[Card, 3]]
    top: list[Card, 3]
    some: set[Card]
    pick: Card?
    yes: bool
rules:
    DEAL
    choose go by ann
    end tie
"""


DECK = {"ace": 2, "king": 2, "queen": 1}
KINGS = ("king", "king", "queen")


@pytest.mark.parametrize(
    ("statement", "drawn", "truth"),
    [
        ("draw 2 from deck to hand[ann]", "ace king", "hand == {ann: {ace: 1, king: 1}, ben: {}}"),
        ("draw n from deck to top", "queen ace", "top == [queen, ace]"),
        ("draw n + 1 from deck to top", "ace ace king", "top == [ace, ace, king]"),
        ("draw 2 from deck to some", "king queen", "some == {king, queen}"),
        ("draw 1 from deck to pick", "queen", "pick == queen"),
        ("draw 2 from deck to box", "ace ace", "top == [] and len(deck) == 3"),
        ("draw 0 from deck to top", "", "top == [] and len(deck) == 5"),
    ],
)
def test_what_is_dealt(statement: str, drawn: str, truth: str) -> None:
    cards = drawn.split()
    state = play(sound_in(DEAL.replace("DEAL", f"{statement}\n    yes = {truth}")), *cards)
    assert texts(state) == ["go"] and state["yes"] is True
    assert state["deck"] == {card: number - cards.count(card) for card, number in DECK.items()}


def test_too_few_are_left() -> None:
    with pytest.raises(FaultError, match="empty_draw"):
        play(game_in(DEAL.replace("DEAL", "move all ace from deck to box; draw 4 from deck to box")), *KINGS)


TURNS = """\
game "Turns"
players ann, ben, cid
state:
    left: 0..6 = 6
rules:
    for p in turns() if left > 0:
        choose take(n in 1..2) if n <= left
        left -= n
        if left == 0:
            end win(p)
        while n == 2:
            choose:
                more:
                    again
                less:
                    break
"""


def test_the_same_player_again() -> None:
    game = sound_in(TURNS)
    assert play(game, "take(1)").actor == "ben"
    assert play(game, "take(2)", "more").actor == "ann"
    assert play(game, "take(2)", "less").actor == "ben"
    assert play(game, "take(1)", "take(2)", "more", "take(2)", "more").actor == "ben"


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("again", "E0511"),
        ("draw 2 from deck", "E0227"),
        ("draw 2 from deck to top if n > 1", "E0227"),
        ("draw ann from deck to top", "E0402"),
        ("draw 2 from hand to top", "E0405"),
        ("draw len(top) from deck to top", "E0701"),
        ("draw 1001 from deck to top", "E0742"),
    ],
)
def test_what_is_refused(statement: str, code: str) -> None:
    with pytest.raises(RulesError) as found:
        game_in(DEAL.replace("DEAL", statement))
    assert found.value.diagnostics[0].code == code


def test_again_is_a_name_as_well() -> None:
    game = game_in(DEAL.replace("DEAL", "again = 2\n    draw again from deck to top"))
    assert play(game, "ace", "ace").actor == "ann"
