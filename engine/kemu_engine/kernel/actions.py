"""All actions that a game knows, with numbers: for programs that choose by number, whatever is legal."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.stop import Choice

PATHS = 1 << 16
"""Actions of one arm with a path for which there is room: they are few of all that its parameters allow."""


def worded(name: str, args: Iterable[str]) -> str:
    """The text of an action: of a path the parts behind its end are written as nothing."""
    shown = ", ".join(filter(None, args))
    return f"{name}({shown})" if shown else name


def has_path(program: k.Program, arm: k.Arm) -> bool:
    """Whether its last parameter may be the end of a path."""
    return bool(arm.params) and "" in program.domains[arm.params[-1].domain].texts


def room(program: k.Program, arm: k.Arm) -> int:
    """For how many actions of an arm there is room, as far as limits are concerned."""
    sizes = (param.over.type.size for param in arm.params if isinstance(param.over.type, k.Set))
    return min(prod(sizes), PATHS) if has_path(program, arm) else prod(sizes)


MOST_NUMBERED = 1 << 30
"""Actions for which there may be a row with a place for each."""


@dataclass(frozen=True, slots=True)
class Range:
    """The actions of a name: their numbers are `first` and on, the last parameter fastest."""

    first: int
    name: str
    domains: tuple[int, ...]
    sizes: tuple[int, ...]

    @property
    def size(self) -> int:
        return prod(self.sizes)


class Catalogue:
    """The numbers of a program's actions.

    Actions of one name with the same domains have the same numbers at all decisions; two such arms at one
    decision have numbers of their own, for only one of two equal texts is ever legal.
    """

    def __init__(self, program: k.Program) -> None:
        self.program = program
        self.ranges: list[Range] = []
        self.of_arm: dict[tuple[int, int], Range] = {}
        known: dict[tuple[str, tuple[int, ...], int], Range] = {}
        first = 0
        for at, block in enumerate(program.blocks):
            if not isinstance(block.exit, k.Decide):
                continue
            seen: list[tuple[str, tuple[int, ...]]] = []
            for number, arm in enumerate(block.exit.arms):
                kind = arm.name, tuple(param.domain for param in arm.params)
                key = (*kind, seen.count(kind))
                seen.append(kind)
                if key not in known:
                    sizes = tuple(len(program.domains[each].texts) for each in kind[1])
                    known[key] = Range(first, *kind, sizes)
                    self.ranges.append(known[key])
                    first += known[key].size
                self.of_arm[at, number] = known[key]
        self.size = first
        """How many there are."""

    def row(self) -> int:
        """How many there are, for a row with a place for each. Raises OverflowError."""
        if self.size > MOST_NUMBERED:
            most = f"a row has room for {MOST_NUMBERED:,}"
            raise OverflowError(f"{self.program.game} knows more actions than fit into a row: {most}")
        return self.size

    def number(self, block: int, choice: Choice) -> int:
        """The number of an action at a decision."""
        range_ = self.of_arm[block, choice.arm]
        at = 0
        for value, size in zip(choice.values, range_.sizes, strict=True):
            at = at * size + value
        return range_.first + at

    def numbers(self, block: int, choices: Sequence[Choice]) -> tuple[int, ...]:
        """Those of all actions at a decision, in their order."""
        return tuple(
            self.of_arm[block, each.arm].first + each.values[0]
            if len(each.values) == 1
            else self.number(block, each)
            for each in choices
        )

    def at(self, number: int) -> tuple[Range, tuple[int, ...]]:
        """The actions that a number is one of, and the values of its parameters."""
        range_ = self.ranges[bisect_right(self.ranges, number, key=lambda each: each.first) - 1]
        rest, values = number - range_.first, []
        for size in reversed(range_.sizes):
            rest, value = divmod(rest, size)
            values.append(value)
        return range_, tuple(reversed(values))

    @cached_property
    def texts(self) -> list[str]:
        """The text of each."""
        found = []
        for each in self.ranges:
            words = [self.program.domains[domain].texts for domain in each.domains]
            found += [worded(each.name, args) for args in product(*words)]
        return found
