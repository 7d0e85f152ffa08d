"""What came of random files, kept in a text file, so that a long run can be interrupted and gone on with.

A line for each chunk of files: the first, how many, the state of the code, and how many had which outcome.
Where readers differed the files are named, and the chunk is read once more when the run goes on.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

import kemu_checker
import kemu_engine
import kemu_grammar
import kemu_verifier

DIFFER = "differ"


@cache
def state() -> str:
    """The state of the code that is compared, and of what compares it."""
    told, own = sha256(), str(Path(__file__).parent)
    rooms = (kemu_grammar, kemu_engine, kemu_verifier, kemu_checker)
    for folder in (*(path for room in rooms for path in room.__path__), own):
        for file in sorted(Path(folder).rglob("*.*")):
            if file.suffix in (".py", ".lark"):
                told.update(file.relative_to(folder).as_posix().encode() + file.read_bytes())
    return told.hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Files of one number after the other that were read."""

    first: int
    number: int
    state: str
    seen: dict[str, int]
    differing: tuple[int, ...]

    @classmethod
    def of(cls, first: int, outcomes: list[tuple[int, str]]) -> Chunk:
        """By the outcomes that `python -m tests.oracles` tells of: those after a blank are differences."""
        differing = tuple(seed for seed, outcome in outcomes if outcome.startswith(" "))
        seen = Counter(DIFFER if outcome.startswith(" ") else outcome for _, outcome in outcomes)
        return cls(first, len(outcomes), state(), dict(seen), differing)


class Ledger:
    """A file of chunks; of several lines about the same files the last counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        self.chunks: dict[tuple[int, int], Chunk] = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            first, number, code, seen, differing = line.split("\t")
            self._put(Chunk(int(first), int(number), code, json.loads(seen), tuple(json.loads(differing))))

    def _put(self, chunk: Chunk) -> None:
        self.chunks[chunk.first, chunk.number] = chunk

    def add(self, chunk: Chunk) -> None:
        self._put(chunk)
        line = (chunk.first, chunk.number, chunk.state, json.dumps(chunk.seen), json.dumps(chunk.differing))
        with self.path.open("a", encoding="utf-8") as file:
            file.write("\t".join(map(str, line)) + "\n")

    def settled(self, first: int, number: int) -> bool:
        """Whether these files have been read, and no readers differed."""
        found = self.chunks.get((first, number))
        return found is not None and not found.differing

    def __str__(self) -> str:
        """How many files had which outcome, in all and by the state of the code."""
        seen, states = Counter[str](), Counter[str]()
        for chunk in self.chunks.values():
            seen.update(chunk.seen)
            states[chunk.state] += chunk.number
        by = ", ".join(f"{count:,} in state {code}" for code, count in states.items())
        return f"{', '.join(f'{count:,} {each}' for each, count in seen.most_common())} ({by})"
