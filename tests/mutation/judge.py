"""Which mutants are killed: each runs the tests of its room that reach it, the quickest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path

from tests.mutation.mutants import Mutant
from tests.mutation.process import Task, side_by_side
from tests.mutation.tests import Reach, killed_by, watched

PRELOADED = ("hypothesis", "lark", "msgspec")  # modules of others, imported once for all mutants
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
    parts = [
        Task(part, partial(watched, room, tests_of(room), part, copies), PLENTY) for part in range(copies)
    ]
    found: list[Reach] = []
    for done in side_by_side(parts, copies):
        if done.died:
            raise SystemExit(f"the tests of {room} could not be run: {done.died}")
        reached, failed = done.value
        if failed:
            raise SystemExit(f"tests of {room} fail as things are: {', '.join(failed)}")
        found += reached
    if not found:
        raise SystemExit(f"there are no tests in {tests_of(room)}")
    return found


def reaching(mutant: Mutant, reached: Sequence[Reach]) -> list[Reach]:
    """The tests that reach a mutant, the quickest first; all for what is carried out on import."""
    file = str(mutant.file.resolve())
    none: frozenset[int] = frozenset()
    found = [r for r in reached if not mutant.lines or not r.lines.get(file, none).isdisjoint(mutant.lines)]
    return sorted(found, key=lambda r: r.seconds)
