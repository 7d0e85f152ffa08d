"""The journal of a server: tables, links and steps in SQLite, from which all comes back after any end.

What was asked while a transaction is on its way goes into the next one, together: many tables share the
wait for the disk. What `await` has returned from is on the disk."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from kemu.base.library import BadInput, shown
from kemu.table.session import Step
from kemu.web.shares import Held

PAGE = 4096  # bytes
SCARCE = 0.9  # of what may be kept: from there on each has his part of it
TABLE, ROW = 500, 40  # bytes of a table without its steps, of a step without its text
PACE = 0.02  # seconds from one transaction to the next, at least: what is asked for meanwhile goes together
SCHEMA = """
create table if not exists tables (
    number integer primary key, game text not null, settings text not null, seats text not null,
    seed integer not null, touched real not null, played integer not null default 0,
    opener blob not null default x'', over integer not null default 0, size integer not null default 0);
create table if not exists links (
    digest blob primary key, number integer not null, player text not null, kind text not null, taken blob
) without rowid;
create index if not exists links_of on links (number);
create table if not exists steps (
    number integer not null, at integer not null, actor text, text text not null, primary key (number, at)
) without rowid;
create table if not exists given (one integer primary key, highest integer not null);
insert or ignore into given select 1, coalesce(max(number), 0) from
    (select number from tables union all select number from links union all select number from steps);
