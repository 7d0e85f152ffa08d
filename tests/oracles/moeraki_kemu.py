"""Oracle: Moeraki-Kemu (Stefan Kiehl), levels "beginner" and "basic", modelled from its rule text alone.

Numbers R1-R10 are this file's own; the letter after each is the rulebook section it comes from.
R1  (B) matau (black) opens by putting the ball in one of the nine hollows in the white circle.
R2  (C) manaia (white) then lays the first stone; the two alternate, any empty hollow, nothing ever moves.
R3  (D) Tahuna: four own stones round one full field win at once.
R4  (D) Awa A: own stones along a whole diagonal, edge to edge (the three-hollow corners count), win at once.
R5  (D) Awa B: own stones along a diagonal from the edge up to the ball win at once.
R6  (D) Ara: own stones in all four hollows of one straight shore win at once (one shore is enough).
R7  (C) Basic only: once every corner of a field is taken, whoever owns more of its stones gets a tile on it,
        no matter who laid the last stone; equal numbers leave it bare. The ball is a neutral corner.
R8  (C) A tile is one point, except half a point on a half field (three corners) held two to one.
R9  (D) Marae, basic only: with the board full and no early win, most points win; a tie goes to the player
        who placed the ball. At beginner level a full board without an early win is a draw.
R10 (D) A stone that wins early ends the game there and then: no tile is laid for it (adopted reading).

Left out: warriors (master level), the scale of wins over several games. Tiles never run out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

Cell = tuple[int, int]
Field = tuple[int, int]
MATAU, MANAIA = "matau", "manaia"
LEVELS = ("beginner", "basic")

# The board: hollows where x+y is even, fields between them where x+y is odd.
_SQUARE = [(x, y) for y in range(1, 12) for x in range(1, 12)]
CELLS: tuple[Cell, ...] = tuple(
    (x, y) for x, y in _SQUARE if (x + y) % 2 == 0 and abs(x - 6) + abs(y - 6) <= 8
)
BALL_CELLS: tuple[Cell, ...] = tuple((x, y) for x, y in CELLS if abs(x - 6) + abs(y - 6) <= 2)


def _neighbours(field: Field) -> frozenset[Cell]:
    x, y = field
    return frozenset({(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)}) & frozenset(CELLS)


# Every field with its corners: four on a full field, three on a half field.
CORNERS: dict[Field, frozenset[Cell]] = {
    (x, y): _neighbours((x, y)) for x, y in _SQUARE if (x + y) % 2 == 1 and len(_neighbours((x, y))) >= 3
}
DIAGONALS: tuple[frozenset[Cell], ...] = tuple(
    [frozenset(c for c in CELLS if c[0] + c[1] == total) for total in range(4, 21, 2)]
    + [frozenset(c for c in CELLS if c[0] - c[1] == gap) for gap in range(-8, 9, 2)]
)
SHORES: tuple[frozenset[Cell], ...] = tuple(
    frozenset(c for c in CELLS if c[axis] == edge) for axis in (0, 1) for edge in (1, 11)
)


class Result(NamedTuple):
    """How a finished game ended; `ways` names every winning condition the last stone met."""

    winner: str | None
    ways: tuple[str, ...]


@dataclass(frozen=True)
class State:
    """One moment of a game; stones and tiles are (place, owner) pairs in the order they were laid."""

    level: str
    ball: Cell | None = None
    stones: tuple[tuple[Cell, str], ...] = ()
    tiles: tuple[tuple[Field, str], ...] = ()
    to_move: str | None = MATAU
    result: Result | None = None


def initial(level: str) -> State:
    """The empty board, matau about to place the ball (R1)."""
    if level not in LEVELS:
        raise ValueError(f"no such level: {level!r}")
    return State(level)


def actor(state: State) -> str | None:
    """Who acts next, or None once the game is over."""
    return state.to_move


def result(state: State) -> dict[str, object] | None:
    """None while the game runs; then the winner's name (None for a draw) and the ways it was won."""
    return None if state.result is None else state.result._asdict()


def tiles(state: State) -> dict[Field, str]:
    """The tiles on the board, field to owner, in laying order."""
    return dict(state.tiles)


