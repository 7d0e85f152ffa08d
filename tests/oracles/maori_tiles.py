"""Māori's tiles, the fields of a player's board, and the islands that the tiles on it form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Field = tuple[int, int]  # column and row of a player's board, from its upper left corner

VOLCANO = "volcano"
SIDES: dict[str, tuple[int, int]] = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}


@dataclass(frozen=True)
class Tile:
    """What a kind of tile shows; `land`: the sides to which its land runs; `half`: where half a wreath is."""

    count: int
    palms: int = 0
    huts: int = 0
    boats: int = 0
    shells: int = 0
    land: tuple[str, ...] = ()
    half: str | None = None


def _tiles() -> dict[str, Tile]:
    """The 97 tiles: ends, middle pieces, single islands, sea, volcanoes."""
    tiles: dict[str, Tile] = {}
    for side in SIDES:
        land = (side,)
        tiles[f"{side}_1"] = Tile(4, palms=1, land=land)
        tiles[f"{side}_2"] = Tile(3, palms=2, land=land)
        tiles[f"{side}_hut"] = Tile(2, palms=1, huts=1, land=land)
        tiles[f"{side}_shell"] = Tile(1, palms=2, shells=1, land=land)
        tiles[f"{side}_boat"] = Tile(1, palms=1, boats=1, land=land)
        tiles[f"{side}_lei"] = Tile(2, palms=1, land=land, half=side)
    tiles["east_3"] = Tile(1, palms=3, land=("east",))
    tiles["west_3"] = Tile(1, palms=3, land=("west",))
    for axis, ends in (("ns", ("north", "south")), ("ew", ("east", "west"))):
        tiles[f"{axis}_2"] = Tile(3, palms=2, land=ends)
        tiles[f"{axis}_3"] = Tile(1, palms=3, land=ends)
        tiles[f"{axis}_hut"] = Tile(1, palms=1, huts=1, land=ends)
        tiles[f"{axis}_shell"] = Tile(1, palms=2, shells=1, land=ends)
        tiles[f"{axis}_boat"] = Tile(1, palms=1, boats=1, land=ends)
    tiles["isle_1"] = Tile(3, palms=1)
    tiles["isle_2"] = Tile(2, palms=2)
    tiles["isle_hut"] = Tile(2, palms=1, huts=1)
    tiles["isle_boat"] = Tile(2, palms=1, boats=1)
    tiles["isle_shell"] = Tile(1, palms=1, shells=1)
    tiles["sea"] = Tile(5)
    tiles["sea_boat"] = Tile(8, boats=1)
    tiles["sea_shell"] = Tile(4, shells=1)
    tiles[VOLCANO] = Tile(2)
    return tiles


TILES = _tiles()
ATOLL: frozenset[Field] = frozenset((x, y) for x in (1, 2, 3) for y in (1, 2))
ATOLL_BOAT: Field = (2, 1)  # the field inside the atoll with a printed boat
PRINTED_LAND: frozenset[Field] = frozenset({(0, 0), (4, 0), (0, 3), (4, 3)})  # on the front
_ALL: tuple[Field, ...] = tuple((x, y) for x in range(5) for y in range(4))
FIELDS: dict[str, tuple[Field, ...]] = {
    "front": tuple(place for place in _ALL if place not in PRINTED_LAND),
    "atoll": _ALL,
}


def beside(place: Field, side: str) -> Field:
    """The field on one side of another."""
    return place[0] + SIDES[side][0], place[1] + SIDES[side][1]


def touch(one: Field, other: Field) -> bool:
    """Whether two fields are neighbours, diagonally too."""
    return one != other and max(abs(one[0] - other[0]), abs(one[1] - other[1])) == 1


def joined(tiles: Mapping[Field, str], place: Field, side: str) -> bool:
    """Whether land runs over this edge of a tile to a neighbouring tile."""
    other = tiles.get(beside(place, side))
    return side in TILES[tiles[place]].land and other is not None and OPPOSITE[side] in TILES[other].land


def islands(tiles: Mapping[Field, str]) -> list[set[Field]]:
    """The tiles of a board in connected groups; a sea tile is a group of its own, without palms."""
    groups: list[set[Field]] = []
    for start in tiles:
        if any(start in group for group in groups):
            continue
        group, todo = {start}, [start]
        while todo:
            here = todo.pop()
            for there in (beside(here, side) for side in SIDES if joined(tiles, here, side)):
                if there not in group:
                    group.add(there)
                    todo.append(there)
        groups.append(group)
    return groups
