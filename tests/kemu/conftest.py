"""What the tests of kemu/ share: the command line run in this process, and small games."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from kemu.cli.main import main

GAMES = Path(__file__).with_name("games")
CROSSES, RACE, COIN, CELLS = (str(GAMES / f"{name}.kemu") for name in ("crosses", "race", "coin", "cells"))


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture(scope="session")
def keeping(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the commands of the tests keep what takes long to make; the same in all processes of a run."""
    own = tmp_path_factory.getbasetemp()
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "kept"


@pytest.fixture
def kemu(tmp_path: Path, keeping: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in an empty folder: its exit code, and what it wrote."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setenv("KEMU_CACHE", str(keeping))
    monkeypatch.delenv("KEMU_DEBUG", raising=False)

    def run(*arguments: str, stdin: str = "") -> Done:
        done = CliRunner().invoke(main, list(arguments), input=stdin, prog_name="kemu")
        return Done(done.exit_code, done.stdout, done.stderr)

    return run
