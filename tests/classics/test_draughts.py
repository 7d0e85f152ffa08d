"""Draughts counted: sequences of moves as published, a row of jumps being one move."""

from __future__ import annotations

from kemu.base.opening import load

from tests.classics.perft import by_turns
from tests.instances import instance


def test_english_draughts_has_the_published_sequences() -> None:
    """Aart Bik's checkers page, "Perft for Checkers"."""
    assert by_turns(load("english-draughts"), 6) == [7, 49, 302, 1_469, 7_361, 36_768]


def test_international_draughts_has_the_published_sequences() -> None:
    """Aart Bik's blog, "BikDam: international checkers"."""
    assert by_turns(load("international-draughts"), 5) == [9, 81, 658, 4_265, 27_117]


def test_brazilian_draughts_has_the_published_sequences() -> None:
    """Rein Halbersma in the World Draughts Forum, "Perft for all recognized draughts variants", 2010."""
    assert by_turns(instance("international-draughts", "brazilian"), 5) == [7, 49, 302, 1_469, 7_473]
