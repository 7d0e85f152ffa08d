"""Stops a solver that has computed for as long as it may.

z3's own limit is one of the clock: on a machine that does other things besides it would compute a little, and
then begin anew. What counts here is what the process computes, as for all deadlines.
"""

from __future__ import annotations

import time
from contextlib import suppress
from threading import Event, Thread
from typing import Any

import z3
from kemu_engine.support.time_limit import OutOfTime, postponed

LEAST = 0.005  # seconds between two looks at the time
LOST = 60.0  # seconds after which nobody seems to wait any longer


class Watchdog:
    """Watches one call of a solver. `barked`: whether it has stopped it."""

    def __init__(self, solver: Any, seconds: float) -> None:
        self.barked = False
        self._solver = solver
        self._end = time.process_time() + seconds
        self._over = Event()
        self._thread = Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Watchdog:
        try:
            with postponed():  # a thread that is broken off while it begins is neither there nor not
                self._thread.start()
        except OutOfTime:
            self._over.set()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with postponed():
            self._over.set()
            self._thread.join()

    def _watch(self) -> None:
        """No more can be computed in a time than that time, so it may sleep so long."""
        while not self._over.wait(max(LEAST, self._end - time.process_time())):
            if time.process_time() >= self._end + LOST:  # an alarm took the call away
                return
            if time.process_time() >= self._end:
                self.barked = True
                self._interrupt()

    def _interrupt(self) -> None:
        """Interrupts the call. An error that z3 tells here is that of the call, interrupted before: whoever
        waits for the call gets it, and the next bark comes all the same."""
        context = self._solver.ctx.ref()
        with suppress(z3.Z3Exception):
            if isinstance(self._solver, z3.Fixedpoint):  # which has no interrupt of its own
                z3.Z3_interrupt(context)
            else:
                z3.Z3_solver_interrupt(context, self._solver.solver)
