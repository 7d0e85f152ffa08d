"""Classics in spec/classics: what they count to, against published numbers and models in plain Python."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest
from kemu.base.opening import load
from kemu_engine.batch.explore import explore
from kemu_engine.batch.perft import perft
from kemu_engine.play.game import Game
from kemu_engine.play.state import State

from tests.classics.perft import counted
from tests.instances import instance

CLASSICS = Path(__file__).resolve().parent.parent / "spec" / "classics"
NAMES = sorted(folder.name for folder in CLASSICS.iterdir())
LINES = {"chess": 170, "cribbage": 185, "nine-mens-morris": 125, "onitama": 135}


def classic(name: str, **options: int | bool | str) -> Game:
    return load(CLASSICS / name, **options) if options else instance(name)


def winner(state: State) -> str | None:
    """Who has won; None before the end and after a draw."""
    return state.result.winner if state.result else None


# --------------------------------------------------------------------------------------- published numbers


def test_tic_tac_toe_has_5478_positions_and_255168_games() -> None:
    game = classic("tic-tac-toe")
    *_, found = explore(game)
    assert (found.complete, found.count) == (True, 5_478)
    assert sum(each.ended for each in perft(game, 9) if each) == 255_168


def test_connect_four_has_the_positions_of_oeis_a212693() -> None:
    *_, found = explore(classic("connect-four"), 54_000)
    assert found.levels[:7] == (1, 7, 49, 238, 1_120, 4_263, 16_422)


def test_reversi_has_the_paths_of_othello() -> None:
    assert counted(classic("reversi"), 6) == [4, 12, 56, 244, 1_396, 8_200]


def moves_of_go(state: State) -> int:
    """The sequences of stones laid, whoever lays them: passes between them do not count."""
    after = [(action, state.apply(action)) for action in state.actions()]
    return sum((str(action) != "pass") + moves_of_go(then) for action, then in after)


def boards_of_go(game: Game) -> int:
    """The boards that can come about if what was before does not count."""

    def bare(state: State) -> State:
        json = state.to_json()
        return game.state({**json, "vars": {**json["vars"], "seen": [], "passes": 0}})  # type: ignore[dict-item]

    known = {start := bare(game.initial())}
    waiting = [start]
    while waiting:
        state = waiting.pop()
        after = {bare(then) for then in map(state.apply, state.actions()) if not then.is_end} - known
        known |= after
        waiting += after
    return len({str(state["stone"]) for state in known})


@pytest.mark.parametrize("suicide", [False, True])
def test_go_has_the_games_of_tromp_and_farnebaeck(suicide: bool) -> None:
    lines = [classic("go", width=width, height=1, komi=0, suicide=suicide) for width in (1, 2, 3)]
    assert [1 + moves_of_go(game.initial()) for game in lines] == [1, 9, 907]


def test_go_has_the_legal_boards_that_they_counted() -> None:
    sizes = [(1, 1), (2, 1), (3, 1), (4, 1), (2, 2), (3, 2)]
    found = [boards_of_go(classic("go", width=width, height=height, komi=0)) for width, height in sizes]
    assert found == [1, 5, 15, 41, 57, 489]


# ------------------------------------------------------------------------------------ models in plain Python

Point = tuple[int, int]
Board = dict[Point, int]


class Model(Protocol):
    """The rules of a game once more: players 0 and 1, a board of what is theirs."""

    board: Board

    def actions(self, p: int) -> list[str]: ...
    def play(self, p: int, action: str) -> None: ...
    def over(self, p: int) -> bool:
        """Whether p, who has just played, has won."""


def points(action: str) -> list[Point]:
    """The points that an action names: `go((1, 2), (1, 3))`."""
    numbers = [int(number) for number in re.findall(r"\d+", action)]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


class Laying:
    """What Hex and gomoku share: a stone on any free cell."""

    def __init__(self, size: int) -> None:
        self.cells = [(x, y) for y in range(1, size + 1) for x in range(1, size + 1)]
        self.size = size
        self.board: Board = {}

    def actions(self, p: int) -> list[str]:
        return [f"place(({x}, {y}))" for x, y in self.cells if (x, y) not in self.board]

    def play(self, p: int, action: str) -> None:
        (self.last,) = points(action)
        self.board[self.last] = p


class Gomoku(Laying):
    exact = False

    def over(self, p: int) -> bool:
        runs = [1 + self.run(p, d) + self.run(p, (-d[0], -d[1])) for d in [(1, 0), (0, 1), (1, 1), (1, -1)]]
        return any(run == 5 if self.exact else run >= 5 for run in runs)

    def run(self, p: int, step: Point) -> int:
        (x, y), length = self.last, 0
        while self.board.get((x := x + step[0], y := y + step[1])) == p:
            length += 1
        return length


class ExactGomoku(Gomoku):
    exact = True


class Hex(Laying):
    def over(self, p: int) -> bool:
        """Whether the last stone's group lies on both of p's sides: 0 joins up and down, 1 left and right."""
        group, new = {self.last}, [self.last]
        while new:
            x, y = new.pop()
            for near in [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1), (x + 1, y - 1), (x - 1, y + 1)]:
                if self.board.get(near) == p and near not in group:
                    group.add(near)
                    new.append(near)
        return {1, self.size} <= {cell[1 - p] for cell in group}


class Breakthrough:
    def __init__(self, size: int) -> None:
        self.size = size
        rows = {1: 0, 2: 0, size - 1: 1, size: 1}
        self.board: Board = {(x, y): p for y, p in rows.items() for x in range(1, size + 1)}

    def actions(self, p: int) -> list[str]:
        return [
            f"go(({x}, {y}), ({x + side}, {y + (-1 if p else 1)}))"
            for (x, y), owner in sorted(self.board.items(), key=lambda man: (man[0][1], man[0][0]))
            for side in (-1, 0, 1)
            if owner == p and 1 <= x + side <= self.size
            and self.board.get((x + side, y + (-1 if p else 1))) in ((None,) if side == 0 else (None, 1 - p))
        ]  # fmt: skip

    def play(self, p: int, action: str) -> None:
        start, self.goal = points(action)
        self.board[self.goal] = self.board.pop(start)

    def over(self, p: int) -> bool:
        return self.goal[1] == (1 if p else self.size) or 1 - p not in self.board.values()


MODELS: list[tuple[str, Callable[[int], Model], int, dict[str, int | bool]]] = [
    ("gomoku", Gomoku, 15, {}),
    ("gomoku", ExactGomoku, 7, {"size": 7, "exact": True}),
    ("hex", Hex, 11, {}),
    ("hex", Hex, 4, {"size": 4}),
    ("breakthrough", Breakthrough, 8, {}),
]


@pytest.mark.parametrize(("name", "model", "size", "options"), MODELS)
def test_random_games_go_as_in_the_model(
    name: str, model: Callable[[int], Model], size: int, options: dict[str, int | bool]
) -> None:
    game, chance = classic(name, **options), random.Random(0)
    for _ in range(5):
        state, other, turn = game.initial(), model(size), 0
        while not state.is_end:
            texts = list(map(str, state.actions()))
            assert (state.actor, texts) == (game.players[turn % 2], other.actions(turn % 2))
            chosen = chance.randrange(len(texts))
            other.play(turn % 2, texts[chosen])
            state = state.apply(state.actions()[chosen])
            won = other.over(turn % 2)
            assert state.is_end == (won or not other.actions(1 - turn % 2))
            assert winner(state) == (game.players[turn % 2] if won else None)
            turn += 1


def test_breakthrough_has_the_paths_of_the_model() -> None:
    def walked(board: Board, p: int, plies: int) -> int:
        model, found = Breakthrough(8), 0
        model.board = board
        for action in model.actions(p):
            after = Breakthrough(8)
            after.board = dict(board)
            after.play(p, action)
            found += 1 if plies == 1 else 0 if after.over(p) else walked(after.board, 1 - p, plies - 1)
        return found

    assert (
        counted(classic("breakthrough"), 3)
        == [walked(Breakthrough(8).board, 0, plies) for plies in (1, 2, 3)]
        == [22, 484, 11_132]
    )


class Go:
    """The rules of Tromp and Taylor, and those that forbid suicide."""

    def __init__(self, size: int, suicide: bool) -> None:
        self.cells = [(x, y) for y in range(1, size + 1) for x in range(1, size + 1)]
        self.suicide = suicide
        self.board: Board = {}
        self.before: list[Board] = [{}]

    def near(self, cell: Point) -> list[Point]:
        x, y = cell
        return [each for each in [(x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)] if each in self.cells]

    def group(self, board: Board, cell: Point) -> set[Point]:
        group, new = {cell}, [cell]
        while new:
            more = {each for each in self.near(new.pop()) if board.get(each) == board.get(cell)} - group
            group |= more
            new += more
        return group

    def without(self, board: Board, p: int) -> Board:
        """The board without p's stones that touch no free point."""
        free = {c for c in self.cells if c not in board}
        dead = [
            c
            for c in board
            if board[c] == p and not any(free.intersection(self.near(each)) for each in self.group(board, c))
        ]
        return {c: owner for c, owner in board.items() if c not in dead}

    def after(self, p: int, cell: Point) -> Board | None:
        """The board after a move; None if it may not be made."""
        board = self.without({**self.board, cell: p}, 1 - p)
        alive = self.without(board, p)
        return None if alive in self.before or (alive != board and not self.suicide) else alive

    def actions(self, p: int) -> list[str]:
        free = [c for c in self.cells if c not in self.board and self.after(p, c) is not None]
        return [*(f"lay(({x}, {y}))" for x, y in free), "pass"]

    def play(self, p: int, action: str) -> None:
        for cell in points(action):
            self.board = self.after(p, cell) or {}
            self.before.append(self.board)

    def area(self, p: int) -> int:
        def reaches(cell: Point, p: int) -> bool:
            beside = (self.board.get(each) for c in self.group(self.board, cell) for each in self.near(c))
            return self.board.get(cell, p) == p and (cell in self.board or p in beside)

        return sum(reaches(c, p) and not reaches(c, 1 - p) for c in self.cells)


