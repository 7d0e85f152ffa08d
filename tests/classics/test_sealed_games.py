"""Rock, paper, scissors; goofspiel; Kuhn poker: their histories as others count them, what they are worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest
from kemu_engine.play.state import State

from tests.classics.lockstep import in_step
from tests.test_classics import classic


def histories(state: State) -> Iterator[State]:
    """The state after every sequence of actions and outcomes, the empty one included."""
    yield state
    for move in state.moves():
        yield from histories(state.apply(move.text))


def kinds(state: State) -> tuple[int, int, int]:
    """How many of the histories end at chance, at a decision, at an end."""
    found = Counter((s.is_decision, s.is_end) for s in histories(state))
    return found[False, False], found[True, False], found[False, True]


def leads(state: State) -> dict[int, int]:
    """By how many points ann is ahead, and in how many complete games."""
    ends = (end.result.scores for end in histories(state) if end.result)
    return dict(sorted(Counter(scores["ann"][0] - scores["ben"][0] for scores in ends).items()))


# ---------------------------------------------------------------------------------- rock, paper, scissors


def test_rock_paper_scissors_has_nine_ways_a_round() -> None:
    assert kinds(classic("rock-paper-scissors", rounds=3).initial()) == (0, 4 * (1 + 9 + 81), 9**3)
    assert leads(classic("rock-paper-scissors", rounds=2).initial()) == {-2: 9, -1: 18, 0: 27, 1: 18, 2: 9}


# ---------------------------------------------------------------------------------------------- goofspiel


class Goofspiel:
    """Prizes from the highest to the lowest; of players 0 and 1, 1 bids without knowing of 0's card."""

    def __init__(self, cards: int = 13, carried: bool = False) -> None:
        self.carried, self.prizes, self.pot = carried, list(range(1, cards + 1)), 0
        self.hands = [list(self.prizes), list(self.prizes)]
        self.scores, self.bids = [0, 0], list[int]()
        self.over, self.winner = False, None

    @property
    def turn(self) -> int:
        return len(self.bids)

    def actions(self) -> list[str]:
        return [f"bid({card})" for card in self.hands[self.turn]]

    def play(self, action: str) -> None:
        card = int(action[4:-1])
        self.hands[self.turn].remove(card)
        self.bids.append(card)
        if len(self.bids) == 2:
            (ann, ben), self.bids = self.bids, []
            self.pot = self.prizes.pop() + (self.pot if self.carried else 0)
            if ann != ben:
                self.scores[ann < ben] += self.pot
                self.pot = 0
            self.over = not self.prizes
            if self.over and len(set(self.scores)) == 2:
                self.winner = self.scores.index(max(self.scores))


@pytest.mark.parametrize("carried", [False, True])
def test_goofspiel_goes_as_in_a_model(carried: bool) -> None:
    game = classic("goofspiel", order="falling", ties="carried" if carried else "discarded")
    in_step(game, lambda: Goofspiel(13, carried))


@pytest.mark.parametrize("order", ["falling", "rising"])
def test_goofspiel_with_four_cards_has_the_leads_of_openspiel(order: str) -> None:
    """points_order=descending and =ascending, returns_type=point_difference, there half of ours."""
    above = {0: 112, 1: 52, 2: 74, 3: 28, 4: 42, 5: 16, 6: 14, 8: 6}
    assert leads(classic("goofspiel", cards=4, order=order).initial()) == {
        **{-lead: games for lead, games in reversed(above.items())},
        **above,
    }


def test_goofspiel_has_the_histories_of_openspiel() -> None:
    """The last card is played without being asked there, and both at once are one step."""
    _, _, games = kinds(classic("goofspiel", cards=4, order="falling").initial())
    chance, _, shuffled = kinds(classic("goofspiel", cards=3).initial())
    assert (games, shuffled) == (576, 216)
    assert chance == 1 + 3 * 9 + 6 * 36
    leads_ = {-4: 12, -2: 30, -1: 36, 0: 60, 1: 36, 2: 30, 4: 12}
    assert leads(classic("goofspiel", cards=3).initial()) == leads_


# --------------------------------------------------------------------------------------------- Kuhn poker

Seen = tuple[str, str]
"""The card of the player who acts, and what was said before."""
Plan = dict[Seen, Fraction]
"""How likely a player bets or calls."""


def test_kuhn_poker_has_the_histories_of_openspiel() -> None:
    assert kinds(classic("kuhn-poker").initial()) == (1 + 3, 6 * 4, 6 * 5)


def worth(state: State, plans: tuple[Plan, Plan], said: str = "") -> Fraction:
    """What ann wins on average."""
    if state.result:
        return Fraction(state.result.payoffs["ann"])
    after = [state.apply(move.text) for move in state.moves()]
    if not state.is_decision:
        return sum((worth(s, plans) for s in after), Fraction(0)) / len(after)
    assert state.actor is not None
    card = str(state.value("card")[state.actor])  # type: ignore[index, call-overload]
    bold = plans[state.actor == "ben"][card, said]
    weights = {"check": 1 - bold, "fold": 1 - bold, "bet": bold, "call": bold}
    return sum(
        (weights[str(a)] * worth(state.apply(a), plans, f"{said} {a}") for a in state.actions()), Fraction(0)
    )


def plan(said: tuple[str, str], *bold: Fraction | int) -> Plan:
    """For each of the two situations the chances with 1, 2, 3."""
    situations = product(said, "123")
    return {(card, words): Fraction(n) for (words, card), n in zip(situations, bold, strict=True)}


ANN, BEN = ("", " check bet"), (" check", " bet")
THIRD = Fraction(1, 3)


def test_kuhn_poker_is_worth_what_kuhn_proved() -> None:
    """The beginner loses 1/18 a game on average: neither does better against the other's plan."""
    start = classic("kuhn-poker").initial()
    ben = plan(BEN, THIRD, 0, 1, 0, THIRD, 1)
    sure = [[Fraction(n) for n in bold] for bold in product((0, 1), repeat=6)]
    for bluff in (Fraction(0), Fraction(1, 6), THIRD):
        ann = plan(ANN, bluff, 0, 3 * bluff, 0, bluff + THIRD, 1)
        assert worth(start, (ann, ben)) == Fraction(-1, 18)
        if bluff == THIRD:
            assert min(worth(start, (ann, plan(BEN, *bold))) for bold in sure) == Fraction(-1, 18)
    assert max(worth(start, (plan(ANN, *bold), ben)) for bold in sure) == Fraction(-1, 18)
