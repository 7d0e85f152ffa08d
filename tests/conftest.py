"""What all tests need of the process that they run in."""

import signal

from hypothesis import settings

# no test times: a machine that does other things besides is no fault of ours
settings.register_profile("kemu", deadline=None)
settings.load_profile("kemu")


def pytest_configure() -> None:
    """Ctrl-C is heard, also where a script started the tests in the background, which makes them deaf."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
