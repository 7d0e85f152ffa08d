"""Many tables at once, with two clients each, and what a move takes; with `--kills`, a server that is killed
again and again, from which nothing confirmed may be lost.

    python -m tests.kemu.web.load --tables 100 --minutes 2
    python -m tests.kemu.web.load --tables 100 --minutes 2 --kills 10

Half of the tables play Tongiaki, the others tic-tac-toe and connect-four. A move's time runs from sending it
until its player has the confirmation ("confirmed") and until the other one has the new position ("seen").
"""

import argparse
import asyncio
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
from pathlib import Path
from typing import Any

from kemu.web.changes import changed
from kemu.web.limits import Limits, Rate
from kemu.web.serving import run, where

OPEN = Limits(streams_of_address=10**6, address=Rate(1e6, 1e6), opened=Rate(1e6, 1e6))
HOST = "127.0.0.1"


Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def connected(port: int, what: str, message: object) -> Line:
    reader, writer = await asyncio.open_connection(HOST, port, limit=1 << 22)
    send(writer, port, what, message)
    return reader, writer


def send(writer: asyncio.StreamWriter, port: int, what: str, message: object) -> None:
    body = json.dumps(message).encode()
    head = f"POST /do/{what} HTTP/1.1\r\nHost: {HOST}:{port}\r\nContent-Type: application/json\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)


async def answer(reader: asyncio.StreamReader) -> Any:
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    length = next(int(line[15:]) for line in lines if line.startswith(b"content-length:"))
    return json.loads(await reader.readexactly(length))


class Player:
    """A client: what comes to him, and moves over a connection that stays open."""

    def __init__(self, port: int, token: str, tally: "Tally") -> None:
        self.port, self.token, self.tally = port, token, tally
        self.now: Any = None
        self.fresh = asyncio.Event()
        self.line: Line | None = None
        self.confirmed: list[str] = []
        self.seen: dict[int, float] = {}

    async def follow(self) -> None:
        while True:
            try:
                reader, _ = await connected(self.port, "follow", {"table": self.token})
                await reader.readuntil(b"\r\n\r\n")
                while True:
                    line = await reader.readuntil(b"\n")
                    if line.startswith(b"data: "):
                        self.took(json.loads(line[6:]), len(line))
            except (OSError, asyncio.IncompleteReadError):
                await asyncio.sleep(0.2)

    def took(self, told: Any, size: int) -> None:
        self.tally.bytes += size
        if "error" in told:
            self.tally.refusals[told["error"]] += 1
            return
        self.now = told["whole"] if "whole" in told else changed(self.now, told["change"])
        known = [entry["text"] for entry in self.now["log"]]
        if known[: len(self.confirmed)] != self.confirmed:
            self.tally.losses += 1
        self.seen[self.now["step"]] = time.monotonic()
        self.fresh.set()

    async def act(self, step: int, text: str) -> None:
        while True:
            try:
                message = {"table": self.token, "action": text, "step": step}
                if self.line is None:
                    self.line = await connected(self.port, "act", message)
                else:
                    send(self.line[1], self.port, "act", message)
                found = await answer(self.line[0])
            except (OSError, asyncio.IncompleteReadError):
                self.line = None
                await asyncio.sleep(0.2)
                continue
            if "error" in found:
                self.tally.refusals[found["error"]] += 1
            return


class Tally:
    def __init__(self) -> None:
        self.moves = self.losses = self.bytes = self.games = 0
        self.confirmed: list[float] = []
        self.other: list[float] = []
        self.refusals: Counter[str] = Counter()


async def asked(port: int, what: str, **message: object) -> Any:
    while True:
        try:
            reader, writer = await connected(port, what, message)
            found = await answer(reader)
            writer.close()
            return found
        except (OSError, asyncio.IncompleteReadError):
            await asyncio.sleep(0.2)


async def table(port: int, game: str, every: float, tally: Tally, rng: random.Random) -> None:
    while True:
        opened = await asked(port, "new", game=game, settings={"players": "2"} if game == "tongiaki" else {})
        if "error" in opened:
            tally.refusals[opened["error"]] += 1
            await asyncio.sleep(1)
            continue
        tally.games += 1
        tokens = {opened["you"]: opened["table"]}
        for player, invitation in opened["invitations"].items():
            tokens[player] = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=22))
            await asked(port, "claim", table=invitation, seat=tokens[player])
        players = {player: Player(port, token, tally) for player, token in tokens.items()}
        following = [asyncio.create_task(each.follow()) for each in players.values()]
        try:
            await asyncio.sleep(rng.random() * every)
            over = False
            while not over:
                over = await moved(players, tally, rng)
                await asyncio.sleep(every * (0.9 + 0.2 * rng.random()))
        finally:
            for task in following:
                task.cancel()
            for each in players.values():
                if each.line:
                    each.line[1].close()


async def moved(players: dict[str, Player], tally: Tally, rng: random.Random) -> bool:
    """One of them moves, if one can; whether the game is over."""
    ready = [each for each in players.values() if each.now]
    if any(each.now["over"] for each in ready):
        return True
    acting = next((each for each in ready if each.now["waits"]), None)
    if acting is None:
        return False
    step, text = acting.now["step"], rng.choice(acting.now["actions"])["text"]
    began = time.monotonic()
    await acting.act(step, text)
    tally.confirmed.append(time.monotonic() - began)
    tally.moves += 1
    others = [each for each in players.values() if each is not acting]
    for each in [*others, acting]:
        while not each.now or each.now["step"] <= step:
            each.fresh.clear()
            await asyncio.wait_for(each.fresh.wait(), 60)
    tally.other.append(max([each.seen.get(each.now["step"], began) - began for each in others], default=0.0))
    for each in players.values():
        each.confirmed = [entry["text"] for entry in each.now["log"]]
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

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


async def go(options: argparse.Namespace) -> None:
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    rng, tally = random.Random(options.seed), Tally()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(port, Path(folder) / "journal")
        for game in ("tongiaki", "tic-tac-toe", "connect-four"):
            await asked(port, "table", game=game)
        kinds = ("tongiaki", "tic-tac-toe", "tongiaki", "connect-four")
        tasks = [
            asyncio.create_task(table(port, kinds[at % 4], options.every, tally, random.Random(rng.random())))
            for at in range(options.tables)
        ]
        await asyncio.sleep(options.warm)
        tally.confirmed.clear()
        tally.other.clear()
        moves, size, cpu, began = tally.moves, tally.bytes, server.used(), time.monotonic()
        if options.kills:
            for _ in range(options.kills):
                await asyncio.sleep(options.minutes * 60 / options.kills)
                server.kill()
                server.start()
            await asyncio.sleep(10)
        else:
            await asyncio.sleep(options.minutes * 60)
        took, moves = time.monotonic() - began, tally.moves - moves
        cpu = server.used() - cpu
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
    parser.add_argument("--warm", type=float, default=15, help="seconds that are not counted")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--serve", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        port, journal = options.serve
        profile = os.environ.get("KEMU_PROFILE")
        if profile:
            import cProfile

            watch = cProfile.Profile()
            signal.signal(signal.SIGUSR1, lambda *_: watch.dump_stats(profile))
            watch.enable()
        run(None, where(f"{HOST}:{port}", None), Path(journal), OPEN)
    else:
        asyncio.run(go(options))


if __name__ == "__main__":
    main()
