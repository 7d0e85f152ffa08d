"""Oracle: Moeraki-Kemu (Stefan Kiehl), all levels and the match, modelled from its rule text alone.

R1-R10 are the rules of the two lower levels, told in `moeraki_kemu`, from which the board is taken. Here
follow those of the master level and the match; K2 ... K16 are the open questions of the rule text, settled by
options.
R11 Each player has a warrior at home. Once in a game, when a whole tile of his is due (K5), he may put the
    warrior on the field instead, looking diagonally in one of four directions. He may do so even if the field
    is watched (K11).
R12 A warrior watches the fields from the next one in his direction to the edge. Tiles there go back to their
    owners, and later none is laid.
R13 One stone may close several fields: those due to the player who laid it come first. A player whose warrior
    is at home when his fields come up chooses their order (K9).
R14 The second warrior's gaze stops in front of the first warrior. The first one's goes on as it was.
R15 Where two gazes cross, the first warrior's has no effect any more; nor has the second's (K4). A tile due
    there is put back at once (K3).
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
    "K9": ("reading_order", "owner"),
    "K11": ("no", "yes"),
    "K15": ("anywhere", "another_hollow"),
    "K16": ("same", "other"),
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


def gazes(warriors: tuple[Warrior, ...]) -> list[set[Field]]:
    """R12, R14: the fields in each warrior's gaze; the second one's ends in front of the first warrior."""
    seen: list[set[Field]] = []
    for number, warrior in enumerate(warriors):
        line = ray(warrior.place, warrior.direction)
        if number == 1 and warriors[0].place in line:
            line = line[: line.index(warriors[0].place)]
        seen.append(set(line))
    return seen


def crossing(warriors: tuple[Warrior, ...]) -> set[Field]:
    """R15: the field where two gazes cross, if they do; gazes along one line do not cross."""
    if len(warriors) < 2:
        return set()
    (across, down), (other_across, other_down) = (warrior.direction for warrior in warriors)
    parallel = across * down == other_across * other_down
    first, second = gazes(warriors)
    return set() if parallel else first & second


def row_order(place: Field) -> tuple[int, int]:
    """Row by row."""
    return place[1], place[0]


Next = Callable[[], "Model"]


@dataclass(frozen=True)
class Model:
    """One moment of a match.

    `beginner`: who lays the ball in this game; `mover`: whose stone is, or was, laid; `warriors`: those on
    the board, the earlier one first. While the fields closed by a stone are settled (R13): `owner` of those
    that are up, `due`: his fields still to come, `chooses`: whether he chooses their order, `then`: the
    other player's fields, `up`: the one for which he decides.
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
    owner: str | None = None
    due: tuple[Field, ...] = ()
    chooses: bool = False
    then: tuple[Field, ...] = ()
    up: Field | None = None

    @property
    def kind(self) -> str:
        """What comes next: "decision" or "end"; there is no chance."""
        return "end" if self.over else "decision"

    @property
    def actor(self) -> str | None:
        """Who decides."""
        return None if self.over else self.owner or self.mover

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
            "owner": self.owner,
            "due": list(self.due),
            "then": list(self.then),
            "up": self.up,
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

    def watched(self) -> set[Field]:
        """R12, R15: the fields on which no tile may be laid."""
        crossed = crossing(self.warriors)
        fields: set[Field] = set()
        for number, seen in enumerate(gazes(self.warriors)):
            lifted = number == 0 or self.options["K4"] == "spares"
            fields |= seen - crossed if lifted else seen
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
        if self.up is not None:
            return self._tile_or_warrior(self.up)
        if self.owner is not None:
            return {f"next_field({place})": partial(self._come_up, place) for place in self.due}
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
        closed = sorted((place for place in CORNERS if cell in CORNERS[place]), key=row_order)
        due = {player: tuple(p for p in closed if model.majority(p) == player) for player in PLAYERS}
        return replace(model, then=due[OTHER[self.mover]])._fields_of(self.mover, due[self.mover])

    def _fields_of(self, owner: str, due: tuple[Field, ...]) -> Model:
        """R13: a player's fields come up, in the order that he chooses if he has a choice to make."""
        chooses = self.at_home(owner) and self.options["K9"] == "owner"
        return replace(self, owner=owner, due=due, chooses=chooses)._next_field()

    def _next_field(self) -> Model:
        if len(self.due) >= 2 and self.chooses:
            return self
        if self.due:
            return self._come_up(self.due[0])
        if self.owner == self.mover:
            return replace(self, then=())._fields_of(OTHER[self.mover], self.then)
        return replace(self, owner=None, chooses=False)._stone_done()

    def _come_up(self, place: Field) -> Model:
        """R7, R11: a tile is laid, unless the field is watched or the owner may put his warrior instead."""
        assert self.owner is not None
        model = replace(self, due=tuple(other for other in self.due if other != place))
        watched = place in self.watched()
        whole = self.worth(place) == 2 if self.options["K5"] == "whole" else len(CORNERS[place]) == 4
        may_stand = self.at_home(self.owner) and whole and (not watched or self.options["K11"] == "yes")
        if may_stand:
            return replace(model, up=place)
        return model._next_field() if watched else model._with_tile(place)._next_field()

    def _tile_or_warrior(self, place: Field) -> dict[str, Next]:
        """R11."""
        assert self.owner is not None
        here = replace(self, up=None)
        moves: dict[str, Next] = {}
        if place in self.watched():
            moves[f"leave({place})"] = here._next_field
        else:
            moves[f"lay({place})"] = lambda: here._with_tile(place)._next_field()
        for name, direction in DIRECTIONS.items():
            warrior = Warrior(self.owner, place, direction)
            moves[f"warrior({place}, {name})"] = partial(here._with_warrior, warrior)
        return moves

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
        left = {place: owner for place, owner in self.tiles.items() if place not in model.watched()}
        model = replace(model, tiles=left)
        if self.options["K3"] == "put_back":
            for place in crossing(model.warriors) - model.watched():
                if model.majority(place) is not None:
                    model = model._with_tile(place)
        return model._next_field()

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
