"""Python's search for garbage, and when to do without it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

THRESHOLDS = 100_000, 20, 20
"""New things after which a search among the new, and of those among the older and the oldest."""


def rarely() -> None:
    """The search becomes rare in this whole process, which is to be one of our own: much is made in it, and
    most of that stays."""
    gc.set_threshold(*THRESHOLDS)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Without the search, which would look through all that is made, again and again: for work that makes
    much and throws little away."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
