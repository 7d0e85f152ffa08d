"""Many random games, played here, in parallel processes or on a cluster: with the same result everywhere."""

from __future__ import annotations

import atexit
import os
import pickle
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass

from kemu_engine.batch.bulk import Bulk
from kemu_engine.kernel import nodes as k
from kemu_engine.play.game import Game
from kemu_engine.support.process_pool import Failed, outcomes
from kemu_engine.support.stack import deep

from kemu.service.statistics import Tally

ALONE = 2.0  # seconds of playing in this process before others are begun, for most simulations are short
TASK = 0.5  # seconds that a task of another process should take

Spread = Callable[["Games", Iterator[range]], Iterator[Tally]]
"""Plays ranges of games elsewhere: a tally of each, in whatever order."""


@dataclass(frozen=True, slots=True)
class Games:
    """Random games of a program: of which seed, after how many decisions a game is cut off. `reader`: as of
    Game of the engine."""

    program: k.Program
    seed: int
    longest: int
    reader: str = "generated"

    def packed(self) -> bytes:
        """For another process."""
        with deep():
            return pickle.dumps(self)


class Playing:
    """Games at work in this process."""

    def __init__(self, games: Games) -> None:
        self.games = games
        interpreted = games.reader == "interpreter"
        self.bulk = Bulk(Game(games.program, reader="interpreter" if interpreted else "generated"))
        counted = self.bulk.counted
        wanted = (counted.actions, counted.lines, counted.statements)
        self.uses = sorted({counters for each in wanted for counters in each.values()})

    def tallies(self, numbers: range) -> Iterator[Tally]:
        """The games of these numbers, a fraction of a second's worth at a time."""
        games = self.games
        for batch in self.bulk.batches(games.seed, numbers.start, len(numbers), games.longest):
            tally = Tally()
            tally.add(batch, games.program, self.uses)
            yield tally


def simulate(games: Games, number: int, spread: Spread | None = None) -> Iterator[Tally]:
    """The games 0..number-1, as tallies that together are the result. What takes longer than ALONE is played
    by `spread`, if there is one."""
    playing = Playing(games)
    began = time.monotonic()
    done = 0
    for tally in playing.tallies(range(number)):
        done += tally.games
        yield tally
        spent = time.monotonic() - began
        if spread is not None and spent > ALONE and done < number:
            yield from spread(games, split(range(done, number), max(1, int(done / spent * TASK))))
            return


def split(numbers: range, size: int) -> Iterator[range]:
    """The numbers in ranges of at most that size."""
    for first in range(numbers.start, numbers.stop, size):
        yield range(first, min(first + size, numbers.stop))


# ------------------------------------------------------------------------------------------ other processes


def cores() -> int:
    """How many processes this one may have run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def by_processes(number: int) -> Spread | None:
    """Plays games in so many processes; None for one. What one fails at, this one plays. Whoever stops
    listening stops the work."""

    def spread(games: Games, tasks: Iterator[range]) -> Iterator[Tally]:
        ranges, packed = list(tasks), games.packed()
        given = [(numbers,) for numbers in ranges]
        with closing(outcomes(number, _task, given, _begin, (packed,))) as tallies:
            for at, found in tallies:
                yield played(packed, ranges[at]) if isinstance(found, Failed) else found

    return spread if number > 1 else None


_playing: dict[bytes, Playing] = {}  # of this process: by what it was asked to play
atexit.register(_playing.clear)  # before the modules are taken down that its parts are from
_packed = b""


def _begin(packed: bytes) -> None:
    global _packed
    _packed = packed


def _task(tell: object, numbers: range) -> Tally:
    return played(_packed, numbers)


def played(packed: bytes, numbers: range) -> Tally:
    """The tally of these numbers of games that were packed; for workers, who keep what they have made."""
    if packed not in _playing:
        _playing.clear()
        games = pickle.loads(packed)
        _playing[packed] = Playing(games)
    whole = Tally()
    for tally in _playing[packed].tallies(numbers):
        whole.merge(tally)
    return whole
