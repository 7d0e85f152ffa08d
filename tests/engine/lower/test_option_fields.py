"""Fields of what may be none: `board[p][c].palms` in play, in claims and in views."""

from __future__ import annotations

from textwrap import dedent

import pytest
from kemu_engine.play.state import FaultError
from kemu_engine.play.view import view
from kemu_verifier.strategy.verify import verify

from tests.rules import game_in, play

RULES = dedent("""
    game "Options"
    players ann, ben
    domain Cell = grid(1..2, 1..1)
    table Isle(palms: 0..3, back: Isle?, ways: set[Player]):
        mea   2, tuha, {ann}
        tuha  1, none, {}
    domain Port = (isle: Isle, nr: 1..2)
    state:
        board: map[Player, map[Cell, Isle?]]
        port:  Port?
        last:  0..5
        seen:  Isle?
    fun palms(p: Player): sum(board[p][c].palms for c in Cell if board[p][c] is some)
    rules:
        for p in turns():
            choose:
                lay(c in Cell, i in Isle) if board[p][c] is none:
                    board[p][c] = i
                    port = (i, 2)
                look(c in Cell):
                    last = board[p][c].palms
                    seen = board[p][c].back
                sail(c in Cell) if board[p][c] is some and p in board[p][c].ways:
                    last = port.isle.palms + port.nr
                far:
                    last = seen.palms
    property few: always palms(ann) <= 4
    property guarded: never any(board[p][c] is some and board[p][c].palms == 0 for p in Player for c in Cell)
    property bare: always board[ann][(1, 1)].palms < 3
    view table:
        cell c in Cell at (c.x, c.y): "." if board[ann][c] is none else upper(board[ann][c].name)[:2]
        line "{port.isle.name} {port.nr}" if port is some else "no port"
""")


def test_a_field_is_that_of_the_value_that_is_there() -> None:
    game = game_in(RULES)
    state = play(game, "lay((1, 1), mea)", "lay((2, 1), tuha)", "look((1, 1))")
    assert (state["last"], state["seen"]) == (2, "tuha")
    state = play(state, "look((2, 1))", "sail((1, 1))")
    assert (state["last"], state["seen"]) == (3, "none")
    (picture,) = view(state)
    assert [mark.glyph for mark in picture.marks] == ["ME", "."] and picture.lines == ("tuha 2",)


@pytest.mark.parametrize(("steps", "field"), [(("look((1, 1))",), "palms"), (("far",), "palms")])
def test_of_none_it_is_a_missing_value(steps: tuple[str, ...], field: str) -> None:
    with pytest.raises(FaultError, match=f"missing_value: `.{field}` of none"):
        play(game_in(RULES), *steps)


def test_claims_guard_it_like_rules() -> None:
    found = {v.property: v for v in verify(game_in(RULES), ("few", "guarded", "bare"), seconds=5)}
    assert {name: v.kind for name, v in found.items()} == {
        "few": "proved",
        "guarded": "proved",
        "bare": "refuted",
    }
    assert found["bare"].steps == ()  # at the first decision nothing lies there
