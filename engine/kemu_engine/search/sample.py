"""Positions that stand for all that may be so, and how much they say."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from kemu_engine.play.state import State

SURE = 0.98
"""Within so much, divided by the root of how many were drawn independently, a share lies 95 times in 100."""


@dataclass(frozen=True, slots=True)
class Sample:
    """States where play may stand, and how much each counts. `every`: there are no others."""

    states: list[State]
    weights: list[float]
    every: bool = False

    @property
    def worth(self) -> float:
        """How many positions drawn independently, all as likely, would say as much (L. Kish, 1965)."""
        return sum(self.weights) ** 2 / sum(each * each for each in self.weights) if self.weights else 0.0

    def error(self, games: int) -> float:
        """How far what so many random games bring, from 0 to 1, may be from what all would, at most and 95
        times in 100."""
        drawn = 0.0 if self.every else 1 / max(1.0, self.worth)
        return SURE * sqrt(drawn + 1 / max(1, games))
