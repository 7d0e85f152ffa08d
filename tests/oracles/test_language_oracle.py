"""All readers agree on rules files made at random: some here, more by `python -m tests.oracles`."""

from __future__ import annotations

import pytest

from tests.oracles.agreement import agree
from tests.oracles.sources import write
from tests.soak import number

pytestmark = pytest.mark.slow

FILES = 10
"""A test, of which there are several so that they run side by side."""


@pytest.mark.parametrize("first", range(0, number(30), FILES))
def test_readers_agree(first: int) -> None:
    for seed in range(first, first + FILES):
        assert agree(write(seed), seed) in ("same", "E0304", "E0709")


def test_readers_agree_on_histories() -> None:
    for seed in range(number(15)):
        assert agree(write(seed, histories=True), seed) in ("same", "E0304", "E0709")
