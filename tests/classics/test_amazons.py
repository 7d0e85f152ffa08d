"""Amazons: the ways to play of the tournament board, and in step with a model."""

from __future__ import annotations

import pytest

from tests.classics.lockstep import counted, in_step, ways
from tests.soak import as_far
from tests.test_classics import Point, classic, points

pytestmark = pytest.mark.slow

STEPS = [(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1) if (x, y) != (0, 0)]
BEGINNINGS = {
    10: ([(4, 1), (7, 1), (1, 4), (10, 4)], [(1, 7), (10, 7), (4, 10), (7, 10)]),
    5: ([(2, 1), (4, 1), (1, 2), (5, 2)], [(1, 4), (5, 4), (2, 5), (4, 5)]),
    3: ([(1, 1)], [(3, 3)]),
}


class Amazons:
    def __init__(self, size: int) -> None:
        self.size, self.stand = size, [set(each) for each in BEGINNINGS[size]]
        self.burnt: set[Point] = set()
        self.shooter: Point | None = None
        self.turn, self.over, self.winner = 0, False, None

    def reach(self, start: Point) -> list[Point]:
        found, taken = [], self.stand[0] | self.stand[1] | self.burnt
        for across, down in STEPS:
            x, y = start[0] + across, start[1] + down
            while 1 <= x <= self.size and 1 <= y <= self.size and (x, y) not in taken:
                found.append((x, y))
                x, y = x + across, y + down
        return in_rows(found)

    def actions(self) -> list[str]:
        if self.shooter:
            return [f"shoot({c})" for c in self.reach(self.shooter)]
        return [f"go({a}, {b})" for a in in_rows(self.stand[self.turn]) for b in self.reach(a)]

    def play(self, action: str) -> None:
        *start, to = points(action)
        if start:
            self.stand[self.turn] = self.stand[self.turn] - {*start} | {to}
            self.shooter = to
            return
        self.burnt.add(to)
        self.shooter, self.turn = None, 1 - self.turn
        if not self.actions():
            self.over, self.winner = True, 1 - self.turn


def in_rows(cells: list[Point] | set[Point]) -> list[Point]:
    return sorted(cells, key=lambda cell: cell[::-1])


@pytest.mark.parametrize(("size", "amazons"), [(10, 4), (5, 4), (3, 1)])
def test_random_games_go_as_in_the_model(size: int, amazons: int) -> None:
    in_step(classic("amazons", size=size, amazons=amazons), lambda: Amazons(size))


def test_the_first_turns_of_the_tournament_board() -> None:
    """Of 2,176 first turns all accounts of the game speak; two turns are two times a walk and a shot."""
    known = as_far(3, [80, 2_176, 168_420, 4_307_152])
    assert counted(classic("amazons"), len(known)) == known
    assert [ways(Amazons(10), plies) for plies in (1, 2)] == [80, 2_176]


def test_as_many_ways_as_in_the_model_on_a_small_board() -> None:
    assert counted(classic("amazons", size=3, amazons=1), 6)[-1] == ways(Amazons(3), 6)
