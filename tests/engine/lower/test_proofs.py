"""A file of proofs makes models of a game, and leaves the game itself as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.examples import run_examples
from kemu_engine.play.game import Game
from kemu_grammar.game.game import read
from kemu_grammar.source.diagnostics import RulesError

from tests.grammar.game.test_proofs import HEAP, PROOFS, opened, written


def test_the_game_is_the_same_with_it_and_without(tmp_path: Path) -> None:
    joined = instantiate(opened(tmp_path))
    (tmp_path / "proofs.kemu").unlink()
    alone = instantiate(read(tmp_path / "heap.kemu", tmp_path))
    assert (joined.vars, joined.blocks, joined.settings) == (alone.vars, alone.blocks, alone.settings)
    assert [claim.name for claim in joined.properties] == ["ends"]


def test_a_model_has_its_own_examples(tmp_path: Path) -> None:
    model = Game(instantiate(opened(tmp_path), {"few": 3}))
    assert [(r.title, r.passed) for r in run_examples(model)] == [("three are there", True)]
    assert model.settings == {"short": "false", "few": "3"}


def test_only_a_model_may_replace_what_the_rules_say(tmp_path: Path) -> None:
    written(tmp_path, PROOFS + "under short:\n    const stones = 5\n    fun own(): 3\n")
    with pytest.raises(RulesError, match="E0782"):
        instantiate(read(tmp_path / "heap.kemu", tmp_path), {"short": True})
    instantiate(read(tmp_path / "heap.kemu", tmp_path), {"short": True, "few": 3})


@pytest.mark.parametrize(
    ("short", "more"), [(True, "under short:\n    fun over(): true\n"), (False, "fun over(): true\n")]
)
def test_nor_what_they_say_under_a_condition(tmp_path: Path, short: bool, more: str) -> None:
    rules = HEAP.replace("if left == {}", "if over()") + "under short:\n    fun over(): left == {}\n"
    written(tmp_path, PROOFS + more, rules)
    with pytest.raises(RulesError, match="E0782"):
        instantiate(read(tmp_path / "heap.kemu", tmp_path), {"short": short})
