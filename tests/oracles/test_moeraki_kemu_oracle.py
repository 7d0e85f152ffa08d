"""The Moeraki-Kemu oracle against hand-made positions (KE1-KE10, KE14-KE16).

White (manaia) lays first, so a test gives one list of hollows per colour and `lay` interleaves them.
"""

from __future__ import annotations

from itertools import zip_longest

import pytest

from . import moeraki_kemu as oracle
from .moeraki_kemu import MANAIA, MATAU, Cell, State

# Full boards without an early win: B = matau, W = manaia, O = the ball; one line per row, y = 1 to 11.
# They were searched for by chance; the points in each name were counted by a separate script.
BLACK_11_WHITE_10_AND_A_HALF = """
    W B B B / B B W W W / B W W B B W / W B W W B / W B W B B W / W B O W W
    B B W B B B / W W B W B / W B W B W B / B B W B W / W B W W"""
SIXTEEN_EACH = """
    B W W B / W B B W W / B B W B B W / B B B W W / B W O B W B / W W B B B
    B B B W W W / W B W W B / W W W B W B / B W B W W / W W B B"""
BLACK_16_AND_A_HALF_WHITE_17 = """
    W B W W / W W B B B / B B B B B W / W B W W W / W W B W B B / B W W O B
    B W B B W B / W W W W W / W B W W B B / B B B B B / W W B W"""


def lay(level: str, ball: Cell, white: list[Cell], black: list[Cell]) -> State:
    state = oracle.apply(oracle.initial(level), f"place_ball({ball})")
    for pair in zip_longest(white, black):
        for cell in pair:
            if cell is not None:
                state = oracle.apply(state, f"place({cell})")
    return state


def fill(level: str, drawing: str) -> State:
    letters = drawing.replace("/", " ").split()
    held = {
        letter: [c for c, here in zip(oracle.CELLS, letters, strict=False) if here == letter]
        for letter in "BWO"
    }
    return lay(level, held["O"][0], held["W"], held["B"])


def test_board_and_opening() -> None:  # KE15 and the geometry
    assert len(oracle.CELLS) == 57 and len(oracle.DIAGONALS) == 18
    assert [len(c) for c in oracle.CORNERS.values()].count(4) == 40 and len(oracle.CORNERS) == 52
    assert sorted(len(line) for line in oracle.DIAGONALS) == sorted([3, 5, 7, 9, 9, 9, 7, 5, 3] * 2)
    assert {len(shore) for shore in oracle.SHORES} == {4} and len(oracle.SHORES) == 4
    start = oracle.initial("basic")
    assert oracle.actor(start) == MATAU
    balls = {(6, 4), (5, 5), (7, 5), (4, 6), (6, 6), (8, 6), (5, 7), (7, 7), (6, 8)}
    assert set(oracle.legal(start)) == {f"place_ball({cell})" for cell in balls}
    after = oracle.apply(start, "place_ball((6, 6))")
    assert oracle.actor(after) == MANAIA and len(oracle.legal(after)) == 56
    assert "place((5, 5))" in oracle.legal(after) and "place((6, 6))" not in oracle.legal(after)
    assert "place((5, 5))" not in oracle.legal(oracle.apply(after, "place((5, 5))"))
    for wrong in ("place((6, 6))", "place((1, 1))", "place((5, 6))", "place_ball((5, 5))"):
        with pytest.raises(ValueError):
            oracle.apply(after, wrong)


@pytest.mark.parametrize(
    ("white", "black", "expected"),
    [
        ([(4, 2), (3, 3), (5, 3)], [(10, 8), (9, 9), (4, 4)], {(4, 3): MANAIA}),  # KE1, black closes it
        ([(4, 2), (3, 3), (10, 8), (5, 3)], [(9, 9), (2, 8), (4, 4)], {(4, 3): MANAIA}),  # KE1, white does
        ([(4, 2), (3, 3)], [(5, 3), (4, 4)], {}),  # KE2
    ],
)
def test_tiles_on_full_fields(white: list[Cell], black: list[Cell], expected: dict[Cell, str]) -> None:
    state = lay("basic", (6, 6), white, black)
    assert oracle.tiles(state) == expected
    assert oracle.points_in_halves(state, MANAIA) == 2 * len(expected)
    assert oracle.points_in_halves(state, MATAU) == 0
    assert oracle.tiles(lay("beginner", (6, 6), white, black)) == {}


