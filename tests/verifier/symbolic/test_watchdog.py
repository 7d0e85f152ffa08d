"""A solver is stopped in time, whatever z3 answers to that, and forgets what was asked."""

from __future__ import annotations

import signal
import time
from contextlib import suppress
from threading import Thread
from typing import Any

import pytest
import z3
from kemu_engine.support.time_limit import OutOfTime, within
from kemu_verifier.symbolic.solve import scope
from kemu_verifier.symbolic.watchdog import LEAST, Watchdog


def test_an_error_that_belongs_to_the_call_does_not_end_the_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    barks = []

    def canceled(*_: Any) -> None:
        barks.append(time.process_time())
        raise z3.Z3Exception("canceled")

    monkeypatch.setattr(z3, "Z3_solver_interrupt", canceled)
    with Watchdog(z3.Solver(), 0.0) as watched:
        while len(barks) < 3:
            time.sleep(LEAST)
    assert watched.barked


def test_time_that_is_up_while_it_begins_leaves_nobody_watching(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, start = list[Thread](), Thread.start

    def rings(thread: Thread) -> None:
        signal.raise_signal(signal.SIGPROF)
        start(thread)
        begun.append(thread)

    monkeypatch.setattr(Thread, "start", rings)
    with pytest.raises(OutOfTime), within(100.0), Watchdog(z3.Solver(), 100.0):
        pass
    begun[0].join(10)
    assert not begun[0].is_alive()


def test_what_a_question_asserts_is_forgotten_however_it_ends() -> None:
    solver = z3.Solver()
    with suppress(OutOfTime), scope(solver):
        solver.add(z3.BoolVal(False))
        raise OutOfTime
    assert solver.check() == z3.sat
