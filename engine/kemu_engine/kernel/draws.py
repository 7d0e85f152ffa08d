"""What chance and random players draw from their streams (rng.py): indices into the choices at a stop.

Every outcome is as likely as its weight says, every legal action as likely as any other. An action is drawn
by its rank: a number below that of the legal actions. But where all actions have one name and one parameter
with more than FEW values, and at least one in SPARSE of these is legal, numbers below that of the values are
drawn until a legal one is met: to find an element of a large set by its rank takes longer.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.rng import Stream
from kemu_engine.kernel.stop import Choice

FEW = 64
SPARSE = 4


def large_domain(program: k.Program, decide: k.Decide) -> int | None:
    """How many values the only parameter of the only arm has, if they are more than FEW."""
    if len(decide.arms) != 1 or len(decide.arms[0].params) != 1:
        return None
    size = len(program.domains[decide.arms[0].params[0].domain].texts)
    return size if size > FEW else None


def enough(size: int) -> int:
    """How many of so many values must be legal to be drawn until one is."""
    return -(-size // SPARSE)


def outcome(chance: Stream, choices: Sequence[Choice]) -> int:
    """The index of an outcome of chance."""
    return chance.pick([choice.weight for choice in choices])


def action(players: Stream, program: k.Program, decide: k.Decide, choices: Sequence[Choice]) -> int:
    """The index of an action of a random player."""
    size = large_domain(program, decide)
    if size is None or len(choices) < enough(size):
        return players.below(len(choices))
    legal = [choice.values[0] for choice in choices]  # which ascend
    while True:
        value = players.below(size)
        index = bisect_left(legal, value)
        if index < len(legal) and legal[index] == value:
            return index
