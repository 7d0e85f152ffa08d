"""Deadlines: after so much computing work stops. It stops before if the process has too much memory.

Time is what the process itself computes, so that a machine that does other things besides gives the same
verdicts, later.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from contextlib import suppress
from pathlib import Path

LEAST = 2_000_000_000  # bytes of memory for a process, if half of what there is allows it
OFTEN = 0.1  # seconds, after which the memory is looked at again
_PAGES = Path("/proc/self/statm")
_GROUPS = Path("/proc/self/cgroup")
_CONTROL = Path("/sys/fs/cgroup")
_LIMITS = (
    ("", "", "memory.max"),
    ("memory", "memory", "memory.limit_in_bytes"),
)  # kind of group, folder, file


def memory() -> int:
    """The bytes of memory that the process has; where the system does not tell, the most that it ever had."""
    try:
        return int(_PAGES.read_text("ascii").split()[1]) * resource.getpagesize()
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


def limit() -> int:
    """The bytes of memory that there are: of the machine, or of the container that this process runs in."""
    try:
        machine = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    except (AttributeError, OSError, ValueError):
        machine = []
    return min([*machine, *contained()], default=2 * LEAST)


def contained() -> list[int]:
    """The limits of the control groups (Linux, version 2 or 1) that the process is in, and of those around
    them; inside a container often only the outermost can be seen."""
    found = []
    for kind, below, file in _LIMITS:
        for group in groups(kind):
            root = _CONTROL / below
            for place in (Path(group), *Path(group).parents):
                with suppress(OSError, ValueError):  # no such file, or "max" in it
                    found.append(int((root / place / file).read_text("ascii")))
    return found


def groups(kind: str) -> list[str]:
    """The control groups of the process, of those of that kind: their paths below the root."""
    try:
        lines = _GROUPS.read_text("utf-8").splitlines()
    except OSError:
        return []
    split = (line.split(":", 2) for line in lines)
    return [path.lstrip("/") for _, kinds, path in split if kind in kinds.split(",")]


def part(limit: int, processes: int) -> int:
    """The bytes for one of so many processes that work side by side: a quarter of what there is for one or
    two, and for all together never more than half."""
    return max(limit // max(4, 2 * processes), min(LEAST, limit // (2 * processes)))


_room = part(limit(), 1)


def room() -> int:
    """The bytes of memory for the process, beyond which all work stops that has a deadline."""
    return _room


def share(processes: int) -> None:
    """From now on so many processes of ours work side by side."""
    global _room
    _room = part(limit(), processes)


class Deadline:
    """So many seconds of computing, after which work stops."""

    crowded, _looked = False, 0.0  # of all deadlines: whether memory is short, when that was looked at

    def __init__(self, seconds: float) -> None:
        self.end = time.process_time() + seconds

    @property
    def left(self) -> float:
        return self.end - time.process_time()

    @property
    def passed(self) -> bool:
        now = time.process_time()
        if now > Deadline._looked + OFTEN:
            Deadline.crowded, Deadline._looked = memory() > room(), now
        if Deadline.crowded:
            self.end = min(self.end, now)  # it stays passed, whatever becomes of the memory
        return now >= self.end

    def part(self, seconds: float) -> Deadline:
        """At most so many seconds from now, and not beyond this deadline."""
        return Deadline(min(seconds, self.left))
