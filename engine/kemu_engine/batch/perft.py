"""The ways to play: how many sequences of so many actions and outcomes there are from the beginning.

Sequences that lead to equal states after the same number of steps go on together, so that none need be played
by itself.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator
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


Onward = Callable[[dict[State, int]], Iterator[tuple[State | None, int] | None]]
"""Where to go on from states, and in how many ways; None now and then in between."""


class Lost(Exception):
    """A step is too long, or a number: another reader has to count."""


class OutOfRoom(Exception):
    """Memory does not suffice for the states one step further."""


def perft(
    game: Game, steps: int, memory: int = MEMORY, start: State | None = None, turns: bool = False
) -> Iterator[Depth | None]:
    """The sequences of 0, 1, 2 ... steps, as long as there are any; None now and then in between. They begin
    at `start`, by default where the game does. `turns`: of so many turns instead, each of them all that one
    player does, with what chance does in between, until another decides or the game ends.

    By WebAssembly if it can be had, else by the game's own reader. Raises OutOfRoom.
    """
    if turns:
        yield from by_turns(game, steps, start)
        return
    reached = -1
    if game.reader == "generated" and start is None:
        with suppress(NotCovered, NotInstalled, TooLong, Lost, *TOO_DEEP):
            for found in _by_module(game, steps, memory):
                reached = reached if found is None else found.steps
                yield found
            return
    for found in by_states(game, steps, start):
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


def by_states(game: Game, steps: int, start: State | None = None) -> Iterator[Depth | None]:
    """The same by the states of a game."""
    return _levels(start or _initial(game), steps, _one_step)


def by_turns(game: Game, turns: int, start: State | None = None) -> Iterator[Depth | None]:
    """The sequences of so many turns."""
    return _levels(start or _initial(game), turns, _one_turn)


def _levels(first: State | None, most: int, onward: Onward) -> Iterator[Depth | None]:
    yield _first(first is None, first is not None and first.is_end)
    level = {} if first is None or first.is_end else {first: 1}
    for depth in range(1, most + 1):
        following: dict[State, int] = {}
        ways = ended = faulted = 0
        for one in onward(level):
            if one is None:
                yield None
                continue
            after, count = one
            if after is None:
                faulted += count
                continue
            ways += count
            if after.is_end:
                ended += count
            elif depth < most:
                following[after] = following.get(after, 0) + count
        if ways or faulted:
            yield Depth(depth, ways, ended, faulted, len(following))
        if not following:
            return
        level = following


def _one_step(level: dict[State, int]) -> Iterator[tuple[State | None, int] | None]:
    """Where a step leads from these states, and in how many ways; no state if the rules break down."""
    told = time.perf_counter()
    for state, count in level.items():
        if time.perf_counter() - told > SECONDS:
            yield None
            told = time.perf_counter()
        for index in range(len(state.choices)):
            try:
                yield state.follow(index), count
            except FaultError:
                yield None, count


def _one_turn(level: dict[State, int]) -> Iterator[tuple[State | None, int] | None]:
    """The same of a turn."""
    told = time.perf_counter()
    within = {(state, _decides(state)): count for state, count in level.items()}
    while within:
        further: dict[tuple[State, int | None], int] = {}
        for (state, player), count in within.items():
            if time.perf_counter() - told > SECONDS:
                yield None
                told = time.perf_counter()
            for index in range(len(state.choices)):
                try:
                    after = state.follow(index)
                except FaultError:
                    yield None, count
                    continue
                next_player = _decides(after)
                if after.is_end or (player is not None and next_player not in (None, player)):
                    yield after, count
                else:
                    key = after, next_player if player is None else player
                    further[key] = further.get(key, 0) + count
        within = further


def _decides(state: State) -> int | None:
    return state.player if state.is_decision else None


def _initial(game: Game) -> State | None:
    """The first state; none if the rules break down on the way."""
    try:
        return game.initial()
    except FaultError:
        return None
