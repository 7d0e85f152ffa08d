"""The functions `play`, one whole random game, and `playouts`, many of them.

The control graph is cut into parts as for generated Python (engine/generated/graph.py): structured code within
a part, and one loop with a table of branches from part to part.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import Literal

from engine import kernel as k
from engine import make
from engine.generated.fused import IN_A_ROW
from engine.generated.graph import Graph
from engine.wasm import draws
from engine.wasm.binary import I32, Label
from engine.wasm.expressions import FAULT
from engine.wasm.layout import Area, NotCovered, words
from engine.wasm.statements import Statements

LAPS = 10_000
"""Parts passed without a stop before the game is handed back, for the interpreter to look at."""
MOST_ACTIONS = 1 << 20
"""Actions at a decision for which there is room."""
ENDINGS = ("end", "cut", "fault", "lost")
"""How a game ends, by number; "lost": the game is handed back."""
DECISIONS, BRANCHING, OUTCOMES, KEYS = 8, 16, 24, 32
"""Where in a record of a game the counts are, and the keys of the result; before them are the number of the
ending and that of the block or fault, of 32 bits each."""


@dataclass(frozen=True, slots=True)
class Offer:
    """The legal actions of an arm: a set of the values of its parameter, a list of tuples of values, or
    whether it is legal at all. `locals`: the words of the set, the address where the list begins, or the
    truth; `count` is the local with how many there are."""

    arm: int
    form: Literal["set", "list", "once"]
    locals: list[int]
    count: int


class Play(Statements):
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
        for at, local in ((DECISIONS, self.decisions), (BRANCHING, self.branching), (OUTCOMES, self.outcomes)):
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
        offers = [self._offer(number, arm) for number, arm in enumerate(decide.arms)]
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
        self._more(self.decisions, None)
        self._more(self.branching, total)
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
                    self._taken(decide.arms[offer.arm], offer, chosen, joint)
                    f.br(done)
                f.get(chosen)
                f.get(offer.count)
                f.op("i64.sub")
                f.set(chosen)
            for offer in offers[-1:]:
                self._taken(decide.arms[offer.arm], offer, chosen, joint)

    def _more(self, local: int, by: int | None) -> None:
        self.f.get(local)
        if by is None:
            self.f.i64(1)
        else:
            self.f.get(by)
        self.f.op("i64.add")
        self.f.set(local)

    def _offer(self, number: int, arm: k.Arm) -> Offer:
        """Works out the legal actions of an arm."""
        f = self.f
        count = f.new()
        always = arm.guard == make.truth(True)
        if not arm.params:
            truth = f.new(I32)
            self.expr(make.both(arm.guard, arm.legal))
            f.tee(truth)
            f.op("i64.extend_i32_u")
            f.set(count)
            return Offer(number, "once", [truth], count)
        if len(arm.params) == 1:
            param = arm.params[0]
            asked = make.both(param.where, arm.legal)
            over, where = self.unit.masker.select(param.local, param.over, asked)
            assert isinstance(param.over.type, k.Set)
            binder = k.Local(self.work.locals[param.local].type, param.local)
            legal: k.Expr = over
            if where != make.truth(True):
                legal = k.Fold(param.over.type, "set", param.local, over, where, binder)
            many = words(param.over.type)
            found = [f.new() for _ in range(many)]
            if not always:
                for each in found:
                    f.i64(0)
                    f.set(each)
                self.expr(arm.guard)
                with f.when():
                    self._into(legal, found)
            else:
                self._into(legal, found)
            for at, each in enumerate(found):
                f.get(each)
                f.op("i64.popcnt")
                if at:
                    f.op("i64.add")
            f.set(count)
            return Offer(number, "set", found, count)
        most = 1
        for param in arm.params:
            assert isinstance(param.over.type, k.Set)
            most *= param.over.type.size
        if most > MOST_ACTIONS:
            raise NotCovered(f"decisions with more than {MOST_ACTIONS:,} actions of one name")
        start = self.unit.memory.take(most * 4 * len(arm.params))
        end = f.new(I32)
        f.i32(start)
        f.set(end)
        f.i64(0)
        f.set(count)
        if not always:
            self.expr(arm.guard)
            with f.when():
                self._bind(arm, 0, end, count)
        else:
            self._bind(arm, 0, end, count)
        return Offer(number, "list", [start], count)

    def _into(self, value: k.Expr, found: list[int]) -> None:
        self.expr(value)
        self.fit(words(value.type), len(found))
        self.pop(found)

    def _bind(self, arm: k.Arm, depth: int, end: int, count: int) -> None:
        f = self.f
        if depth == len(arm.params):
            self.expr(arm.legal)
            with f.when():
                for at, param in enumerate(arm.params):
                    f.get(end)
                    f.get(self.local(param.local)[0])
                    f.access("i64.store32", 4 * at)
                f.get(end)
                f.i32(4 * len(arm.params))
                f.op("i32.add")
                f.set(end)
                self._more(count, None)
            return
        param = arm.params[depth]
        over, where = self.unit.masker.select(param.local, param.over, param.where)

        def lap(out: Label, following: Label) -> None:
            if where != make.truth(True):
                self.expr(make.no(where))
                f.br_if(following)
            self._bind(arm, depth + 1, end, count)

        self.laps(param.local, over, lap)

    def _taken(self, arm: k.Arm, offer: Offer, chosen: int, joint: int | None) -> None:
        f = self.f
        if offer.form == "set":
            (own,) = self.local(arm.params[0].local)
            self._nth(offer.locals, chosen, own)
        elif offer.form == "list":
            address = f.new(I32)
            f.i32(offer.locals[0])
            f.get(chosen)
            f.op("i32.wrap_i64")
            f.i32(4 * len(arm.params))
            f.op("i32.mul", "i32.add")
            f.set(address)
            for at, param in enumerate(arm.params):
                f.get(address)
                f.access("i64.load32_u", 4 * at)
                f.set(self.local(param.local)[0])
        self.go(arm.target, joint)

    def _nth(self, mask: list[int], chosen: int, own: int) -> None:
        """The element of a set that has so many below it."""
        f = self.f
        if len(mask) == 1:
            draws.nth(f, self.unit.memory, mask[0], chosen, own)
            return
        rest, base = f.new(), f.new()
        with f.block() as there:
            for at, word in enumerate(mask):
                f.get(word)
                f.set(rest)
                f.i64(64 * at)
                f.set(base)
                if at == len(mask) - 1:
                    break
                f.get(chosen)
                f.get(word)
                f.op("i64.popcnt", "i64.lt_u")
                f.br_if(there)
                f.get(chosen)
                f.get(word)
                f.op("i64.popcnt", "i64.sub")
                f.set(chosen)
        draws.nth(f, self.unit.memory, rest, chosen, own)
        f.get(own)
        f.get(base)
        f.op("i64.add")
        f.set(own)

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
                self._more(total, weight)
                self._more(item, None)
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
                self._more(item, None)
                f.br(again)
            f.get(item)
            f.set(own)
        self._more(self.outcomes, None)
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

