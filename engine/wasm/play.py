"""The functions `play`, one whole random game, and `playouts`, many of them.

The control graph is cut into parts as for generated Python (engine/generated/graph.py): structured code
within a part, and one loop with a table of branches from part to part.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Literal

from engine import kernel as k
from engine.generated.fused import IN_A_ROW
from engine.generated.graph import Graph
from engine.wasm import draws
from engine.wasm.binary import I32, Label
from engine.wasm.choices import Choices, Offer
from engine.wasm.layout import Area
from engine.wasm.values import FAULT

LAPS = 10_000
"""Parts passed without a stop before the game is handed back, for the interpreter to look at."""
ENDINGS = ("end", "cut", "fault", "lost")
"""How a game ends, by number; "lost": the game is handed back."""
DECISIONS, BRANCHING, OUTCOMES, KEYS = 8, 16, 24, 32
"""Where in a record of a game the counts are, and the keys of the result; before them are the number of the
ending and that of the block or fault, of 32 bits each."""


class Play(Choices):
    """Writes `play(seed, game, longest, record)`."""

    def write(self) -> None:
        f, unit = self.f, self.unit
        self.seed, self.game, self.longest, self.record = range(4)
        self.graph = Graph(self.work.blocks, unit.program.entry, True)
        self.lapping = self.graph.lapping()
        heads = {self.graph.entry, *(to for _, to in self.graph.jumps)}
        self.heads = sorted(heads, key=self.graph.rank.__getitem__)
        self.decisions, self.branching, self.outcomes = f.new(), f.new(), f.new()
        self.limit, self.part, self.laps_run = f.new(), f.new(I32), f.new(I32)
        self.chances, self.players = f.new(), f.new()
        self._begin()
        with f.block() as self.faulted:
            f.i32(self.heads.index(self.graph.entry))
            f.set(self.part)
            with f.loop() as self.main:
                self._parts()
        f.get_global(FAULT)
        f.i32(1)
        f.op("i32.sub")
        told = f.new(I32)
        f.set(told)
        self._finish("fault", told)

    def _parts(self) -> None:
        f = self.f
        with ExitStack() as stack:
            entered: list[tuple[ExitStack, Label]] = []
            for _ in self.heads:
                own = ExitStack()
                label = own.enter_context(f.block())
                entered.append((stack.enter_context(own), label))
            entered.reverse()
            labels = [label for _, label in entered]
            f.get(self.part)
            f.br_table(labels, labels[-1])
            for head, (own, _) in zip(self.heads, entered, strict=True):
                own.close()
                if head in self.lapping:
                    self._count_lap()
                self.from_block(head, None)
                f.op("unreachable")

    def _count_lap(self) -> None:
        f = self.f
        f.get(self.laps_run)
        f.i32(1)
        f.op("i32.add")
        f.tee(self.laps_run)
        f.i32(LAPS)
        f.op("i32.eq")
        with f.when():
            self._finish("lost", None)

    def _begin(self) -> None:
        f, unit = self.f, self.unit
        f.i32(0)
        f.set_global(FAULT)
        self.move(unit.start, Area(unit.initial, unit.state_size))
        f.i64(IN_A_ROW)
        f.set(self.limit)
        key = f.new()
        f.i64(0)
        draws.absorb(f, lambda: f.get(self.seed))
        draws.absorb(f, lambda: f.get(self.game))
        f.set(key)
        for stream, counter in enumerate((self.chances, self.players)):
            f.get(key)
            draws.absorb(f, lambda stream=stream: f.i64(stream))  # type: ignore[misc]
            f.set(counter)

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

    # ------------------------------------------------------------------------------------------ blocks

    def from_block(self, number: int, merge: int | None) -> None:
        """A block and what follows up to the end of the part, or to `merge`."""
        block = self.work.blocks[number]
        self.code(block.code)
        exit = block.exit
        inner = self.graph.merge(number)
        joint = merge if inner is None else inner
        match exit:
            case k.Goto(target):
                self.go(target, merge)
                return
            case k.Split(k.Const(_, value), then, other):
                self.go(then if value else other, merge)
                return
            case k.Split(test, then, other):
                self.expr(test)
                with self.f.when():
                    self.go(then, joint)
                    self.f.otherwise()
                    self.go(other, joint)
            case k.Switch():
                self._switch_to(exit, joint)
            case k.Fail(fault):
                self.fault(fault)
                return
            case k.Decide():
                self._decide(exit, joint)
            case k.Chance():
                self._chance(exit, merge)
                return
            case k.End():
                self._end(number)
                return
        if inner is not None:
            self.from_block(inner, merge)

    def go(self, target: int, merge: int | None) -> None:
        """On to another block."""
        target = self.graph.after(target)
        if target in self.graph.heads:
            self.f.i32(self.heads.index(target))
            self.f.set(self.part)
            self.f.br(self.main)
        elif target != merge:
            self.from_block(target, merge)

    def _switch_to(self, switch: k.Switch, joint: int | None) -> None:
        f = self.f
        type_ = self.work.locals[switch.local].type
        assert isinstance(type_, k.Int)
        values = [value for value in range(len(switch.targets)) if type_.low <= value <= type_.high]
        with f.block() as done:
            for value in values[:-1]:
                f.get(self.local(switch.local)[0])
                f.i64(value)
                f.op("i64.eq")
                with f.when():
                    self.go(switch.targets[value], joint)
                    f.br(done)
            self.go(switch.targets[values[-1]], joint)

    def _end(self, number: int) -> None:
        f = self.f
        slot = self.unit.slots[self.unit.program.result]
        type_ = slot.var.type
        for at in range(slot.var.length or 0):
            f.get(self.record)
            f.i32(0)
            self.load(type_, slot.at + at * slot.cell.size, 1)
            if isinstance(type_, k.Bool):
                f.op("i64.extend_i32_u")
            f.access("i64.store", KEYS + 8 * at)
        told = f.new(I32)
        f.i32(number)
        f.set(told)
        self._finish("end", told)

    # ------------------------------------------------------------------------------------------ decisions

    def _decide(self, decide: k.Decide, joint: int | None) -> None:
        f = self.f
        if not self.unit.traits.of(decide.actor).total:
            self.expr(decide.actor)
            f.op("drop")
        offers = [self.offer(number, arm) for number, arm in enumerate(decide.arms)]
        total = f.new()
        f.i64(0)
        for offer in offers:
            f.get(offer.count)
            f.op("i64.add")
        f.tee(total)
        f.op("i64.eqz")
        with f.when():
            if decide.other < 0:
                self.fault(decide.stuck)
            else:
                self.go(decide.other, joint)
            f.otherwise()
            self._choose(decide, offers, total, joint)

    def _choose(self, decide: k.Decide, offers: list[Offer], total: int, joint: int | None) -> None:
        f = self.f
        f.i32(0)
        f.set(self.laps_run)
        f.get(self.decisions)
        f.get(self.longest)
        f.op("i64.eq")
        with f.when():
            self._finish("cut", None)
        self.more(self.decisions, None)
        self.more(self.branching, total)
        f.get(self.outcomes)
        f.i64(IN_A_ROW)
        f.op("i64.add")
        f.set(self.limit)
        chosen = draws.below(f, self.players, total)
        with f.block() as done:
            for offer in offers[:-1]:
                f.get(chosen)
                f.get(offer.count)
                f.op("i64.lt_u")
                with f.when():
                    self.taken(decide.arms[offer.arm], offer, chosen)
                    self.go(decide.arms[offer.arm].target, joint)
                    f.br(done)
                f.get(chosen)
                f.get(offer.count)
                f.op("i64.sub")
                f.set(chosen)
            for offer in offers[-1:]:
                self.taken(decide.arms[offer.arm], offer, chosen)
                self.go(decide.arms[offer.arm].target, joint)

    # ------------------------------------------------------------------------------------------ chance

    def _chance(self, chance: k.Chance, merge: int | None) -> None:
        f = self.f
        size = len(self.work.program.domains[chance.domain].texts)
        f.i32(0)
        f.set(self.laps_run)
        (own,) = self.local(chance.local)
        weights = self.unit.memory.take(8 * size)
        total, item, weight = f.new(), f.new(), f.new()
        if isinstance(chance.weight, k.Const) and chance.weight.value:
            f.i64(size * chance.weight.value)
            f.set(total)
            drawn = draws.below(f, self.chances, total)
            f.get(drawn)
            if chance.weight.value > 1:
                f.i64(chance.weight.value)
                f.op("i64.div_u")
            f.set(own)
        else:
            f.i64(0)
            f.set(total)
            f.i64(0)
            f.set(item)
            with f.loop() as again:
                f.get(item)
                f.set(own)
                self.number(chance.weight)
                f.set(weight)
                self._address(item)
                f.get(weight)
                f.access("i64.store", weights)
                self.more(total, weight)
                self.more(item, None)
                f.get(item)
                f.i64(size)
                f.op("i64.lt_u")
                f.br_if(again)
            f.get(total)
            f.op("i64.eqz")
            with f.when():
                self.fault(chance.empty)
            drawn = draws.below(f, self.chances, total)
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
                self.more(item, None)
                f.br(again)
            f.get(item)
            f.set(own)
        self.more(self.outcomes, None)
        f.get(self.outcomes)
        f.get(self.limit)
        f.op("i64.gt_s")
        with f.when():
            self._finish("cut", None)
        self.go(chance.target, merge)

    def _address(self, item: int) -> None:
        self.f.get(item)
        self.f.op("i32.wrap_i64")
        self.f.i32(3)
        self.f.op("i32.shl")
