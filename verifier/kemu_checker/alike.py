"""Plays that look alike to somebody: two of them compared, and all of them gone through.

A question about secrets is one of two plays that give a `seer` the same information up to a stop. `informed`:
whether he may do the same there. `no_leak`: whether, told the same of the next step, somebody without a seat
sees the same.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kemu_checker.limits import OutOfTime, TooLarge
from kemu_checker.machine import Machine, Way
from kemu_checker.plays import BadPlay, Landing, Position, landing, played
from kemu_checker.sight import Pending, Sight
from kemu_checker.text import Node

INFORMED, NO_LEAK = "informed", "no_leak"


def seers(sight: Sight, form: str) -> Iterable[int]:
    """Of whom the question is asked."""
    return range(sight.watcher) if form == INFORMED else (sight.watcher,)


# Two plays


@dataclass(frozen=True, slots=True)
class Known:
    """What somebody knows of a play up to a stop: all from before, what he is told of what was chosen
    together, what he sees; and apart from that which stop it is."""

    before: tuple[Any, ...]
    heard: Pending
    sees: tuple[Any, ...]
    stop: tuple[Any, ...]


def known(sight: Sight, play: list[tuple[Position, Way | None]], seer: int) -> Known:
    """What he knows at the last stop of a play; each position comes with the way that was taken there."""
    found = Known((), (), (), ())
    before: tuple[Any, ...] = ()
    pending: Pending = ()
    heard: Pending = ()
    for i, (position, way) in enumerate(play):
        found = Known(before, heard, sight.seen(position, seer), sight.stop(position))
        if way is None or i + 1 == len(play):
            break
        told = sight.told(position, way, seer)
        before = (*before, found.heard, found.sees, found.stop, told)
        pending, now = sight.together(position, way, play[i + 1][0], pending)
        heard = tuple(each for each in now if each[0] != seer)
    return found


def differ(sight: Sight, form: str, plays: list[list[tuple[Position, Way | None]]], seer: int) -> bool:
    """Whether two plays look alike to him, and something differs of which the question says it must not."""
    one, other = (known(sight, play, seer) for play in plays)
    if seer not in seers(sight, form) or (one.before, one.heard) != (other.before, other.heard):
        return False
    if form == NO_LEAK:
        return (one.sees, one.stop) != (other.sees, other.stop)
    first, second = (sight.may(play[-1][0], seer) for play in plays)
    return one.sees == other.sees and first != second


# All plays: sets of states that look alike (the subset construction)

Key = tuple[int, Pending]
Group = frozenset[Key]


@dataclass(eq=False)
class AllPlays:
    """Goes through all sets of states that somebody cannot tell apart. `most`: how many states these sets
    may have together."""

    sight: Sight
    start: Landing
    most: int
    until: float
    _positions: list[Position] = field(default_factory=list)
    _numbers: dict[object, int] = field(default_factory=dict)
    _after: dict[int, list[int | None]] = field(default_factory=dict)

    def something_differs(self, form: str) -> bool:
        """Whether there are two plays that look alike, and differ in what the question is about."""
        return any(self._differs(form, seer) for seer in seers(self.sight, form))

    def _differs(self, form: str, seer: int) -> bool:
        if self.start.position is None:
            return False
        first: Group = frozenset({(self._number(self.start.position), ())})
        if form == INFORMED and self._asked_apart(first, seer):
            return True
        waiting, seen, size = [first], {first}, 1
        while waiting:
            group = waiting.pop()
            for after in self._following(group, seer):
                parts = self._parted(after, form, seer)
                if parts is None:
                    return True
                new = [part for part in parts if part not in seen]
                seen.update(new)
                waiting += new
                size += sum(map(len, new))
                if size > self.most:
                    raise TooLarge(f"more than {self.most} states in sets that look alike")
                if time.monotonic() > self.until:
                    raise OutOfTime
        return False

    def _following(self, group: Group, seer: int) -> Iterator[Group]:
        """The states that may follow, apart by what he is told on the way."""
        found: dict[object, set[Key]] = {}
        for number, pending in group:
            position = self._positions[number]
            for way, end in zip(position.ways, self._ends(number), strict=True):
                if end is None:
                    continue
                told = self.sight.told(position, way, seer)
                later, now = self.sight.together(position, way, self._positions[end], pending)
                others = tuple(each for each in now if each[0] != seer)
                found.setdefault((told, others), set()).add((end, later))
        return map(frozenset, found.values())

    def _parted(self, group: Group, form: str, seer: int) -> list[Group] | None:
        """Apart by what he sees; nothing if that, or what he may do, must not differ and does."""
        seen = self._apart(group, lambda position: self.sight.seen(position, seer))
        if form == NO_LEAK:
            found = [part for each in seen for part in self._apart(each, self.sight.stop)]
            return found if len(found) == 1 else None
        if any(self._asked_apart(each, seer) for each in seen):
            return None
        return [part for each in seen for part in self._apart(each, self.sight.stop)]

    def _asked_apart(self, group: Group, seer: int) -> bool:
        return len(self._apart(group, lambda position: self.sight.may(position, seer))) > 1

    def _apart(self, group: Group, by: Any) -> list[Group]:
        parts: dict[object, set[Key]] = {}
        for key in group:
            parts.setdefault(by(self._positions[key[0]]), set()).add(key)
        return [frozenset(part) for part in parts.values()]

    # States, each once

    def _number(self, position: Position) -> int:
        key = position.key
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self._positions)
            self._positions.append(position)
        return found

    def _ends(self, number: int) -> list[int | None]:
        """Where the ways of a state lead; a fault leads to nothing."""
        found = self._after.get(number)
        if found is None:
            position = self._positions[number]
            ends = [position.step(way).position for way in position.ways]
            found = self._after[number] = [None if end is None else self._number(end) for end in ends]
        return found


# What a bundle says


def two_plays(machine: Machine, claims: Node, form: str, records: list[Any], seer: Any) -> bool:
    """Whether two records are plays that look alike to the seer, and differ."""
    sight = Sight(machine.program, claims)
    if len(records) != 2 or type(seer) is not int or seer not in seers(sight, form):
        raise BadPlay("this is no comparison of two plays")
    return differ(sight, form, [_ways(*played(machine, record)) for record in records], seer)


def _ways(landings: list[Landing], ways: list[Way]) -> list[tuple[Position, Way | None]]:
    """A play as its positions, each with the way taken there."""
    found: list[tuple[Position, Way | None]] = []
    for each, way in zip(landings, [*ways, None], strict=True):
        if each.position is None:
            raise BadPlay("the play ends with a fault")
        found.append((each.position, way))
    return found


def all_plays(machine: Machine, claims: Node, form: str, most: int, until: float) -> bool:
    """Whether among all plays there are two that look alike, and differ."""
    sight = Sight(machine.program, claims)
    return AllPlays(sight, landing(machine, machine.begin()), most, until).something_differs(form)
