"""Room on the stack for programs whose expressions nest thousands deep."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LIMIT = 20_000
_changing = threading.Lock()
_within: list[
    int
] = []  # for each that needs the room now, the limit before the first came: all threads share it


@contextmanager
def deep() -> Iterator[None]:
    """Raises Python's limit of recursion until the last thread that needs it is through."""
    with _changing:
        before = _within[0] if _within else sys.getrecursionlimit()
        _within.append(before)
        sys.setrecursionlimit(max(before, LIMIT))
    try:
        yield
    finally:
        with _changing:
            _within.pop()
            if not _within:
                sys.setrecursionlimit(before)
