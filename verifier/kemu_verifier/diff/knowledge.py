"""Whether two games that play the same are the same to those who play them, too: who can tell which plays
apart.

All plays at once that look alike to somebody in both games, as sets of pairs of states: as in one game by
strategy/look_alikes.py. If what he sees and is told of the next stop parts such a set in one game otherwise
than in the other, then two plays look alike to him in one of them only.
"""

from __future__ import annotations

from dataclasses import dataclass

from kemu_engine.kernel.sight import secret
from kemu_engine.play.game import Game
from kemu_engine.play.replay import ReplayError, text_of
from kemu_engine.play.state import State

from kemu_verifier.diff.observe import Difference, Pair, Sight, follow
from kemu_verifier.strategy.observer import Chosen, Observer
from kemu_verifier.symbolic.deadline import Deadline

FEW, MOST = 2_000, 200_000
"""Pairs of states, each as often as there are sets that it is in: for each player at first, and at most."""

Path = tuple[str, ...]
Key = tuple[int, Chosen, Chosen]
"""A pair of states by its number; what is still to be told on the left and on the right."""
Ways = dict[Key, "tuple[Key, int] | None"]
"""Pairs of states, each with the one before it and the choice made there."""


@dataclass(frozen=True, slots=True)
class Told:
    """Two plays that the player (or, by the number after the last, somebody without a seat) can tell apart
    in one of the games, `left` or not, and not in the other."""

    seer: int
    plays: tuple[Path, Path]
    left: bool


@dataclass(frozen=True, slots=True)
class _Group:
    before: _Group | None
    ways: Ways


class Knowledge:
    """All that is known in two games that play the same from these states on. `complete`: every player has
    been looked at, and no `found`."""

    def __init__(self, sight: Sight, start: Pair) -> None:
        self.sight = sight
        self.sides = Observer(sight.left, histories=False), Observer(sight.right, histories=False)
        self.pairs: list[Pair] = []
        self.sets = 0
        self.found: Told | None = None
        self.complete = False
        self._numbers: dict[Pair, int] = {}
        self._moves: dict[int, list[int]] = {}
        self._start = start

    def search(self, deadline: Deadline, most: int = MOST) -> Told | None:
        """Two plays that somebody can tell apart in one game only, if there are; a shortest for him."""
        if not secret(self.sight.left) and not secret(self.sight.right):
            self.complete = True
            return None
        left = [*range(len(self.sight.left.players) + 1)]
        for size in (min(FEW, most), most):
            left = [seer for seer in left if not self._search(seer, deadline, size)]
        self.complete = self.found is None and not left
        return self.found

    def _search(self, seer: int, deadline: Deadline, most: int) -> bool:
        """Whether all that may look alike to him was looked at; stops at what is found."""
        if self.found is not None:
            return False
        waiting, known, size = [_Group(None, {(self._number(self._start), (), ()): None})], set[object](), 0
        for group in waiting:
            size += len(group.ways)
            if size > most or deadline.passed:
                return False
            parts = self._parted(group, seer)
            if isinstance(parts, Told):
                self.found = parts
                return False
            for part in parts:
                name = frozenset(part.ways)
                if name not in known:
                    known.add(name)
                    waiting.append(part)
            self.sets += 1
        return True

    def _parted(self, group: _Group, seer: int) -> list[_Group] | Told:
        """What may follow, apart by what he sees and is told of it, if that parts it alike on both sides."""
        found: dict[tuple[object, object], Ways] = {}
        for key in group.ways:
            number, *pending = key
            pair = self.pairs[number]
            for at, after in enumerate(self._after(number)):
                if after < 0:
                    continue
                there = self.pairs[after]
                choices = at, self.sight.twin(pair[0], at, pair[1])
                told, left = list[object](), list[Chosen]()
                for side in (0, 1):
                    known, rest = self._learnt(
                        side, pair[side], choices[side], there[side], pending[side], seer
                    )
                    told.append(known)
                    left.append(rest)
                found.setdefault((told[0], told[1]), {}).setdefault((after, left[0], left[1]), (key, at))
        for side in (0, 1):
            first: dict[object, tuple[object, object]] = {}
            for both in found:
                other = first.setdefault(both[side], both)
                if other != both:
                    one, two = (
                        self._way(_Group(group, found[each]), next(iter(found[each])))
                        for each in (other, both)
                    )
                    return Told(seer, (one, two), side == 1)
        return [_Group(group, ways) for ways in found.values()]

    def _learnt(
        self, side: int, state: State, at: int, after: State, pending: Chosen, seer: int
    ) -> tuple[object, Chosen]:
        """What he sees and is told on one side of a step and of the stop that it leads to; what is still to
        be told."""
        observer = self.sides[side]
        chosen, now = observer.together(state, at, after, pending)
        heard = tuple(each for each in now if each[0] != seer)
        seen = observer.cells(after, seer), observer.asked(after), observer.result(after)
        return (observer.told(state, at, seer), heard, seen), chosen

    def _number(self, pair: Pair) -> int:
        number = self._numbers.setdefault(pair, len(self.pairs))
        if number == len(self.pairs):
            self.pairs.append(pair)
        return number

    def _after(self, number: int) -> list[int]:
        """Where the choices of a pair lead, -1 where both break down."""
        if number not in self._moves:
            pair, found = self.pairs[number], list[int]()
            for at in range(len(pair[0].choices)):
                after = follow(self.sight, pair, at)
                found.append(self._number(after) if isinstance(after, tuple) else -1)
            self._moves[number] = found
        return self._moves[number]

    def _way(self, group: _Group | None, key: Key) -> Path:
        """The steps that lead to a pair of a set."""
        found: list[str] = []
        while group is not None and (way := group.ways[key]) is not None:
            key, at = way
            found.append(text_of(self.pairs[key[0]][0], at))
            group = group.before
        return tuple(reversed(found))


def difference(left: Game, right: Game, told: Told) -> Difference:
    """The same as the interpreter sees it. Raises ReplayError if it does not."""
    seer = left.players[told.seer] if told.seer < len(left.players) else None
    alike = []
    for game in (left, right):
        one, two = (_played(game, steps).information_state(seer) for steps in told.plays)
        alike.append(one == two)
    if alike != [not told.left, told.left]:
        raise ReplayError(f"the interpreter does not see what {seer or 'somebody without a seat'} knows")
    what = (seer or "somebody without a seat", *map(", ".join, told.plays))
    return Difference("knowledge", what if told.left else (), () if told.left else what)


def _played(game: Game, steps: Path) -> State:
    state = game.initial()
    for step in steps:
        state = state.apply(step)
    return state