def test_tiles_beside_the_ball_and_on_half_fields() -> None:  # KE3, KE4
    ball_2_1 = lay("basic", (6, 6), [(5, 5), (6, 4)], [(7, 5)])
    assert oracle.tiles(ball_2_1) == {(6, 5): MANAIA} and oracle.points_in_halves(ball_2_1, MANAIA) == 2
    ball_3_0 = lay("basic", (6, 6), [(5, 5), (6, 4), (7, 5)], [(2, 8), (9, 9)])
    assert oracle.tiles(ball_3_0) == {(6, 5): MANAIA} and oracle.result(ball_3_0) is None
    half_2_1 = lay("basic", (6, 6), [(5, 1), (7, 1)], [(6, 2)])
    assert oracle.tiles(half_2_1) == {(6, 1): MANAIA} and oracle.points_in_halves(half_2_1, MANAIA) == 1
    half_3_0 = lay("basic", (6, 6), [(5, 1), (7, 1), (6, 2)], [(2, 8), (9, 9)])
    assert oracle.points_in_halves(half_3_0, MANAIA) == 2 and oracle.result(half_3_0) is None


@pytest.mark.parametrize("level", oracle.LEVELS)
@pytest.mark.parametrize(
    ("ball", "own", "way"),
    [
        ((6, 6), [(4, 2), (3, 3), (5, 3), (4, 4)], "tahuna"),  # KE5
        ((6, 6), [(3, 1), (2, 2), (1, 3)], "awa_a"),  # KE6
        ((6, 4), [(9, 1), (8, 2), (7, 3)], "awa_b"),  # KE7
        ((6, 6), [(10, 2), (9, 3), (8, 4), (7, 5)], "awa_b"),  # KE7
        ((6, 6), [(3, 1), (5, 1), (7, 1), (9, 1)], "ara"),  # KE8
        ((6, 6), [(11, 3), (11, 5), (11, 7), (11, 9)], "ara"),
    ],
)
def test_early_wins(level: str, ball: Cell, own: list[Cell], way: str) -> None:
    idle: list[Cell] = [(4, 8), (7, 11), (1, 7), (8, 8)]
    for winner, state in (
        (MANAIA, lay(level, ball, own, idle[: len(own) - 1])),
        (MATAU, lay(level, ball, idle[: len(own)], own)),
    ):
        assert oracle.result(state) == {"winner": winner, "ways": (way,)}
        assert oracle.actor(state) is None and oracle.legal(state) == []
    assert oracle.result(lay(level, ball, own[:-1], idle[: len(own) - 1])) is None


def test_winning_stone_lays_no_tile() -> None:  # the last white stone wins and closes (3, 2)
    white: list[Cell] = [(4, 2), (2, 2), (5, 3), (4, 4), (3, 3)]
    state = lay("basic", (6, 6), white, [(3, 1), (9, 9), (8, 8), (2, 8)])
    assert oracle.result(state) == {"winner": MANAIA, "ways": ("tahuna",)} and oracle.tiles(state) == {}


def test_one_stone_closing_two_colours_serves_its_own_first() -> None:  # KE14
    # Black's last stone (5, 3) closes (4, 3) for white and (6, 3) for black.
    white: list[Cell] = [(4, 2), (3, 3), (4, 4), (6, 2)]
    state = lay("basic", (6, 6), white, [(6, 4), (7, 3), (9, 9), (5, 3)])
    assert list(oracle.tiles(state).items()) == [((6, 3), MATAU), ((4, 3), MANAIA)]


@pytest.mark.parametrize(
    ("drawing", "halves", "winner"),
    [
        (BLACK_11_WHITE_10_AND_A_HALF, (22, 21), MATAU),  # KE9
        (SIXTEEN_EACH, (32, 32), MATAU),  # KE10: matau placed the ball
        (BLACK_16_AND_A_HALF_WHITE_17, (33, 34), MANAIA),
    ],
)
def test_full_board(drawing: str, halves: tuple[int, int], winner: str) -> None:  # KE9, KE10, KE16
    state = fill("basic", drawing)
    assert len(state.stones) == 56 and oracle.actor(state) is None and oracle.legal(state) == []
    assert tuple(oracle.points_in_halves(state, player) for player in (MATAU, MANAIA)) == halves
    assert oracle.result(state) == {"winner": winner, "ways": ("marae",)}
    assert oracle.result(fill("beginner", drawing)) == {"winner": None, "ways": ()}
