"""Deadlines: after so much computing work stops. It stops before if the process has too much memory.

Time is what the process itself computes, so that a machine that does other things besides gives the same
verdicts, later.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from pathlib import Path

LEAST = 2_000_000_000  # bytes of memory for a process on any machine
OFTEN = 0.1  # seconds, after which the memory is looked at again
_PAGES = Path("/proc/self/statm")


def memory() -> int:
    """The bytes of memory that the process has; where the system does not tell, the most that it ever had."""
    try:
        return int(_PAGES.read_text("ascii").split()[1]) * resource.getpagesize()
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


def room() -> int:
    """The bytes of memory for the process, beyond which all work stops that has a deadline: a quarter of the
    machine's."""
    try:
        return max(LEAST, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4)
    except (AttributeError, OSError, ValueError):
        return LEAST


ROOM = room()


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
            Deadline.crowded, Deadline._looked = memory() > ROOM, now
        return now >= self.end or Deadline.crowded

    def part(self, seconds: float) -> Deadline:
        """At most so many seconds from now, and not beyond this deadline."""
        return Deadline(min(seconds, self.left))
