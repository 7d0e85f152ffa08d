"""What a search found out about the ways to go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Branch:
    """A way to go on: in how many games it was chosen; what they brought the player who chooses, on the
    average, from 0 (the worst) to 1; bounds of what it is worth to that player that are proved."""

    visits: int
    value: float
    low: float = 0.0
    high: float = 1.0

    @property
    def proved(self) -> bool:
        """Whether it is known exactly what it is worth."""
        return self.low == self.high


@dataclass(frozen=True, slots=True)
class Thought:
    """Branches in the order of the state's choices, and how many games were played to find out."""

    branches: tuple[Branch, ...]
    games: int

    @property
    def best(self) -> int:
        """The number of the choice to make: one that is proved to be as good as any other, else the one
        chosen most often of those that may be better than the best that is sure; where all is lost, the one
        that was hardest to refute."""
        sure = max(each.low for each in self.branches)
        most = max(each.high for each in self.branches)
        if sure == most:
            wanted = [at for at, each in enumerate(self.branches) if each.low == sure]
            return max(wanted, key=lambda at: self.branches[at].visits)
        open_ = [at for at, each in enumerate(self.branches) if each.high > sure]
        best = max(open_, key=lambda at: (self.branches[at].visits, self.branches[at].value))
        if sure > max(self.branches[best].value, 0.0):
            return max(
                (at for at, each in enumerate(self.branches) if each.low == sure),
                key=lambda at: self.branches[at].visits,
            )
        return best

    @property
    def value(self) -> float:
        """What the best choice is worth to the player who is to make it."""
        return self.branches[self.best].value

    @property
    def proved(self) -> bool:
        """Whether no choice can be better than the best one, and it is known what that is worth."""
        return max(each.low for each in self.branches) == max(each.high for each in self.branches)


def together(thoughts: Sequence[Thought]) -> Thought:
    """What several searches of the same state found out."""
    branches = []
    for same in zip(*(each.branches for each in thoughts), strict=True):
        visits = sum(each.visits for each in same)
        low, high = max(each.low for each in same), min(each.high for each in same)
        value = sum(each.visits * each.value for each in same) / visits if visits else 0.5
        branches.append(Branch(visits, low if low == high else value, low, high))
    return Thought(tuple(branches), sum(each.games for each in thoughts))
