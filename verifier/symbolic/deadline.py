"""Deadlines: points in time after which work stops."""

from __future__ import annotations

import time


class Deadline:
    """A point in time after which work stops."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        return self.end - time.monotonic()

    @property
    def passed(self) -> bool:
        return self.left <= 0

    def part(self, seconds: float) -> Deadline:
        """At most so many seconds from now, and not beyond this deadline."""
        return Deadline(min(seconds, self.left))
