"""Many tables at once, with two clients each, and what a move takes; with `--kills`, a server that is killed
again and again, from which nothing confirmed may be lost.

    python -m tests.kemu.web.load --tables 100 --minutes 2
    python -m tests.kemu.web.load --tables 100 --minutes 2 --kills 10

Half of the tables play Tongiaki, the others tic-tac-toe and connect-four. A move's time runs from sending it
until its player has the confirmation ("confirmed") and until the other one has the new position ("seen").
Nobody moves until all tables are open; how long that takes is told apart. With KEMU_STAGES=1 the server says
at its end how long each stage of its work took (stages.py); with KEMU_PROFILE=FILE it is watched by cProfile.
"""

import argparse
import asyncio
import gc
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kemu.web.limits import Limits, Rate
from kemu.web.serving import GARBAGE, many_files, run, where
from msgspec.json import Decoder

from tests.kemu.web.hearing import Game, Told
from tests.kemu.web.stages import Stages

OPEN = Limits(
    tables_of_address=10**6,
    streams_of_address=10**6,
    address=Rate(1e6, 1e6),
    at_tables=Rate(1e6, 1e6),
    opened=Rate(1e6, 1e6),
)  # fmt: skip
HOST = "127.0.0.1"
WATCHED = {"KEMU_PROFILE", "KEMU_STAGES"}
SETTINGS = {"tongiaki": {"players": "2"}}
AT_ONCE = 20  # tables that are opened at a time


class Line(asyncio.Protocol):
    """A connection; `came` is called with each answer, or each event if `events` come; None at the end."""

    def __init__(self, came: Callable[[bytes | None], None], events: bool) -> None:
        self.came, self.events, self.rest = came, events, b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.rest += data
        while (found := self._event() if self.events else self._answer()) is not None:
            self.came(found)

    def _event(self) -> bytes | None:
        """The data of the next one; what else there is, comments and the frames of HTTP, is passed over."""
        end = self.rest.find(b"\n\n")
        while end >= 0:
            part, self.rest = self.rest[:end], self.rest[end + 2 :]
            begin = part.find(b"data: ")
            if begin >= 0:
                return part[begin + 6 :]
            end = self.rest.find(b"\n\n")
        return None

    def _answer(self) -> bytes | None:
        head = self.rest.find(b"\r\n\r\n") + 4
        if head < 4:
            return None
        at = self.rest.lower().index(b"content-length:", 0, head) + 15
        end = head + int(self.rest[at : self.rest.index(b"\r", at)])
        if len(self.rest) < end:
            return None
        found, self.rest = self.rest[head:end], self.rest[end:]
        return found

    def connection_lost(self, error: Exception | None) -> None:
        self.came(None)


async def connected(port: int, came: Callable[[bytes | None], None], events: bool = False) -> Line:
    """Raises OSError."""
    _, line = await asyncio.get_running_loop().create_connection(lambda: Line(came, events), HOST, port)
    return line


def send(line: Line, port: int, what: str, message: object) -> None:
    body = json.dumps(message).encode()
    head = f"POST /do/{what} HTTP/1.1\r\nHost: {HOST}:{port}\r\nContent-Type: application/json\r\n"
    line.transport.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)


