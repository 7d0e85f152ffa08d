"""What all tests need of the process that they run in."""

import gc
import signal

from tests import soak

soak.register()


def pytest_configure() -> None:
    """Ctrl-C is heard, also where a script started the tests in the background, which makes them deaf.
    Python looks for garbage less often: much is made here, and most of it stays."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.set_threshold(500_000, 10, 20)


def pytest_collection_finish() -> None:
    """The tests themselves are never garbage."""
    gc.freeze()
