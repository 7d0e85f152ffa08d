"""Dots and boxes: in step with a model, and who wins on small boards."""

from __future__ import annotations

import pytest

from tests.classics.lockstep import in_step, value
from tests.test_classics import classic, points

Corners = frozenset[tuple[int, int]]


class DotsAndBoxes:
    """Dots are counted from 0; a line is two dots side by side, a box the four lines around it."""

    def __init__(self, width: int, height: int) -> None:
        right = [frozenset({(x, y), (x + 1, y)}) for x in range(width) for y in range(height + 1)]
        down = [frozenset({(x, y), (x, y + 1)}) for x in range(width + 1) for y in range(height)]
        self.free = sorted(right + down, key=lambda line: self.middle(line)[::-1])
        self.missing = {
            frozenset({(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)}): 4
            for x in range(width)
            for y in range(height)
        }
        self.boxes = [0, 0]
        self.turn, self.over, self.winner = 0, False, None

    @staticmethod
    def middle(line: Corners) -> tuple[int, int]:
        (x, y), (u, v) = line
        return x + u + 1, y + v + 1

    def actions(self) -> list[str]:
        return [f"line({self.middle(line)})" for line in self.free]

    def play(self, action: str) -> None:
        (line,) = (line for line in self.free if self.middle(line) == points(action)[0])
        self.free.remove(line)
        closed = 0
        for box in self.missing:
            self.missing[box] -= line < box
            closed += line < box and self.missing[box] == 0
        self.boxes[self.turn] += closed
        self.over = not self.free
        if self.over and self.boxes[0] != self.boxes[1]:
            self.winner = int(self.boxes[1] > self.boxes[0])
        if not closed:
            self.turn = 1 - self.turn


@pytest.mark.parametrize(("width", "height"), [(3, 3), (4, 2)])
def test_random_games_go_as_in_the_model(width: int, height: int) -> None:
    game = classic("dots-and-boxes", width=width, height=height)
    in_step(game, lambda: DotsAndBoxes(width, height), games=10)


AMERICAN = {(1, 1): -1, (2, 1): 0, (3, 1): -1, (2, 2): 2}
WITH_BORDERS = {(2, 2, "icelandic"): 2, (2, 2, "swedish"): -4, (3, 2, "swedish"): 6}


@pytest.mark.parametrize(("size", "lead"), AMERICAN.items())
def test_who_wins_on_small_boards(size: tuple[int, int], lead: int) -> None:
    """On 2 by 2 boxes the beginner wins by 3 to 1, as is known; the others by a search in plain Python."""
    width, height = size
    assert value(classic("dots-and-boxes", width=width, height=height).initial()) == lead


@pytest.mark.parametrize(("board", "lead"), WITH_BORDERS.items())
def test_who_wins_where_borders_are_drawn(board: tuple[int, int, str], lead: int) -> None:
    width, height, borders = board
    assert value(classic("dots-and-boxes", width=width, height=height, board=borders).initial()) == lead
