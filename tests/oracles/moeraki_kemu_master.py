"""Oracle: Moeraki-Kemu (Stefan Kiehl), all levels and the match, modelled from its rule text alone.

R1-R10 are the rules of the two lower levels, told in `moeraki_kemu`, from which the board is taken. Here
follow those of the master level and the match; K2 ... K16 are the open questions of the rule text, settled by
options.
R11 Each player has a warrior at home. Once in a game, when a whole tile of his is due (K5), he may put the
    warrior on the field instead, looking diagonally in one of four directions, off the board as well (K24).
    He may do so after any stone (K10), but not where the other warrior watches (K11).
R12 A warrior watches the fields from the next one in his direction to the edge. Tiles there go back to their
    owners, and later none is laid.
R13 One stone may close several fields: those due to the player who laid it come first. A player who may put
    his warrior on one of his fields says so once; then his other tiles are laid.
R14 The second warrior's gaze stops in front of the first warrior, for the ban too (K26). The first one's goes
    on as it was when the second steps into it (K12).
R15 Where two gazes cross, the first warrior's has no effect any more; nor has the second's (K4). A tile due
    there is put back at once (K3). Gazes along one strip do not cross (K25).
R16 A warrior's own field counts nothing (K6).
R17 Match: a game won is a point; the first with the number agreed on wins. The winner of a game begins the
    next one, with the ball in another hollow than before (K15); after a draw K16 says who.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from .moeraki_kemu import BALL_CELLS, CELLS, CORNERS, DIAGONALS, MANAIA, MATAU, SHORES, Cell, Field

Direction = tuple[int, int]
PLAYERS = (MATAU, MANAIA)
OTHER = {MATAU: MANAIA, MANAIA: MATAU}
DIRECTIONS: dict[str, Direction] = {
    "up_left": (-1, -1),
    "down_left": (-1, 1),
    "up_right": (1, -1),
    "down_right": (1, 1),
}
TILES = 24  # of each player
# The answers to each option; the last one is the default.
OPTIONS: dict[str, tuple[str | int, ...]] = {
    "level": ("beginner", "master", "basic"),
    "goal": (3, 5, 7, 10, 1),
    "K2": ("two_rows", "one_row"),
    "K3": ("may_be_laid", "put_back"),
    "K4": ("removes", "spares"),
    "K5": ("squares", "whole"),
    "K6": ("yes", "no"),
    "K8": ("none_laid", "unlimited"),
    "K10": ("no", "yes"),
    "K11": ("yes", "no"),
    "K12": ("ends_there", "goes_on"),
    "K15": ("anywhere", "another_hollow"),
    "K16": ("same", "other"),
    "K24": ("no", "yes"),
    "K25": ("yes", "no"),
    "K26": ("yes", "no"),
}


class Warrior(NamedTuple):
    """A warrior on the board."""

    owner: str
    place: Field
    direction: Direction


def ray(place: Field, direction: Direction) -> list[Field]:
    """The fields from the next one in a direction to the edge."""
    fields: list[Field] = []
    while (place := (place[0] + direction[0], place[1] + direction[1])) in CORNERS:
        fields.append(place)
    return fields


def cut(line: list[Field], place: Field) -> list[Field]:
    """A line of fields up to the one in front of a place, if that lies on it."""
    return line[: line.index(place)] if place in line else line


def row_order(place: Field) -> tuple[int, int]:
    """Row by row."""
    return place[1], place[0]


Next = Callable[[], "Model"]


@dataclass(frozen=True)
class Model:
    """One moment of a match.

    `beginner`: who lays the ball in this game; `mover`: whose stone is, or was, laid; `warriors`: those on
    the board, the earlier one first. While the fields closed by a stone are settled (R13): `asked` is who may
    put his warrior, `stone` the hollow that closed them.
    """

    options: Mapping[str, str | int]
    beginner: str = MATAU
    mover: str = MATAU
    wins: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(PLAYERS, 0))
    over: bool = False
    last_ball: Cell | None = None  # in the game before
    ball: Cell | None = None
    stones: Mapping[Cell, str] = field(default_factory=dict)
    tiles: Mapping[Field, str] = field(default_factory=dict)
    warriors: tuple[Warrior, ...] = ()
    asked: str | None = None
    stone: Cell | None = None

    @property
    def kind(self) -> str:
        """What comes next: "decision" or "end"; there is no chance."""
        return "end" if self.over else "decision"

    @property
    def actor(self) -> str | None:
        """Who decides."""
        return None if self.over else self.asked or self.mover

    def actions(self) -> list[str]:
        """The legal actions of a decision."""
        return list(self._moves())

    def outcomes(self) -> dict[str, int]:
        """None."""
        return {}

    def apply(self, text: str) -> Model:
        """The position after an action."""
        moves = self._moves()
        if text not in moves:
            raise ValueError(f"not legal here: {text!r}")
        return moves[text]()

    def places(self) -> dict[str, int]:
        """R17: the ranking; a single game of beginners may be a draw."""
        return {player: 1 + (self.wins[OTHER[player]] > self.wins[player]) for player in PLAYERS}

    def position(self) -> dict[str, object]:
        """Everything on the table."""
        return {
            "beginner": self.beginner,
            "mover": self.mover,
            "wins": dict(self.wins),
            "ball": self.ball,
            "last_ball": self.last_ball,
            "stones": {str(cell): player for cell, player in self.stones.items()},
            "tiles": {str(place): player for place, player in self.tiles.items()},
            "warriors": [list(warrior) for warrior in self.warriors],
            "asked": self.asked,
            "stone": self.stone,
        }

    # Looking at the board

    def counts(self, place: Field) -> dict[str, int]:
        """How many corners of a field each player holds."""
        held = [self.stones.get(cell) for cell in CORNERS[place]]
        return {player: held.count(player) for player in PLAYERS}

    def majority(self, place: Field) -> str | None:
        """R7: whose tile is due on a field: the one with more stones once every corner is taken."""
        taken = {self.ball, *self.stones}
        counts = self.counts(place)
        if not CORNERS[place] <= taken or counts[MATAU] == counts[MANAIA]:
            return None
        return max(PLAYERS, key=counts.__getitem__)

    def worth(self, place: Field) -> int:
        """R8: what a tile on a field is worth, in half points."""
        return 1 if len(CORNERS[place]) == 3 and min(self.counts(place).values()) == 1 else 2

    def looks(self) -> list[list[Field]]:
        """R12, R14: the fields from which each warrior takes tiles; the earlier one stops the later one's."""
        lines = [ray(warrior.place, warrior.direction) for warrior in self.warriors]
        if len(lines) == 2:
            lines[1] = cut(lines[1], self.warriors[0].place)
        return lines

    def bans(self) -> list[set[Field]]:
        """R12, R14: the fields on which each warrior allows no tile, as long as gazes do not cross."""
        lines = self.looks()
        if len(lines) == 2:
            second = self.warriors[1]
            if self.options["K12"] == "ends_there":
                lines[0] = cut(lines[0], second.place)
            if self.options["K26"] == "yes":
                lines[1] = ray(second.place, second.direction)
        return [set(line) for line in lines]

    def crossing(self) -> set[Field]:
        """R15: the fields where two gazes cross."""
        if len(self.warriors) < 2:
            return set()
        (across, down), (other_across, other_down) = (warrior.direction for warrior in self.warriors)
        parallel = across * down == other_across * other_down
        first, second = self.bans()
        return first & second if not parallel or self.options["K25"] == "yes" else set()

    def watched(self) -> set[Field]:
        """R12, R15: the fields on which no tile may be laid."""
        crossed = self.crossing()
        fields: set[Field] = set()
        for number, ban in enumerate(self.bans()):
            lifted = number == 0 or self.options["K4"] == "spares"
            fields |= ban - crossed if lifted else ban
        return fields

    def at_home(self, player: str) -> bool:
        """R11: whether the player still has his warrior to put; there are none below the master level."""
        out = any(warrior.owner == player for warrior in self.warriors)
        return self.options["level"] == "master" and not out

    def points_in_halves(self, player: str) -> int:
        """R8, R16: a player's points, in half points."""
        tiles = sum(self.worth(place) for place, owner in self.tiles.items() if owner == player)
        stands = any(warrior.owner == player for warrior in self.warriors)
        return tiles + (2 if stands and self.options["K6"] == "yes" else 0)

    def wins_early(self, player: str) -> bool:
        """R3-R6: Tahuna, Awa in both forms, Ara (K2)."""
        own = {cell for cell, owner in self.stones.items() if owner == player}
        tahuna = any(len(corners) == 4 and corners <= own for corners in CORNERS.values())
        awa = any(line <= own for line in DIAGONALS) or any(arm <= own for arm in self._arms())
        rows = sum(shore <= own for shore in SHORES)
        return tahuna or awa or rows >= (1 if self.options["K2"] == "one_row" else 2)

    def _arms(self) -> list[set[Cell]]:
        """R5: the four stretches of diagonal from the ball to the edge, the ball left out."""
        assert self.ball is not None
        middle = self.ball[0]
        through = [line for line in DIAGONALS if self.ball in line]
        left = [{cell for cell in line if cell[0] < middle} for line in through]
        return left + [{cell for cell in line if cell[0] > middle} for line in through]

    # Playing

    def _moves(self) -> dict[str, Next]:
        if self.over:
            return {}
        if self.asked is not None:
            return self._tiles_or_warrior(self.asked)
        if self.ball is None:
            barred = self.last_ball if self.options["K15"] == "another_hollow" else None
            return {
                f"place_ball({cell})": partial(self._begun, cell) for cell in BALL_CELLS if cell != barred
            }
        free = [cell for cell in CELLS if cell != self.ball and cell not in self.stones]
        return {f"place({cell})": partial(self._stone_laid, cell) for cell in free}

    def _begun(self, cell: Cell) -> Model:
        """R1, R2."""
        return replace(self, ball=cell, mover=OTHER[self.beginner])

    def _stone_laid(self, cell: Cell) -> Model:
        """R2, R10, R13."""
        model = replace(self, stones={**self.stones, cell: self.mover})
        if model.wins_early(self.mover):
            return model._game_over(self.mover)
        if self.options["level"] == "beginner":
            return model._stone_done()
        return replace(model, stone=cell)._turn_of(self.mover)

    def _due(self, player: str) -> list[Field]:
        """R7: the fields closed by the stone that are due to a player."""
        closed = sorted((place for place in CORNERS if self.stone in CORNERS[place]), key=row_order)
        return [place for place in closed if self.majority(place) == player]

    def _turn_of(self, player: str) -> Model:
        """R13: a player's fields come up."""
        return replace(self, asked=player) if self._stands(player) else self._tiles_laid(player)

    def _stands(self, player: str) -> list[Field]:
        """R11: where a player may put his warrior."""
        if not self.at_home(player) or (player != self.mover and self.options["K10"] == "no"):
            return []
        squares = self.options["K5"] == "squares"
        whole = [p for p in self._due(player) if (len(CORNERS[p]) == 4 if squares else self.worth(p) == 2)]
        return [p for p in whole if self.options["K11"] == "yes" or p not in self.watched()]

    def _tiles_or_warrior(self, player: str) -> dict[str, Next]:
        """R11, R13."""
        here = replace(self, asked=None)
        moves: dict[str, Next] = {"lay": partial(here._tiles_laid, player)}
        for place in self._stands(player):
            for name, direction in DIRECTIONS.items():
                if self.options["K24"] == "yes" or ray(place, direction):
                    warrior = Warrior(player, place, direction)
                    moves[f"warrior({place}, {name})"] = partial(here._with_warrior, warrior)
        return moves

    def _tiles_laid(self, player: str) -> Model:
        """R7, R12, R13: the tiles of a player, then those of the other one."""
        model = self
        stood_on = {warrior.place for warrior in self.warriors}
        for place in self._due(player):
            if place not in self.watched() | stood_on:
                model = model._with_tile(place)
        if player == self.mover:
            return model._turn_of(OTHER[player])
        return replace(model, stone=None)._stone_done()

    def _with_tile(self, place: Field) -> Model:
        """R7, K8: the tile due on a field, if its owner has one left."""
        owner = self.majority(place)
        assert owner is not None
        laid = list(self.tiles.values()).count(owner)
        if self.options["K8"] == "none_laid" and laid >= TILES:
            return self
        return replace(self, tiles={**self.tiles, place: owner})

    def _with_warrior(self, warrior: Warrior) -> Model:
        """R12, R15: tiles go, and one may come back."""
        model = replace(self, warriors=(*self.warriors, warrior))
        gone = set(model.looks()[-1]) & model.watched()
        model = replace(model, tiles={p: owner for p, owner in self.tiles.items() if p not in gone})
        if self.options["K3"] == "put_back":
            for place in sorted(model.crossing() - model.watched(), key=row_order):
                if model.majority(place) is not None:
                    model = model._with_tile(place)
        return model._tiles_laid(warrior.owner)

    def _stone_done(self) -> Model:
        """R2, R9."""
        if len(self.stones) < len(CELLS) - 1:
            return replace(self, mover=OTHER[self.mover])
        if self.options["level"] == "beginner":
            return self._game_over(None)
        halves = {player: self.points_in_halves(player) for player in PLAYERS}
        if halves[MATAU] == halves[MANAIA]:
            return self._game_over(self.beginner)
        return self._game_over(max(PLAYERS, key=halves.__getitem__))

    def _game_over(self, winner: str | None) -> Model:
        """R17: the match is over, or the next game begins on a bare board."""
        goal = self.options["goal"]
        wins = {player: number + (player == winner) for player, number in self.wins.items()}
        if goal == 1 or goal in wins.values():
            return replace(self, wins=wins, over=True)
        after_draw = self.beginner if self.options["K16"] == "same" else OTHER[self.beginner]
        beginner = winner or after_draw
        return Model(self.options, beginner=beginner, mover=beginner, wins=wins, last_ball=self.ball)


def initial(players: int = 2, **options: str | int) -> Model:
    """The bare board of the first game, matau about to lay the ball (R1)."""
    chosen = {name: answers[-1] for name, answers in OPTIONS.items()} | options
    for name, answer in chosen.items():
        if name not in OPTIONS or answer not in OPTIONS[name]:
            raise ValueError(f"no such option: {name} = {answer!r}")
    if players != 2:
        raise ValueError(f"not a number of players: {players}")
    return Model(chosen)
