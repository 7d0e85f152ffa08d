"""A limit of computing time that holds whatever the code within does, where the system has one."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN = 2.0  # seconds after which the alarm rings again, because code that may not raise swallows it


class OutOfTime(Exception):
    """The time is up."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raises OutOfTime in what it surrounds after so many seconds of computing: only in a main thread,
    and only where there are signals for it (not on Windows).
    """
    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGPROF, _ring)
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _ring(_: int, __: FrameType | None) -> None:
    raise OutOfTime
