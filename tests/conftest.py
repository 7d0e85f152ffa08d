"""What all tests need of the process that they run in."""

import signal

from tests import soak

soak.register()


def pytest_configure() -> None:
    """Ctrl-C is heard, also where a script started the tests in the background, which makes them deaf."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
