"""Onitama: in step with a model, and as many ways from one deal as in the model."""

from __future__ import annotations

import random
from functools import reduce

import pytest
from kemu_engine.play.state import State

from tests.classics.lockstep import in_step, ways
from tests.classics.perft import paths
from tests.test_classics import classic, points

STEPS = """
ox ^>v | boar <^> | horse <^v | elephant <>qe | crab ^LR | tiger Tv | dragon DGzc | frog Lqc | rabbit Rez
goose <q>c | rooster >e<z | monkey qezc | mantis qev | crane ^zc | eel qz> | cobra <ec
"""
SIGNS = {
    "^": (0, 1), "v": (0, -1), "<": (-1, 0), ">": (1, 0),
    "q": (-1, 1), "e": (1, 1), "z": (-1, -1), "c": (1, -1),
    "L": (-2, 0), "R": (2, 0), "T": (0, 2), "D": (-2, 1), "G": (2, 1),
}  # fmt: skip
CARDS = dict(each.split() for each in STEPS.replace("\n", "|").split("|") if each.strip())
BLUE = {"ox", "crab", "tiger", "rabbit", "goose", "monkey", "crane", "eel"}
DEAL = ["ox", "boar", "horse", "elephant", "crab"]


class Onitama:
    """After the deal: red, who is 0, holds two cards, blue the next two; one lies beside the board."""

    def __init__(self, deal: list[str]) -> None:
        self.hands, self.side = [deal[:2], deal[2:4]], deal[4]
        self.men = [{(x, y): x == 3 for x in range(1, 6)} for y in (1, 5)]
        self.turn, self.over, self.winner = int(self.side in BLUE), False, None

    def actions(self) -> list[str]:
        own, way = self.men[self.turn], -1 if self.turn else 1
        hand = sorted(self.hands[self.turn], key=list(CARDS).index)
        found = []
        for card in hand:
            for x, y in sorted(own, key=lambda cell: (cell[1], cell[0])):
                goals = [(x + way * SIGNS[s][0], y + way * SIGNS[s][1]) for s in CARDS[card]]
                found += [
                    f"go({card}, {(x, y)}, {goal})"
                    for goal in sorted(goals, key=lambda cell: (cell[1], cell[0]))
                    if goal not in own and min(goal) >= 1 and max(goal) <= 5
                ]
        return found or [f"leave({card})" for card in hand]

    def play(self, action: str) -> None:
        card = action.split("(")[1].split(",")[0].rstrip(")")
        if action.startswith("go"):
            start, goal = points(action)
            master = self.men[self.turn].pop(start)
            self.men[self.turn][goal] = master
            taken = self.men[1 - self.turn].pop(goal, False)
            self.over = taken or (master and goal == ((3, 1) if self.turn else (3, 5)))
            self.winner = self.turn if self.over else None
        self.hands[self.turn].remove(card)
        self.hands[self.turn].append(self.side)
        self.side, self.turn = card, 1 - self.turn


def test_it_goes_as_in_the_model_from_any_deal() -> None:
    game, chance = classic("onitama"), random.Random(0)
    for _ in range(20):
        deal = chance.sample(list(CARDS), 5)
        in_step(game, lambda deal=deal: Onitama(deal), games=1, dealt=deal)  # type: ignore[misc]


def test_as_many_ways_as_in_the_model() -> None:
    state = reduce(State.apply, DEAL, classic("onitama").initial())
    found = [paths(state, plies) for plies in (1, 2, 3, 4)]
    assert found == [ways(Onitama(DEAL), plies) for plies in (1, 2, 3, 4)] == [13, 130, 1_830, 30_325]


@pytest.mark.parametrize("card", CARDS)
def test_the_stamp_says_who_begins(card: str) -> None:
    others = [other for other in CARDS if other != card]
    state = reduce(State.apply, [*others[:4], card], classic("onitama").initial())
    assert state.actor == ("blue" if card in BLUE else "red")
