"""Ways of playing random games to be measured beside each other: Kemu's readers, OpenSpiel, games by hand.

A way plays a number of whole games with uniformly random moves, in one thread, and says how many decisions
they had and in how many of them the first player came out alone in front. Ways for which something is not
installed are left out, and `missing` says what.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import plain
from kemu_engine.batch.playout import stepwise
from kemu_engine.kernel.nodes import Program
from kemu_engine.play.game import Game
from kemu_engine.run.python.loader import player
from kemu_engine.run.wasm.programs.player import Player, installed
from kemu_engine.run.wasm.programs.writer import BATCH

sys.path.append(str(Path(__file__).parents[1]))
from tests.oracles import moeraki_kemu as oracle

HERE = Path(__file__).parent
FLAGS = ["-O3", "-march=native", "-std=c++17"]
SEED = 0
LOOKED_AT = 20_000
"""Games of WebAssembly in a round that Python looks at, which takes it longer than it took to play them."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What some games were, or those of them that were looked at. `squares`: the sum of the squares of their
    lengths; `steps`: decisions, and outcomes of chance."""

    games: int
    decisions: int
    steps: int
    won: int
    squares: int

    def __add__(self, other: Counts) -> Counts:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Counts(*(one + two for one, two in pairs))


def counted(games: Iterable[tuple[int, int, bool]]) -> Counts:
    """Of decisions, outcomes of chance, and whether the first player has won."""
    number = decisions = steps = won = squares = 0
    for length, outcomes, first in games:
        number += 1
        decisions += length
        steps += length + outcomes
        won += first
        squares += length * length
    return Counts(number, decisions, steps, won, squares)


@dataclass
class Way:
    """`play` plays the games number `first` to `first + number - 1`, and gives what `count` makes counts of;
    only `play` is timed, unless it tells its seconds itself (`timed`). `rates`: games and steps a second, of
    every round."""

    name: str
    play: Callable[[int, int], Any]
    count: Callable[[Any], Counts] = counted
    timed: Callable[[Any], float] | None = None
    least: int = 1
    at: int = 0
    rates: list[tuple[float, float]] = field(default_factory=list)

    def run(self, number: int) -> tuple[Counts, float]:
        """Plays the next games: what they were, and the seconds of the processor that it took."""
        began = time.process_time()
        played = self.play(self.at, number)
        spent = time.process_time() - began
        self.at += number
        if self.timed is not None:
            spent = self.timed(played)
        return self.count(played), spent


def in_front(keys: tuple[int, ...], players: int) -> bool:
    """Whether the first player has more than every other."""
    width = len(keys) // players
    return all(keys[:width] > keys[width * p : width * (p + 1)] for p in range(1, players))


# ---------------------------------------------------------------------------------------------- Kemu


def kemu(game: Game, longest: int, readers: Sequence[str]) -> dict[str, Way]:
    """The readers, by name, as far as they are installed."""
    program = game.program
    seats = len(program.players)
    made = {
        "interpreter": lambda: Way("interpreter", _states(Game(program, reader="interpreter"), longest)),
        "states": lambda: Way("states", _public(game, longest)),
        "fused": lambda: _fused(program, seats, longest),
        "wasm": lambda: _wasm(Player(program), seats, longest),
    }
    return {name: made[name]() for name in readers if name != "wasm" or installed()}


def _fused(program: Program, seats: int, longest: int) -> Way:
    fused = player(program)
    assert fused is not None

    def one_by_one(first: int, number: int) -> list[Any]:
        return [fused(SEED, index, longest) for index in range(first, first + number)]

    def tell(played: list[Any]) -> Counts:
        return counted(
            (each[0], each[2], each[3] == "end" and in_front(each[4][1], seats)) for each in played
        )

    return Way("fused", one_by_one, tell)


def _wasm(bulk: Player, seats: int, longest: int) -> Way:
    def play(first: int, number: int) -> tuple[int, int]:
        end = first + number
        for at in range(first, end, BATCH):
            bulk.run(SEED, at, min(BATCH, end - at), longest)
        return first, number

    def count(which: tuple[int, int]) -> Counts:
        """Plays some of them again, to look at them."""
        first, number = which
        games = bulk.playouts(SEED, first, min(number, LOOKED_AT), longest)
        return counted((each[0], each[2], each[3] == "end" and in_front(each[4][1], seats)) for each in games)

    return Way("wasm", play, count, least=16)


def _states(game: Game, longest: int) -> Callable[[int, int], Any]:
    """From state to state by the number of the choice."""

    def play(first: int, number: int) -> list[tuple[int, int, bool]]:
        found = []
        for index in range(first, first + number):
            played = stepwise(game, SEED, index, longest)
            ahead = played.result is not None and played.result.winners == (game.players[0],)
            found.append((played.decisions, played.outcomes, ahead))
        return found

    return play


def _public(game: Game, longest: int) -> Callable[[int, int], Any]:
    """By what a program that uses Kemu calls: actions() and apply()."""
    rng = Random(SEED)

    def play(first: int, number: int) -> list[tuple[int, int, bool]]:
        found = []
        for _ in range(number):
            state, decisions, outcomes = game.initial(), 0, 0
            while not state.is_end and decisions < longest:
                if state.is_chance:
                    likely = state.outcomes()
                    outcomes += 1
                    (action,) = rng.choices([each for each, _ in likely], [weight for _, weight in likely])
                else:
                    decisions += 1
                    action = rng.choice(state.actions())
                state = state.apply(action)
            ahead = state.result is not None and state.result.winners == (game.players[0],)
            found.append((decisions, outcomes, ahead))
        return found

    return play


# ---------------------------------------------------------------------------------------------- others


def missing() -> list[str]:
    """What is not there, a line each."""
    lines = []
    if find_spec("pyspiel") is None:
        lines.append("no OpenSpiel: pip install open_spiel")
    if not installed():
        lines.append("wasmtime does not run here")
    if shutil.which("g++") is None:
        lines.append("no g++: nothing written in C++ is measured")
    return lines


def openspiel(name: str) -> dict[str, Way]:
    """Its Python interface, and whole games of its random bots, which run in C++."""
    if find_spec("pyspiel") is None:
        return {}
    import pyspiel

    game, rng = pyspiel.load_game(name), Random(SEED)
    passing = game.num_distinct_actions() - 1 if name == "othello" else -1

    def play(first: int, number: int) -> list[Any]:
        ended = []
        for _ in range(number):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
            ended.append(state)
        return ended

    def count(ended: list[Any]) -> Counts:
        """A pass, which nobody chooses, is no decision."""
        return counted(
            (state.move_number() - state.history().count(passing), 0, state.returns()[0] > 0)
            for state in ended
        )

    bots = [pyspiel.make_uniform_random_bot(seat, SEED + seat) for seat in range(game.num_players())]

    def against(first: int, number: int) -> int:
        for index in range(first, first + number):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, index)
        return number

    return {
        "openspiel": Way("openspiel", play, count),
        "bots": Way("bots", against, lambda number: Counts(number, 0, 0, 0, 0)),
    }


def staying(rng: Random) -> plain.Game:
    """One game by the oracle of the tests: every move makes a new state, and moves are texts."""
    state, decisions = oracle.initial("basic"), 0
    while oracle.actor(state) is not None:
        state = oracle.apply(state, rng.choice(oracle.legal(state)))
        decisions += 1
    result = oracle.result(state)
    return decisions, int(result is None or result["winner"] != oracle.MATAU)


def by_hand(folder: Path) -> dict[str, Way]:
    """The hand-written games; `folder`: where the compiled one may lie."""

    def python(game: Callable[[Random], plain.Game]) -> Way:
        rng = Random(SEED)

        def play(first: int, number: int) -> list[plain.Game]:
            return [game(rng) for _ in range(number)]

        return Way(game.__name__, play, lambda played: counted((n, 0, won == 0) for n, won in played))

    ways = {
        "Python, states that stay": python(staying),
        "Python, a board": python(plain.simple),
        "Python, masks": python(plain.bits),
    }
    if shutil.which("g++") is not None:
        program = folder / "plain"
        subprocess.run(["g++", *FLAGS, "-o", str(program), str(HERE / "plain.cpp")], check=True)

        def play(first: int, number: int) -> list[str]:
            command = [str(program), str(number), str(first + 1)]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()

        def count(out: list[str]) -> Counts:
            games, decisions, won, squares = map(int, out[:4])
            return Counts(games, decisions, decisions, won, squares)

        ways["C++"] = Way("C++", play, count, lambda out: float(out[4]), least=1000)
    return ways


def scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="kemu-bench-")
