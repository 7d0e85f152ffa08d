"""What the value of a search says, in words for a player: how often one wins, how far one is ahead, what one
is paid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kemu_engine.kernel import nodes as k
from kemu_engine.search.mcts import Search

from kemu.bots.searching import Line

EVEN, LITTLE, FAR = 0.03, 0.1, 0.25
"""So far from a half a value may be, and players are even; is a little ahead; so far it is, and is far
ahead."""


@dataclass(frozen=True, slots=True)
class Worth:
    """What values mean in a game. `kind`: of two players the part of the games that one wins (`wins`), of
    more the part of the others before whom one comes in (`before`), how far one is ahead where random games
    are cut off (`ahead`), or what one is paid, from `low` for 0 to `high` for 1 (`paid`). `ties`: whether a
    game may end in a tie, which counts half."""

    kind: Literal["wins", "before", "ahead", "paid"]
    ties: bool
    low: float = 0.0
    high: float = 1.0

    def told(self, value: float) -> str:
        """`about 63 % to win`, `a little ahead, 56 of 100`."""
        part = f"{100 * value:.0f}"
        if self.kind == "paid":
            return f"is paid about {self.low + value * (self.high - self.low):.3g}"
        if self.kind == "ahead":
            return f"{far(value - 0.5)}, {part} of 100"
        if self.kind == "wins":
            return f"about {part} % to win"
        return f"comes in before about {part} % of the others"

    def line(self, line: Line) -> str:
        """The same of an action, and of what is proved of it: `wins for certain`."""
        if not line.proved:
            return self.told(line.value)
        sure = {0.0: "loses", 0.5: "is a draw", 1.0: "wins"}.get(line.value, self.told(line.value))
        return f"{sure} for certain"

    def within(self, error: float) -> str:
        """How far the value of the best action may be from what it says."""
        paid = self.kind == "paid"
        off = f"{error * (self.high - self.low):.2g}" if paid else f"{max(1, round(100 * error))} of 100"
        return f"By chance alone the first value may be {off} off."

    @property
    def note(self) -> str:
        """What is to be known about the numbers; nothing if they say it themselves."""
        if self.kind == "ahead":
            return "50 of 100 is even, 75 as far ahead as is usual: it is not how often one wins."
        return "A tie counts as half a win." if self.ties and self.kind != "paid" else ""


def far(ahead: float) -> str:
    """How far one is ahead, a half being as far as can be."""
    if abs(ahead) < EVEN:
        return "about even"
    much = "a little " if abs(ahead) < LITTLE else "far " if abs(ahead) >= FAR else ""
    return much + ("ahead" if ahead > 0 else "behind")


def worth(program: k.Program, search: Search) -> Worth:
    """What the values of a search say."""
    return meaning(program, search.stands, search.scale)


def meaning(program: k.Program, stands: bool, scale: tuple[float, float]) -> Worth:
    """The same. `stands`: whether random games are cut off and count as they stand; `scale`: the least and
    the greatest payoff."""
    ends = {block.exit.form for block in program.blocks if isinstance(block.exit, k.End)}
    ties = bool(ends - {"win", "pays"})
    if "pays" in ends or (len(program.players) == 1 and "rank" in ends):
        return Worth("paid", ties, *scale)
    if stands:
        return Worth("ahead", ties)
    return Worth("before" if len(program.players) > 2 else "wins", ties)
