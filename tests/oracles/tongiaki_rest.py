"""Tongiaki's endless chains: can boats that always come back to their island be landed so that they rest?

Colours are left aside: a filling is how many boats lie on each beach of the island, in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from .tongiaki_sea import BEACHES, PLACES

Filling = tuple[int, ...]


@cache
def can_rest(isle: str, boats: Filling, empty_first: bool, anyhow: bool = False) -> bool:
    """Whether some choice of beaches and landings leads to a filling without a full beach.

    `empty_first`: on landing only empty beaches must get a boat first, not all that have room (T14);
    `anyhow`: and not even these if the boats are fewer (T31).
    """
    seen, todo = {boats}, [boats]
    while todo:
        now = todo.pop()
        full = [nr for nr, places in enumerate(_places(isle)) if now[nr] == places]
        if not full:
            return True
        for nr in full:
            for landed in set(_landings(isle, _with(now, nr, 0), now[nr], empty_first, anyhow)) - seen:
                seen.add(landed)
                todo.append(landed)
    return False


def _places(isle: str) -> list[int]:
    return [PLACES[beach] for beach in BEACHES[isle]]


def _with(boats: Filling, nr: int, number: int) -> Filling:
    return (*boats[:nr], number, *boats[nr + 1 :])


def _landings(isle: str, boats: Filling, group: int, empty_first: bool, anyhow: bool) -> Iterator[Filling]:
    """All ways in which a group may land; what finds no place goes home."""
    room = {nr for nr, places in enumerate(_places(isle)) if boats[nr] < places}
    first = frozenset(nr for nr in room if boats[nr] == 0 or not empty_first)
    if anyhow and group < len(first):
        first = frozenset()
    afloat = {(boats, first)}
    for _ in range(min(group, sum(_places(isle)) - sum(boats))):
        afloat = {
            (_with(now, nr, now[nr] + 1), waiting - {nr})
            for now, waiting in afloat
            for nr in (waiting or room)
            if now[nr] < _places(isle)[nr]
        }
    yield from (now for now, _ in afloat)
