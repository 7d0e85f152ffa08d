"""Verdicts on little random games, and the checker's on them, are what the games mean in plain Python."""

from pathlib import Path

import pytest
from kemu_grammar.source.diagnostics import RulesError

from tests.oracles.verdicts import differences
from tests.soak import number

pytestmark = pytest.mark.slow

pytest.importorskip("pysat")


@pytest.mark.parametrize("seed", range(number(12)))
def test_verdicts_are_what_the_game_means(seed: int, tmp_path: Path) -> None:
    try:
        assert list(differences(seed, tmp_path)) == []
    except (OverflowError, RulesError):
        pytest.skip("too large, or refused")
