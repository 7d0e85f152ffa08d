"""The interval of an operation holds every value that it may have, and is no wider than it need be."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.interval import arithmetic, fits, hull, integers_fit, meets

MEANING: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "neg": lambda a, b: -a,
    "abs": lambda a, b: abs(a),
    "min": min,
    "max": max,
}
WIDER = {"mod"}
"""Operations whose interval may be wider than their values."""


@st.composite
def intervals(draw: st.DrawFn) -> k.Int:
    low, high = sorted((draw(st.integers(-9, 9)), draw(st.integers(-9, 9))))
    return k.Int(low, high)


@pytest.mark.parametrize("op", MEANING)
@given(intervals(), intervals())
def test_an_interval_is_that_of_the_values(op: str, a: k.Int, b: k.Int) -> None:
    ones = range(a.low, a.high + 1)
    others = [y for y in range(b.low, b.high + 1) if y or op not in ("div", "mod")]
    assume(others)
    found = arithmetic(op, a, a if op in ("neg", "abs") else b)
    values = [MEANING[op](x, y) for x in ones for y in others]
    assert found.low <= min(values) and max(values) <= found.high
    if op not in WIDER:
        assert (found.low, found.high) == (min(values), max(values))


@given(intervals(), intervals())
def test_one_interval_beside_another(a: k.Int, b: k.Int) -> None:
    one, other = ({*range(each.low, each.high + 1)} for each in (a, b))
    assert fits(a, b) == integers_fit(a, b) == (one <= other)
    assert meets(a, b) == bool(one & other)
    joined = hull(a, b)
    assert isinstance(joined, k.Int)
    assert (joined.low, joined.high) == (min(one | other), max(one | other))


def test_types_of_other_kinds() -> None:
    assert fits(k.Set(3), k.Set(3)) and not fits(k.Set(3), k.Set(4)) and not fits(k.BOOL, k.Int(0, 1))
    assert integers_fit(k.Set(3), k.Set(4))  # only integers are asked about
