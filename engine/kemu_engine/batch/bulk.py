"""Many random games in columns of numbers, with how often each line of the rules was used in them."""

from __future__ import annotations

import sys
import time
from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress

from kemu_engine.batch.playout import Playout, playout, stepwise, walk
from kemu_engine.kernel.limits import TOO_DEEP, NotCovered
from kemu_engine.opt.instrument_coverage import counted
from kemu_engine.play.game import Game
from kemu_engine.play.state import State
from kemu_engine.run.python.loader import player
from kemu_engine.run.wasm.programs.play import BRANCHING, DECISIONS, ENDINGS, KEYS, OUTCOMES
from kemu_engine.run.wasm.programs.player import NotInstalled, Player
from kemu_engine.support.time_limit import OutOfTime, TooSlow, within

SECONDS = 0.2
"""After which games that are played one by one are handed over."""
GAME, STEP = 5.0, 10.0
"""Seconds of computing after which a game is played again from step to step, to see whether it goes on; and
after which one step of it is given up."""

COUNTS = (DECISIONS, BRANCHING, OUTCOMES)

Column = Sequence[int]


@dataclass(frozen=True, slots=True)
class Batch:
    """Some games. Of those that ended a column for each number: the block of the end, decisions, actions at
    them, outcomes of chance, the keys of the result, the counters of opt/instrument_coverage.py. The
    others one by one."""

    games: int
    ends: Column
    decisions: Column
    branching: Column
    outcomes: Column
    keys: tuple[Column, ...]
    counters: tuple[Column, ...]
    others: tuple[Playout, ...]


class Bulk:
    """Plays random games of a program: by WebAssembly if it can be had, else one by one."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.counted = counted(game.program)
        self._counting = Game(self.counted.program, reader=game.reader)
        self._module: Player | None = None
        if game.reader == "generated":
            with suppress(NotCovered, NotInstalled, *TOO_DEEP):
                self._module = Player(self.counted.program)

    def batches(self, seed: int, first: int, number: int, longest: int) -> Iterator[Batch]:
        """The games number `first` and on of a seed, a fraction of a second's worth at a time, as `playout`
        plays them."""
        if self._module is None:
            yield from self._one_by_one(seed, first, number, longest)
            return
        for data in self._module.batches(seed, first, number, longest):
            batch = self._read(data, seed, first, longest)
            first += batch.games
            yield batch

    def _read(self, data: bytes, seed: int, first: int, longest: int) -> Batch:
        """The records that a module has left."""
        words = array("q", data)
        if sys.byteorder == "big":
            words.byteswap()
        size = KEYS // 8 + len(self._initial())
        columns: list[Column] = [words[at::size] for at in range(size)]
        heads = columns[0]
        games = len(heads)
        others: list[Playout] = []
        late: list[tuple[int, ...]] = []
        if any(head & 0xFFFFFFFF for head in heads):
            for at, head in enumerate(heads):
                index, ending, told = first + at, ENDINGS[head & 0xFFFFFFFF], head >> 32
                decisions, branching, outcomes = (columns[place // 8][at] for place in COUNTS)
                if ending == "lost":
                    self._one(seed, index, longest, late, others)
                elif ending == "fault":
                    fault = self.game.program.faults[told]
                    others.append(Playout(seed, index, decisions, branching, outcomes, "fault", None, fault))
                elif ending == "cut":
                    others.append(Playout(seed, index, decisions, branching, outcomes, "cut"))
            ended = [not head & 0xFFFFFFFF for head in heads]
            columns = [array("q", compress(column, ended)) for column in columns]
        columns[0] = [head >> 32 for head in columns[0]]
        return self._batch(games, columns, late, others)

    def _one_by_one(self, seed: int, first: int, number: int, longest: int) -> Iterator[Batch]:
        rows: list[tuple[int, ...]] = []
        others: list[Playout] = []
        began = time.perf_counter()
        for index in range(first, first + number):
            self._one(seed, index, longest, rows, others)
            if time.perf_counter() - began > SECONDS or index == first + number - 1:
                yield self._batch(len(rows) + len(others), [()] * (4 + len(self._initial())), rows, others)
                rows, others, began = [], [], time.perf_counter()

    def _one(
        self, seed: int, index: int, longest: int, rows: list[tuple[int, ...]], others: list[Playout]
    ) -> None:
        """A game; if it ends its numbers go to `rows`. It is counted in a second run, for a run that never
        stops is known by coming back to where it was, which counters would hide."""
        try:
            with within(GAME):
                played = playout(self.game, seed, index, longest)
        except OutOfTime:
            played = stepwise(self.game, seed, index, longest, patient(walk(self.game, seed, index)))
        if played.ending != "end":
            others.append(played)
            return
        play = player(self.counted.program) if self.game.reader == "generated" else None
        if play is not None:
            *_, (end, keys) = play(seed, index, longest)
        else:
            *_, (state, _) = walk(self._counting, seed, index)
            end, keys = state.block, state.vars[self.counted.program.result]
        rows.append((end, played.decisions, played.branching, played.outcomes, *keys))

    def _initial(self) -> tuple[int, ...]:
        initial = self.counted.program.vars[self.counted.program.result].initial
        assert isinstance(initial, tuple)
        return initial

    def _batch(
        self, games: int, columns: list[Column], late: list[tuple[int, ...]], others: list[Playout]
    ) -> Batch:
        if late:
            more = zip(*late, strict=True)
            columns = [(*column, *added) for column, added in zip(columns, more, strict=True)]
        ends, decisions, branching, outcomes, *rest = columns
        keys = self.game.program.vars[self.game.program.result].length or 0
        return Batch(
            games, ends, decisions, branching, outcomes, tuple(rest[:keys]), tuple(rest[keys:]), tuple(others)
        )


def patient(steps: Iterator[tuple[State, int]]) -> Iterator[tuple[State, int]]:
    """The same steps. Raises TooSlow."""
    done, label = 0, ""
    while True:
        try:
            with within(STEP):
                state, chosen = next(steps)
        except StopIteration:
            return
        except OutOfTime:
            way = f"step {done}, from `{label}`," if done else "the way to the first decision"
            raise TooSlow(f"{way} takes more than {STEP:.0f} seconds of computing") from None
        yield state, chosen
        done, label = done + 1, state.label
