"""A long run of random files is gone on with by what is noted of it."""

from pathlib import Path

from tests.oracles.ledger import Chunk, Ledger, state


def test_a_run_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "oracles.txt"
    ledger = Ledger(path)
    ledger.add(Chunk.of(0, [(0, "same"), (1, "E0709")]))
    ledger.add(Chunk.of(2, [(2, "same"), (3, " readers differ")]))
    again = Ledger(path)
    assert again.settled(0, 2)
    assert not again.settled(2, 2), "where readers differed, files are read again"
    assert str(again) == f"2 same, 1 E0709, 1 differ (4 in state {state()})"
    again.add(Chunk.of(2, [(2, "same"), (3, "same")]))
    assert str(Ledger(path)) == f"3 same, 1 E0709 (4 in state {state()})"
