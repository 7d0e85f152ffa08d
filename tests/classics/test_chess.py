"""Chess counted: sequences of moves as in the Chess Programming Wiki, "Perft Results"."""

from __future__ import annotations

from tests.classics.perft import begun, counted, paths
from tests.instances import instance


def test_the_opening_position_has_the_published_sequences() -> None:
    assert counted(instance("chess"), 4) == [20, 400, 8_902, 197_281]


def test_kiwipete_has_the_published_sequences() -> None:
    """Position 2 of the page: both castle either way, pawns are taken en passant, men are pinned."""
    start = begun(instance("chess"), "castling both ways, and en passant")
    assert [paths(start, plies) for plies in (1, 2, 3)] == [48, 2_039, 97_862]
