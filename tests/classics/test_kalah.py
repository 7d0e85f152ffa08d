"""Kalah: in step with a model, and the values of small boards."""

from __future__ import annotations

import pytest

from tests.classics.lockstep import in_step, value, ways
from tests.classics.perft import paths
from tests.test_classics import classic


class Kalah:
    """Pits of south from its left to its store, then north's; the stores are the last of each half."""

    def __init__(self, holes: int = 6, seeds: int = 4, bare: bool = False) -> None:
        self.half, self.bare = holes + 1, bare
        self.pits = ([seeds] * holes + [0]) * 2
        self.turn, self.over, self.winner = 0, False, None

    def own(self) -> range:
        return range(self.turn * self.half, (self.turn + 1) * self.half - 1)

    def actions(self) -> list[str]:
        return [f"sow({number})" for number, pit in enumerate(self.own(), 1) if self.pits[pit]]

    def play(self, action: str) -> None:
        pits, around, own = self.pits, 2 * self.half, self.own()
        at = own[int(action[4:-1]) - 1]
        pits[at], hand = 0, pits[at]
        for _ in range(hand):
            at = (at + 1) % around
            if at == (own.stop + self.half) % around:
                at = (at + 1) % around
            pits[at] += 1
        opposite = around - 2 - at
        if at in own and pits[at] == 1 and (self.bare or pits[opposite]):
            pits[own.stop] += 1 + pits[opposite]
            pits[at] = pits[opposite] = 0
        halves = pits[: self.half], pits[self.half :]
        self.over = any(not any(half[:-1]) for half in halves)
        if self.over:
            south, north = map(sum, halves)
            self.winner = None if south == north else 0 if south > north else 1
        if at != own.stop:
            self.turn = 1 - self.turn


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize(("holes", "seeds"), [(6, 4), (3, 5)])
def test_random_games_go_as_in_the_model(holes: int, seeds: int, bare: bool) -> None:
    game = classic("kalah", holes=holes, seeds=seeds, bare=bare)
    in_step(game, lambda: Kalah(holes, seeds, bare), games=20)


def test_as_many_ways_as_in_the_model() -> None:
    start = classic("kalah").initial()
    assert [paths(start, plies) for plies in (1, 2, 3, 4)] == [ways(Kalah(), plies) for plies in (1, 2, 3, 4)]


@pytest.mark.parametrize(("holes", "results"), [(1, "DLWLWD"), (2, "WLLLWW"), (3, "DWW")])
def test_who_wins_on_small_boards(holes: int, results: str) -> None:
    """By seeds in a hole: G. Irving, J. Donkers and J. Uiterwijk, Solving Kalah, ICGA Journal 23, 2000."""
    values = [
        value(classic("kalah", holes=holes, seeds=seeds).initial()) for seeds in range(1, len(results) + 1)
    ]
    assert "".join("W" if each > 0 else "L" if each < 0 else "D" for each in values) == results
