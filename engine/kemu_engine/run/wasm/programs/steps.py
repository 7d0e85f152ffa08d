"""The function `step`, from one stop to the next.

A game's position lies in memory (`Unit.position`): the variables, the live locals of the stop, which stop it
is, and who acts there. `step(case, move, listing)` works on it. A case is the beginning; an arm of a stop, to
which belongs the address of a move; or a stop itself, to list its moves. It gives the number of the stop that
it comes to, of which the moves are listed if that is wanted, or below 0 what went wrong: -1 less the number
of the fault, or of one more than there are faults if the way is too long.

A move in the list is the number of its case, then the values of its parameters, of 4 bytes each. How many
there are is in the global MOVES; at a chance node the weights are beside it, of 8 bytes each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.actions import room
from kemu_engine.kernel.liveness import perhaps_set
from kemu_engine.kernel.regions import Regions
from kemu_engine.run.wasm.asm.binary import I32, Function
from kemu_engine.run.wasm.emit.choices import Choices, Offer
from kemu_engine.run.wasm.emit.emitter import Emitter
from kemu_engine.run.wasm.emit.flow import Flow
from kemu_engine.run.wasm.emit.layout import BITS
from kemu_engine.run.wasm.emit.spill import Spill
from kemu_engine.run.wasm.emit.unit import Unit
from kemu_engine.run.wasm.emit.values import FAULT

MOVES = 1
"""The global with how many moves are listed."""


@dataclass(frozen=True, slots=True)
class Stepping:
    """Where things are: the function, the blocks that are stops (in the order of their numbers), the numbers
    of the cases (of a stop its own plus `first`), the arm of each way, the list of moves, bytes of a move."""

    function: int
    stops: list[int]
    entry: int
    first: int
    ways: list[tuple[int, int]]
    moves: int
    size: int
    weights: int
    most: int


def stepping(unit: Unit) -> Stepping:
    """Writes `step` into the module. Raises NotCovered."""
    unit.binary.globals += [0] * (MOVES + 1 - len(unit.binary.globals))
    f = Function((I32, I32, I32), (I32,))
    unit.binary.functions.append(f)
    number = len(unit.binary.functions) - 1
    return Steps(unit, f).write(number)


def arms(exit: k.Exit) -> list[tuple[int, ...]]:
    """What the arms of a stop set; a chance node has one."""
    if isinstance(exit, k.Decide):
        return [tuple(param.local for param in arm.params) for arm in exit.arms]
    return [(exit.local,)] if isinstance(exit, k.Chance) else []


class Steps:
    """Writes `step`: what it does at stops."""

    def __init__(self, unit: Unit, f: Function) -> None:
        self.unit, self.program, self.f = unit, unit.program, f
        emit = Emitter(unit, f)
        self.values, self.spill = emit.values, Spill(emit.values)
        self.choices = Choices(emit, False, self.lost)
        blocks = self.program.blocks
        found = [at for at, block in enumerate(blocks) if isinstance(block.exit, k.Decide | k.Chance | k.End)]
        self.flow = Flow(emit, self.choices, self, Regions(blocks, self.program.entry, False, found))
        self.stops = [number for number in self.flow.heads if number in found]

    def write(self, function: int) -> Stepping:
        f, unit = self.f, self.unit
        blocks = self.program.blocks
        ways = [(at, arm) for at in self.stops for arm, _ in enumerate(arms(blocks[at].exit))]
        self._kept = {local for block in blocks for local in block.live}
        self._perhaps = perhaps_set(unit.source)
        self.first = len(self.flow.heads)
        self.cases = {way: self.first + len(self.stops) + at for at, way in enumerate(ways)}
        most = max((self._most(blocks[at].exit) for at in self.stops), default=0)
        self.size = 4 * (
            1 + max((len(params) for at in self.stops for params in arms(blocks[at].exit)), default=0)
        )
        self.moves = unit.memory.take(most * self.size)
        chances = [
            len(unit.program.domains[b.exit.domain].texts) for b in blocks if isinstance(b.exit, k.Chance)
        ]
        self.weights = unit.memory.take(8 * max(chances, default=0))
        f.i32(0)
        f.set_global(FAULT)
        with f.block() as self.values.faulted:
            f.get(0)
            f.set(self.flow.part)
            self.flow.parts(
                [partial(self._enter, at) for at in self.stops]
                + [partial(self._follow, *way) for way in ways]
            )
        f.i32(0)
        f.get_global(FAULT)
        f.op("i32.sub")
        entry = self.flow.heads.index(self.flow.graph.entry)
        return Stepping(
            function, self.stops, entry, self.first, ways, self.moves, self.size, self.weights, most
        )

    def _most(self, exit: k.Exit) -> int:
        if isinstance(exit, k.Chance):
            return len(self.unit.program.domains[exit.domain].texts)
        return sum(room(self.program, arm) for arm in (exit.arms if isinstance(exit, k.Decide) else ()))

    # ------------------------------------------------------------------------------------------ from stops

    def _enter(self, number: int) -> None:
        self.spill.take_up(number, self.program.blocks[number].live)
        self.flow.go(number, None)

    def _follow(self, number: int, arm: int) -> None:
        f, exit = self.f, self.program.blocks[number].exit
        self.spill.take_up(number, self.program.blocks[number].live)
        for at, local in enumerate(arms(exit)[arm]):
            f.get(1)
            f.access("i64.load32_u", 4 + 4 * at)
            f.set(self.values.local(local)[0])
        if isinstance(exit, k.Decide):
            self.flow.go(exit.arms[arm].target, None)
        elif isinstance(exit, k.Chance):
            self.flow.go(exit.target, None)

    # ------------------------------------------------------------------------------------------ at stops

    def arrive(self, number: int) -> None:
        self.spill.put_down(number)

    def actor(self, decide: k.Decide) -> None:
        self.f.i32(0)
        self.values.number(decide.actor)
        self.f.access("i64.store32", self.unit.actor)

    def pass_by(self, number: int, decide: k.Decide) -> None:
        """What is not live at the stop is not set behind it."""
        bound = {param.local for arm in decide.arms for param in arm.params}
        for local in sorted(
            (self._kept & self._perhaps[number] | bound) - {*self.program.blocks[number].live}
        ):
            for own in self.values.local(local):
                if self.f.type_of(own) == I32:
                    self.f.i32(0)
                else:
                    self.f.i64(0)
                self.f.set(own)

    def _stop(self, number: int) -> None:
        f, at = self.f, self.stops.index(number)
        f.i32(0)
        f.i32(at)
        f.access("i32.store", self.unit.stop)
        f.i32(at)
        f.op("return")

    def _nobody(self) -> None:
        self.f.i32(0)
        self.f.i32(-1)
        self.f.access("i32.store", self.unit.actor)

    def end(self, number: int) -> None:
        self.arrive(number)
        self._nobody()
        self.f.i32(0)
        self.f.set_global(MOVES)
        self._stop(number)

    def lost(self) -> None:
        self.f.i32(-1 - len(self.unit.program.faults))
        self.f.op("return")

    # ------------------------------------------------------------------------------------------ lists

    def choose(
        self, number: int, decide: k.Decide, offers: list[Offer], total: int, joint: int | None
    ) -> None:
        f = self.f
        f.get(2)
        with f.when():
            f.get(total)
            f.op("i32.wrap_i64")
            f.set_global(MOVES)
            self.end_of_list = f.new(I32)
            f.i32(self.moves)
            f.set(self.end_of_list)
            for offer in offers:
                self._list(self.cases[number, offer.arm], len(decide.arms[offer.arm].params), offer)
        self._stop(number)

    def _list(self, case: int, params: int, offer: Offer) -> None:
        f = self.f
        if offer.form == "once":
            f.get(offer.locals[0])
            with f.when():
                self._append(case, [])
        elif offer.form == "set":
            rest, value = f.new(), f.new()
            for at, word in enumerate(offer.locals):
                f.get(word)
                f.set(rest)
                with f.block() as done, f.loop() as again:
                    f.get(rest)
                    f.op("i64.eqz")
                    f.br_if(done)
                    f.get(rest)
                    f.op("i64.ctz")
                    f.i64(BITS * at)
                    f.op("i64.add")
                    f.set(value)
                    self._append(case, [value])
                    f.get(rest)
                    f.get(rest)
                    f.i64(1)
                    f.op("i64.sub", "i64.and")
                    f.set(rest)
                    f.br(again)
        else:
            rest, address = f.new(), f.new(I32)
            values = [f.new() for _ in range(params)]
            f.get(offer.count)
            f.set(rest)
            f.i32(offer.locals[0])
            f.set(address)
            with f.block() as done, f.loop() as again:
                f.get(rest)
                f.op("i64.eqz")
                f.br_if(done)
                for at, each in enumerate(values):
                    f.get(address)
                    f.access("i64.load32_u", 4 * at)
                    f.set(each)
                self._append(case, values)
                f.get(address)
                f.i32(4 * params)
                f.op("i32.add")
                f.set(address)
                f.get(rest)
                f.i64(1)
                f.op("i64.sub")
                f.set(rest)
                f.br(again)

    def _append(self, case: int, values: list[int]) -> None:
        """One more move in the list."""
        f = self.f
        f.get(self.end_of_list)
        f.i32(case)
        f.access("i32.store", 0)
        for at, each in enumerate(values):
            f.get(self.end_of_list)
            f.get(each)
            f.access("i64.store32", 4 + 4 * at)
        f.get(self.end_of_list)
        f.i32(self.size)
        f.op("i32.add")
        f.set(self.end_of_list)

    def chance(self, number: int, chance: k.Chance, merge: int | None) -> None:
        f = self.f
        self.arrive(number)
        self._nobody()
        (own,) = self.values.local(chance.local)
        item, weight, total, listed = f.new(), f.new(), f.new(), f.new(I32)
        self.end_of_list = f.new(I32)
        for local, first in ((self.end_of_list, self.moves), (listed, 0)):
            f.i32(first)
            f.set(local)
        for local in (item, total):
            f.i64(0)
            f.set(local)
        with f.loop() as again:
            f.get(item)
            f.set(own)
            self.values.number(chance.weight)
            f.set(weight)
            self.choices.more(total, weight)
            f.get(weight)
            f.i64(0)
            f.op("i64.ne")
            f.get(2)
            f.op("i32.and")
            with f.when():
                self._append(self.cases[number, 0], [item])
                f.get(listed)
                f.i32(3)
                f.op("i32.shl")
                f.get(weight)
                f.access("i64.store", self.weights)
                f.get(listed)
                f.i32(1)
                f.op("i32.add")
                f.set(listed)
            self.choices.more(item, None)
            f.get(item)
            f.i64(len(self.program.domains[chance.domain].texts))
            f.op("i64.lt_u")
            f.br_if(again)
        f.get(total)
        f.op("i64.eqz")
        with f.when():
            self.values.fault(chance.empty)
        f.get(listed)
        f.set_global(MOVES)
        self._stop(number)
