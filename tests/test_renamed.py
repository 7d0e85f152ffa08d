"""Nothing depends on what things are called: a game with all its names changed gets the same verdicts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_grammar.check.builtins import FUNCTIONS
from kemu_grammar.game.game import read
from kemu_grammar.syntax import ast as t
from kemu_verifier.strategy.verify import verify

from tests.soak import as_far

pytestmark = pytest.mark.slow

SPEC = Path(__file__).parent.parent / "spec"
RULES = SPEC / "moeraki-kemu" / "moeraki-kemu.kemu"


def own_names() -> set[str]:
    """The names that the rules file gives: declarations, players, options and their words, actions, state."""
    game = read(RULES, SPEC)
    library = {d for d in game.names if "boards" in game.names[d].span.file}
    names = set(game.names) - library | set(game.players.names) | set(game.options)
    for option in game.options.values():
        names |= (
            {w for w in option.values if isinstance(w, str)} if isinstance(option.values, tuple) else set()
        )
    names |= {v.name for v in game.state} | {p.name for p in game.properties} | set(game.instances)
    return (names | {"place", "place_ball"}) - set(FUNCTIONS)  # a word of an option may be called as one


def renamed(text: str) -> str:
    """The same without pictures, whose words are the language's, under other names."""
    text = re.sub(r"^    draw\b.*\n(?:        .*\n)*", "", text, flags=re.M)
    for name in own_names():
        text = re.sub(rf"(?<!\w)(?<![\w)\]]\.){name}\b", f"q_{name}_z", text)
    return text


def verdicts(game: t.Title | object, **settings: str | int) -> dict[str, str]:
    made = Game(instantiate(game, settings))  # type: ignore[arg-type]
    return {v.property: v.kind for v in verify(made, seconds=30) if not v.property.startswith("branch")}


@pytest.mark.parametrize("level", as_far(1, ["basic", "beginner"]))
def test_a_small_board_under_other_names(level: str, tmp_path: Path) -> None:
    plain = verdicts(read(RULES, SPEC), side=5, level=level)
    for file in (RULES, RULES.with_name("proofs.kemu")):
        (tmp_path / file.name).write_text(renamed(file.read_text(encoding="utf-8")), encoding="utf-8")
    other = read(tmp_path / RULES.name, SPEC)
    assert list(verdicts(other, q_side_z=5, q_level_z=f"q_{level}_z").values()) == list(plain.values())
    assert "proved" in plain.values() and len(plain) > 12
