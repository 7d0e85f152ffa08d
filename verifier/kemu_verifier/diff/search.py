"""All games of a length, in both programs at once: breadth first over the pairs of states that the same steps
lead to.

So the first difference found is a shortest one, and without any when no pairs are left the two games are the
same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from kemu_engine.play.game import Game
from kemu_engine.play.replay import text_of
from kemu_engine.play.state import State

from kemu_verifier.diff.knowledge import Knowledge
from kemu_verifier.diff.knowledge import difference as told_apart
from kemu_verifier.diff.observe import Difference, Pair, Sight, follow, opening
from kemu_verifier.symbolic.deadline import Deadline, memory, room

OFTEN = 32  # pairs, after which the time is looked at
SELDOM = 1_024  # and the memory, of which a search takes this share of what there is for all
SHARE = 0.6

Path = tuple[str, ...]
Found = tuple[Path, Difference]
"""The steps that both allow, and the difference that there is after them."""


class Search:
    """A search from a pair of states; it can be stopped and taken up again.

    `depth`: no game of up to so many steps shows a difference, -1 if that is not known even of the first
    stop; `count`: of the pairs met; `complete`: there are no others. `found`: a shortest difference. `full`:
    given up, because there are too many for the memory.
    """

    def __init__(self, sight: Sight, start: Pair) -> None:
        self.sight = sight
        self.depth = -1
        self.found: Found | None = None
        self.full = False
        self._start = start
        self._known = {_key(start)}
        self._parents: list[tuple[int, int]] = [
            (-1, -1)
        ]  # by number of the pair: (pair, index of the choice)
        self._waiting: deque[tuple[Pair, int, int]] = deque()  # (pair, its number, its distance)
        difference = sight.unlike(*start)
        if difference is not None:
            self.found = (), difference
        else:
            self.depth = 0
            self._waiting.append((start, 0, 0))

    @property
    def count(self) -> int:
        return len(self._parents)

    @property
    def complete(self) -> bool:
        return self.found is None and not self._waiting and not self.full

    def run(self, deadline: Deadline, most: int | None = None, depth: int | None = None) -> Found | None:
        """Goes on until a difference is found, or nothing is left, or there are `most` pairs, or all games
        of `depth` steps are known, or time is up."""
        looked = 0
        while self._waiting and self.found is None:
            pair, number, distance = self._waiting[0]
            self.depth = distance
            if (depth is not None and distance >= depth) or (most is not None and self.count > most):
                break
            looked += 1
            if not looked % OFTEN and deadline.passed:
                break
            if not looked % SELDOM and memory() > room() * SHARE:
                self.full = True
                self._waiting.clear()
                self._known.clear()
                break
            self._expand(pair, number, distance)
            if self.found is None:
                self._waiting.popleft()
        return self.found

    def _expand(self, pair: Pair, number: int, distance: int) -> None:
        for index in range(len(pair[0].choices)):
            after = follow(self.sight, pair, index)
            if after is None:
                continue
            difference = after if isinstance(after, Difference) else None
            if not isinstance(after, Difference):
                key = _key(after)
                if key in self._known:
                    continue
                self._known.add(key)
                difference = self.sight.unlike(*after)
            if difference is not None:
                self.found = (*self._path(number), text_of(pair[0], index)), difference
                return
            assert not isinstance(after, Difference)
            self._parents.append((number, index))
            if not after[0].is_end:
                self._waiting.append((after, self.count - 1, distance + 1))

    def _path(self, number: int) -> Path:
        """The texts of the steps to a pair."""
        choices = []
        while number > 0:
            number, index = self._parents[number]
            choices.append(index)
        return texts(self._start[0], choices[::-1])


def texts(state: State, choices: Iterable[int]) -> Path:
    """The steps that these choices are, one after the other."""
    found: list[str] = []
    before = -1
    for index in choices:
        if before >= 0:
            state = state.follow(before)
        found.append(text_of(state, index))
        before = index
    return tuple(found)


Key = tuple[object, ...]


def _key(pair: Pair) -> Key:
    """What makes two pairs the same; what both sides remember alike is kept once."""
    a, b = pair
    return (a.block, b.block, a.locals, b.locals, a.vars, a.vars if a.vars == b.vars else b.vars)


def same_graph(left: Game, right: Game, deadline: Deadline) -> int | None:
    """The number of reachable pairs of states if they are alike in all that play shows, and nobody knows more
    in one of the games; None if they are not, or time was up."""
    search, knowledge = _walked(left, right, deadline)
    return search.count if search is not None and knowledge is not None and knowledge.complete else None


def known_apart(left: Game, right: Game, deadline: Deadline) -> Difference | None:
    """What somebody knows in one only of two games that play the same; None if nobody does, or they do
    not, or time was up."""
    _, knowledge = _walked(left, right, deadline)
    if knowledge is None or knowledge.found is None:
        return None
    return told_apart(left, right, knowledge.found)


def _walked(left: Game, right: Game, deadline: Deadline) -> tuple[Search | None, Knowledge | None]:
    """All games, then who knows what in them; the second only if they play the same."""
    start = opening(left, right)
    if not isinstance(start, tuple):
        return None, None
    sight = Sight(left.program, right.program)
    search, knowledge = Search(sight, start), Knowledge(sight, start)
    search.run(deadline)
    if not search.complete:
        return search, None
    knowledge.search(deadline)
    return search, knowledge
