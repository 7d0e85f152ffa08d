"""Moeraki-Kemu, the basic game, written by hand in plain Python: whole games with uniformly random moves.

Two ways to write it. `simple` as one first would: hollows are pairs of coordinates, the board is a
dictionary, after every stone the lines through it are looked at. `bits` as for speed: hollows are numbers,
sets are masks, what can be known of a hollow is worked out before the first game. Rules:
spec/moeraki-kemu/rules.md.
"""

from __future__ import annotations

from random import Random

Cell = tuple[int, int]
Game = tuple[int, int]
"""Decisions, and the number of the winner: 0 is matau, who lays the ball."""

SQUARE = [(x, y) for y in range(1, 12) for x in range(1, 12)]
CELLS = [(x, y) for x, y in SQUARE if (x + y) % 2 == 0 and abs(x - 6) + abs(y - 6) <= 8]
HEART = [(x, y) for x, y in CELLS if abs(x - 6) + abs(y - 6) <= 2]


def corners(field: Cell) -> list[Cell]:
    x, y = field
    return [c for c in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)) if c in CELLS]


FIELDS = {(x, y): corners((x, y)) for x, y in SQUARE if (x + y) % 2 == 1 and len(corners((x, y))) >= 3}
DIAGONALS = [[c for c in CELLS if c[0] + c[1] == total] for total in range(4, 21, 2)]
DIAGONALS += [[c for c in CELLS if c[0] - c[1] == gap] for gap in range(-8, 9, 2)]
SHORES = [[c for c in CELLS if c[axis] == edge] for axis in (0, 1) for edge in (1, 11)]
LINES = [each for each in FIELDS.values() if len(each) == 4] + DIAGONALS + SHORES


def arms(ball: Cell) -> list[list[Cell]]:
    """The parts of the diagonals through the ball, from the edge up to it."""
    through = [line for line in DIAGONALS if ball in line]
    parts = [part for line in through for part in (line[: line.index(ball)], line[line.index(ball) + 1 :])]
    return [part for part in parts if part]


THROUGH = {c: [line for line in LINES if c in line] for c in CELLS}
AROUND = {c: [(field, FIELDS[field]) for field in FIELDS if c in FIELDS[field]] for c in CELLS}
ARMS = {(ball, c): [arm for arm in arms(ball) if c in arm] for ball in HEART for c in CELLS}


def simple(rng: Random) -> Game:
    """One game; None on the board is the ball."""
    ball = rng.choice(HEART)
    board: dict[Cell, int | None] = {ball: None}
    tiles: dict[Cell, int] = {}
    empty = [c for c in CELLS if c != ball]
    player = 1
    while empty:
        at = rng.randrange(len(empty))
        cell, empty[at] = empty[at], empty[-1]
        empty.pop()
        board[cell] = player
        for line in THROUGH[cell] + ARMS[ball, cell]:
            if all(board.get(c) == player for c in line):
                return len(board), player
        for field, around in AROUND[cell]:
            if all(c in board for c in around):
                stones = [board[c] for c in around]
                difference = stones.count(0) - stones.count(1)
                if difference:
                    tiles[field] = 0 if difference > 0 else 1
        player = 1 - player
    points = [0, 0]
    for field, owner in tiles.items():
        stones = [board[c] for c in FIELDS[field]]
        points[owner] += 1 if len(stones) == 3 and 1 - owner in stones else 2
    return len(board), 0 if points[0] >= points[1] else 1


NUMBER = {c: number for number, c in enumerate(CELLS)}


def mask(cells: list[Cell]) -> int:
    return sum(1 << NUMBER[c] for c in cells)


LINE_MASKS = {
    NUMBER[ball]: [[mask(line) for line in THROUGH[c] + ARMS[ball, c] if ball not in line] for c in CELLS]
    for ball in HEART
}
FIELD_MASKS = [mask(around) for around in FIELDS.values()]
FIELDS_AT = [[(1 << at, m) for at, m in enumerate(FIELD_MASKS) if m >> n & 1] for n in range(len(CELLS))]
HEART_NUMBERS = [NUMBER[c] for c in HEART]


def bits(rng: Random) -> Game:
    """One game."""
    random = rng.random
    ball = HEART_NUMBERS[int(random() * len(HEART_NUMBERS))]
    lines = LINE_MASKS[ball]
    empty = list(range(len(CELLS)))
    empty[ball] = empty[-1]
    own, other, taken = 0, 0, 1 << ball
    tiles = [0, 0]
    player = 1
    for left in range(len(CELLS) - 1, 0, -1):
        at = int(random() * left)
        cell = empty[at]
        empty[at] = empty[left - 1]
        own |= 1 << cell
        taken |= 1 << cell
        for line in lines[cell]:
            if own & line == line:
                return len(CELLS) + 1 - left, player
        for tile, around in FIELDS_AT[cell]:
            if taken & around == around:
                difference = (own & around).bit_count() - (other & around).bit_count()
                if difference:
                    tiles[player if difference > 0 else 1 - player] |= tile
        own, other = other, own
        player = 1 - player
    stones = [own, other] if player == 0 else [other, own]
    points = [0, 0]
    for field, around in enumerate(FIELD_MASKS):
        for owner in (0, 1):
            if tiles[owner] >> field & 1:
                half = around.bit_count() == 3 and stones[1 - owner] & around
                points[owner] += 1 if half else 2
    return len(CELLS), 0 if points[0] >= points[1] else 1
