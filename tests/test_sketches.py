"""The hard parts of games, tests/sketches/*.kemu: every declared instance is made, it passes, it plays."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.examples import run_examples
from engine.game import Game
from engine.instantiate import instantiate
from engine.playout import playout
from engine.validate import problems
from engine.view import view
from grammar.game import Game as Rules
from grammar.game import read

HERE = Path(__file__).parent
FILES = sorted((HERE / "sketches").glob("*.kemu"))
LIBRARY = HERE.parent / "spec"
DECISIONS = 120  # how long a game is followed; whole games take the reference interpreter too long


def cases() -> list[tuple[Path, str]]:
    return [(file, name) for file in FILES for name in read(file, LIBRARY).instances]


def game(rules: Rules, name: str) -> Game:
    settings = dict(rules.instances[name].settings)
    players = settings.pop("players", None)
    return Game(instantiate(rules, settings, None if players is None else int(players)))


@pytest.mark.parametrize(("file", "name"), cases(), ids=lambda x: x.stem if isinstance(x, Path) else x)
def test_instance(file: Path, name: str) -> None:
    rules = read(file, LIBRARY)
    playable = game(rules, name)
    assert problems(playable.program) == []
    for result in run_examples(playable):
        assert result.passed, f"{result.title}: {result.message}"
    checked = Game(playable.program, checked=True)
    played = playout(checked, seed=1, index=0, max_decisions=DECISIONS)
    assert played.ending != "fault", played.fault
    view(checked.initial())


@pytest.mark.parametrize("file", FILES, ids=lambda x: x.stem)
def test_as_it_stands(file: Path) -> None:
    program = instantiate(read(file, LIBRARY))
    for result in run_examples(Game(program)):
        assert result.passed, f"{result.title}: {result.message}"
