"""Traces: choices that players make together are one line."""

from __future__ import annotations

from kemu.render.trace import lines
from kemu_engine.play.trace import trace

from tests.rules import game_in

BIDS = """
game "Bids"
players ann, ben, cid
rules:
    for lap in 1..2:
        choose together for p in Player if lap == 1 or p != ben:
            bid(n in 1..3): pass
        may choose stop by ann
    end tie
"""


def test_what_is_chosen_together_is_told_in_one_line() -> None:
    game = game_in(BIDS)
    steps = ["bid(2)", "bid(1)", "bid(3)", "pass", "bid(1)", "bid(1)", "pass"]
    told = "\n".join(lines(game, trace(game, steps), 80))
    assert (
        "1-3. ann: bid(2), ben: bid(1), cid: bid(3)\n4. ann: pass\n5-6. ann: bid(1), cid: bid(1)\n7. ann"
        in told
    )
