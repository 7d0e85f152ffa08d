"""The control graph in one function: structured code within a part, a table of branches from part to part.

The graph is cut into parts as for generated Python (kernel/regions.py). What happens at a stop is for
others: whole random games (play.py), or steps from stop to stop (steps.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Protocol

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.regions import Regions
from kemu_engine.run.wasm.asm.binary import I32, Label
from kemu_engine.run.wasm.emit.choices import Choices, Offer
from kemu_engine.run.wasm.emit.emitter import Emitter

LAPS = 10_000
"""Parts passed without a stop before the game is handed back, for the interpreter to look at."""


class Stops(Protocol):
    """What happens at stops."""

    def arrive(self, number: int) -> None:
        """Play comes to a decision."""

    def actor(self, decide: k.Decide) -> None:
        """Who decides: whoever is not asked may still be a fault."""

    def pass_by(self, number: int, decide: k.Decide) -> None:
        """There is nothing to decide, and play goes on."""

    def choose(
        self, number: int, decide: k.Decide, offers: list[Offer], total: int, joint: int | None
    ) -> None:
        """At a decision with `total` legal actions."""

    def chance(self, number: int, chance: k.Chance, merge: int | None) -> None:
        """At a chance node."""

    def end(self, number: int) -> None:
        """The game is over."""

    def lost(self) -> None:
        """Play has passed LAPS parts without a stop."""


class Flow:
    """Writes blocks and what leads from one to the next: `heads`, at which parts begin, and the local `part`
    that says by its number in them where play goes on."""

    def __init__(self, emit: Emitter, choices: Choices, stops: Stops, graph: Regions) -> None:
        self.unit, self.program, self.f = emit.unit, emit.unit.program, emit.f
        self.values, self.statements, self.choices = emit.values, emit.statements, choices
        self.stops = stops
        self.graph = graph
        self._lapping = graph.lapping()
        heads = {*graph.starts, *(to for _, to in graph.jumps)}
        self.heads = sorted(heads, key=graph.rank.__getitem__)
        self.part, self.laps_run = self.f.new(I32), self.f.new(I32)

    def parts(self, ways: Sequence[Callable[[], None]] = ()) -> None:
        """All parts; `part` beyond the heads goes one of the ways, which are written here too."""
        f = self.f
        writers = [*(lambda head=head: self._part(head) for head in self.heads), *ways]
        with f.loop() as self.main, ExitStack() as stack:
            entered: list[tuple[ExitStack, Label]] = []
            for _ in writers:
                own = ExitStack()
                label = own.enter_context(f.block())
                entered.append((stack.enter_context(own), label))
            entered.reverse()
            labels = [label for _, label in entered]
            f.get(self.part)
            f.br_table(labels, labels[-1])
            for write, (own, _) in zip(writers, entered, strict=True):
                own.close()
                write()
                f.op("unreachable")

    def _part(self, head: int) -> None:
        f = self.f
        if head in self._lapping:
            f.get(self.laps_run)
            f.i32(1)
            f.op("i32.add")
            f.tee(self.laps_run)
            f.i32(LAPS)
            f.op("i32.eq")
            with f.when():
                self.stops.lost()
        self.from_block(head, None)

    def from_block(self, number: int, merge: int | None) -> None:
        """A block and what follows up to the end of the part, or to `merge`."""
        block = self.program.blocks[number]
        self.statements.code(block.code)
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
                self.values.expr(test)
                with self.f.when():
                    self.go(then, joint)
                    self.f.otherwise()
                    self.go(other, joint)
            case k.Switch():
                self._switch_to(exit, joint)
            case k.Fail(fault):
                self.values.fault(fault)
                return
            case k.Decide():
                self._decide(number, exit, joint)
            case k.Chance():
                self.stops.chance(number, exit, merge)
                return
            case k.End():
                self.stops.end(number)
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
        type_ = self.program.locals[switch.local].type
        assert isinstance(type_, k.Int)
        values = [value for value in range(len(switch.targets)) if type_.low <= value <= type_.high]
        with f.block() as done:
            for value in values[:-1]:
                f.get(self.values.local(switch.local)[0])
                f.i64(value)
                f.op("i64.eq")
                with f.when():
                    self.go(switch.targets[value], joint)
                    f.br(done)
            self.go(switch.targets[values[-1]], joint)

    def _decide(self, number: int, decide: k.Decide, joint: int | None) -> None:
        f = self.f
        self.stops.arrive(number)
        self.stops.actor(decide)
        offers = [self.choices.offer(number, at, arm) for at, arm in enumerate(decide.arms)]
        total = f.new()
        f.i64(0)
        for offer in offers:
            f.get(offer.count)
            f.op("i64.add")
        f.tee(total)
        f.op("i64.eqz")
        with f.when():
            if decide.other < 0:
                self.values.fault(decide.stuck)
            else:
                self.stops.pass_by(number, decide)
                self.go(decide.other, joint)
            f.otherwise()
            self.stops.choose(number, decide, offers, total, joint)
