"""What a search thinks of a decision, for the person who is to make it."""

from __future__ import annotations

from dataclasses import dataclass, field

from kemu.api.game import State
from kemu.base.words import counted
from kemu.bots import MCTS, Line

SHOWN = 5
"""Actions that are told of, the best one first."""


@dataclass(frozen=True, slots=True)
class Adviser:
    """Who is asked for a hint."""

    bot: MCTS = field(default_factory=MCTS)

    def hints(self, state: State) -> list[str]:
        """The best actions, with what they are worth to the player who acts."""
        actions = state.actions()
        if len(actions) == 1:
            return [f"{actions[0]} is all that can be done."]
        thought = self.bot.think(state)
        wins = len(state.game.players) == 2 and not self.bot.search(state).stands
        about = "proved" if thought.proved else f"after {counted(thought.playouts, 'random game')} from here"
        if not wins:
            about += "; 1 is the best, 0 the worst"
        lines = [f"{thought.action}: {worth(thought.lines[0], wins)} ({about})."]
        others = [line for line in thought.lines[1:SHOWN] if line.playouts]
        others.sort(key=lambda line: line.value, reverse=True)
        longest = max((len(str(line.action)) for line in others), default=0)
        lines += [f"  {line.action!s:<{longest}}  {worth(line, wins)}" for line in others]
        return lines


def worth(line: Line, wins: bool) -> str:
    """`wins 63 %`, `wins for certain`; where the value is not how often one of two wins, `is worth 0.63`."""
    if line.proved:
        sure = {0.0: "loses", 0.5: "is a draw", 1.0: "wins"}.get(line.value, f"is worth {line.value:.2f}")
        return f"{sure} for certain"
    if not wins:
        return f"is worth {line.value:.2f}"
    return f"wins {100 * line.value:.0f} %"
