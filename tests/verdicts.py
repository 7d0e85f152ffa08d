"""What is found out about games, in words: a change of how proofs are looked for loses no answer.

    .venv/bin/python -m tests.verdicts write FILE NAME... [--seconds N]
    .venv/bin/python -m tests.verdicts compare FILE NAME... [--seconds N]

A line for each question about each instance: its verdict. NAME: instances whose name begins like that
(tests/freeze.py has the names). `compare` tells every other verdict, and fails if an answer is lost: a
verdict that was definite is not, or is another one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from kemu.base.opening import made, opened, wanted
from kemu_engine.play.game import Game
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.strategy.verify import verify

from tests.freeze import instances

OPEN = ("unknown", "not inductive", "sampled", "holds to depth")


def told(name: str, game: Game, seconds: float) -> Iterator[str]:
    """A line for each verdict."""
    count: dict[str, int] = {}
    for verdict in verify(game, seconds=seconds):
        place = count[verdict.property] = count.get(verdict.property, 0) + 1
        yield f"{name}\t{verdict.property}#{place}\t{words(verdict)}\n"


def words(verdict: Verdict) -> str:
    """The verdict, and what was hoped for if it is another one."""
    return verdict.kind if verdict.exit_code == 0 else f"{verdict.kind} (not {verdict.wanted})"


def lost(before: str, after: str | None) -> bool:
    """Whether an answer is there no more."""
    return before != after and not before.startswith(OPEN)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["write", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    lines: list[str] = []
    for name, (path, instance) in instances().items():
        if name.startswith(tuple(given.names)):
            began = time.process_time()
            rules = opened(path)
            lines += told(name, made(rules, wanted(rules, (), None, instance)), given.seconds)
            print(f"{name}: {time.process_time() - began:.1f} s", flush=True)
            if given.what == "write":
                given.file.write_text("".join(lines), "utf-8")
    if given.what == "write":
        return 0
    split = [line.split("\t") for line in given.file.read_text("utf-8").splitlines()]
    known = {(name, question): verdict for name, question, verdict in split}
    now = {tuple(line.split("\t")[:2]): line.split("\t")[2].strip() for line in lines}
    seen = {name for name, _ in now}
    wrong = False
    for (name, question), verdict in known.items():
        after = now.get((name, question))
        if name in seen and after != verdict:
            wrong |= lost(verdict, after)
            print(f"{name}: {question.split('#')[0]}: {verdict} -> {after}{' LOST' * lost(verdict, after)}")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