class Asking:
    """A connection that stays open, over which one asks after another answer."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.line: Line | None = None
        self.waiting: asyncio.Future[bytes | None] | None = None

    def came(self, answer: bytes | None) -> None:
        if answer is None:
            self.line = None
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_result(answer)

    async def ask(self, what: str, message: object) -> Any:
        """Asks until there is an answer."""
        while True:
            try:
                if self.line is None:
                    self.line = await connected(self.port, self.came)
                self.waiting = asyncio.get_running_loop().create_future()
                send(self.line, self.port, what, message)
                answer = await self.waiting
            except OSError:
                answer = None
            if answer is not None:
                return json.loads(answer)
            await asyncio.sleep(0.2)

    def close(self) -> None:
        if self.line is not None:
            self.line.transport.close()


class Player:
    """A client: what comes to him, and moves over a connection that stays open."""

    told = Decoder(Told)

    def __init__(self, port: int, token: str, tally: "Tally") -> None:
        self.port, self.token, self.tally = port, token, tally
        self.game = Game()
        self.fresh = asyncio.Event()
        self.lost = asyncio.Event()
        self.asking = Asking(port)
        self.confirmed: list[str] = []
        self.seen: dict[int, float] = {}
        self.following = asyncio.create_task(self.follow())

    async def follow(self) -> None:
        while True:
            try:
                self.lost.clear()
                line = await connected(self.port, self.came, True)
                send(line, self.port, "follow", {"table": self.token})
                try:
                    await self.lost.wait()
                finally:
                    line.transport.close()
            except OSError:
                pass
            await asyncio.sleep(0.2)

    def came(self, event: bytes | None) -> None:
        if event is None:
            self.lost.set()
            return
        self.tally.bytes += len(event)
        told = self.told.decode(event)
        if told.error:
            self.tally.refusals[told.error] += 1
            return
        self.game.hears(told)
        if told.whole and self.game.log[: len(self.confirmed)] != self.confirmed:
            self.tally.losses += 1
        self.seen[self.game.step] = time.monotonic()
        self.fresh.set()

    async def act(self, step: int, text: str) -> None:
        found = await self.asking.ask("act", {"table": self.token, "action": text, "step": step})
        if "error" in found:
            self.tally.refusals[found["error"]] += 1

    def leave(self) -> None:
        self.following.cancel()
        self.asking.close()


class Tally:
    def __init__(self) -> None:
        self.moves = self.losses = self.bytes = self.games = 0
        self.confirmed: list[float] = []
        self.other: list[float] = []
        self.refusals: Counter[str] = Counter()


async def asked(port: int, what: str, **message: object) -> Any:
    asking = Asking(port)
    try:
        return await asking.ask(what, message)
    finally:
        asking.close()


@dataclass
class Opening:
    """So many tables are opened at a time; nobody moves until all are open."""

    places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    all: asyncio.Event = field(default_factory=asyncio.Event)


async def seated(port: int, game: str, tally: Tally, rng: random.Random) -> list[Player]:
    """Those who sit at a new table, when each has been told of it."""
    asking = Asking(port)
    wish = {"game": game, "settings": SETTINGS.get(game, {})}
    try:
        while "error" in (opened := await asking.ask("new", wish)):
            tally.refusals[opened["error"]] += 1
            await asyncio.sleep(1)
        tokens = {opened["you"]: opened["table"]}
        for player, invitation in opened["invitations"].items():
            tokens[player] = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=22))
            await asking.ask("claim", {"table": invitation, "seat": tokens[player]})
    finally:
        asking.close()
    players = [Player(port, token, tally) for token in tokens.values()]
    for each in players:
        await each.fresh.wait()
    tally.games += 1
    return players


async def table(
    port: int, game: str, every: float, tally: Tally, rng: random.Random, opening: Opening
) -> None:
    while True:
        async with opening.places:
            players = await seated(port, game, tally, rng)
        await opening.all.wait()
        try:
            await asyncio.sleep(rng.random() * every)
            over = False
            while not over:
                over = await moved(players, tally, rng)
                await asyncio.sleep(every * (0.9 + 0.2 * rng.random()))
        finally:
            for each in players:
                each.leave()


async def moved(players: list[Player], tally: Tally, rng: random.Random) -> bool:
    """One of them moves, if one can; whether the game is over."""
    if any(each.game.over for each in players):
        return True
    acting = next((each for each in players if each.game.waits), None)
    if acting is None:
        return False
    step, text = acting.game.step, rng.choice(acting.game.actions)
    began = time.monotonic()
    await acting.act(step, text)
    tally.confirmed.append(time.monotonic() - began)
    tally.moves += 1
    others = [each for each in players if each is not acting]
    for each in [*others, acting]:
        while each.game.step <= step:
            each.fresh.clear()
            await asyncio.wait_for(each.fresh.wait(), 60)
    tally.other.append(max([each.seen.get(each.game.step, began) - began for each in others], default=0.0))
    for each in players:
        each.confirmed = list(each.game.log)
        each.seen.clear()
    return False


class Server:
    def __init__(self, port: int, journal: Path) -> None:
        self.port, self.journal, self.cpu = port, journal, 0.0
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "tests.kemu.web.load", "--serve", str(self.port), str(self.journal)]
        self.process = subprocess.Popen(command)

    def used(self) -> float:
        parts = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")

    def holds(self) -> int:
        """Megabytes in memory."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") >> 20

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


