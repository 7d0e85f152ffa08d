"""Files that do not say for which version they are written are told where a set goes in another order."""

from __future__ import annotations

import pytest
from kemu_engine.lint.set_order import reordered
from kemu_grammar.game.game import read_text

from tests.rules import LIBRARY

GAME = """\
game "Sets"
players ann, ben
enum Hue: red, green, blue
rules:
    RULES
    end tie
"""


@pytest.mark.parametrize(
    ("rules", "order"),
    [
        ("for h in {blue, red}: pass", "red, blue"),
        ("choose take(h in {green, red, green}) by ann", "red, green"),
        ("if first({3, 1}) == 1: pass", "1, 3"),
        ("if [n for n in {2, 1}] == [1, 2]: pass", "1, 2"),
        ("for h in {red, blue}: pass", None),
        ("for h in [blue, red]: pass", None),
        ("if red in {blue, red}: pass", None),
    ],
)
def test_a_set_that_is_gone_through_in_another_order(rules: str, order: str | None) -> None:
    text = GAME.replace("RULES", rules)
    found = [d.message.split(":")[0] for d in reordered(read_text(text, "test.kemu", LIBRARY))]
    assert found == ([] if order is None else [f"this set is gone through as {order}"])
    assert reordered(read_text(f"language 2\n{text}", "test.kemu", LIBRARY)) == ()
