"""Many random games, and what they say: who won how often, how long they were, what went wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from engine.playout import Playout


@dataclass(slots=True)
class Tally:
    """What is known after some games. Games that broke down or were cut off count in no other figure than
    their own."""

    players: tuple[str, ...]
    games: int = 0
    wins: Counter[str] = field(default_factory=Counter)  # sole first places
    shared: Counter[str] = field(default_factory=Counter)  # first places shared with some, not with all
    ties: int = 0  # all in the first place
    ended: list[Playout] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)  # the numbers of these games
    faults: dict[str, list[int]] = field(default_factory=dict)  # by what went wrong

    def add(self, game: Playout) -> None:
        self.games += 1
        if game.result is not None:
            self.ended.append(game)
            winners = game.result.winners
            if len(winners) == 1:
                self.wins[winners[0]] += 1
            elif len(winners) == len(self.players):
                self.ties += 1
            else:
                self.shared.update(winners)
        elif game.fault is not None:
            self.faults.setdefault(f"{game.fault.code}: {game.fault.message}", []).append(game.index)
        else:
            self.cut.append(game.index)

    @property
    def lengths(self) -> list[int]:
        """Decisions a game, in order, of those games that ended."""
        return sorted(game.decisions for game in self.ended)

    @property
    def branching(self) -> float | None:
        """The mean number of actions at a decision."""
        decisions = sum(game.decisions for game in self.ended)
        return sum(game.branching for game in self.ended) / decisions if decisions else None

    @property
    def outcomes(self) -> float:
        """The mean number of outcomes of chance a game."""
        return sum(game.outcomes for game in self.ended) / len(self.ended) if self.ended else 0.0


def quantile(ordered: list[int], share: float) -> int:
    """The smallest value that at least `share` of the values do not exceed."""
    at = max(0, -int(-share * len(ordered) // 1) - 1)
    return ordered[min(at, len(ordered) - 1)]
