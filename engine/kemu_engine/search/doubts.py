"""Before a choice is made, each reply to it is looked at once.

Of many replies a search tries few, those first that have brought most elsewhere. One that ends the game at
once may bring nothing anywhere else: whoever passes in Go while he is behind loses to a player who passes as
well. So each reply to the best choice that nobody has tried is tried in one of the last games; if that
proves the choice to be bad, another is the best, and so on."""

from __future__ import annotations

import time
from typing import Protocol

from kemu_engine.search.thought import Thought

PARTS = 0.9, 0.95
"""Of all games, after which the best choice is doubted."""


class Tree(Protocol):
    """One that grows. `games`: how many were played."""

    games: int

    def grow(self, most: int | None, until: float | None) -> bool:
        """Plays on until there are so many games, or until that time (of time.monotonic); False if all is
        proved."""

    def thought(self) -> Thought:
        """What it says."""

    def untried(self, number: int) -> list[int]:
        """Replies of another player to a choice that no game has tried, where they can prove something."""

    def through(self, number: int, reply: int) -> None:
        """One more game, by this choice and this reply, if it is not proved what the choice is worth."""


def grown(tree: Tree, playouts: int | None, seconds: float | None) -> Thought:
    """What a tree says after so many games, or so many seconds, whichever comes first."""
    began = time.monotonic()
    for part in PARTS:
        most = None if playouts is None else round(part * playouts)
        if not tree.grow(most, None if seconds is None else began + part * seconds):
            return tree.thought()
        doubt(tree, tree.games // 10 if playouts is None else playouts - tree.games)
    tree.grow(playouts, None if seconds is None else began + seconds)
    return tree.thought()


def doubt(tree: Tree, most: int) -> None:
    """Has the best choice be doubted, in so many games at most."""
    seen, end = set[int](), tree.games + most
    while (best := tree.thought().best) not in seen:
        seen.add(best)
        untried = tree.untried(best)
        if tree.games + len(untried) > end:
            return
        for reply in untried:
            tree.through(best, reply)
