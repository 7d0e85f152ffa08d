"""Positions from which a search begins where there are secrets: all that fit what the player knows, if there
is time and they are few; else as many as are soon drawn."""

from __future__ import annotations

import time

from kemu_engine.play.information import Glimpse
from kemu_engine.play.state import State
from kemu_engine.search.sample import Sample
from kemu_engine.search.worlds import Worlds

MOST = 2_000
"""Plays that are all looked at."""
FINDING, DRAWING = 0.05, 0.25
"""Parts of the time: to find all plays, and to draw some."""
DRAWS = 16
"""So often plays are drawn, at most."""


def positions(worlds: Worlds, known: tuple[Glimpse, ...], due: float | None) -> Sample:
    """Those that fit what a player knows. Without a time limit as many as `worlds` has, so that the same seed
    gives the same."""
    if due is None:
        return Sample(*worlds.fitting(known))
    begun = time.monotonic()
    every = worlds.every(known, MOST, begun + FINDING * (due - begun))
    if every is not None:
        return Sample(*every, every=True)
    states, weights, last = list[State](), list[float](), begun
    for number in range(DRAWS):
        found, counting = worlds.another(number).fitting(known)
        whole = sum(counting)
        states += found
        weights += [each / whole for each in counting]
        now = time.monotonic()
        if now + (now - last) > begun + DRAWING * (due - begun):
            break
        last = now
    return Sample(states, weights)
