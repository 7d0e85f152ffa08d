"""Many random rules files through all readers, until two of them differ.

    .venv/bin/python -m tests.oracles 100000 --seed 0 --processes 2

File number `seed`, the one after it, and so on. Where readers differ, the smallest file that shows it is
printed, and how to look at it again; with `--all` the search then goes on. The validator looks at the program
after every pass of the optimiser (KEMU_CHECK_PASSES).
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

from kemu_engine.interp.frame import TooMany

from tests.oracles.agreement import Difference, agree
from tests.oracles.reduce import smallest
from tests.oracles.sources import write

CHUNK = 50


def told(source: str, seed: int) -> str:
    """What comes of a file: "same", the code of an error, "endless", or after a blank how readers differ."""
    try:
        return agree(source, seed)
    except TooMany:  # a run that goes on for ever and notes a history in every lap: no state comes back
        return "endless"
    except Difference as difference:
        return f" {difference}"
    except Exception as error:  # of ours: a reader breaks down
        return f" {type(error).__name__}: {error}"


def several(first: int, number: int) -> list[tuple[int, str]]:
    gc.disable()  # programs have few circles: once after so many files is enough
    found = [(seed, told(write(seed), seed)) for seed in range(first, first + number)]
    gc.collect()
    return found


def outcomes(first: int, number: int, processes: int) -> Iterator[tuple[int, str]]:
    starts = range(first, first + number, CHUNK)
    sizes = [min(CHUNK, first + number - start) for start in starts]
    if processes == 1:
        for start, size in zip(starts, sizes, strict=True):
            yield from several(start, size)
        return
    with ProcessPoolExecutor(processes) as pool:
        for found in pool.map(several, starts, sizes):
            yield from found


def kind(outcome: str) -> str:
    """What two differences have in common that are the same: their words without numbers and places."""
    words = outcome.split(" after [")[0].split("; after")[0]
    return "".join(c for c in words.partition("generated.kemu")[0] + words[-60:] if not c.isdigit())[:80]


def show(seed: int, outcome: str) -> None:
    small = smallest(write(seed), lambda source: kind(told(source, seed)) == kind(outcome))
    print(f"\nreaders differ on file {seed}:{outcome}\n\n{small}\n{told(small, seed).strip()}")
    print(f"\nonce more: python -m tests.oracles 1 --seed {seed}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser("python -m tests.oracles", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("number", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--all", action="store_true", help="go on after a difference")
    asked = parser.parse_args()
    os.environ["KEMU_CHECK_PASSES"] = "1"
    begun, seen, differ = time.monotonic(), Counter[str](), 0
    for seed, outcome in outcomes(asked.seed, asked.number, asked.processes):
        seen[outcome if not outcome.startswith(" ") else "differ"] += 1
        if outcome.startswith(" "):
            differ += 1
            show(seed, outcome)
            if not asked.all:
                break
        if sum(seen.values()) % CHUNK == 0:
            rate = sum(seen.values()) / (time.monotonic() - begun)
            told_so_far = ", ".join(f"{count:,} {word}" for word, count in seen.most_common())
            print(f"\r{told_so_far}; {rate:.0f} a second ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(", ".join(f"{count:,} {word}" for word, count in seen.most_common()))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
