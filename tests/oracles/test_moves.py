"""`move`: from every kind of zone to every other, what is there and what is not."""

from __future__ import annotations

from itertools import product

import pytest

from tests.oracles.agreement import Difference, agree
from tests.soak import as_far

RULES = """game "Generated"
players ann, bob
enum Hue: red, green, blue
state:
    n: 0..2 = 1
    h: Hue? = green
    bagged: bag[Hue, 3] = {red: 2}
    full: bag[Hue, 1] = {blue: 1}
    held: set[Hue] = {red, green}
    row: list[Hue, 3] = [green, red, green]
    one: Hue? = red
    free: Hue?
    bags: map[0..2, bag[Hue, 2]] = {0: {}, 1: {red: 1, green: 1}, 2: {blue: 2}}
    rows: list[list[Hue, 2], 2] = [[red], [blue, red]]
    slots: map[Player, Hue?] = {ann: red, bob: none}
    sets: map[bool, set[Hue]] = {true: {red}, false: {}}
    count: 0..4 = 2
    counts: map[0..2, 0..3] = {0: 3, 1: 0, 2: 1}
rules:
    MOVE
    choose by ann:
        act(k in 0..2):
            n = k
    MOVE
    choose by bob:
        act2:
            pass
"""
ZONES = (
    *(
        "bagged",
        "full",
        "held",
        "row",
        "one",
        "free",
        "bags[0]",
        "bags[n]",
        "rows[0]",
        "rows[n - 1]",
        "rows[-1]",
    ),
    *("slots[ann]", "slots[bob]", "sets[true]", "sets[n == 0]"),
)
THINGS = ("red", "green", "h", "all", "all red", "first(row)", "one")
COUNTERS = ("count", "counts[0]", "counts[n]", "counts[n - 1]")
NUMBERS = ("1", "n", "2", "0", "5", "n - 2", "all", "count")
SHARE = 7
EVERY = 2 * SHARE * SHARE  # of so many moves one is looked at, and each in a soak run


def moves() -> list[str]:
    things = product(THINGS, ZONES, (*ZONES, "box"))
    numbers = product(NUMBERS, COUNTERS, (*COUNTERS, "box"))
    every = [(*things,), (*numbers,)]
    return [f"move {x} from {a} to {b}" for some in every for x, a, b in some if a != b]


def agreed(move: str) -> None:
    """That readers agree on it, if the zones go together."""
    try:
        agree(RULES.replace("MOVE", move), 4)
    except Difference as difference:
        if "E0734" not in str(difference):
            raise


@pytest.mark.parametrize("start", range(SHARE))
def test_moves_are_what_they_say(start: int) -> None:
    mine = moves()[start::SHARE]
    first = range(0, len(mine), EVERY // SHARE)
    for at in as_far(len(first), [*first, *(each for each in range(len(mine)) if each not in first)]):
        agreed(mine[at])


@pytest.mark.parametrize(
    "zones", [("rows[0]", "rows[n - 1]"), ("sets[n == 0]", "sets[false]"), ("bags[1]", "bags[n]")]
)
def test_what_moves_to_where_it_is_stays(zones: tuple[str, str]) -> None:
    for source, target in (zones, zones[::-1]):
        agreed(f"move all from {source} to {target}")
