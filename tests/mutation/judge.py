"""Which mutants are killed: each runs the tests of its room that reach it, the quickest first."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path

from tests.mutation.mutants import Mutant
from tests.mutation.process import Task, side_by_side
from tests.mutation.runner import Reach, killed_by, watched

PRELOADED = ("hypothesis", "lark", "msgspec")  # modules of others, imported once for all mutants
KEPT = Path(".pytest_cache/mutation")  # which lines tests reach, from one run to the next
PLENTY = 3600  # seconds for all tests, watched
LEAST = 10  # seconds for a mutant, beside what its tests take


@dataclass(frozen=True, slots=True)
class Verdict:
    """`by`: the test that kills the mutant, or "time"; None if it survives. `tests`: how many reach it."""

    mutant: Mutant
    by: str | None
    tests: int


def tests_of(room: Path) -> Path:
    """A room's own tests: `engine/kemu_engine/lower` has them in `tests/engine/lower`."""
    top, _, *inside = room.parts
    return Path("tests", top, *inside)


def judge(mutants: Sequence[Mutant], rooms: Sequence[Path], copies: int) -> Iterator[Verdict]:
    """What becomes of the mutants, as it is known."""
    for name in PRELOADED:
        import_module(name)
    reached = {room: _reached(room, copies) for room in rooms if any(m.room == room for m in mutants)}
    tasks = []
    for m in mutants:
        tests = reaching(m, reached[m.room])
        seconds = LEAST + int(sum(r.seconds for r in tests))
        work = partial(killed_by, m, [r.test for r in tests])
        if tests:
            tasks.append(Task((m, len(tests)), work, seconds))
        else:
            yield Verdict(m, None, 0)
    for done in side_by_side(tasks, copies):
        mutant, number = done.key
        yield Verdict(mutant, done.died or done.value, number)


def _reached(room: Path, copies: int) -> list[Reach]:
    """What each test of a room reaches of it. All of them have to pass."""
    files = sorted(tests_of(room).rglob("test_*.py"))
    kept = {file: KEPT / f"{_digest(room, file)}.pickle" for file in files}
    tasks = [Task(file, partial(watched, room, file), PLENTY) for file in files if not kept[file].exists()]
    for done in side_by_side(tasks, copies):
        reached, failed = done.value or ([], ["what dies"])
        if failed:
            raise SystemExit(f"{done.key} has tests that fail as things are: {', '.join(failed)}")
        KEPT.mkdir(parents=True, exist_ok=True)
        kept[done.key].write_bytes(pickle.dumps(reached))
    found = [r for file in files for r in pickle.loads(kept[file].read_bytes())]
    if not found:
        raise SystemExit(f"there are no tests in {tests_of(room)}")
    return found


def _digest(room: Path, file: Path) -> str:
    """Of what says which lines a file of tests reaches: the room, the file, the helpers that it names."""
    text = file.read_text("utf-8")
    helpers = (p for folder in (Path("tests"), Path(*file.parts[:2])) for p in folder.glob("*.py"))
    digest = sha256(str(room).encode())
    for path in (*sorted(room.rglob("*.py")), *sorted(p for p in helpers if p.stem in text), file):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:24]


def reaching(mutant: Mutant, reached: Sequence[Reach]) -> list[Reach]:
    """The tests that reach a mutant, the quickest first; all for what is carried out on import."""
    file = str(mutant.file.resolve())
    none: frozenset[int] = frozenset()
    found = [r for r in reached if not mutant.lines or not r.lines.get(file, none).isdisjoint(mutant.lines)]
    return sorted(found, key=lambda r: r.seconds)
