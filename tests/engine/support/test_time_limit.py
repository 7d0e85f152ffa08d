"""The alarm that ends what takes too long, whatever the code within does."""

from __future__ import annotations

import time
from ctypes import CDLL, c_int

import pytest
from kemu_engine.support.time_limit import AGAIN, OutOfTime, postponed, within


def for_ever(given: object = None) -> int:
    del given
    while True:
        pass


class Slow:
    """An argument that takes for ever to be converted."""

    _as_parameter_ = property(for_ever)


def test_what_never_ends_is_ended() -> None:
    with pytest.raises(OutOfTime), within(0.05):
        for_ever()


def test_also_where_it_rings_while_an_argument_is_converted() -> None:
    absolute = CDLL(None).abs
    absolute.argtypes = [c_int]
    with pytest.raises(OutOfTime), within(0.05):
        absolute(Slow())


class Reluctant:
    """Takes for ever to say goodbye."""

    def __del__(self) -> None:
        for_ever()


def test_also_where_it_rings_while_something_is_let_go_which_swallows_it(
    capfd: pytest.CaptureFixture[str],
) -> None:
    begun = time.process_time()
    with pytest.raises(OutOfTime), within(0.05):
        for_ever(Reluctant())
    assert time.process_time() - begun < AGAIN / 2
    assert capfd.readouterr().err == ""


def busy(seconds: float) -> str:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
    return "to the end"


def test_what_would_be_swallowed_is_raised_afterwards() -> None:
    done = []
    with pytest.raises(OutOfTime), within(0.05), postponed():
        done.append(busy(0.2))
    assert done


def test_what_is_soon_over_is_not_ended() -> None:
    with within(10), postponed():
        busy(0.01)
