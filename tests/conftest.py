"""What all tests need of the process that they run in."""

import gc
import signal

import pytest
from kemu_verifier.symbolic.deadline import memory, room

from tests import soak

soak.register()

COLLECTING, TESTING = 10_000_000, 2_000_000
"""How much is new when Python looks for garbage: while tests are collected, and while they run."""

FULL, FULLER = 0.5, 0.1
"""Of the memory that a proof may have: where the process has so much, it looks through what earlier files of
tests have left; where it still has, once it has so much more."""

_was = 0  # bytes that it had when it last did


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
    """What a file's tests leave stays, and neither tests nor commands that look for garbage look there again,
    until it is so much that proofs would be short of memory."""
    global _was
    if nextitem is not None and nextitem.path != item.path:
        if memory() > max(FULL * room(), _was + FULLER * room()):
            gc.unfreeze()
            gc.collect()
            _was = memory()
        gc.freeze()
