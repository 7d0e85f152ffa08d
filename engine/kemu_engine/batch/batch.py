"""Many games side by side, a step of each at a call: for programs that learn to play."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from math import prod
from typing import Any, Literal

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.actions import Catalogue
from kemu_engine.kernel.draws import outcome
from kemu_engine.kernel.limits import IN_A_ROW, TOO_DEEP, NotCovered
from kemu_engine.kernel.rng import CHANCE, Stream
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, IllegalAction, State
from kemu_engine.run.wasm.asm.runtime import NotInstalled, Running, needed
from kemu_engine.run.wasm.programs.batches import CUT, FAULT, OVER, PLAYING, Batching, batching
from kemu_engine.run.wasm.programs.player import signed

__all__ = ["CUT", "FAULT", "OVER", "PLAYING", "Batch"]


class Batch:
    """Many games of one program, number 0 and on of a seed. Each stands at a decision, or has stopped: chance
    draws by itself, the words that `playout` draws in the game of that number.

    Arrays with an element for each game; NumPy's if it is installed (views of the memory in which the games
    are played), else memoryviews:

    - `actions`: where the number of the action goes that `step` takes (int32); `texts` says which is which
    - `legal`: 1 for each action that is legal, else 0 (uint8, a row for each game)
    - `counts`: how many actions are legal; `actors`: the number of the player who acts, -1 if nobody (int32)
    - `status`: PLAYING, OVER, FAULT (the rules broke down), CUT (chance goes on without a decision) (int32)
    - `keys`: of a game that is over what ranks the players, `width` numbers each, higher is better (int64)
    - `numbers`: which game of the seed it is (int64)

    `reader`: what plays the games. Raises OverflowError if the game knows too many actions for a row.
    """

    def __init__(self, game: Game, games: int = 4096, seed: int = 0) -> None:
        self._game, self.games, self.seed = game, games, seed
        self._catalogue = Catalogue(game.program)
        row = self._catalogue.row()
        self._next = 0
        self._made: Batching | None = None
        self._states: list[State | None] = []
        keys = game.program.vars[game.program.result].length or 0
        self.reader = "Python"
        if game.reader == "generated":
            with suppress(NotCovered, NotInstalled, *TOO_DEEP):
                needed()
                self._made = batching(game.program, games)
                self._running = Running(self._made.binary)
                self.reader = "WebAssembly"
        players = len(game.players)
        self.actions = self._array("i", "chosen")
        self.status = self._array("i", "status")
        self.actors = self._array("i", "actors")
        self.counts = self._array("i", "counts")
        self.numbers = self._array("q", "numbers")
        self.legal = self._array("B", "legal", row)
        self.keys = self._array("q", "keys", players, keys // players)
        self._states, self._streams = [None] * games, [Stream(seed, 0, CHANCE)] * games
        for at in range(games):
            self.status[at] = OVER
        self.restart()

    @property
    def texts(self) -> list[str]:
        """The text of each action, by its number."""
        return self._catalogue.texts

    def _array(self, code: Literal["i", "q", "B"], name: str, *row: int) -> Any:
        """An array with a row for each game, in the module's memory if there is a module (Batching)."""
        shape = (self.games, *row)
        size = prod(shape) * array(code).itemsize
        made = self._made
        flat = memoryview(bytearray(size)) if made is None else self._running.view(getattr(made, name), size)
        if find_spec("numpy") is not None:
            import numpy

            return numpy.frombuffer(flat, code).reshape(shape)
        return flat.cast(code, shape) if size else flat

    def step(self) -> None:
        """Takes the action in `actions` of every game that is not over. Raises IllegalAction, and nothing has
        changed, if one of them is not legal; TooLong if the rules go on for too long."""
        if self._made is None:
            self._step_by_python()
            return
        wrong = self._running.call("step", self.games)
        if wrong >= 0:
            raise self._illegal(wrong)

    def _illegal(self, game: int) -> IllegalAction:
        number = int(self.actions[game])
        text = self.texts[number] if 0 <= number < self._catalogue.size else f"action number {number}"
        return IllegalAction(f"{text} is not legal in game {game}, or there is no such action")

    def restart(self) -> None:
        """Begins a new game, of the next number, in the place of every game that has stopped."""
        if self._made is not None:
            self._next = self._running.call("begin", self.games, signed(self.seed), self._next)
            return
        for at in range(self.games):
            if self.status[at] != PLAYING:
                self.status[at], self.numbers[at] = PLAYING, self._next
                self._streams[at] = Stream(self.seed, self._next, CHANCE)
                self._next += 1
                self._come_to(at, None, 0)

    def variable(self, name: str) -> Any:
        """The values of a state variable in all games, a row for each: elements by their numbers, -1 for
        none; of sets the words of 64 elements (uint64). It is a view if there are NumPy and WebAssembly, else
        a list. Raises KeyError."""
        for at, var in enumerate(self._game.program.vars):
            if var.name == name:
                return self._values(at, var)
        raise KeyError(f"no state variable is called {name}")

    # ------------------------------------------------------------------------------------------ in the module

    def _values(self, at: int, var: k.Var) -> Any:
        if self._made is None:
            return [None if state is None else state.vars[at] for state in self._states]
        if find_spec("numpy") is None:
            return [_numbers(self._row(game, at), var) for game in range(self.games)]
        import numpy

        slot, made = self._made.slots[at], self._made
        words = slot.cell.size // 8 if isinstance(var.type, k.Set) else 1
        low = var.type.low if isinstance(var.type, k.Int) else 0
        code = "u8" if isinstance(var.type, k.Set) else f"{'i' if low < 0 else 'u'}{slot.cell.size}"
        shape = [self.games]
        strides = [made.size]
        if var.length is not None:
            shape.append(var.length)
            strides.append(slot.cell.size)
        if words > 1:
            shape.append(words)
            strides.append(8)
        whole = self._running.view(made.games, made.size * self.games)
        return numpy.ndarray(shape, code, whole, slot.at - made.start, strides)

    def _row(self, game: int, at: int) -> memoryview:
        assert self._made is not None
        slot = self._made.slots[at]
        length = 1 if slot.var.length is None else slot.var.length
        first = self._made.games + game * self._made.size + slot.at - self._made.start
        return self._running.view(first, length * slot.cell.size)

    # ------------------------------------------------------------------------------------------ by Python

    def _step_by_python(self) -> None:
        for at in range(self.games):
            number = self.actions[at]
            if self.status[at] == PLAYING and not (
                0 <= number < self._catalogue.size and self.legal[at, number]
            ):
                raise self._illegal(at)
        for at, state in enumerate(self._states):
            if self.status[at] == PLAYING and state is not None:
                numbers = [self._catalogue.number(state.block, choice) for choice in state.choices]
                self._come_to(at, state, numbers.index(self.actions[at]))

    def _come_to(self, at: int, state: State | None, index: int) -> None:
        """Where a choice leads, chance included."""
        if state is not None:
            for choice in state.choices:
                self.legal[at, self._catalogue.number(state.block, choice)] = 0
        self.counts[at], self.actors[at] = 0, -1
        try:
            after = self._game.initial() if state is None else state.follow(index)
            in_a_row = 0
            while after.is_chance:
                in_a_row += 1
                if in_a_row > IN_A_ROW:
                    self.status[at] = CUT
                    return
                after = after.follow(outcome(self._streams[at], after.choices))
        except FaultError:
            self.status[at] = FAULT
            return
        self._states[at] = after
        if after.is_end:
            self.status[at] = OVER
            keys = after.vars[self._game.program.result]
            assert isinstance(keys, tuple)
            _, players, width = self.keys.shape
            for player in range(players):
                for key in range(width):
                    self.keys[at, player, key] = keys[player * width + key]
            return
        self.actors[at], self.counts[at] = after.player, len(after.choices)
        for choice in after.choices:
            self.legal[at, self._catalogue.number(after.block, choice)] = 1


def _numbers(row: memoryview, var: k.Var) -> int | tuple[int, ...]:
    """The values that a piece of memory holds."""
    count = 1 if var.length is None else var.length
    size = len(row) // max(1, count)
    negative = isinstance(var.type, k.Int) and var.type.low < 0
    found: Sequence[int] = [
        int.from_bytes(row[at * size : (at + 1) * size], "little", signed=negative) for at in range(count)
    ]
    return found[0] if var.length is None else tuple(found)
