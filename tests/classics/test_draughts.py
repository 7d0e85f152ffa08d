"""Draughts counted: sequences of moves as published, a row of jumps being one move."""

from __future__ import annotations

import pytest

from tests.classics.perft import by_turns
from tests.instances import instance
from tests.soak import as_far

pytestmark = pytest.mark.slow


def test_english_draughts_has_the_published_sequences() -> None:
    """Aart Bik's checkers page, "Perft for Checkers"."""
    published = as_far(5, [7, 49, 302, 1_469, 7_361, 36_768])
    assert by_turns(instance("english-draughts"), len(published)) == published


def test_international_draughts_has_the_published_sequences() -> None:
    """Aart Bik's blog, "BikDam: international checkers"."""
    published = as_far(4, [9, 81, 658, 4_265, 27_117])
    assert by_turns(instance("international-draughts"), len(published)) == published


def test_brazilian_draughts_has_the_published_sequences() -> None:
    """Rein Halbersma in the World Draughts Forum, "Perft for all recognized draughts variants", 2010."""
    published = as_far(4, [7, 49, 302, 1_469, 7_473])
    assert by_turns(instance("international-draughts", "brazilian"), len(published)) == published
