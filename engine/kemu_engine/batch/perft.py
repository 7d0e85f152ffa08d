"""The ways to play: how many sequences of so many actions and outcomes there are from the beginning.

Sequences that lead to equal states after the same number of steps go on together, so that none need be played
by itself.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from kemu_engine.batch.explore import SECONDS
from kemu_engine.kernel.limits import TOO_DEEP, NotCovered
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State
from kemu_engine.run.wasm.asm.runtime import NotInstalled, Running, TooLong, needed
from kemu_engine.run.wasm.programs.explorer import MEMORY, MOST_MEMORY, MOST_STATES, NO_ROOM
from kemu_engine.run.wasm.programs.perft import counting

LOST = 2


@dataclass(frozen=True, slots=True)
class Depth:
    """`ways`: sequences of `steps` steps, of which `ended` lead to an end of the game; on `faulted` more the
    last step breaks the rules down. `states`: in which the others stand, if that was asked for."""

    steps: int
    ways: int
    ended: int
    faulted: int
    states: int


class Lost(Exception):
    """A step is too long, or a number: another reader has to count."""


class OutOfRoom(Exception):
    """Memory does not suffice for the states one step further."""


def perft(game: Game, steps: int, memory: int = MEMORY) -> Iterator[Depth | None]:
    """The sequences of 0, 1, 2 ... steps, as long as there are any; None now and then in between. By
    WebAssembly if it can be had, else by the game's own reader. Raises OutOfRoom."""
    reached = -1
    if game.reader == "generated":
        with suppress(NotCovered, NotInstalled, TooLong, Lost, *TOO_DEEP):
            for found in _by_module(game, steps, memory):
                reached = reached if found is None else found.steps
                yield found
            return
    for found in by_states(game, steps):
        if found is None or found.steps > reached:
            yield found


def _by_module(game: Game, steps: int, memory: int) -> Iterator[Depth | None]:
    needed()
    made = counting(game.program, min(memory, MOST_MEMORY))
    running = Running(made.binary)
    begun = running.call("begin")
    if begun == -1 - len(game.program.faults):
        raise Lost
    yield _first(begun < 0, begun == 2)
    left = int(begun >= 0)
    lap = 64
    for depth in range(1, steps + 1):
        at = further = 0
        counts = [0] * 6
        while at < left:
            began = time.perf_counter()
            how = running.call("expand", min(at + lap, MOST_STATES), int(depth == steps))
            spent = time.perf_counter() - began
            lap = 2 * lap if spent < SECONDS / 2 else max(1, lap // 2) if spent > 2 * SECONDS else lap
            at, further, *counts = struct.unpack("<8Q", running.read(made.numbers, 64))
            if how == LOST:
                raise Lost
            if how == NO_ROOM:
                raise OutOfRoom
            yield None
        ways, ended, faulted = (
            low + (high << 64) for low, high in zip(counts[::2], counts[1::2], strict=True)
        )
        if ways or faulted:
            yield Depth(depth, ways, ended, faulted, further)
        if not further:
            return
        running.call("next")
        left = further


def _first(fault: bool, end: bool) -> Depth:
    return Depth(0, int(not fault), int(end), int(fault), int(not fault and not end))


def by_states(game: Game, steps: int) -> Iterator[Depth | None]:
    """The same by the states of a game."""
    try:
        first = game.initial()
    except FaultError:
        yield _first(True, False)
        return
    yield _first(False, first.is_end)
    level, told = {first: 1}, time.perf_counter()
    for depth in range(1, steps + 1):
        following: dict[State, int] = {}
        ways = ended = faulted = 0
        for state, count in level.items():
            if time.perf_counter() - told > SECONDS:
                yield None
                told = time.perf_counter()
            for index in range(len(state.choices)):
                try:
                    after = state.follow(index)
                except FaultError:
                    faulted += count
                    continue
                ways += count
                if after.is_end:
                    ended += count
                elif depth < steps:
                    following[after] = following.get(after, 0) + count
        if ways or faulted:
            yield Depth(depth, ways, ended, faulted, len(following))
        if not following:
            return
        level = following
