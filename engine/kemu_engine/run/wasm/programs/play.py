"""The function `play`: one whole random game."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.draws import large_domain
from kemu_engine.kernel.limits import IN_A_ROW
from kemu_engine.kernel.regions import Regions
from kemu_engine.kernel.walk import written
from kemu_engine.opt.sets.mask_arrays import values
from kemu_engine.run.wasm.asm.binary import I32, Function
from kemu_engine.run.wasm.emit import rng
from kemu_engine.run.wasm.emit.choices import Choices, Offer
from kemu_engine.run.wasm.emit.emitter import Emitter
from kemu_engine.run.wasm.emit.flow import Flow
from kemu_engine.run.wasm.emit.layout import BITS, Area
from kemu_engine.run.wasm.emit.unit import Unit
from kemu_engine.run.wasm.emit.values import FAULT

FEW = 4
"""Sets by value that are kept in locals."""
ENDINGS = ("end", "cut", "fault", "lost")
"""How a game ends, by number; "lost": the game is handed back."""
DECISIONS, BRANCHING, OUTCOMES, KEYS = 8, 16, 24, 32
"""Where in a record of a game the counts are, and the keys of the result; before them are the number of the
ending and that of the block or fault, of 32 bits each."""


def handy(unit: Unit) -> set[int]:
    """The arrays whose sets by value are kept in locals: no function of the rules and no trial has to do with
    them, and there are no more than a machine has room for beside the rest."""
    away: set[int] = set()
    for part in unit.optimized.parts():
        if isinstance(part, k.Call):
            away |= unit.traits.function(part.function)[0]
        if isinstance(part, k.Trial):
            away |= written(part.body)
    masked = [(var, slot) for var, slot in enumerate(unit.slots) if slot.masks >= 0]
    sets = sum(len(values(slot.var.type)) * slot.row for _, slot in masked) * 8 // BITS
    return {var for var, slot in masked if var not in away and slot.row == BITS // 8 and sets <= FEW}


class Play:
    """Writes `play(seed, game, longest, record)`: what it does at stops. `stops`: where play may begin,
    beside the beginning of a game."""

    def __init__(self, unit: Unit, f: Function, stops: Iterable[int] = ()) -> None:
        self.unit, self.program, self.f = unit, unit.program, f
        emit = Emitter(unit, f)
        self.values, self.statements = emit.values, emit.statements
        self.choices = Choices(emit, True, self.lost)
        graph = Regions(self.program.blocks, self.program.entry, True, stops)
        self.flow = Flow(emit, self.choices, self, graph)

    def write(self) -> None:
        f = self.f
        self.seed, self.game, self.longest, self.record = range(4)
        self.decisions, self.branching, self.outcomes = f.new(), f.new(), f.new()
        self.limit = f.new()
        self.chances, self.players = f.new(), f.new()
        self._begin()
        with f.block() as self.values.faulted:
            f.i32(self.flow.heads.index(self.flow.graph.entry))
            f.set(self.flow.part)
            self.flow.parts()
        if self.unit.logs:
            f.get_global(FAULT)
            f.i32(self.unit.no_room + 1)
            f.op("i32.eq")
            with f.when():
                self.lost()
        f.get_global(FAULT)
        f.i32(1)
        f.op("i32.sub")
        told = f.new(I32)
        f.set(told)
        self._finish("fault", told)

    def _begin(self) -> None:
        f, unit = self.f, self.unit
        self.values.move(unit.start, Area(unit.initial, unit.state_size))
        self._ready()
        key = f.new()
        f.i64(0)
        rng.absorb(f, lambda: f.get(self.seed))
        rng.absorb(f, lambda: f.get(self.game))
        f.set(key)
        for stream, counter in enumerate((self.chances, self.players)):
            f.get(key)
            rng.absorb(f, lambda stream=stream: f.i64(stream))  # type: ignore[misc]
            f.set(counter)

    def _ready(self) -> None:
        f, unit = self.f, self.unit
        f.i32(0)
        f.set_global(FAULT)
        for var in sorted(handy(unit)):
            self.values.at_hand[var] = {value: f.new() for value in values(unit.program.vars[var].type)}
            self.statements.to_hand(var)
        f.i64(IN_A_ROW)
        f.set(self.limit)

    def arrive(self, number: int) -> None:
        """Nothing is kept of where play has been."""

    def actor(self, decide: k.Decide) -> None:
        """Nobody asks who it is, but it may still be a fault."""
        if not self.unit.traits.of(decide.actor).total:
            self.values.expr(decide.actor)
            self.f.op("drop")

    def chosen(self, number: int, at: int, arm: k.Arm) -> None:
        """Nothing is kept of what was chosen."""

    def pass_by(self, number: int, decide: k.Decide) -> None:
        """There is nothing to be done."""

    def lost(self) -> None:
        self._finish("lost", None)

    def cut(self) -> None:
        """What is done after so many decisions."""
        self._finish("cut", None)

    def _finish(self, ending: Literal["end", "cut", "fault", "lost"], told: int | None) -> None:
        f = self.f
        f.get(self.record)
        f.i32(ENDINGS.index(ending))
        f.access("i32.store", 0)
        f.get(self.record)
        if told is None:
            f.i32(0)
        else:
            f.get(told)
        f.access("i32.store", 4)
        for at, local in (
            (DECISIONS, self.decisions),
            (BRANCHING, self.branching),
            (OUTCOMES, self.outcomes),
        ):
            f.get(self.record)
            f.get(local)
            f.access("i64.store", at)
        f.op("return")

    def end(self, number: int) -> None:
        f = self.f
        slot = self.unit.slots[self.unit.program.result]
        type_ = slot.var.type
        for at in range(slot.var.length or 0):
            f.get(self.record)
            f.i32(0)
            self.values.load(type_, slot.at + at * slot.cell.size, 1)
            if isinstance(type_, k.Bool):
                f.op("i64.extend_i32_u")
            f.access("i64.store", KEYS + 8 * at)
        told = f.new(I32)
        f.i32(number)
        f.set(told)
        self._finish("end", told)

    def choose(
        self, number: int, decide: k.Decide, offers: list[Offer], total: int, joint: int | None
    ) -> None:
        f = self.f
        f.i32(0)
        f.set(self.flow.laps_run)
        f.get(self.decisions)
        f.get(self.longest)
        f.op("i64.eq")
        with f.when():
            self.cut()
        self.choices.more(self.decisions, None)
        self.choices.more(self.branching, total)
        f.get(self.outcomes)
        f.i64(IN_A_ROW)
        f.op("i64.add")
        f.set(self.limit)
        size = large_domain(self.program, decide)
        if size is not None:
            self.choices.tried(number, decide.arms[0], offers[0], total, self.players, size)
            self.chosen(number, 0, decide.arms[0])
            self.flow.go(decide.arms[0].target, joint)
            return
        chosen = rng.below(f, self.players, total)
        with f.block() as done:
            for offer in offers[:-1]:
                f.get(chosen)
                f.get(offer.count)
                f.op("i64.lt_u")
                with f.when():
                    self.choices.taken(number, decide.arms[offer.arm], offer, chosen)
                    self.chosen(number, offer.arm, decide.arms[offer.arm])
                    self.flow.go(decide.arms[offer.arm].target, joint)
                    f.br(done)
                f.get(chosen)
                f.get(offer.count)
                f.op("i64.sub")
                f.set(chosen)
            for offer in offers[-1:]:
                self.choices.taken(number, decide.arms[offer.arm], offer, chosen)
                self.chosen(number, offer.arm, decide.arms[offer.arm])
                self.flow.go(decide.arms[offer.arm].target, joint)

    def chance(self, number: int, chance: k.Chance, merge: int | None) -> None:
        f = self.f
        size = len(self.program.domains[chance.domain].texts)
        f.i32(0)
        f.set(self.flow.laps_run)
        (own,) = self.values.local(chance.local)
        weights = self.unit.memory.take(8 * size)
        total, item, weight = f.new(), f.new(), f.new()
        if isinstance(chance.weight, k.Const) and chance.weight.value:
            f.i64(size * chance.weight.value)
            f.set(total)
            drawn = rng.below(f, self.chances, total, size * chance.weight.value)
            f.get(drawn)
            if chance.weight.value > 1:
                f.i64(chance.weight.value)
                f.op("i64.div_u")
            f.set(own)
        else:
            self._weigh(chance, size, weights, total, item, weight)
            f.get(total)
            f.op("i64.eqz")
            with f.when():
                self.values.fault(chance.empty)
            assert isinstance(chance.weight.type, k.Int)
            drawn = rng.below(f, self.chances, total, size * chance.weight.type.high)
            self._pick(drawn, weights, item, weight)
            f.get(item)
            f.set(own)
        self.choices.more(self.outcomes, None)
        f.get(self.outcomes)
        f.get(self.limit)
        f.op("i64.gt_s")
        with f.when():
            self._finish("cut", None)
        self.flow.go(chance.target, merge)

    def _weigh(self, chance: k.Chance, size: int, weights: int, total: int, item: int, weight: int) -> None:
        """The weights of all outcomes in memory, and their sum; `item`, `weight` are locals for that."""
        f = self.f
        f.i64(0)
        f.set(total)
        f.i64(0)
        f.set(item)
        with f.loop() as again:
            f.get(item)
            f.set(self.values.local(chance.local)[0])
            self.values.number(chance.weight)
            f.set(weight)
            self._address(item)
            f.get(weight)
            f.access("i64.store", weights)
            self.choices.more(total, weight)
            self.choices.more(item, None)
            f.get(item)
            f.i64(size)
            f.op("i64.lt_u")
            f.br_if(again)

    def _pick(self, drawn: int, weights: int, item: int, weight: int) -> None:
        """Sets `item` to the outcome to which a number below the sum of the weights belongs."""
        f = self.f
        f.i64(0)
        f.set(item)
        with f.block() as found, f.loop() as again:
            self._address(item)
            f.access("i64.load", weights)
            f.set(weight)
            f.get(drawn)
            f.get(weight)
            f.op("i64.lt_u")
            f.br_if(found)
            f.get(drawn)
            f.get(weight)
            f.op("i64.sub")
            f.set(drawn)
            self.choices.more(item, None)
            f.br(again)

    def _address(self, item: int) -> None:
        self.f.get(item)
        self.f.op("i32.wrap_i64")
        self.f.i32(3)
        self.f.op("i32.shl")
