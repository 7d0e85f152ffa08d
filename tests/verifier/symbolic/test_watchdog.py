"""A solver is stopped in time, whatever z3 answers to that."""

from __future__ import annotations

import time
from typing import Any

import pytest
import z3
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