def legal(state: State) -> list[str]:
    """Every action open to the actor, row by row (R1, R2)."""
    return list(_moves(state))


def apply(state: State, text: str) -> State:
    """The state after the action called `text`."""
    moves = _moves(state)
    if text not in moves:
        raise ValueError(f"not legal here: {text!r}")
    cell = moves[text]
    if state.ball is None:
        return replace(state, ball=cell, to_move=MANAIA)
    return _lay_stone(state, cell)


def points_in_halves(state: State, player: str) -> int:
    """A player's tile score, counted in half points (R8)."""
    return sum(_worth(state, field) for field, owner in state.tiles if owner == player)


def _moves(state: State) -> dict[str, Cell]:
    """R1, R2: the ball into the circle first, then stones into any empty hollow; nothing after the end."""
    if state.result is not None:
        return {}
    if state.ball is None:
        return {f"place_ball({cell})": cell for cell in BALL_CELLS}
    taken = {state.ball, *dict(state.stones)}
    return {f"place({cell})": cell for cell in CELLS if cell not in taken}


def _lay_stone(state: State, cell: Cell) -> State:
    """R2, then in this order: early wins (R10), tiles (R7), full board (R9), the other player's turn."""
    mover = MANAIA if state.to_move == MANAIA else MATAU
    state = replace(state, stones=(*state.stones, (cell, mover)))
    ways = _early_wins(state, mover)
    if ways:
        return replace(state, to_move=None, result=Result(mover, ways))
    if state.level == "basic":
        state = replace(state, tiles=state.tiles + _new_tiles(state, cell, mover))
    if len(state.stones) == len(CELLS) - 1:
        return replace(state, to_move=None, result=_full_board(state))
    return replace(state, to_move=MATAU if mover == MANAIA else MANAIA)


def _early_wins(state: State, player: str) -> tuple[str, ...]:
    """R3-R6: which of the early wins the player's stones show."""
    own = {cell for cell, owner in state.stones if owner == player}
    found = {
        "tahuna": any(len(corners) == 4 and corners <= own for corners in CORNERS.values()),
        "awa_a": any(line <= own for line in DIAGONALS),
        "awa_b": any(arm <= own for arm in _arms(state.ball)),
        "ara": any(shore <= own for shore in SHORES),
    }
    return tuple(way for way, met in found.items() if met)


def _arms(ball: Cell | None) -> list[frozenset[Cell]]:
    """R5: the four stretches of diagonal between the ball and the edge, the ball itself left out."""
    assert ball is not None
    through = [line for line in DIAGONALS if ball in line]
    return [
        frozenset(c for c in line if (c[0] < ball[0]) == left and c != ball)
        for line in through
        for left in (True, False)
    ]


def _counts(state: State, field: Field) -> tuple[int, int]:
    """How many corners of a field matau and manaia hold."""
    held = [owner for cell, owner in state.stones if cell in CORNERS[field]]
    return held.count(MATAU), held.count(MANAIA)


def _new_tiles(state: State, cell: Cell, mover: str) -> tuple[tuple[Field, str], ...]:
    """R7: tiles for the fields this stone closed, the mover's colour first (the order changes no score)."""
    taken = {state.ball, *dict(state.stones)}
    laid: list[tuple[Field, str]] = []
    for field, corners in CORNERS.items():
        if cell in corners and corners <= taken:
            matau, manaia = _counts(state, field)
            if matau != manaia:
                laid.append((field, MATAU if matau > manaia else MANAIA))
    return tuple(sorted(laid, key=lambda tile: tile[1] != mover))


def _worth(state: State, field: Field) -> int:
    """R8: half points for a tile on this field."""
    return 1 if len(CORNERS[field]) == 3 and min(_counts(state, field)) == 1 else 2


def _full_board(state: State) -> Result:
    """R9: beginners draw; otherwise Marae by points, ties to matau, who placed the ball."""
    if state.level == "beginner":
        return Result(None, ())
    ahead = points_in_halves(state, MATAU) >= points_in_halves(state, MANAIA)
    return Result(MATAU if ahead else MANAIA, ("marae",))
