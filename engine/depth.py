"""Room on the stack for programs whose expressions nest thousands deep."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

LIMIT = 20_000


@contextmanager
def deep() -> Iterator[None]:
    """Raises Python's limit of recursion for a while."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
