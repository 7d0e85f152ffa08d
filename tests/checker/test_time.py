"""A checker that has no time says "open": that something was not looked at is no fault of the bundle's."""

import time
from argparse import Namespace
from pathlib import Path
from unittest.mock import patch

import pytest
from click.testing import CliRunner
from kemu.cli.main import main as kemu
from kemu_checker.__main__ import _run as check
from kemu_checker.cnf import Clauses
from kemu_checker.limits import OutOfTime
from kemu_checker.sums import Sum
from kemu_checker.symbols import Symbol
from kemu_checker.terms import Terms
from kemu_verifier.strategy import strategy

pytest.importorskip("pysat")

ROUND = """game "Round"
players ann, bob
state:
    n: 0..3
rules:
    for p in turns():
        choose:
            up if n < 3: n += 1
            down if n > 0: n -= 1
            lose: end win(p)
        d = roll 1..2
        if n == 3 and d == 1: end tie
property can: always possible n == 3
"""
ASKED = ("can", "ends_almost_surely")


def test_without_time_nothing_is_called_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, folder = tmp_path / "round.kemu", tmp_path / "bundle"
    rules.write_text(ROUND)
    named = [word for name in ASKED for word in ("--property", name)]
    with patch.object(strategy, "STATES", 1):  # or the evidence would be that all states were looked at
        CliRunner().invoke(kemu, ["verify", str(rules), "--seconds", "1", *named, "--bundle", str(folder)])
    asked = Namespace(folder=folder, solver="glucose", seconds=0.0, each=1.0, states=1_000, only=None)
    assert check(asked) == 4
    said = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if " refuted " in line}
    assert all(" open " in said[name] and "out of time" in said[name] for name in ASKED)


def test_sums_are_written_as_clauses_only_while_there_is_time() -> None:
    terms = Terms(until=time.monotonic())
    total = Sum(-99, {(None, Symbol(f"heap {i}", 0, 97)): 1 for i in range(30)})
    with pytest.raises(OutOfTime):
        Clauses(terms, lambda clause: None).literal(terms.at_most_zero(total))
