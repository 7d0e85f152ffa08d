"""What many random games come to: sums of whole numbers, the same in whatever order games are added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from operator import mul

from kemu_engine.batch.bulk import Batch, Column
from kemu_engine.kernel import nodes as k
from kemu_engine.play.state import result_of

Z = 1.96  # half the width of a range that holds 95 in 100 of a normal distribution, in deviations
SHOWN = 5  # numbers of games that are kept as examples


@dataclass(slots=True)
class Sums:
    """Of a number for each game: the sum, the sum of the squares, the games in which it is not 0."""

    total: int = 0
    squares: int = 0
    games: int = 0

    def add(self, column: Column) -> None:
        self.total += sum(column)
        self.squares += sum(map(mul, column, column))
        self.games += len(column) - column.count(0)

    def merge(self, other: Sums) -> None:
        self.total += other.total
        self.squares += other.squares
        self.games += other.games


@dataclass(slots=True)
class Failures:
    """Games in which something went wrong: how many, and the lowest numbers of them."""

    games: int = 0
    first: tuple[int, ...] = ()

    def merge(self, games: int, first: Iterable[int]) -> None:
        self.games += games
        self.first = tuple(sorted((*self.first, *first))[:SHOWN])


@dataclass(slots=True)
class Tally:
    """Games that broke down or were cut off count in no other figure than their own.

    `wins`: sole first places by seat, `shared`: those shared with some, `ties`: with all. `scores`: for each
    seat and key of the result how often each value was reached, at ends that compare scores. `products`: the
    sums of decisions times actions and of the squares of actions, for the range of their quotient. `uses`: by
    the counters whose sum it is.
    """

    games: int = 0
    ended: int = 0
    ties: int = 0
    wins: Counter[int] = field(default_factory=Counter)
    shared: Counter[int] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    scores: dict[tuple[int, int], Counter[int]] = field(default_factory=dict)
    branching: Sums = field(default_factory=Sums)
    products: int = 0
    outcomes: Sums = field(default_factory=Sums)
    uses: dict[tuple[int, ...], Sums] = field(default_factory=dict)
    cut: Failures = field(default_factory=Failures)
    faults: dict[str, Failures] = field(default_factory=dict)

    def add(self, batch: Batch, program: k.Program, uses: Iterable[tuple[int, ...]]) -> None:
        """Adds games of the program; `uses`: the sums of counters that are wanted."""
        self.games += batch.games
        self.ended += len(batch.ends)
        self._results(batch, program)
        self.lengths.update(batch.decisions)
        self.branching.add(batch.branching)
        self.products += sum(map(mul, batch.branching, batch.decisions))
        self.outcomes.add(batch.outcomes)
        for counters in uses:
            columns = [batch.counters[counter] for counter in counters]
            column = columns[0] if len(columns) == 1 else tuple(map(sum, zip(*columns, strict=True)))
            self.uses.setdefault(counters, Sums()).add(column)
        for game in batch.others:
            if game.fault is None:
                self.cut.merge(1, [game.index])
            else:
                what = f"{game.fault.code}: {game.fault.message}"
                self.faults.setdefault(what, Failures()).merge(1, [game.index])

    def _results(self, batch: Batch, program: k.Program) -> None:
        for (end, *keys), games in Counter(zip(batch.ends, *batch.keys, strict=True)).items():
            result = result_of(program, end, tuple(keys))
            first = [seat for seat, player in enumerate(program.players) if result.places[player] == 1]
            if len(first) == 1:
                self.wins[first[0]] += games
            elif len(first) == len(program.players):
                self.ties += games
            else:
                self.shared.update(dict.fromkeys(first, games))
            if result.form in ("rank", "pays"):
                for at, value in enumerate(keys):
                    self.scores.setdefault(divmod(at, program.width), Counter())[value] += games

    def merge(self, other: Tally) -> None:
        self.games += other.games
        self.ended += other.ended
        self.ties += other.ties
        self.products += other.products
        for mine, its in (
            (self.wins, other.wins),
            (self.shared, other.shared),
            (self.lengths, other.lengths),
        ):
            mine.update(its)
        for place, values in other.scores.items():
            self.scores.setdefault(place, Counter()).update(values)
        self.branching.merge(other.branching)
        self.outcomes.merge(other.outcomes)
        for counters, sums in other.uses.items():
            self.uses.setdefault(counters, Sums()).merge(sums)
        self.cut.merge(other.cut.games, other.cut.first)
        for what, failures in other.faults.items():
            self.faults.setdefault(what, Failures()).merge(failures.games, failures.first)

    def actions_a_decision(self) -> Range | None:
        """The mean number of actions at a decision: of all games together, so a quotient of two sums."""
        decisions = sum(length * games for length, games in self.lengths.items())
        if not decisions:
            return None
        squares = sum(length * length * games for length, games in self.lengths.items())
        ratio = self.branching.total / decisions
        spread = self.branching.squares - 2 * ratio * self.products + ratio * ratio * squares
        margin = Z * sqrt(max(spread, 0.0) * self.ended / max(1, self.ended - 1)) / decisions
        return Range(ratio, ratio - margin, ratio + margin)


@dataclass(frozen=True, slots=True)
class Range:
    """An estimate, and the ends of its range at 95 %."""

    value: float
    low: float
    high: float


def share(games: float, of: int) -> Range:
    """The share of games, of which some may count in part, by Wilson's interval (JASA 22, 1927); `of` is at
    least 1."""
    part = games / of
    middle = (part + Z * Z / (2 * of)) / (1 + Z * Z / of)
    margin = Z * sqrt(part * (1 - part) / of + Z * Z / (4 * of * of)) / (1 + Z * Z / of)
    return Range(part, max(0.0, middle - margin), min(1.0, middle + margin))


def mean(total: int, squares: int, of: int) -> Range:
    """The mean of so many numbers, at least 1, given their sum and the sum of their squares; its range by the
    normal distribution."""
    margin = Z * deviation(total, squares, of) / sqrt(of)
    return Range(total / of, total / of - margin, total / of + margin)


def deviation(total: int, squares: int, of: int) -> float:
    """The deviation of one of the numbers, estimated from all."""
    return sqrt(max(0, squares * of - total * total) / (of * max(1, of - 1)))


def sums(values: Counter[int]) -> tuple[int, int, int]:
    """Of numbers and how often each is there: their sum, the sum of their squares, how many they are."""
    total = sum(value * games for value, games in values.items())
    return total, sum(value * value * games for value, games in values.items()), values.total()


def quantile(values: Counter[int], part: float) -> int:
    """The smallest value that at least that part of them do not exceed."""
    left = part * values.total()
    ordered: Sequence[int] = sorted(values)
    for value in ordered:
        left -= values[value]
        if left <= 1e-9:
            return value
    return ordered[-1]
