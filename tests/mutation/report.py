"""What is told of the mutants: who survives, and in tables how many were killed."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tests.mutation.judge import Verdict

FILE = Path(__file__).with_name("equivalents.toml")


def equivalents() -> dict[str, str]:
    """Mutants that do what the code does, by name, with the argument."""
    return {name: entry["why"] for name, entry in tomllib.loads(FILE.read_text("utf-8")).items()}


def report(verdicts: Iterable[Verdict], equal: dict[str, str]) -> int:
    """Tells what survives as it is found, then the tables. 1 if a mutant listed as equal was killed."""
    found = []
    for at, v in enumerate(verdicts, 1):
        found.append(v)
        if v.by is None and v.mutant.name not in equal:
            print(f"{at:4} survives {v.tests:5} tests: {v.mutant}", flush=True)
    wrong = [v for v in found if v.by is not None and v.mutant.name in equal]
    for v in wrong:
        print(f"listed as equivalent, but {v.by} fails: {v.mutant}")
    _table("operator", [(v.mutant.operator, v) for v in found], equal)
    _table("file", [(v.mutant.path, v) for v in found], equal)
    return 1 if wrong else 0


def _table(what: str, found: list[tuple[str, Verdict]], equal: dict[str, str]) -> None:
    total: Counter[tuple[str, str]] = Counter()
    for row, v in found:
        word = "killed" if v.by is not None else "equivalent" if v.mutant.name in equal else "survived"
        for name in (row, "all"):
            total[name, "mutants"] += 1
            total[name, word] += 1
    columns = ("mutants", "killed", "equivalent", "survived")
    print(f"\n| {what} | {' | '.join(columns)} |\n| --- |{' ---: |' * len(columns)}")
    for name in (*sorted({row for row, _ in found}), "all"):
        print(f"| {name} | {' | '.join(str(total[name, c]) for c in columns)} |")
    if found:
        killed, same = (total["all", word] / len(found) for word in ("killed", "equivalent"))
        print(f"\nkilled: {killed:.1%}; equivalent: {same:.1%}")
