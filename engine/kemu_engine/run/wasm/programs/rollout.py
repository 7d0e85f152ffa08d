"""The function `rollout`: a random game from where the position in memory stands, to its end.

`rollout(stop, longest)` begins at the stop of that number, draws from the two streams at `streams` (chance,
players: the words that their counters count), and gives the number of the end that it comes to, or -1 if it
comes to none or the rules break down. After so many decisions it goes on at the end, as if play were over, if
who is ahead can be read at any time (kernel/standing.py); else it comes to none. What the end says is in the
result variable; what was chosen on the way is listed (averages.py).
"""

from __future__ import annotations

from functools import partial
from typing import Literal

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.standing import standing
from kemu_engine.run.wasm.asm.binary import I32, I64, Function
from kemu_engine.run.wasm.emit.spill import Spill
from kemu_engine.run.wasm.emit.unit import Unit
from kemu_engine.run.wasm.programs.averages import Averages
from kemu_engine.run.wasm.programs.play import Play


def rollout(unit: Unit, stops: list[int], streams: int, listed: Averages) -> int:
    """Writes it into the module; the number of the function. `stops`: the blocks, by number; `streams`: where
    two counters of 8 bytes are; `listed`: where what is chosen is listed. Raises NotCovered."""
    f = Function((I32, I64), (I32,))
    unit.binary.functions.append(f)
    number = len(unit.binary.functions) - 1
    Rollout(unit, f, stops, streams, listed).write()
    return number


class Rollout(Play):
    """Writes it: a random game as Play has it, but for its beginning and what is told of it."""

    def __init__(self, unit: Unit, f: Function, stops: list[int], streams: int, listed: Averages) -> None:
        self.standing = standing(unit.source)
        heads = stops if self.standing is None else [*stops, self.standing.block]
        super().__init__(unit, f, heads)
        self.spill = Spill(self.values)
        self.numbers, self.streams, self.listed = stops, streams, listed

    def write(self) -> None:
        f = self.f
        self.longest = 1
        self.decisions, self.branching, self.outcomes = f.new(), f.new(), f.new()
        self.limit = f.new()
        self.chances, self.players = f.new(), f.new()
        self._ready()
        self._note(0)
        for local, least in () if self.standing is None else self.standing.least:
            f.i64(least)
            f.set(self.values.local(local)[0])
        self.who, self.top = f.new(I32), f.new(I32)
        f.i32(self.listed.listed)
        f.set(self.top)
        for at, counter in enumerate((self.chances, self.players)):
            f.i32(0)
            f.access("i64.load", self.streams + 8 * at)
            f.set(counter)
        with f.block() as self.values.faulted:
            f.get(0)
            f.i32(len(self.flow.heads))
            f.op("i32.add")
            f.set(self.flow.part)
            self.flow.parts([partial(self._enter, number) for number in self.numbers])
        self._finish("fault", None)
        f.op("unreachable")

    def _enter(self, number: int) -> None:
        self.spill.take_up(number, self.program.blocks[number].live)
        self.flow.go(number, None)

    def _finish(self, ending: Literal["end", "cut", "fault", "lost"], told: int | None) -> None:
        f = self.f
        for at, counter in enumerate((self.chances, self.players)):
            f.i32(0)
            f.get(counter)
            f.access("i64.store", self.streams + 8 * at)
        f.i32(0)
        f.get(self.top)
        f.access("i32.store", self.listed.top)
        f.i32(-1)
        if told is not None:
            f.op("drop")
            f.get(told)
        f.op("return")

    def actor(self, decide: k.Decide) -> None:
        self.values.number(decide.actor)
        self.f.op("i32.wrap_i64")
        self.f.set(self.who)

    def chosen(self, number: int, at: int, arm: k.Arm) -> None:
        """One more in the list, if there is room."""
        f, listed = self.f, self.listed
        first, apart = listed.number(number, at)
        f.get(self.top)
        f.i32(listed.end)
        f.op("i32.lt_u")
        with f.when():
            f.get(self.top)
            f.get(self.who)
            f.i32(listed.actions)
            f.op("i32.mul")
            f.i32(first)
            for param, step in zip(arm.params, apart, strict=True):
                f.get(self.values.local(param.local)[0])
                f.op("i32.wrap_i64")
                f.i32(step)
                f.op("i32.mul", "i32.add")
            f.i32(listed.actions - 1)
            f.op("i32.and", "i32.add")
            f.access("i32.store", 0)
            f.get(self.top)
            f.i32(4)
            f.op("i32.add")
            f.set(self.top)

    def cut(self) -> None:
        if self.standing is None:
            self._finish("cut", None)
        else:
            self._note(1)
            self.flow.go(self.standing.block, None)

    def _note(self, cut: int) -> None:
        """Whether the game was cut off."""
        self.f.i32(0)
        self.f.i32(cut)
        self.f.access("i32.store", self.listed.cut)

    def end(self, number: int) -> None:
        told = self.f.new(I32)
        self.f.i32(self.numbers.index(number))
        self.f.set(told)
        self._finish("end", told)
