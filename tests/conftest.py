"""What all tests need of the process that they run in."""

import gc
import signal

import pytest

from tests import soak

soak.register()

COLLECTING, TESTING = 10_000_000, 2_000_000
"""How much is new when Python looks for garbage: while tests are collected, and while they run."""


def pytest_configure() -> None:
    """Ctrl-C is heard, also where a script started the tests in the background, which makes them deaf.
    Python looks for garbage less often: much is made here, and most of it stays."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.set_threshold(COLLECTING, 10, 20)


def pytest_collection_finish() -> None:
    """The tests themselves are never garbage."""
    gc.freeze()
    gc.set_threshold(TESTING, 10, 1000)


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """What a file's tests leave stays: neither tests nor commands that look for garbage look there again."""
    if nextitem is not None and nextitem.path != item.path:
        gc.freeze()
