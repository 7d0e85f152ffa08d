"""The games of spec/, whatever they are: short, traced to their rulebook, and sound in every instance."""

from __future__ import annotations

from pathlib import Path

import pytest
from kemu.base.library import games, library
from kemu.cli.trace import own, traced
from kemu_engine.batch.playout import playout
from kemu_engine.kernel.verify import problems
from kemu_engine.play.examples import run_examples
from kemu_engine.play.game import Game
from kemu_engine.play.view import view
from kemu_grammar.game.rule_lines import rule_lines
from kemu_grammar.game.rulebook import FILE

from tests.instances import PUBLISHED, STAND_INS, each_instance, instance, rules

pytestmark = pytest.mark.slow

GAMES = games()
COLUMNS = 100  # of a rules file
SIGNS = 500  # of a line of statements: each of them is one line
BUDGET = 150  # rule lines of a game
BUDGETS = {"maori": 175, "tongiaki": 300}  # of those that need more
DECISIONS = 40  # how far a game is followed with every value tested; another instance a quarter of it,
# and one without a rulebook a tenth


@pytest.mark.parametrize("file", sorted(library().glob("*/*.kemu")), ids=lambda file: file.stem)
def test_no_line_of_rules_is_over_long(file: Path) -> None:
    lines = enumerate(file.read_text("utf-8").splitlines(), 1)
    long = [f"{file.name}:{number} has {len(line)} columns" for number, line in lines if len(line) > COLUMNS]
    assert not long, "\n".join(long)


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_are_short(game: str) -> None:
    assert len(rule_lines(own(rules(game))[0])) < BUDGETS.get(game, BUDGET)


@pytest.mark.parametrize("game", PUBLISHED)
def test_every_statement_of_the_rulebook_is_cited(game: str) -> None:
    found = traced(rules(game))
    assert found is not None, f"there is no {FILE} beside {GAMES[game].name}"
    assert found.account.statements
    assert not found.faults, "\n".join(map(str, found.faults))
    lines = enumerate(Path(found.account.file).read_text("utf-8").splitlines(), 1)
    long = [f"{FILE}:{number} has {len(line)} signs" for number, line in lines if len(line) > SIGNS]
    assert not long, "\n".join(long)


@each_instance
def test_every_instance_begins_and_its_examples_come_out_as_expected(game: str, which: str | None) -> None:
    playable = instance(game, which)
    assert problems(playable.program) == []
    for result in run_examples(Game(playable.program, reader="interpreter")):  # sooner than Python is written
        assert result.passed, f"{result.title}: {result.message}"
    view(playable.initial())
    if which is None and game in STAND_INS:
        return
    checked = Game(playable.program, checked=True)
    decisions = DECISIONS // (10 if game not in PUBLISHED else 4 if which else 1)
    played = playout(checked, seed=1, index=0, max_decisions=decisions)
    assert played.ending != "fault", played.fault
