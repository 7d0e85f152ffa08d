"""Nine men's morris: in step with a model, for three squares and for two."""

from __future__ import annotations

import pytest

from tests.classics.lockstep import in_step, ways
from tests.classics.perft import paths
from tests.test_classics import Point, classic, points

AROUND = [(-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)]


class Morris:
    """A point is (square, place): squares from the inmost, places clockwise, the even ones corners."""

    def __init__(self, men: int = 9, squares: int = 3, flying: bool = True, quiet: int = 50) -> None:
        self.squares, self.flying, self.quiet = squares, flying, quiet
        self.hand, self.idle, self.taking = [men, men], 0, False
        self.men: dict[Point, int] = {}
        self.turn, self.over, self.winner = 0, False, None
        self.names = {
            (square, place): (squares + 1 + (square + 1) * x, squares + 1 + (square + 1) * y)
            for square in range(squares)
            for place, (x, y) in enumerate(AROUND)
        }
        self.points = sorted(self.names, key=lambda point: self.names[point][::-1])

    def neighbours(self, point: Point) -> set[Point]:
        square, place = point
        beside = {(square, (place + 1) % 8), (square, (place - 1) % 8)}
        return beside | (
            {(square + 1, place), (square - 1, place)} & set(self.points) if place % 2 else set()
        )

    def in_mill(self, point: Point) -> bool:
        square, place = point
        on_side = (
            [(place - 1, place, place + 1)]
            if place % 2
            else [(place, place + 1, place + 2), (place - 2, place - 1, place)]
        )
        mills = [[(square, each % 8) for each in side] for side in on_side]
        if place % 2 and self.squares == 3:
            mills.append([(each, place) for each in range(3)])
        return any(all(self.men.get(each) == self.men[point] for each in mill) for mill in mills)

    def own(self, p: int) -> list[Point]:
        return [point for point in self.points if self.men.get(point) == p]

    def actions(self) -> list[str]:
        own, free = self.own(self.turn), [point for point in self.points if point not in self.men]
        if self.taking:
            theirs = self.own(1 - self.turn)
            open_ones = [point for point in theirs if not self.in_mill(point)]
            return [f"take({self.names[point]})" for point in open_ones or theirs]
        if self.hand[self.turn]:
            return [f"lay({self.names[point]})" for point in free]
        anywhere = self.flying and len(own) == 3
        return [
            f"move({self.names[a]}, {self.names[b]})"
            for a in own
            for b in free
            if anywhere or b in self.neighbours(a)
        ]

    def play(self, action: str) -> None:
        named = {name: point for point, name in self.names.items()}
        *left, to = (named[point] for point in points(action))
        if self.taking:
            del self.men[to]
            self.idle, self.taking = 0, False
            if self.hand[1 - self.turn] + len(self.own(1 - self.turn)) == 2:
                self.over, self.winner = True, self.turn
        else:
            for point in left:
                del self.men[point]
                self.idle += 1
            self.hand[self.turn] -= not left
            self.men[to] = self.turn
            self.taking = self.in_mill(to)
        if self.taking or self.over:
            return
        self.turn = 1 - self.turn
        if self.idle == self.quiet:
            self.over = True
        elif not self.actions():
            self.over, self.winner = True, 1 - self.turn


@pytest.mark.parametrize(
    ("men", "squares", "flying", "quiet"),
    [(9, 3, True, 50), (6, 2, False, 20), (4, 1, True, 5), (5, 2, True, 9)],
)
def test_random_games_go_as_in_the_model(men: int, squares: int, flying: bool, quiet: int) -> None:
    game = classic("nine-mens-morris", men=men, squares=squares, flying=flying, quiet=quiet)
    in_step(game, lambda: Morris(men, squares, flying, quiet), games=10)


def test_as_many_ways_as_in_the_model() -> None:
    start = classic("nine-mens-morris").initial()
    assert [paths(start, plies) for plies in (1, 2, 3)] == [24, 24 * 23, 24 * 23 * 22]
    small = classic("nine-mens-morris", men=3, squares=1).initial()
    assert paths(small, 6) == ways(Morris(3, 1), 6)
