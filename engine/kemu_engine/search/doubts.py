"""Before a choice is made, each reply to it is looked at once.

Of many replies a search tries few, those first that have brought most elsewhere. One that ends the game at
once may bring nothing anywhere else: whoever passes in Go while he is behind loses to a player who passes as
well. So each reply to the best choice that nobody has tried is tried in one of the last games; if that
proves the choice to be bad, another is the best, and so on."""

from __future__ import annotations

from typing import Protocol

from kemu_engine.search.thought import Thought

PART = 0.1
"""Of all games those that may go into this."""


class Tree(Protocol):
    """One that has grown."""

    def thought(self, games: int) -> Thought:
        """What it says after so many games."""

    def untried(self, number: int) -> list[int]:
        """Replies of a player to a choice that no game has tried, where they can prove something."""

    def through(self, number: int, reply: int) -> int:
        """One more game, by this choice and this reply, and on as the tree says; 0 if all is proved."""


def doubts(tree: Tree, games: int) -> int:
    """Has the best choice be doubted, after so many games; how many more were played."""
    asked, seen = 0, set[int]()
    while True:
        found = tree.thought(games + asked)
        if found.proved or found.best in seen:
            return asked
        seen.add(found.best)
        untried = tree.untried(found.best)
        if asked + len(untried) > PART * games:
            return asked
        asked += sum(tree.through(found.best, reply) for reply in untried)
