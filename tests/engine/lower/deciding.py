"""A little state with everything in it that players and chance may choose from."""

from __future__ import annotations

from kemu_engine.play.state import State

from tests.rules import sound_in

HEAD = """\
game "Decisions"
players ann, bob, cid
enum Hue: red, green, blue
domain Four = 1..4
domain Spot = grid(1..2, 1..2)
state:
    n: 0..99
    k: Hue = green
    o: Hue?
    who: Player = bob
    s: set[Hue] = {red, blue}
    pile: bag[Hue, 9] = {red: 2, blue: 3}
    row: list[Hue, 4] = [blue, red]
    sets_: list[set[Hue], 2]
    level: map[Hue, 0..9] = {red: 4, green: 1, blue: 7}
"""


STOP = "choose stop by bob\nend tie\n"


def first(rules: str) -> State:
    """The first stop of these rules."""
    return sound_in(
        f"{HEAD}rules:\n" + "".join(f"    {line}\n" for line in rules.strip("\n").splitlines())
    ).initial()