@pytest.mark.parametrize("suicide", [False, True])
def test_random_games_of_go_go_as_in_the_model(suicide: bool) -> None:
    game, chance = classic("go", width=4, height=4, komi=1, suicide=suicide), random.Random(0)
    for _ in range(4):
        state, other, turn = game.initial(), Go(4, suicide), 0
        while not state.is_end:
            texts = list(map(str, state.actions()))
            assert (state.actor, texts) == (game.players[turn % 2], other.actions(turn % 2))
            chosen = chance.choice(texts[:-1] or texts) if chance.random() < 0.97 else "pass"
            other.play(turn % 2, chosen)
            state = state.apply(chosen)
            turn += 1
        assert state.result is not None
        assert state.result.scores == {"black": (2 * other.area(0),), "white": (2 * other.area(1) + 1,)}


# ------------------------------------------------------------------------------------------- all of them


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_two_screens_at_most_but_for_its_picture(name: str) -> None:
    text = (CLASSICS / name / f"{name}.kemu").read_text("utf-8")
    lines = text.splitlines()
    drawn = "".join(re.findall(r"^    draw\b.*\n(?:        .*\n)*", text, re.M)).count("\n")
    assert len(lines) - drawn < LINES.get(name, 120) and max(map(len, lines)) <= 110


def test_every_filled_board_of_hex_is_won_by_one_player() -> None:
    """On 3 by 3, of all positions: either somebody can move, or somebody has won."""
    seen: set[State] = set()
    new = [classic("hex", size=3).initial()]
    while new:
        state = new.pop()
        assert state.actions() or winner(state)
        after = {state.apply(action) for action in state.actions()} - seen
        seen |= after
        new += after
    assert len(seen) == 5_514 - 1  # but for the beginning
