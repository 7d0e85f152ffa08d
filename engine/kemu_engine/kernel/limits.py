"""Limits that every reader keeps."""

from __future__ import annotations

IN_A_ROW = 10_000
"""A game in which chance moves so often with no decision between is cut off."""


MOST_ACTIONS = 1 << 20
"""At a decision; of one arm, where they are kept apart."""


TOO_DEEP = (RecursionError, MemoryError, SyntaxError)


class NotCovered(Exception):
    """The program has something of which WebAssembly is not made yet; the message says what."""
