"""What a run of the rules meets on the way: stops, ends, and what leaves a block before its end."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Literal

from tests.oracles.naive_values import Member

Told = Literal["at once", "never", "together", "last of all"]


@dataclass(frozen=True)
class Stop:
    """Where play waits. `choices`: text and weight (1 for an action) of all that can come next, in order.
    `told`: when the others are told what a player chooses ("together": when the others have chosen, of whom
    some are still to come).
    """

    kind: str  # "decision", "chance", "end"
    actor: str | None
    choices: tuple[tuple[str, int], ...]
    vars: dict[str, Any]
    places: dict[str, int] | None = None
    told: Told = "at once"


Run = Generator[Stop, str | None, Any]
"""Statements on their way: they wait at stops for what comes next."""


class Ended(Exception):
    def __init__(self, keys: dict[Member, tuple[int, ...]]) -> None:
        self.keys = keys


class Returned(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class Leave(Exception):
    """`break`"""


class Next(Exception):
    """`continue`"""


class Anew(Exception):
    """`again`"""


class Required(Exception):
    """A trial has come to its `require`: what that speaks of."""

    def __init__(self, value: Any) -> None:
        self.value = value
