"""Random types, nested to a depth, as the generators of rules files know them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import product
from random import Random

MOST_CELLS = 60  # single values in one variable
MOST_KEYS = 9

NAMED = {
    "Hue": ["red", "green", "blue"],
    "Cool": ["blue", "green"],
    "Spot": ["nw", "ne", "sw", "se"],
    "Duo": ["rf", "rt", "bf", "bt"],
}
HEAD = """\
enum Hue: red, green, blue
domain Cool = [blue, green]
domain Spot = grid(1..2, 1..2)
domain Warm = {h for h in Hue if h != green}
domain Duo = (hue: Warm, big: bool)
const nw: Spot = (1, 1)
const ne: Spot = (2, 1)
const sw: Spot = (1, 2)
const se: Spot = (2, 2)
const rf: Duo = (red, false)
const rt: Duo = (red, true)
const bf: Duo = (blue, false)
const bt: Duo = (blue, true)
"""


def head(text: str) -> str:
    """Of the declarations, those that a file needs."""
    found: list[str] = []
    for line in reversed(HEAD.splitlines(keepends=True)):
        name = line.split()[1].rstrip(":")
        if name == "Hue" or re.search(rf"\b{name}\b", text + "".join(found)):
            found.insert(0, line)
    return "".join(found)


@dataclass(frozen=True, slots=True)
class Kind:
    """`size`: of a list or bag. `low`, `high`: of a range. `name`: of a domain or record. `grows`: a map
    whose keys are numbers, and under each of them there is room for one more than under the one before.
    `default`: what a map has under keys that are not given.
    """

    head: str  # bool, range, named, option, set, bag, list, map, tuple, record
    parts: tuple[Kind, ...] = ()
    size: int = 0
    low: int = 0
    high: int = 0
    name: str = ""
    fields: tuple[str, ...] = field(default=())
    grows: bool = False
    default: str = ""

    @property
    def written(self) -> str:
        inner = [part.written for part in self.parts]
        match self.head:
            case "bool":
                return "bool"
            case "range":
                return f"{self.low}..{self.high}"
            case "named" | "record":
                return self.name
            case "option":
                return f"{inner[0]}?"
            case "bag" | "list":
                return f"{self.head}[{inner[0]}, {self.size}]"
            case "map" if self.grows:
                value = self.parts[1]
                return f"map[k in {inner[0]}, {value.head}[{value.parts[0].written}, k + 1]]"
        default = f" = {self.default}" if self.default else ""
        return f"{self.head}[{', '.join(inner)}{default}]"


BOOL = Kind("bool")
HUE = Kind("named", name="Hue")
SPOT = Kind("named", name="Spot")
PLAYER = Kind("named", name="Player")
SMALL = Kind("range", low=0, high=2)
SCALARS = [
    BOOL, HUE, HUE, SPOT, PLAYER, SMALL, Kind("range", low=0, high=5), Kind("range", low=-1, high=2),
    Kind("named", name="Cool"), Kind("named", name="Duo"),
]  # fmt: skip
PAIR = Kind("record", (SMALL, Kind("option", (HUE,))), name="Pair", fields=("many", "tint"))


def option(kind: Kind) -> Kind:
    return Kind("option", (kind,))


def set_of(kind: Kind) -> Kind:
    return Kind("set", (kind,))


def list_of(kind: Kind, size: int) -> Kind:
    return Kind("list", (kind,), size)


def map_of(key: Kind, value: Kind) -> Kind:
    return Kind("map", (key, value))


def tuple_of(*parts: Kind) -> Kind:
    return Kind("tuple", parts)


def countable(kind: Kind) -> bool:
    """Whether its values can be counted through."""
    if kind.head in ("option", "tuple", "record"):
        return all(map(countable, kind.parts))
    return kind.head in ("bool", "range", "named")


def may_be_none(kind: Kind) -> bool:
    """Whether there may be an option of it."""
    return kind.head != "option" and countable(kind)


def values(kind: Kind, players: list[str]) -> list[str]:
    """How all values of a type are written that can be counted through."""
    match kind.head:
        case "bool":
            return ["false", "true"]
        case "range":
            return [str(n) for n in range(kind.low, kind.high + 1)]
        case "named":
            return list(players if kind.name == "Player" else NAMED[kind.name])
        case "option":
            return ["none", *values(kind.parts[0], players)]
    rows = product(*(values(part, players) for part in kind.parts))
    return [f"{kind.name}({', '.join(row)})" for row in rows]


def cells(kind: Kind) -> int:
    """How many single values it is made of."""
    match kind.head:
        case "list":
            return kind.size * cells(kind.parts[0])
        case "map":
            return number(kind.parts[0]) * cells(kind.parts[1])
        case "bag":
            return number(kind.parts[0])
        case "tuple" | "record":
            return sum(map(cells, kind.parts))
    return 1


def number(kind: Kind) -> int:
    """How many values there are."""
    return len(values(kind, ["ann", "bob"]))


class Kinds:
    """Makes types at random."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.records = [PAIR]

    def record(self) -> Kind:
        """One more record, to be declared."""
        parts = tuple(self.any(self.random.randint(0, 2)) for _ in range(self.random.randint(1, 2)))
        names = tuple("abc"[: len(parts)])
        made = Kind("record", parts, name=f"Rec{len(self.records)}", fields=names)
        if cells(made) <= MOST_CELLS // 2:
            self.records.append(made)
        return self.records[-1]

    def declared(self) -> str:
        lines = []
        for r in self.records:
            fields = (f"{n}: {k.written}" for n, k in zip(r.fields, r.parts, strict=True))
            lines.append(f"record {r.name}({', '.join(fields)})\n")
        return "".join(lines)

    def any(self, depth: int) -> Kind:
        """A type nested so deep at most."""
        for _ in range(20):
            made = self._any(depth)
            if cells(made) <= MOST_CELLS:
                return made
        return HUE

    def _any(self, depth: int) -> Kind:
        if depth <= 0:
            return self.random.choice(SCALARS)
        match self.random.randint(0, 13):
            case 0 | 1 | 2:
                return list_of(self.any(depth - 1), self.random.randint(1, 3))
            case 3 | 4 | 5:
                made = map_of(self.key(), self.any(depth - 1))
                return made if self.random.randint(0, 2) else self.with_default(made)
            case 6 | 7:
                return Kind("bag", (self.key(),), self.random.randint(1, 4))
            case 8:
                return set_of(self.key(options=False))
            case 9 | 10:
                return tuple_of(*(self.any(depth - 1) for _ in range(2)))
            case 11:
                return self.random.choice(self.records)
            case 12:
                inner = self.any(min(depth - 1, 1))
                return option(inner) if may_be_none(inner) else option(self.key(options=False))
        head = self.random.choice(["list", "bag"])
        inner = self.key() if head == "bag" else self.any(max(depth - 2, 0))
        return replace(map_of(SMALL, Kind(head, (inner,), 3)), grows=True)

    def with_default(self, kind: Kind) -> Kind:
        """A map with a default, if one can be written."""
        value = kind.parts[1]
        match value.head:
            case "list":
                default = "[]"
            case "set" | "bag":
                default = "{}"
            case _:
                default = self.random.choice(values(value, ["ann", "bob"])) if countable(value) else ""
        return replace(kind, default=default)

    def key(self, options: bool = True) -> Kind:
        """A type that can be counted through: of keys, of things in bags and sets."""
        for _ in range(20):
            made = self.random.choice(SCALARS)
            match self.random.randint(0, 7 if options else 6):
                case 0:
                    made = tuple_of(BOOL, self.random.choice([HUE, BOOL, SMALL]))
                case 1:
                    made = tuple_of(SMALL, self.random.choice([BOOL, SMALL]))
                case 2 if number(PAIR) <= MOST_KEYS or not options:
                    made = PAIR
                case 7:
                    made = option(made)
            if number(made) <= MOST_KEYS or (not options and number(made) <= 12):
                return made
        return HUE
