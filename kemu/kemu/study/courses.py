"""How a game of two went, from what bots thought on the way: drama, changes of lead, how late it was known.

C. Browne, Automatic generation and evaluation of recombination games, 2008, has drama and lead changes, and
Ludii (E. Piette and others, 2020) has both and decisiveness. What they take from a function that evaluates
positions, this takes from the searches: what whoever moves thinks the position is worth, from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, sqrt

from kemu.bots.matches import Played
from kemu.service.statistics import Range, Z

CLEAR = 0.75
"""A value from which on a position is taken to be as good as won."""


@dataclass(frozen=True, slots=True)
class Course:
    """A game that one of two has won. `drama`: how far behind the winner was when he was behind (the mean of
    the roots of the differences, 0 to 1; 0 if he never was); `changes`: how often the lead changed; `known`:
    after which part of the decisions the winner stayed as good as sure."""

    drama: float
    changes: float
    known: float


def course(played: Played, players: Sequence[str]) -> Course | None:
    """Of a game that has a winner, and in which something was thought."""
    winners = [player for player, points in played.points.items() if points == 1]
    actors = [step.actor for step in played.record.steps if step.actor is not None]
    worths = [
        value if actor == players[0] else 1 - value
        for actor, value in zip(actors, played.values, strict=True)
        if value is not None
    ]
    if len(players) != 2 or len(winners) != 1 or not worths:
        return None
    ahead = [worth if winners == [players[0]] else 1 - worth for worth in worths]
    behind = [sqrt(1 - 2 * worth) for worth in ahead if worth < 0.5]
    leads = [worth > 0.5 for worth in ahead if worth != 0.5]
    open_ = [at for at, worth in enumerate(ahead, 1) if worth < CLEAR]
    return Course(
        sum(behind) / len(behind) if behind else 0.0,
        float(sum(one != other for one, other in pairwise(leads))),
        open_[-1] / len(ahead) if open_ else 0.0,
    )


def mean(values: Iterable[float], most: float = inf) -> Range | None:
    """Of numbers from 0 to `most`, with its range by the normal distribution; None of fewer than
    two, of which no range is known."""
    found = [*values]
    if len(found) < 2:
        return None
    middle, of = sum(found) / len(found), len(found)
    spread = sum((value - middle) ** 2 for value in found) / (of - 1)
    margin = Z * sqrt(spread / of)
    return Range(middle, max(0.0, middle - margin), min(most, middle + margin))
