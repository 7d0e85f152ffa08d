"""Which choice a search makes after the last doubts."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from kemu_engine.search.doubts import grown
from kemu_engine.search.thought import Branch, Thought


@dataclass
class Scripted:
    """A tree in which the second choice becomes the best in its last game. `high`: what the first can be
    worth then; `untried`: replies to the second that were not tried."""

    high: float
    replies: list[int]
    games: int = 0

    def grow(self, most: int | None, until: float | None) -> bool:
        assert most is not None
        self.games = most
        return True

    def thought(self) -> Thought:
        late = self.games == 100
        first = Branch(50, 0.5, 0.0, self.high if late else 1.0)
        return Thought((first, Branch(60 if late else 40, 0.5)), self.games)

    def untried(self, number: int) -> list[int]:
        return self.replies if number == 1 else []

    def through(self, number: int, reply: int) -> None:
        raise AssertionError("nothing is doubted after the last game")


@pytest.mark.parametrize(
    ("tree", "best"),
    [(Scripted(1.0, [3]), 0), (Scripted(0.5, [3]), 1), (Scripted(1.0, []), 1)],
    ids=["not doubted", "not doubted, but the other fell", "all replies tried"],
)
def test_what_becomes_the_best_last_is_chosen_only_if_its_replies_were_tried(
    tree: Scripted, best: int
) -> None:
    assert grown(tree, 100, None).best == best
