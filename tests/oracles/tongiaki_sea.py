"""Tongiaki's sea: the thirty-two cards, how they lie, and where a way over them leads.

Each card is a hexagon whose edges are numbered clockwise from its crest (edge 0).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Beach = tuple[str, int]  # island, number of the beach
Port = tuple[str, int]  # card, edge: a jetty of an island or an end of a route
Cell = tuple[int, int]  # axial coordinates of a hexagon

TONGA = "tonga"
# Points, then each beach as "places:jetties".
_ISLES = {
    TONGA: (0, "3:0 3:1 3:2 3:3 3:4 3:5"),
    "muroroa": (2, "2:1 2:2 3:45"),
    "nauru": (2, "2:12 3:3 2:45"),
    "tubuai": (2, "3:12 3:45"),
    "rarotonga": (3, "3:12 4:345"),
    "rapa_nui": (3, "5:12 3:345"),
    "tokelau": (3, "4:1 3:23 2:45"),
    "tuamotu": (3, "4:123 4:45"),
    "hiva_oa": (4, "2:12 2:3 5:45"),
    "mangareva": (4, "2:12 3:34 4:5"),
    "oahu": (4, "3:12 5:3 3:45"),
    "tahiti": (4, "2:12 3:34 4:5"),
    "tuvalu": (4, "2:12 4:3 3:45"),
    "fidschi": (5, "5:1 4:23 4:45"),
    "hawaii": (5, "3:12 5:3 2:45"),
    "samoa": (5, "3:12 4:34 5:5"),
}
# Each water card has three routes "edge edge number"; 0 is no number.
_WATERS = {
    "w01": "010 232 450",
    "w02": "012 230 452",
    "w03": "013 232 454",
    "w04": "013 230 452",
    "w05": "034 153 240",
    "w06": "033 153 243",
    "w07": "034 154 244",
    "w08": "033 152 240",
    "w09": "040 134 252",
    "w10": "042 133 254",
    "w11": "044 134 253",
    "w12": "043 133 254",
    "w13": "050 120 340",
    "w14": "052 122 342",
    "w15": "050 124 342",
    "w16": "050 123 344",
}
ISLES = tuple(_ISLES)
WATERS = tuple(_WATERS)
POINTS = {isle: points for isle, (points, _) in _ISLES.items()}
BEACHES = {
    isle: [(isle, number) for number in range(len(beaches.split()))] for isle, (_, beaches) in _ISLES.items()
}
PLACES: dict[Beach, int] = {}  # how many boats a beach holds
JETTIES: dict[Port, Beach] = {}  # to which beach a jetty belongs
for _isle, (_, _texts) in _ISLES.items():
    for _beach, _text in zip(BEACHES[_isle], _texts.split(), strict=True):
        _size, _edges = _text.split(":")
        PLACES[_beach] = int(_size)
        JETTIES |= {(_isle, int(edge)): _beach for edge in _edges}
ROUTES: dict[Port, tuple[Port, int]] = {}  # from one end of a route to the other, and its number
for _water, _texts in _WATERS.items():
    for _text in _texts.split():
        _one, _other, _number = (int(sign) for sign in _text)
        ROUTES[_water, _one] = (_water, _other), _number
        ROUTES[_water, _other] = (_water, _one), _number

DIRECTIONS: tuple[Cell, ...] = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))  # clockwise


@dataclass(frozen=True, slots=True)
class Laid:
    """A card on the table: its cell and the direction in which its edge 0 looks."""

    cell: Cell
    facing: int

    def beyond(self, edge: int) -> tuple[Cell, int]:
        """The cell on the other side of an edge, and the direction in which one goes there."""
        direction = (self.facing + edge) % 6
        return (self.cell[0] + DIRECTIONS[direction][0], self.cell[1] + DIRECTIONS[direction][1]), direction


Table = Mapping[str, Laid]


def lay(table: Table, card: str, port: Port) -> dict[str, Laid]:
    """The table with a card laid beyond a port, its crest towards the port."""
    cell, direction = table[port[0]].beyond(port[1])
    return {**table, card: Laid(cell, (direction + 3) % 6)}


def neighbour(table: Table, port: Port) -> Port | None:
    """The tile that lies beyond a port and the edge at which one arrives; None at open sea."""
    cell, direction = table[port[0]].beyond(port[1])
    for tile, laid in table.items():
        if laid.cell == cell:
            return tile, (direction + 3 - laid.facing) % 6
    return None


# How a way over the cards on the table ends (R8).
@dataclass(frozen=True, slots=True)
class OpenSea:
    """No card lies beyond the port."""

    port: Port


@dataclass(frozen=True, slots=True)
class Wreck:
    """A number on the way is higher than the group has colours."""


@dataclass(frozen=True, slots=True)
class Landfall:
    """An island is reached."""

    isle: str


Way = OpenSea | Wreck | Landfall


def follow(table: Table, port: Port, colours: int) -> Way:
    """Where a group of so many colours gets from a port, without drawing a card."""
    while (arrival := neighbour(table, port)) is not None:
        if arrival not in ROUTES:
            return Landfall(arrival[0])
        port, number = ROUTES[arrival]
        if number > colours:
            return Wreck()
    return OpenSea(port)
