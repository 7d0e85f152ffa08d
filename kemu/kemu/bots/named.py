"""Bots by what people type: `random`, `mcts`, `mcts:10000`, `mcts:2s`."""

from __future__ import annotations

import re

from kemu.base.library import BadInput, shown
from kemu.bots.protocol import Random, Repeatable

KINDS = "random, mcts (a second a decision), mcts:10000 (so many random games) or mcts:2s (so many seconds)"
FORM = re.compile(r"mcts(?::(?P<number>\d+(?:\.\d+)?)(?P<seconds>s?))?")


def bot(kind: str, seed: int = 0, threads: int | None = None) -> Repeatable:
    """The bot of that kind. `threads`: on how many it may think where time is the limit; None: on all cores.
    Raises BadInput."""
    if kind == "random":
        return Random(seed)
    found = FORM.fullmatch(kind)
    if found is None:
        raise BadInput(f"there is no bot {shown(kind)}; there are {KINDS}")
    from kemu.bots.searching import MCTS  # which few need

    number, seconds = found["number"], bool(found["seconds"])
    if number is None:
        return MCTS(seed=seed, threads=threads)
    if float(number) <= 0 or (not seconds and not number.isdecimal()):
        raise BadInput(f"{shown(kind)} is no number of games or seconds to think; there are {KINDS}")
    if seconds:
        return MCTS(seconds=float(number), seed=seed, threads=threads)
    return MCTS(playouts=int(number), seed=seed)
