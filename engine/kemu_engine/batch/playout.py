"""Uniformly random games: every legal action equally likely, chance by its weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.limits import IN_A_ROW, TOO_DEEP, NotCovered
from kemu_engine.kernel.rng import CHANCE, PLAYERS, Stream
from kemu_engine.play.draw import drawn
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, Result, State, result_of
from kemu_engine.run.python.loader import player
from kemu_engine.run.wasm.programs.player import NotInstalled, Played
from kemu_engine.run.wasm.programs.player import Player as WebAssembly

MANY = 100
"""Games for which a WebAssembly module is worth while."""


@dataclass(frozen=True, slots=True)
class Playout:
    """A random game in numbers. `decisions`: how many were made, forced ones included; `branching`: the
    sum of the numbers of actions at them; `outcomes`: of chance. `ending`: "end" (then `result`), "fault"
    (then `fault`), or "cut" if the game went on beyond the limit."""

    seed: int
    index: int
    decisions: int
    branching: int
    outcomes: int
    ending: Literal["end", "fault", "cut"]
    result: Result | None = None
    fault: k.Fault | None = None


def walk(game: Game, seed: int, index: int) -> Iterator[tuple[State, int]]:
    """A random game: every state on the way with the index chosen there, -1 at the end.

    Players and chance draw from streams of their own, as kernel/draws.py says.
    Raises FaultError.
    """
    chance, players = Stream(seed, index, CHANCE), Stream(seed, index, PLAYERS)
    state = game.initial()
    while not state.is_end:
        chosen = drawn(state, chance, players)
        yield state, chosen
        state = state.follow(chosen)
    yield state, -1


def playout(game: Game, seed: int, index: int, max_decisions: int = 10_000) -> Playout:
    """Plays game number `index` of a seed at random; it is cut off when one more than `max_decisions` is
    due, or when chance moves IN_A_ROW times with no decision between."""
    play = player(game.program) if game.reader == "generated" else None
    if play is None:
        return stepwise(game, seed, index, max_decisions)
    return _told(play(seed, index, max_decisions), game, seed, index, max_decisions)


def playouts(game: Game, seed: int, number: int, max_decisions: int = 10_000) -> Iterator[Playout]:
    """The games 0..number-1 of a seed; if there are many and WebAssembly can be had, by that."""
    bulk = _in_bulk(game) if number >= MANY else None
    if bulk is None:
        for index in range(number):
            yield playout(game, seed, index, max_decisions)
        return
    for index, played in enumerate(bulk.playouts(seed, 0, number, max_decisions)):
        yield _told(played, game, seed, index, max_decisions)


class Ends:
    """How random games of one program end: by what is fastest, and little else is told of them. `able`:
    whether there is anything faster than going from state to state. `decisions`: made in them so far."""

    def __init__(self, game: Game) -> None:
        self._bulk = _in_bulk(game)
        self._play = player(game.program) if self._bulk is None and game.reader == "generated" else None
        self.able = self._bulk is not None or self._play is not None
        self.decisions = 0

    def of(self, seed: int, games: range, longest: int) -> Iterator[tuple[int, ...] | None]:
        """What the result variable holds at the end of each of these games; None if it does not end, or not
        within so many decisions."""
        for decisions, _, _, ending, told in self._played(seed, games, longest):
            self.decisions += decisions
            yield told[1] if ending == "end" else None

    def _played(self, seed: int, games: range, longest: int) -> Iterator[Played]:
        if self._bulk is not None:
            yield from self._bulk.playouts(seed, games.start, len(games), longest)
        elif self._play is not None:
            for index in games:
                yield self._play(seed, index, longest)


def _in_bulk(game: Game) -> WebAssembly | None:
    if game.reader != "generated":
        return None
    try:
        return WebAssembly(game.program)
    except (NotCovered, NotInstalled, *TOO_DEEP):
        return None


def _told(played: Played, game: Game, seed: int, index: int, max_decisions: int) -> Playout:
    """A game that a generated function has played."""
    decisions, branching, outcomes, ending, told = played
    if ending == "end":
        result = result_of(game.program, told[0], told[1])
        return Playout(seed, index, decisions, branching, outcomes, "end", result)
    if ending == "cut":
        return Playout(seed, index, decisions, branching, outcomes, "cut")
    if ending == "lost":
        return playout(game, seed, index, max_decisions)
    if told < 0:  # a run that never stops: the interpreter tells more about it
        return stepwise(game, seed, index, max_decisions)
    fault = game.program.faults[told]
    return Playout(seed, index, decisions, branching, outcomes, "fault", None, fault)


def stepwise(
    game: Game,
    seed: int,
    index: int,
    max_decisions: int = 10_000,
    steps: Iterable[tuple[State, int]] | None = None,
) -> Playout:
    """The same, from state to state; `steps` as `walk` gives them."""
    decisions = branching = outcomes = in_a_row = 0
    ending: Literal["end", "fault", "cut"] = "cut"
    result, fault = None, None
    try:
        for state, chosen in walk(game, seed, index) if steps is None else steps:
            if chosen < 0:
                ending, result = "end", state.result
            elif state.is_chance:
                outcomes, in_a_row = outcomes + 1, in_a_row + 1
                if in_a_row > IN_A_ROW:
                    break
            elif decisions == max_decisions:
                break
            else:
                decisions, branching, in_a_row = decisions + 1, branching + len(state.choices), 0
    except FaultError as error:
        ending, fault = "fault", error.fault
    return Playout(seed, index, decisions, branching, outcomes, ending, result, fault)
