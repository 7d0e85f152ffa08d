"""The alarm that ends what takes too long, whatever the code within does."""

from __future__ import annotations

from ctypes import CDLL, c_int

import pytest

from engine.alarm import OutOfTime, within


def for_ever(_: object = None) -> int:
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
