"""What a run of the rules meets on the way: stops, ends, and what leaves a block before its end."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from tests.oracles.naive_values import Member


@dataclass(frozen=True)
class Stop:
    """Where play waits. `choices`: text and weight (1 for an action) of all that can come next, in order."""

    kind: str  # "decision", "chance", "end"
    actor: str | None
    choices: tuple[tuple[str, int], ...]
    vars: dict[str, Any]
    places: dict[str, int] | None = None


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
    """A trial has come to its `require`."""

    def __init__(self, holds: bool) -> None:
        self.holds = holds
