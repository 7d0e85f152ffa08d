"""Before a choice is made, each reply to it is looked at once.

Of many replies a search tries few, those first that have brought most elsewhere. One that ends the game at
once may bring nothing anywhere else: whoever passes in Go while he is behind loses to a player who passes as
well. So each reply to the best choice that nobody has tried is tried in one of the last games; if that
proves the choice to be bad, another is the best, and so on. What becomes the best after that, and has replies
that nobody has tried, is not chosen, unless the best so far was proved to be worth less."""

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
    stood = None
    for part in PARTS:
        most = None if playouts is None else round(part * playouts)
        if not tree.grow(most, None if seconds is None else began + part * seconds):
            return tree.thought()
        stood = doubted(tree, tree.games // 10 if playouts is None else playouts - tree.games)
    proved = not tree.grow(playouts, None if seconds is None else began + seconds)
    last = tree.thought()
    if proved or stood is None or not tree.untried(last.best):
        return last
    fell = last.branches[stood.best].high < stood.branches[stood.best].high
    return last if fell else stood


def doubted(tree: Tree, most: int) -> Thought | None:
    """What a tree says after its best choice was doubted, in so many games at most; None if they are too
    few."""
    seen, end = set[int](), tree.games + most
    while (thought := tree.thought()).best not in seen:
        seen.add(thought.best)
        untried = tree.untried(thought.best)
        if tree.games + len(untried) > end:
            return None
        for reply in untried:
            tree.through(thought.best, reply)
    return thought
