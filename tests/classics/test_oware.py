"""Oware: in step with a model, and the ways to play of OpenSpiel 2.0.2, where 300 games went in step, too."""

from __future__ import annotations

import pytest

from tests.classics.lockstep import counted, in_step
from tests.test_classics import classic


class Oware:
    """Houses of south, then of north; a position that comes again ends the game."""

    def __init__(self, houses: int = 6, seeds: int = 4, slam: str = "harmless") -> None:
        self.houses, self.slam = houses, slam
        self.lies, self.store = [seeds] * (2 * houses), [0, 0]
        self.turn, self.over, self.winner = 0, False, None
        self.known = {(0, tuple(self.lies))}

    def side(self, p: int) -> range:
        return range(p * self.houses, (p + 1) * self.houses)

    def sown(self, start: int) -> tuple[list[int], set[int]]:
        """What lies where after a move, and the houses that it takes."""
        lies, around = self.lies.copy(), 2 * self.houses
        hand, lies[start], at = lies[start], 0, start
        while hand:
            at = (at + 1) % around
            if at != start:
                lies[at], hand = lies[at] + 1, hand - 1
        taken: set[int] = set()
        while at in self.side(1 - self.turn) and lies[at] in (2, 3):
            taken.add(at)
            at -= 1
        return lies, taken

    def slammed(self, lies: list[int], taken: set[int]) -> bool:
        return not any(lies[x] for x in self.side(1 - self.turn) if x not in taken)

    def legal(self, start: int) -> bool:
        lies, taken = self.sown(start)
        fed = any(lies[x] for x in self.side(1 - self.turn))
        return self.lies[start] > 0 and fed and not (self.slam == "forbidden" and self.slammed(lies, taken))

    def actions(self) -> list[str]:
        return [f"sow({number})" for number, x in enumerate(self.side(self.turn), 1) if self.legal(x)]

    def play(self, action: str) -> None:
        self.lies, taken = self.sown(self.side(self.turn)[int(action[4:-1]) - 1])
        if taken and (self.slam == "takes" or not self.slammed(self.lies, taken)):
            self.store[self.turn] += sum(self.lies[x] for x in taken)
            self.lies = [0 if x in taken else n for x, n in enumerate(self.lies)]
            self.known = set()
        self.turn = 1 - self.turn
        position = (self.turn, tuple(self.lies))
        halved = max(self.store) > (sum(self.lies) + sum(self.store)) // 2
        self.over = halved or position in self.known or not self.actions()
        self.known.add(position)
        if self.over:
            south, north = (self.store[p] + sum(self.lies[x] for x in self.side(p)) for p in (0, 1))
            self.winner = None if south == north else 0 if south > north else 1


@pytest.mark.parametrize("slam", ["forbidden", "takes", "harmless"])
@pytest.mark.parametrize(("houses", "seeds"), [(6, 4), (3, 2)])
def test_random_games_go_as_in_the_model(houses: int, seeds: int, slam: str) -> None:
    game = classic("oware", houses=houses, seeds=seeds, grand_slam=slam)
    in_step(game, lambda: Oware(houses, seeds, slam), games=20)


def test_as_many_ways_as_in_openspiel() -> None:
    assert counted(classic("oware"), 6) == [6, 36, 190, 1_014, 5_219, 27_332]
