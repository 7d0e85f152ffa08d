"""What has changed, put together again, is the new message; it is told where it is, and once for all."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kemu.web.changes import Known, changes

from tests.kemu.web.told import changed

POOL = [{"kind": "disc", "at": [at, 0], "fill": fill} for at in range(4) for fill in ("red", "blue")]
shapes = st.lists(st.sampled_from(POOL), max_size=12)
leaves = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "a", 0.0, 1.0])
data = st.recursive(
    leaves | shapes,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


def alike(one: Any, other: Any) -> bool:
    """Whether a page is told the same: the order of names tells nothing."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@given(data, data)
def test_changes_put_together_are_the_new_message(old: Any, new: Any) -> None:
    known: Known = {}
    for _ in range(2):
        change = changes(old, new, known)
        assert alike(changed(old, change) if change is not None else old, new)


@given(st.permutations(POOL), st.integers(0, 8), st.integers(0, 9))
def test_what_stays_is_not_told_again(old: list[Any], at: int, other: int) -> None:
    new = [*old[:at], {"new": 1}, *old[at:]]
    new = [*new[:other], {"new": 2}, *new[other:]]
    change = changes(old, new)
    assert change is not None and len(str(change)) < 120
    assert changed(old, change) == new


@pytest.mark.parametrize(
    ("old", "new"), [([1], [True]), ({"a": 0}, {"a": False}), ([[1, {"b": 1}]], [[1, {"b": 1.0}]])]
)
def test_what_is_equal_in_python_only_is_told(old: Any, new: Any) -> None:
    change = changes(old, new)
    assert change is not None and alike(changed(old, change), new)
