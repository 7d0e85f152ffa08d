"""What a server for all the world allows: how much, how many, how often."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

DAY = 86_400.0  # seconds


class TooOften(Exception):
    """Somebody asks more often than he may, or there is no room for him now; he may try again. The message is
    for people."""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many a second in the long run, and so many at once."""

    often: float
    at_once: float


@dataclass(frozen=True, slots=True)
class Limits:
    """`message`, `kept`: bytes of a message, of the journal. `tables` there are, in all and opened from an
    address, `awake` of them in memory; `steps` a game has. `connections` in all and of an address that is not
    this machine's, and seconds that one may be `silent` before it has asked for something. `streams` in all,
    of a seat, of those who watch a table, of an address. Seconds until a table falls `asleep`, is
    `forgotten`, and, if nobody has played there, is given up as `unplayed`. How often a `seat` may ask, an
    `address` may, `at_tables` whose links are known, and how often from there tables are `opened`; seconds of
    computing that an instance is `made` in, and that may follow an action (`step`); seconds in which a
    connection must have `taken` what it is sent. `thinkers`: bots that search at once; `thought`: seconds
    until a search ends, whatever the bot: half of them where there are secrets."""

    message: int = 16_384
    kept: int = 1 << 30
    tables: int = 10_000
    tables_of_address: int = 500
    awake: int = 2_000
    steps: int = 10_000
    connections: int = 20_000
    connections_of_address: int = 200
    silent: float = 10.0
    streams: int = 10_000
    streams_of_seat: int = 4
    streams_of_watchers: int = 100
    streams_of_address: int = 100
    asleep: float = 1800.0
    forgotten: float = 30 * DAY
    unplayed: float = DAY
    seat: Rate = Rate(5, 20)
    address: Rate = Rate(20, 100)
    at_tables: Rate = Rate(60, 300)
    opened: Rate = Rate(1 / 30, 10)
    made: float = 20.0
    step: float = 1.0
    taken: float = 30.0
    thinkers: int = field(default_factory=lambda: max(1, (os.cpu_count() or 1) // 2))
    thought: float = 2.0


class Turns:
    """Each has his turn, one thing of his after another; of his there wait at most so many. Whoever comes
    with much waits for himself, where those who have their turn are served as they come."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.wait: Counter[object] = Counter()
        self.locks: dict[object, asyncio.Lock] = {}

    @asynccontextmanager
    async def of(self, who: object) -> AsyncIterator[None]:
        """Raises TooOften."""
        if self.wait[who] >= self.most:
            raise TooOften("too much is asked for at once from your address: try again in a moment")
        self.wait[who] += 1
        try:
            async with self.locks.setdefault(who, asyncio.Lock()):
                yield
        finally:
            self.wait[who] -= 1
            if not self.wait[who]:
                del self.wait[who], self.locks[who]


class Buckets:
    """How often each of many may do something. What is known of those who were quiet longest is given up."""

    def __init__(self, rate: Rate, most: int = 20_000, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.most, self.clock = rate, most, clock
        self.left: OrderedDict[object, tuple[float, float]] = OrderedDict()

    def spend(self, who: object, cost: float = 1.0) -> None:
        """Raises TooOften."""
        now = self.clock()
        left, at = self.left.pop(who, (self.rate.at_once, now))
        left = min(self.rate.at_once, left + (now - at) * self.rate.often)
        allowed = left >= cost
        self.left[who] = (left - cost if allowed else left, now)
        while len(self.left) > self.most:
            self.left.popitem(last=False)
        if not allowed:
            raise TooOften("too much at once: try again in a moment")
