"""A limit of computing time that holds whatever the code within does, where the system has one."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import ArgumentError
from types import FrameType

AGAIN, AT_ONCE = 2.0, 0.001
"""Seconds after which the alarm rings again, because code that may not raise swallows it; and where that is
known, as where an object is let go."""


class OutOfTime(Exception):
    """The time is up."""


class TooSlow(Exception):
    """What the rules ask for takes too long; the message says what."""


@contextmanager
def silenced() -> Iterator[None]:
    """What it surrounds is not interrupted by `within`, and takes none of its time."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    left = signal.getitimer(signal.ITIMER_PROF)
    try:
        left = signal.setitimer(signal.ITIMER_PROF, 0)
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, *left)


@contextmanager
def postponed() -> Iterator[None]:
    """If `within` ends what it surrounds, it does so only afterwards: for a library that swallows what is
    raised when it calls back, for threads that begin or are waited for, and for what is done as a whole."""
    if not hasattr(signal, "SIGPROF") or threading.current_thread() is not threading.main_thread():
        yield
        return
    rung: list[int] = []
    before = signal.signal(signal.SIGPROF, lambda number, _: rung.append(number))
    try:
        yield
    except KeyboardInterrupt:
        rung.clear()
        raise
    finally:
        signal.signal(signal.SIGPROF, before)
        if rung:
            raise OutOfTime


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raises OutOfTime in what it surrounds after so many seconds of computing: in the main thread only,
    and only where there are signals for it (not on Windows). It cannot be nested.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    rung = False
    told = sys.unraisablehook

    def ring(_: int, __: FrameType | None) -> None:
        nonlocal rung
        rung = True
        raise OutOfTime

    def swallowed(what: sys.UnraisableHookArgs) -> None:
        if what.exc_type is OutOfTime:
            signal.setitimer(signal.ITIMER_PROF, AT_ONCE, AGAIN)
        else:
            told(what)

    before = signal.signal(signal.SIGPROF, ring)
    sys.unraisablehook = swallowed
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)
    try:
        yield
    except ArgumentError as error:  # what ctypes makes of it if it rings while an argument is converted
        if rung:
            raise OutOfTime from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        sys.unraisablehook = told