async def go(options: argparse.Namespace) -> None:
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    many_files()
    gc.set_threshold(*GARBAGE)  # the clients are not to be slow either
    rng, tally = random.Random(options.seed), Tally()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(port, Path(folder) / "journal")
        for game in ("tongiaki", "tic-tac-toe", "connect-four"):
            await asked(port, "table", game=game, settings=SETTINGS.get(game, {}))
        kinds = ("tongiaki", "tic-tac-toe", "tongiaki", "connect-four")
        opening, began, cpu = Opening(), time.monotonic(), server.used()
        tasks = [
            asyncio.create_task(
                table(port, kinds[at % 4], options.every, tally, random.Random(rng.random()), opening)
            )
            for at in range(options.tables)
        ]
        while tally.games < options.tables and not any(task.done() for task in tasks):
            await asyncio.sleep(0.1)
        took, cpu = time.monotonic() - began, (server.used() - cpu) / options.tables
        print(f"opened in {took:.0f} s, {cpu * 1000:.1f} ms of the server's computing a table", flush=True)
        opening.all.set()
        await asyncio.sleep(options.warm)
        tally.confirmed.clear()
        tally.other.clear()
        moves, size, cpu, began = tally.moves, tally.bytes, server.used(), time.monotonic()
        own = time.process_time()
        if options.kills:
            for _ in range(options.kills):
                await asyncio.sleep(options.minutes * 60 / options.kills)
                server.kill()
                server.start()
            await asyncio.sleep(10)
        else:
            await asyncio.sleep(options.minutes * 60)
        took, moves = time.monotonic() - began, tally.moves - moves
        held = server.holds()
        cpu, own = server.used() - cpu, time.process_time() - own
        if WATCHED & os.environ.keys():
            server.process.send_signal(signal.SIGUSR1)
            await asyncio.sleep(5)
        failed = [task for task in tasks if task.done()]
        for task in tasks:
            task.cancel()
        server.kill()
    print(f"{options.tables} tables, {tally.games} games, {took:.0f} s: {moves / took:.1f} moves a second")
    for name, times in (("confirmed", tally.confirmed), ("seen", tally.other)):
        ordered = [round(each * 1000) for each in sorted(times)] or [0]
        half, most = (ordered[min(len(ordered) - 1, int(len(ordered) * part))] for part in (0.5, 0.99))
        print(f"{name}: half within {half} ms, 99% within {most} ms, at most {ordered[-1]} ms")
    if not options.kills:
        each = (tally.bytes - size) / max(moves, 1)
        print(f"server: {cpu / max(moves, 1) * 1000:.2f} ms of computing and {each:.0f} bytes sent a move")
        print(f"server: {held} MB")
        print(f"clients: {own / max(moves, 1) * 1000:.2f} ms of computing a move")
    print(f"killed {options.kills} times; confirmed and lost: {tally.losses}; broken down: {len(failed)}")
    print(f"refusals: {dict(tally.refusals)}")
    for task in failed[:3]:
        print(repr(task.exception()))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--every", type=float, default=5, help="seconds between the moves of a table")
    parser.add_argument(
        "--warm", type=float, default=10, help="seconds that are not counted, after all are open"
    )
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--serve", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        port, journal = options.serve
        profile = os.environ.get("KEMU_PROFILE")
        if profile:
            import cProfile

            watch = cProfile.Profile(time.thread_time)
            signal.signal(signal.SIGUSR1, lambda *_: watch.dump_stats(profile))
            watch.enable()
        elif os.environ.get("KEMU_STAGES"):
            stages = Stages()
            signal.signal(signal.SIGUSR1, lambda *_: print(stages.told(), flush=True))
        run(None, where(f"{HOST}:{port}", None), Path(journal), OPEN)
    else:
        asyncio.run(go(options))


if __name__ == "__main__":
    main()
