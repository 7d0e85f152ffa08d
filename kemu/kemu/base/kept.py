"""What is made of each of many things, time after time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

Thing = TypeVar("Thing")
Made = TypeVar("Made")


class Kept(Generic[Thing, Made]):
    """`make` of things; of an object that was there the last time, too, what was made of it then."""

    def __init__(self, make: Callable[[Thing], Made]) -> None:
        self.make = make
        self._known: dict[
            int, tuple[Thing, Made]
        ] = {}  # who holds a thing keeps its id from being used again

    def another(self) -> Kept[Thing, Made]:
        """One that knows the same."""
        copy = Kept(self.make)
        copy._known = self._known
        return copy

    def of(self, things: Iterable[Thing]) -> list[Made]:
        known = self._known
        now = self._known = {}
        found = []
        for thing in things:
            at = id(thing)
            pair = now[at] = known.get(at) or now.get(at) or (thing, self.make(thing))
            found.append(pair[1])
        return found
