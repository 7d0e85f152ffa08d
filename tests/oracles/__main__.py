"""Many random rules files through all readers, until two of them differ.

    .venv/bin/python -m tests.oracles 100000 --seed 0 --processes 2

File number `seed`, the one after it, and so on. A file on which readers differ is made as small as it can be,
printed, and kept in a folder with its seed and a command; `python -m tests.oracles FILE` reads such a file
again. With `--all` the search then goes on. Ctrl-C ends it with what is known by then; the same command goes
on from there, by what is noted in `--ledger`. In every fourth file the validator looks at the program after
every pass of the optimiser (KEMU_CHECK_PASSES).
"""

from __future__ import annotations

import argparse
import gc
import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests.oracles.agreement import Difference, agree
from tests.oracles.ledger import Chunk, Ledger, state
from tests.oracles.reduce import smallest
from tests.oracles.sources import write

CHUNK = 50
PATIENCE = 60
"""Seconds of work for one file."""
REDUCING = 120
"""Seconds for making a file smaller."""
LATE = " more than "
TELLING = 5.0
"""Seconds between two lines of how far it is."""
LOOKED_AT = 4
"""In one of so many files every pass of the optimiser is looked at."""


class Late(BaseException):
    """A file takes too long."""


@contextmanager
def patience() -> Iterator[None]:
    signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _late(*_: object) -> None:
    raise Late


def told(source: str, seed: int) -> str:
    """What comes of a file: "same", the code of an error, or after a blank how readers differ."""
    os.environ["KEMU_CHECK_PASSES"] = "1" if seed % LOOKED_AT == 0 else ""
    try:
        with patience():
            return agree(source, seed)
    except Late:
        return f"{LATE}{PATIENCE} seconds"
    except Difference as difference:
        return f" {difference}"
    except Exception as error:  # of ours: a reader breaks down
        return f" {type(error).__name__}: {error}"


@cache
def settled() -> None:
    """What is there by now stays: it need not be looked through for rubbish again and again."""
    gc.disable()
    gc.collect()
    gc.freeze()


def several(first: int, number: int) -> list[tuple[int, str]]:
    settled()
    found = [(seed, told(write(seed), seed)) for seed in range(first, first + number)]
    gc.collect()
    return found


def chunks(first: int, number: int) -> list[tuple[int, int]]:
    """Files by chunks: the first of each, and how many."""
    return [(start, min(CHUNK, first + number - start)) for start in range(first, first + number, CHUNK)]


def outcomes(wanted: list[tuple[int, int]], processes: int) -> Iterator[list[tuple[int, str]]]:
    """What comes of the files of each chunk."""
    if processes == 1:
        yield from (several(*each) for each in wanted)
        return
    with ProcessPoolExecutor(processes, initializer=uninterrupted) as pool:
        try:
            yield from pool.map(several, *zip(*wanted, strict=True))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def uninterrupted() -> None:
    """Ctrl-C is for the process that hands out the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def kind(outcome: str) -> str:
    """What two differences have in common that are the same: their words without numbers and places."""
    words = outcome.split(" after [")[0].split("; after")[0]
    return "".join(c for c in words.partition("generated.kemu")[0] + words[-60:] if not c.isdigit())[:80]


def show(seed: int, source: str, outcome: str, folder: Path) -> None:
    until = time.monotonic() + REDUCING

    def fails(smaller: str) -> bool:
        return time.monotonic() < until and kind(told(smaller, seed)) == kind(outcome)

    small = source if outcome.startswith(LATE) else smallest(source, fails)
    gc.collect()
    path = folder / f"{seed}.kemu"
    again = f"python -m tests.oracles {path} --seed {seed}"
    print(f"\nreaders differ on file {seed}:{outcome}\n\n{small}\n{told(small, seed).strip()}")
    print(f"\nonce more: {again}", flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# {outcome.strip().splitlines()[0]}\n# once more: {again}\n\n{small}", encoding="utf-8")


class Progress:
    """How many files are done, how fast, and how long the others will take."""

    def __init__(self, number: int) -> None:
        self.begun, self.number, self.done = time.monotonic(), number, 0
        self.told = self.begun

    def add(self, number: int, ledger: Ledger) -> None:
        self.done += number
        now = time.monotonic()
        if now < self.told + TELLING and self.done < self.number:
            return
        self.told, pace = now, self.done / (now - self.begun)
        left = (self.number - self.done) / pace / 60
        line = f"\r{ledger}; {pace:.1f} a second, {left:.0f} minutes to go "
        print(line, end="", file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser("python -m tests.oracles", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("what", help="how many files, or a file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--all", action="store_true", help="go on after a difference")
    parser.add_argument(
        "--keep", type=Path, default=Path("build/differences"), help="a folder for such files"
    )
    parser.add_argument(
        "--ledger", type=Path, default=Path("build/oracles.txt"), help="what is known of files read before"
    )
    asked = parser.parse_args()
    if not asked.what.isdecimal():
        outcome = told(Path(asked.what).read_text(encoding="utf-8"), asked.seed)
        print(outcome.strip())
        return 1 if outcome.startswith(" ") else 0
    state()  # as it is in the beginning, whatever is edited meanwhile
    ledger = Ledger(asked.ledger)
    wanted = [each for each in chunks(asked.seed, int(asked.what)) if not ledger.settled(*each)]
    progress, differ = Progress(sum(number for _, number in wanted)), False
    try:
        for (first, number), found in zip(wanted, outcomes(wanted, asked.processes), strict=False):
            ledger.add(Chunk.of(first, found))
            progress.add(number, ledger)
            for seed, outcome in found:
                if outcome.startswith(" "):
                    differ = True
                    show(seed, write(seed), outcome, asked.keep)
            if differ and not asked.all:
                break
    except KeyboardInterrupt:
        print("\nnot all of them:", file=sys.stderr)
    print(file=sys.stderr)
    print(ledger)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
