"""Cribbage: hands counted as by a plain count, and random games in step with a model."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Generator
from itertools import combinations, product

from kemu_engine.play.game import Game

from tests.classics.perft import begun
from tests.test_classics import classic

Card = tuple[int, str]
SUITS = ("clubs", "diamonds", "hearts", "spades")
DECK = list(product(range(1, 14), SUITS))


def worth(card: Card) -> int:
    return min(card[0], 10)


def is_run(cards: tuple[Card, ...]) -> bool:
    ranks = sorted(rank for rank, _ in cards)
    return len(ranks) > 2 and ranks == list(range(ranks[0], ranks[0] + len(ranks)))


def show(four: list[Card], starter: Card, crib: bool = False) -> int:
    """What a hand counts."""
    five = [*four, starter]
    subsets = [each for n in range(2, 6) for each in combinations(five, n)]
    found = sum(2 for each in subsets if sum(map(worth, each)) == 15)
    found += sum(2 for (a, _), (b, _) in combinations(five, 2) if a == b)
    longest = max((len(each) for each in subsets if is_run(each)), default=0)
    found += sum(longest for each in subsets if len(each) == longest and is_run(each))
    suits = {suit for _, suit in four}
    if suits == {starter[1]}:
        found += 5
    elif len(suits) == 1 and not crib:
        found += 4
    return found + ((11, starter[1]) in four)


def written(card: Card) -> str:
    return f"({card[0]}, {card[1]})"


def counted(game: Game, four: list[Card], starter: Card) -> int:
    """What the rules file counts a hand: ann plays its last card, which is a point, and shows it."""
    json = begun(game, "twenty-nine").to_json()
    changed = {
        "starter": written(starter),
        "played": {**json["vars"]["played"], "ann": [written(card) for card in four[1:]]},  # type: ignore[index]
        "hand": {"ann": [written(four[0])], "ben": []},
    }
    state = game.state({**json, "vars": {**json["vars"], **changed}})  # type: ignore[dict-item]
    after = state.apply(f"play({written(four[0])})")
    return int(str(after.value("score")["ann"])) - 1  # type: ignore[index, call-overload]


def test_hands_count_as_by_a_plain_count() -> None:
    game, chance, seen = classic("cribbage"), random.Random(0), Counter[int]()
    for _ in range(4_000):
        *four, starter = chance.sample(DECK, 5)
        found = counted(game, four, starter)
        assert found == show(four, starter), (four, starter)
        seen[found] += 1
    assert max(seen) <= 29 and not {19, 25, 26, 27} & set(seen)
    assert abs(sum(points * n for points, n in seen.items()) / 4_000 - 4.769) < 0.25


def test_twenty_nine_is_the_perfect_hand() -> None:
    perfect: list[Card] = [(5, "clubs"), (5, "diamonds"), (5, "spades"), (11, "hearts")]
    assert counted(classic("cribbage"), perfect, (5, "hearts")) == 29


# ------------------------------------------------------------------------------------------ whole games

Asked = tuple[str, list[str]] | None
"""Who decides, and what he may do; None: chance."""


class Won(Exception):
    pass


class Cribbage:
    def __init__(self) -> None:
        self.score = {"ann": 0, "ben": 0}

    def gain(self, player: str, points: int) -> None:
        self.score[player] = min(121, self.score[player] + points)
        if self.score[player] == 121:
            raise Won(player)

    def go(self) -> Generator[Asked, str]:
        """Asks for what happens, and is sent its text."""
        dealer, other = "ann", "ben"
        while True:
            yield from self.deal(dealer, other)
            dealer, other = other, dealer

    def deal(self, dealer: str, other: str) -> Generator[Asked, str]:
        hands: dict[str, list[Card]] = {"ann": [], "ben": []}
        crib: list[Card] = []
        for hand in hands.values():
            for _ in range(6):
                hand.append(card_of((yield None)))
        for player, hand in hands.items():
            for _ in range(2):
                hand.sort()
                crib.append(card_of((yield player, [f"lay_away({written(c)})" for c in hand])))
                hand.remove(crib[-1])
        starter = card_of((yield None))
        if starter[0] == 11:
            self.gain(dealer, 2)
        yield from self.play([other, dealer], {player: sorted(hand) for player, hand in hands.items()})
        self.gain(other, show(hands[other], starter))
        self.gain(dealer, show(hands[dealer], starter))
        for _ in crib:
            yield None
        self.gain(dealer, show(crib, starter, crib=True))

    def play(self, order: list[str], hands: dict[str, list[Card]]) -> Generator[Asked, str]:
        """The player who leads is the first in `order`."""
        row, last, gone = list[Card](), order[1], set[str]()
        while any(hands.values()):
            player = order[0]
            if hands[player] and player not in gone:
                can = [c for c in hands[player] if sum(map(worth, row)) + worth(c) <= 31]
                said = yield player, [f"play({written(c)})" for c in can] or ["go"]
                if said == "go":
                    gone.add(player)
                else:
                    hands[player].remove(card_of(said))
                    row.append(card_of(said))
                    last = player
                    self.gain(player, row_points(row))
            over = all(not hand or player in gone for player, hand in hands.items())
            if sum(map(worth, row)) == 31 or over:
                if sum(map(worth, row)) < 31:
                    self.gain(last, 1)
                row, gone = [], set()
            order = order[::-1]


def row_points(row: list[Card]) -> int:
    total = sum(map(worth, row))
    alike = next(n for n in range(len(row), 0, -1) if len({rank for rank, _ in row[-n:]}) == 1)
    run = max((n for n in range(3, len(row) + 1) if is_run(tuple(row[-n:]))), default=0)
    return 2 * (total == 15) + 2 * (total == 31) + alike * (alike - 1) + run


def card_of(text: str) -> Card:
    (found,) = re.findall(r"(\d+), (\w+)", text)
    return int(found[0]), found[1]


def test_random_games_go_as_in_the_model() -> None:
    game, chance = classic("cribbage"), random.Random(0)
    for _ in range(8):
        state, model = game.initial(), Cribbage()
        playing = model.go()
        asked = next(playing)
        while not state.is_end:
            moves = [move.text for move in state.moves()]
            if asked is None:
                assert state.actor is None
            else:
                assert (state.actor, sorted(moves)) == (asked[0], sorted(asked[1]))
            chosen = chance.choice(moves)
            state = state.apply(chosen)
            winner = None
            try:
                asked = playing.send(chosen)
            except Won as won:
                winner = str(won)
            assert (state.result.winner if state.result else None) == winner
            assert {p: int(str(state.value("score")[p])) for p in game.players} == model.score  # type: ignore[index, call-overload]
