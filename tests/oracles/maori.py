"""Oracle: Māori (Günter Burkhardt), modelled from its rule texts (Dutch and German) alone.

Numbers R1-R14 are this file's own; M5 ... M25 are the open questions of the rule texts, settled by options.
R1  Sixteen tiles lie open in the display (four by four, no volcano), the rest face down. Five shells each,
    of thirty. Red puts the ship at the edge; yellow, on the left, begins.
R2  The mover sails the ship clockwise round the display: at least a step, at most as many as he has boats;
    each further step costs a shell. Two boats are printed on his board.
R3  Then he does one thing: take a tile and lay it, take a tile into his empty store, lay the stored tile,
    remove a tile from his board, or nothing.
R4  He takes from the line that the ship looks along; each tile passed over costs a shell (M8: an empty place
    too). A volcano cannot be taken, nor anything behind it.
R5  A tile goes to any free field. Shells on it are taken from the supply, as far as it reaches.
R6  The empty place is filled from the face-down tiles (volcanoes too) while there are any.
R7  Advanced: the first tile laid takes the player's small ship; later ones must touch its tile, diagonally
    too. After his action the player may set the small ship on any of his tiles.
R8  Professional: the same, but the small ship always goes to the tile just laid, and nowhere else.
R9  Both: before laying, the small ship may move, a shell a step (M18: diagonally too), to another own tile;
    whoever moves it then has to lay a tile.
R10 The tile under the small ship is not removed: professional; advanced, German text. Advanced, Dutch text:
    the small ship then leaves the board, and the next tile laid may lie anywhere and takes it (M25: it has
    to be set on another tile at once, if there is one).
R11 When a board is full, every other player has one more turn. M9: also when no board can be filled any more.
R12 Unfinished islands are taken off. An island is what is joined over edges with land on both sides; it is
    finished if every land edge of it meets land (M24: printed land too).
R13 Points: a palm 1, with a hut on the island 2, twice that on an island wholly inside the atoll; a wreath
    10; the most boats their number, the most shells their number (all who tie get it); an empty field -1.
R14 Equal points: more shells; then a shared place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from .maori_tiles import (
    ATOLL,
    ATOLL_BOAT,
    FIELDS,
    OPPOSITE,
    PRINTED_LAND,
    TILES,
    VOLCANO,
    Field,
    beside,
    islands,
    joined,
    touch,
)

Slot = tuple[int, int]  # column and row of the display

COLOURS = ("red", "yellow", "green", "blue", "white")
SHELLS = 30
# The answers to each option; the last one is the default.
OPTIONS: dict[str, tuple[str, ...]] = {
    "edition": ("german", "dutch"),
    "level": ("advanced", "professional", "basic"),
    "side": ("atoll", "front"),
    "M5": ("yes", "no"),
    "M8": ("yes", "no"),
    "M9": ("endless", "stop"),
    "M18": ("yes", "no"),
    "M24": ("yes", "no"),
    "M25": ("yes", "no"),
}


SLOTS: tuple[Slot, ...] = tuple((x, y) for x in range(4) for y in range(4))


def line(berth: int) -> list[Slot]:
    """The four slots seen from a berth, the nearest first (berths 0-15 clockwise from above column 0)."""
    side, step = divmod(berth, 4)
    match side:
        case 0:  # above, looking down
            return [(step, depth) for depth in range(4)]
        case 1:  # on the right, looking left
            return [(3 - depth, step) for depth in range(4)]
        case 2:  # below, looking up
            return [(3 - step, 3 - depth) for depth in range(4)]
        case _:  # on the left, looking right
            return [(depth, 3 - step) for depth in range(4)]


@dataclass(frozen=True)
class Board:
    """What lies before one player; `ship`: the field of the small ship, None while it is off the board."""

    shells: int = 5
    tiles: Mapping[Field, str] = field(default_factory=dict)
    store: str | None = None
    ship: Field | None = None

    def lay(self, tile: str, place: Field) -> Board:
        return replace(self, tiles={**self.tiles, place: tile})

    def remove(self, places: set[Field]) -> Board:
        ship = None if self.ship in places else self.ship
        left = {place: tile for place, tile in self.tiles.items() if place not in places}
        return replace(self, tiles=left, ship=ship)


@dataclass(frozen=True)
class Fill:  # R1: the display is filled up to this slot
    slot: Slot


@dataclass(frozen=True)
class PlaceShip:  # R1
    pass


@dataclass(frozen=True)
class Sail:  # R2
    pass


@dataclass(frozen=True)
class Act:  # R3
    pass


@dataclass(frozen=True)
class Lay:  # R9: after moving the small ship
    pass


@dataclass(frozen=True)
class Refill:  # R6
    slot: Slot


@dataclass(frozen=True)
class Settle:  # R7
    pass


@dataclass(frozen=True)
class Over:  # R11
    pass


Stage = Fill | PlaceShip | Sail | Act | Lay | Refill | Settle | Over
Next = Callable[[], "Model"]


@dataclass(frozen=True)
class Model:
    """One moment of a game. `face_down`: how many tiles of each kind are not yet seen; `display` lacks its
    empty slots; `last`: who ended the game by filling his board."""

    options: Mapping[str, str]
    players: tuple[str, ...]
    mover: str
    stage: Stage
    face_down: Mapping[str, int]
    display: Mapping[Slot, str]
    berth: int | None
    supply: int
    boards: Mapping[str, Board]
    last: str | None = None

    @property
    def kind(self) -> str:
        """What comes next: "decision", "chance" or "end"."""
        if isinstance(self.stage, Over):
            return "end"
        return "chance" if isinstance(self.stage, Fill | Refill) else "decision"

    @property
    def actor(self) -> str | None:
        """Who decides."""
        return self.mover if self.kind == "decision" else None

    def actions(self) -> list[str]:
        """The legal actions of a decision."""
        return list(self._moves()) if self.kind == "decision" else []

    def outcomes(self) -> dict[str, int]:
        """The face-down tiles by kind; no volcano while the display is filled for the first time (R1)."""
        match self.stage:
            case Fill():
                return {tile: number for tile, number in self.face_down.items() if tile != VOLCANO}
            case Refill():
                return dict(self.face_down)
            case _:
                return {}

    def apply(self, text: str) -> Model:
        """The position after an action or an outcome."""
        moves = self._moves()
        if text not in moves:
            raise ValueError(f"not legal here: {text!r}")
        return moves[text]()

    def places(self) -> dict[str, int]:
        """R14: the ranking."""
        best_first = {
            player: (-sum(self.score(player).values()), -self.boards[player].shells)
            for player in self.players
        }
        return {
            player: 1 + sum(other < own for other in best_first.values())
            for player, own in best_first.items()
        }

    def position(self) -> dict[str, object]:
        """Everything on the table."""
        return {
            "mover": self.mover,
            "stage": repr(self.stage),
            "face_down": dict(self.face_down),
            "display": {str(slot): tile for slot, tile in self.display.items()},
            "berth": self.berth,
            "supply": self.supply,
            "boards": {
                player: {
                    "shells": board.shells,
                    "tiles": {str(place): tile for place, tile in board.tiles.items()},
                    "store": board.store,
                    "ship": board.ship,
                }
                for player, board in self.boards.items()
            },
            "last": self.last,
        }

    # Counting

    def boats(self, player: str) -> int:
        """R2, M5: printed boats and boats on tiles laid."""
        tiles = self.boards[player].tiles
        on_atoll = self.options["side"] == "atoll"
        covered = on_atoll and ATOLL_BOAT in tiles and self.options["M5"] == "no"
        return 2 - covered + sum(TILES[tile].boats for tile in tiles.values())

    def finished(self) -> Model:
        """R12: the boards without their unfinished islands."""
        boards = {}
        for player, board in self.boards.items():
            unfinished = [isle for isle in islands(board.tiles) if not self._is_finished(board.tiles, isle)]
            boards[player] = board.remove(set().union(*unfinished))
        return replace(self, boards=boards)

    def _is_finished(self, tiles: Mapping[Field, str], isle: set[Field]) -> bool:
        return all(
            joined(tiles, place, side) or self._printed_land(beside(place, side))
            for place in isle
            for side in TILES[tiles[place]].land
        )

    def _printed_land(self, place: Field) -> bool:
        """M24: whether printed land lies here and finishes an island."""
        return self.options["M24"] == "yes" and self.options["side"] == "front" and place in PRINTED_LAND

    def score(self, player: str) -> dict[str, int]:
        """R13: the points of a player, by what they are for."""
        model = self.finished()
        tiles = model.boards[player].tiles
        most_boats = max(model.boats(other) for other in self.players)
        most_shells = max(board.shells for board in self.boards.values())
        boats, shells = model.boats(player), self.boards[player].shells
        return {
            "palms": sum(self._palm_points(tiles, isle) for isle in islands(tiles)),
            "wreaths": 10 * self._wreaths(tiles),
            "boats": boats if boats == most_boats else 0,
            "shells": shells if shells == most_shells else 0,
            "empty": len(tiles) - len(self._fields()),
        }

    def _palm_points(self, tiles: Mapping[Field, str], isle: set[Field]) -> int:
        shown = [TILES[tiles[place]] for place in isle]
        inside = self.options["side"] == "atoll" and isle <= ATOLL
        each = (2 if any(tile.huts for tile in shown) else 1) * (2 if inside else 1)
        return each * sum(tile.palms for tile in shown)

    def _wreaths(self, tiles: Mapping[Field, str]) -> int:
        """Two halves meet on an edge; counted from the western or northern half."""
        return sum(
            TILES[tile].half == side and TILES[tiles.get(beside(place, side), "sea")].half == OPPOSITE[side]
            for place, tile in tiles.items()
            for side in ("east", "south")
        )

    def _fields(self) -> tuple[Field, ...]:
        return FIELDS[self.options["side"]]

    # The moves of each stage

    def _moves(self) -> dict[str, Next]:
        match self.stage:
            case Fill(slot) | Refill(slot):
                return {tile: partial(self._turned_up, tile, slot) for tile in self.outcomes()}
            case PlaceShip():
                return {f"place({berth})": partial(self._ship_placed, berth) for berth in range(16)}
            case Sail():
                steps = self.boats(self.mover) + self.boards[self.mover].shells
                return {f"sail({number})": partial(self._sailed, number) for number in range(1, steps + 1)}
            case Act():
                return (
                    self._take()
                    | self._keep()
                    | self._unload()
                    | self._remove()
                    | self._paddle()
                    | {"nothing": self._acted}
                )
            case Lay():
                return self._take() | self._unload()
            case Settle():
                return self._settle()
            case Over():
                return {}

    def _turned_up(self, tile: str, slot: Slot) -> Model:
        """R1, R6."""
        left = {**self.face_down, tile: self.face_down[tile] - 1}
        model = replace(
            self,
            face_down={kind: number for kind, number in left.items() if number},
            display={**self.display, slot: tile},
        )
        if isinstance(self.stage, Refill):
            return model._action_done()
        if slot == SLOTS[-1]:
            return replace(model, stage=PlaceShip())
        return replace(model, stage=Fill(SLOTS[SLOTS.index(slot) + 1]))

    def _ship_placed(self, berth: int) -> Model:
        """R1."""
        return replace(self, berth=berth, mover=self._next_player(), stage=Sail())

    def _sailed(self, steps: int) -> Model:
        """R2."""
        assert self.berth is not None
        paid = max(0, steps - self.boats(self.mover))
        return replace(self._pay(paid), berth=(self.berth + steps) % 16, stage=Act())

    def _pay(self, shells: int) -> Model:
        return replace(
            self._with_board(replace(self._mine(), shells=self._mine().shells - shells)),
            supply=self.supply + shells,
        )

    def _mine(self) -> Board:
        return self.boards[self.mover]

    def _with_board(self, board: Board) -> Model:
        return replace(self, boards={**self.boards, self.mover: board})

    def _within_reach(self) -> dict[int, int]:
        """R4: the depths from which the mover may take, with the shells for passing over."""
        assert self.berth is not None
        reach: dict[int, int] = {}
        cost = 0
        for depth, slot in enumerate(line(self.berth)):
            tile = self.display.get(slot)
            if tile == VOLCANO:
                break
            if tile is not None and cost <= self._mine().shells:
                reach[depth] = cost
            if tile is not None or self.options["M8"] == "yes":
                cost += 1
        return reach

    def _open_fields(self) -> list[Field]:
        """R5, R7: the free fields on which the mover may lay."""
        board = self._mine()
        free = [place for place in self._fields() if place not in board.tiles]
        if self.options["level"] == "basic" or board.ship is None:
            return free
        return [place for place in free if touch(place, board.ship)]

    def _paddle(self) -> dict[str, Next]:
        """R9."""
        ship, shells = self._mine().ship, self._mine().shells
        if self.options["level"] == "basic" or ship is None:
            return {}
        moves: dict[str, Next] = {}
        for place in self._harbours():
            steps = self._distance(ship, place)
            if steps <= shells:
                paid = self._pay(steps)
                model = replace(paid._with_board(replace(paid._mine(), ship=place)), stage=Lay())
                if model._moves():
                    moves[f"paddle({place})"] = partial(replace, model)
        return moves

    def _distance(self, one: Field, other: Field) -> int:
        """R9."""
        across, down = abs(one[0] - other[0]), abs(one[1] - other[1])
        return max(across, down) if self.options["M18"] == "yes" else across + down

    def _take(self) -> dict[str, Next]:
        """R3, R4, R5."""
        return {
            f"take({depth}, {place})": partial(self._taken, depth, place, price)
            for depth, price in self._within_reach().items()
            for place in self._open_fields()
        }

    def _taken(self, depth: int, place: Field, price: int) -> Model:
        tile, model = self._lift(depth)
        return model._pay(price)._lay(tile, place)._acted()

    def _keep(self) -> dict[str, Next]:
        """R3, R4."""
        if self._mine().store is not None:
            return {}
        return {
            f"keep({depth})": partial(self._kept, depth, price)
            for depth, price in self._within_reach().items()
        }

    def _kept(self, depth: int, price: int) -> Model:
        tile, model = self._lift(depth)
        model = model._pay(price)
        return model._with_board(replace(model._mine(), store=tile))._acted()

    def _lift(self, depth: int) -> tuple[str, Model]:
        """A tile out of the display; its slot is to be refilled."""
        assert self.berth is not None
        slot = line(self.berth)[depth]
        left = {other: tile for other, tile in self.display.items() if other != slot}
        return self.display[slot], replace(self, display=left, stage=Refill(slot))

    def _unload(self) -> dict[str, Next]:
        """R3, R5."""
        tile = self._mine().store
        if tile is None:
            return {}
        emptied = self._with_board(replace(self._mine(), store=None))
        return {f"unload({place})": emptied._lay(tile, place)._acted for place in self._open_fields()}

    def _lay(self, tile: str, place: Field) -> Model:
        """R5, R7, R8."""
        received = min(TILES[tile].shells, self.supply)
        board = self._mine()
        board = replace(board.lay(tile, place), shells=board.shells + received)
        level = self.options["level"]
        if level == "professional" or (level == "advanced" and board.ship is None):
            board = replace(board, ship=place)
        return replace(self._with_board(board), supply=self.supply - received)

    def _remove(self) -> dict[str, Next]:
        """R3, R10."""
        level, edition = self.options["level"], self.options["edition"]
        fixed = level == "professional" or (level == "advanced" and edition == "german")
        board = self._mine()
        return {
            f"remove({place})": self._with_board(board.remove({place}))._acted
            for place in board.tiles
            if not (fixed and place == board.ship)
        }

    def _acted(self) -> Model:
        """R6."""
        return self if isinstance(self.stage, Refill) and self.face_down else self._action_done()

    def _action_done(self) -> Model:
        """R7."""
        model = replace(self, stage=Settle())
        return model if self.options["level"] == "advanced" and model._harbours() else model._end_turn()

    def _harbours(self) -> list[Field]:
        return [place for place in self._mine().tiles if place != self._mine().ship]

    def _settle(self) -> dict[str, Next]:
        """R7; R10, M25: a small ship that lost its tile may have to settle."""
        moves: dict[str, Next] = {}
        if self._mine().ship is not None or self.options["M25"] == "no":
            moves["stay"] = self._end_turn
        for place in self._harbours():
            moves[f"settle({place})"] = self._with_board(replace(self._mine(), ship=place))._end_turn
        return moves

    def _next_player(self) -> str:
        return self.players[(self.players.index(self.mover) + 1) % len(self.players)]

    def _end_turn(self) -> Model:
        """R11."""
        full = not self._empty(self.mover)
        last = self.mover if full and self.last is None else self.last
        if self._next_player() == last or (self.options["M9"] == "stop" and self._nobody_can_fill()):
            return replace(self, last=last, stage=Over())
        return replace(self, last=last, mover=self._next_player(), stage=Sail())

    def _empty(self, player: str) -> int:
        return len(self._fields()) - len(self.boards[player].tiles)

    def _nobody_can_fill(self) -> bool:
        """M9: every board has more empty fields than there are tiles for it."""
        face_down = sum(number for tile, number in self.face_down.items() if tile != VOLCANO)
        on_display = sum(tile != VOLCANO for tile in self.display.values())
        return all(
            self._empty(player) > face_down + on_display + (board.store is not None)
            for player, board in self.boards.items()
        )


def initial(players: int, **options: str) -> Model:
    """The empty display, about to be filled (R1)."""
    chosen = {name: answers[-1] for name, answers in OPTIONS.items()} | options
    for name, answer in chosen.items():
        if name not in OPTIONS or answer not in OPTIONS[name]:
            raise ValueError(f"no such option: {name} = {answer!r}")
    most = 4 if chosen["side"] == "atoll" or chosen["edition"] == "german" else 5
    if not 2 <= players <= most:
        raise ValueError(f"not a number of players: {players}")
    colours = COLOURS[:players]
    return Model(
        options=chosen,
        players=colours,
        mover=colours[0],
        stage=Fill(SLOTS[0]),
        face_down={name: tile.count for name, tile in TILES.items()},
        display={},
        berth=None,
        supply=SHELLS - 5 * players,
        boards=dict.fromkeys(colours, Board()),
    )
