"""Quoridor: the ways to play, and in step with a model."""

from __future__ import annotations

import pytest

from tests.classics.lockstep import counted, in_step, ways
from tests.test_classics import Point, classic, points

pytestmark = pytest.mark.slow

Wall = tuple[Point, str]
STEPS = [(0, -1), (-1, 0), (1, 0), (0, 1)]


class Quoridor:
    """Walls close pairs of cells; the two halves of a wall are the pairs that it closes."""

    def __init__(self, size: int = 9, walls: int = 10) -> None:
        self.size, self.left = size, [walls, walls]
        self.pawns = [((size + 1) // 2, 1), ((size + 1) // 2, size)]
        self.walls: set[Wall] = set()
        self.turn, self.over, self.winner = 0, False, None

    def closed(self, walls: set[Wall]) -> set[frozenset[Point]]:
        found = set()
        for (x, y), lie in walls:
            for n in (0, 1):
                pair = [(x + n, y), (x + n, y + 1)] if lie == "flat" else [(x, y + n), (x + 1, y + n)]
                found.add(frozenset(pair))
        return found

    def beside(self, cell: Point, closed: set[frozenset[Point]]) -> list[Point]:
        cells = [(cell[0] + x, cell[1] + y) for x, y in STEPS]
        return [
            each for each in cells
            if min(each) > 0 and max(each) <= self.size and frozenset({cell, each}) not in closed
        ]  # fmt: skip

    def joined(self, p: int, walls: set[Wall]) -> bool:
        closed, new, seen = self.closed(walls), [self.pawns[p]], {self.pawns[p]}
        while new:
            fresh = [cell for cell in self.beside(new.pop(), closed) if cell not in seen]
            seen.update(fresh)
            new += fresh
        return any(y == self.far(p) for _, y in seen)

    def far(self, p: int) -> int:
        return 1 if p else self.size

    def steps(self) -> list[Point]:
        closed, own, other = self.closed(self.walls), self.pawns[self.turn], self.pawns[1 - self.turn]
        found = set(self.beside(own, closed))
        if other in found:
            after = set(self.beside(other, closed)) - {own}
            straight = (2 * other[0] - own[0], 2 * other[1] - own[1])
            found = found - {other} | ({straight} if straight in after else after)
        return sorted(found, key=lambda cell: cell[::-1])

    def may_build(self, x: int, y: int, lie: str) -> bool:
        on = (1, 0) if lie == "flat" else (0, 1)
        near = {
            ((x - on[0], y - on[1]), lie),
            ((x + on[0], y + on[1]), lie),
            ((x, y), "flat"),
            ((x, y), "upright"),
        }
        return not near & self.walls and all(self.joined(p, self.walls | {((x, y), lie)}) for p in (0, 1))

    def actions(self) -> list[str]:
        joints = [(x, y) for y in range(1, self.size) for x in range(1, self.size)]
        build = [
            f"build({joint}, {lie})"
            for joint in joints for lie in ("flat", "upright")
            if self.left[self.turn] and self.may_build(*joint, lie)
        ]  # fmt: skip
        return [f"step({cell})" for cell in self.steps()] + build

    def play(self, action: str) -> None:
        (place,) = points(action)
        if action.startswith("step"):
            self.pawns[self.turn] = place
            if place[1] == self.far(self.turn):
                self.over, self.winner = True, self.turn
        else:
            self.walls.add((place, "flat" if "flat" in action else "upright"))
            self.left[self.turn] -= 1
        self.turn = 1 - self.turn


@pytest.mark.parametrize(("size", "walls", "games"), [(9, 10, 2), (5, 3, 5), (3, 1, 10)])
def test_random_games_go_as_in_the_model(size: int, walls: int, games: int) -> None:
    in_step(classic("quoridor", size=size, walls=walls), lambda: Quoridor(size, walls), games, decisions=120)


def test_the_first_turns() -> None:
    """Three steps, and two walls on each of 64 joints; of two turns the model counts as many, but slowly."""
    assert counted(classic("quoridor"), 2) == [3 + 2 * 64, 16_677]
    assert counted(classic("quoridor", size=5, walls=2), 2) == [
        ways(Quoridor(5, 2), plies) for plies in (1, 2)
    ]