pragma user_version = 4;
"""
OLDER = {
    1: "alter table tables add column opener blob not null default x''",
    2: "alter table tables add column over integer not null default 0",
    3: "alter table tables add column size integer not null default 0;"
    "update tables set size = 500 + coalesce((select sum(40 + length(text)) from steps"
    " where number = tables.number), 0)",
}
"""What is to be done to a journal of such a version, and then as to one of the next."""
Statement = tuple[str, tuple[object, ...]]


@dataclass(slots=True)
class Link:
    """Who has it may do something at a table: sit as `player` (kind "seat"), take that seat ("invitation";
    `taken`: digest of the link of who did), or watch ("watch")."""

    digest: bytes
    number: int
    player: str
    kind: str
    taken: bytes | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """A new table, `now` (seconds since 1970); `opener`: a digest of the address from which it is opened;
    `over`: whether the game is."""

    number: int
    game: str
    settings: Mapping[str, str]
    seats: Mapping[str, str]
    seed: int
    opener: bytes
    now: float
    over: bool


@dataclass(frozen=True, slots=True)
class Kept:
    """A table as it was written down."""

    game: str
    settings: dict[str, str]
    seats: dict[str, str]
    seed: int
    steps: list[Step]


Waiting = tuple[Sequence[Statement], asyncio.Future[None]]
"""What is to be written down, and what is told when it is."""


class Journal:
    """Raises BadInput if the file cannot be used, or somebody else uses it."""

    def __init__(self, path: Path, largest: int) -> None:
        self.path, self.largest = path, largest
        self.lock = threading.Lock()
        self.disk = ThreadPoolExecutor(1)
        self.waiting: list[Waiting] = []
        self.writer: asyncio.Task[None] | None = None
        self.began = 0.0  # when the last transaction did
        try:
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self.db = sqlite3.connect(path, timeout=2.0, check_same_thread=False, isolation_level=None)
            for line in (
                f"page_size = {PAGE}",
                "locking_mode = exclusive",
                "journal_mode = wal",
                "synchronous = full",
                f"max_page_count = {max(64, largest // PAGE)}",
            ):
                self.db.execute(f"pragma {line}")
            (version,) = self.db.execute("pragma user_version").fetchone()
            older = ";\n".join(["", *(OLDER[each] for each in OLDER if 0 < version <= each), ""])
            self.db.executescript(f"begin exclusive{older}{SCHEMA}\ncommit;")
            self.used = self._used()  # of what may be kept
        except (OSError, sqlite3.Error) as error:
            raise BadInput(f"the journal {shown(str(path))} cannot be used: {error}") from None

    def close(self) -> None:
        self.disk.shutdown()
        self.db.close()

    # ------------------------------------------------------------------------------------------------ read

    def links(self) -> list[Link]:
        with self.lock:
            return [
                Link(*row) for row in self.db.execute("select digest, number, player, kind, taken from links")
            ]

    @property
    def full(self) -> bool:
        return self.used > SCARCE

    def tables(self) -> dict[int, Held]:
        """All tables by their numbers."""
        with self.lock:
            rows = self.db.execute("select number, opener, size from tables order by number").fetchall()
        return {number: Held(opener, size) for number, opener, size in rows}

    def over(self) -> list[int]:
        """Tables whose games are over, the one first at which nothing has been done for longest."""
        with self.lock:
            found = self.db.execute("select number from tables where over order by touched").fetchall()
        return [number for (number,) in found]

    def highest(self) -> int:
        """The highest number that a table was ever given: no other is to have it again."""
        with self.lock:
            return int(self.db.execute("select highest from given").fetchone()[0])

    def kept(self, number: int) -> Kept | None:
        with self.lock:
            row = self.db.execute(
                "select game, settings, seats, seed from tables where number = ?", (number,)
            ).fetchone()
            steps = self.db.execute(
                "select actor, text from steps where number = ? order by at", (number,)
            ).fetchall()
        if row is None:
            return None
        return Kept(row[0], json.loads(row[1]), json.loads(row[2]), row[3], [Step(*each) for each in steps])

    def stale(self, played_before: float, opened_before: float) -> list[int]:
        """Tables at which nothing has been done since, or ever."""
        with self.lock:
            return [
                row[0]
                for row in self.db.execute(
                    "select number from tables where touched < ? or (played = 0 and touched < ?)",
                    (played_before, opened_before),
                )
            ]

    def _used(self) -> float:
        """How much of what may be kept is."""
        pages, free = (
            self.db.execute(f"pragma {what}").fetchone()[0] for what in ("page_count", "freelist_count")
        )
        return float((pages - free) * PAGE / self.largest)

    # ----------------------------------------------------------------------------------------------- write

    async def opened(self, table: Opened, links: Iterable[Link], steps: Sequence[Step]) -> None:
        row = (
            table.number, table.game, json.dumps(dict(table.settings)), json.dumps(dict(table.seats)),
            table.seed, table.opener, table.now, table.over, TABLE + size(steps),
        )  # fmt: skip
        text = (
            "insert into tables (number, game, settings, seats, seed, opener, touched, over, size)"
            " values (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        given = ("update given set highest = max(highest, ?)", (table.number,))
        await self._write([(text, row), given, *map(_linked, links), *_stepped(table.number, 0, steps)])

    async def grown(self, number: int, first: int, steps: Sequence[Step], now: float, over: bool) -> None:
        """A person or a bot has done something; `over`: whether the game is now."""
        touched = (
            "update tables set touched = ?, played = 1, over = ?, size = size + ? where number = ?",
            (now, over, size(steps), number),
        )
        await self._write([*_stepped(number, first, steps), touched])

    async def claimed(self, invitation: Link, seat: Link, now: float) -> None:
        await self._write(
            [
                _linked(seat),
                ("update links set taken = ? where digest = ?", (seat.digest, invitation.digest)),
                ("update tables set touched = ? where number = ?", (now, seat.number)),
            ]
        )

    async def forgotten(self, numbers: Iterable[int]) -> None:
        await self._write(
            [
                (f"delete from {table} where number = ?", (number,))
                for number in numbers
                for table in ("steps", "links", "tables")
            ]
        )

    async def _write(self, statements: Sequence[Statement]) -> None:
        """Raises BadInput if it could not be written; then none of it is."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiting.append((statements, done))
        if self.writer is None:
            self.writer = asyncio.create_task(self._writing())
        await done

    async def _writing(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self.waiting:
                await asyncio.sleep(max(0.0, self.began + PACE - loop.time()))
                self.began = loop.time()
                batch, self.waiting = self.waiting, []
                if not await self._written(batch) and len(batch) > 1:
                    for each in batch:  # what one of them is to blame for is not to fail the others
                        await self._written([each], last=True)
        finally:
            self.writer = None

    async def _written(self, batch: Sequence[Waiting], last: bool = False) -> bool:
        """Writes down what is asked for, in one transaction; whether that was done. Who asked alone, or for
        the last time, is told if it was not."""
        try:
            await self._transaction([each for statements, _ in batch for each in statements])
        except Exception as error:  # whatever it is, nobody must wait for ever
            if last or len(batch) == 1:
                for _, done in batch:
                    if not done.done():
                        done.set_exception(BadInput(f"this could not be written down: {error}"))
            return False
        for _, done in batch:
            if not done.done():
                done.set_result(None)
        return True

    async def _transaction(self, statements: Sequence[Statement]) -> None:
        """Another thread waits for the disk, and does nothing else: each statement there would wait until
        this one lets it."""
        loop = asyncio.get_running_loop()
        if not self.lock.acquire(blocking=False):
            await loop.run_in_executor(self.disk, self.lock.acquire)
        try:
            self.db.execute("begin immediate")
            for text, values in statements:
                self.db.execute(text, values)
            await loop.run_in_executor(self.disk, self.db.execute, "commit")
            self.used = self._used()
        except BaseException:
            if self.db.in_transaction:
                self.db.execute("rollback")
            raise
        finally:
            self.lock.release()


def size(steps: Sequence[Step]) -> int:
    """About how many bytes they take in the journal."""
    return sum(ROW + len(step.text.encode()) for step in steps)


def _linked(link: Link) -> Statement:
    text = "insert into links (digest, number, player, kind, taken) values (?, ?, ?, ?, ?)"
    return text, (link.digest, link.number, link.player, link.kind, link.taken)


def _stepped(number: int, first: int, steps: Sequence[Step]) -> list[Statement]:
    text = "insert into steps (number, at, actor, text) values (?, ?, ?, ?)"
    return [(text, (number, first + at, step.actor, step.text)) for at, step in enumerate(steps)]
