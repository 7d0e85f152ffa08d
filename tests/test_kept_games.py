"""A row of the bots' table counts games of one search, and says if it is not today's."""

from pathlib import Path

from benchmarks.kept_games import SEARCH, Kept, named, todays

HEX = ("hex", "mcts:1000", "random")


def test_games_of_different_searches_do_not_mix(tmp_path: Path) -> None:
    ledger = tmp_path / "bots.jsonl"
    ledger.write_text('["hex", "mcts:1000", "random", 0.0]\n')
    assert Kept(ledger, "new").own(HEX) == [] and Kept(ledger, "new").earlier(HEX) == ("", [0.0])
    Kept(ledger, "new").add(HEX, 1.0)
    assert Kept(ledger, "new").own(HEX) == [1.0] and Kept(ledger, "new").earlier(HEX) == ("", [])
    assert Kept(ledger, "newer").earlier(HEX) == ("new", [1.0])


def test_a_search_is_named_by_what_it_does_not_by_what_is_said_of_it() -> None:
    assert named(["a = 1"]) == named(['"""Words."""\na = 1  # one\n"""One."""']) != named(["a = 2"])
    assert todays() == todays() and {"search/mcts.py", "run/wasm/programs/play.py"} <= {*SEARCH}


def test_a_search_has_the_same_name_in_every_version_of_python() -> None:
    assert named(["def f(x): return x"]) == "2279c810"
