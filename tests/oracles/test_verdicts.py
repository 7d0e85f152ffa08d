"""Verdicts on little random games, and the checker's on them, are what the games mean in plain Python."""

from pathlib import Path

import pytest

from tests.oracles.verdicts import BLINDLY, BY_PROOF, LAP_BY_LAP, PLAIN, differences, of_loops
from tests.soak import number

pytestmark = pytest.mark.slow

pytest.importorskip("pysat")

BLIND = 5
"""One of so many is asked about without exhaustive search, too, which takes ten times as long, and one where
no game is looked for."""
SECONDS = 0.4


@pytest.mark.parametrize("seed", range(number(60)))
def test_verdicts_are_what_the_game_means(seed: int, tmp_path: Path) -> None:
    more = {0: [LAP_BY_LAP if of_loops(seed) else BLINDLY], 1: [BY_PROOF]}.get(seed % BLIND, [])
    assert list(differences(seed, tmp_path, seconds=SECONDS, ways=[PLAIN, *more])) == []
