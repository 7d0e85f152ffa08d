"""The games of spec/ play as they were written down: GAME.INSTANCE.txt, GAME.txt for the one by default.

A difference is a change of rules, of the order of actions, of chance or of the drawing. If it is wanted,
look at it with `git diff` after `.venv/bin/python -m tests.playthroughs.regenerate GAME`. Two of three
variants, and instances that are there for proofs, are played in a soak run.
"""

from __future__ import annotations

import difflib
from itertools import islice

import pytest

from tests.instances import spread, together
from tests.playthroughs.regenerate import HERE, LARGEST, Case, cases

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("game", "which"), [together(*each) for each in spread()])
def test_a_game_plays_as_it_was_written_down(game: str, which: str | None) -> None:
    case = Case(game, which)
    again = f".venv/bin/python -m tests.playthroughs.regenerate {case.game}"
    if not case.path.exists():
        pytest.fail(f"{case.path.name} is missing; `{again}` writes it", pytrace=False)
    kept, now = case.path.read_text("utf-8"), case.text(*case.chosen())
    if kept != now:
        changes = difflib.unified_diff(kept.splitlines(), now.splitlines(), "kept", "now", lineterm="", n=1)
        shown = "\n".join(islice(changes, 40))
        pytest.fail(f"{case.path.name} differs; if that is wanted, `{again}`\n{shown}", pytrace=False)
    assert len(kept.encode()) < LARGEST


def test_there_is_no_playthrough_of_something_else() -> None:
    assert {path.name for path in HERE.glob("*.txt")} <= {case.path.name for case in cases()}
