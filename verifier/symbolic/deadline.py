"""Deadlines: points in time after which work stops. It stops before if it has taken too much memory."""

from __future__ import annotations

import resource
import sys
import time

ROOM = 2_000_000_000  # bytes of memory for the whole process, beyond which everything that may stops
_UNIT = 1 if sys.platform == "darwin" else 1024


def crowded() -> bool:
    """Whether the process has at some time had more memory than it should."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT > ROOM


class Deadline:
    """A point in time after which work stops."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        return self.end - time.monotonic()

    @property
    def passed(self) -> bool:
        return self.left <= 0 or crowded()

    def part(self, seconds: float) -> Deadline:
        """At most so many seconds from now, and not beyond this deadline."""
        return Deadline(min(seconds, self.left))
