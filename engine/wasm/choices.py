"""The legal actions of a decision: worked out, counted, and one of them taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine import kernel as k
from engine import make
from engine.wasm import draws
from engine.wasm.ahead import Laps
from engine.wasm.binary import I32, Label
from engine.wasm.layout import BITS, NotCovered, words
from engine.wasm.statements import Statements

MOST_ACTIONS = 1 << 20
"""Actions of one arm for which there is room."""


@dataclass(frozen=True, slots=True)
class Offer:
    """The legal actions of an arm: a set of the values of its parameter, a list of tuples of values, or
    whether it is legal at all. `locals`: the words of the set, the address where the list begins, or the
    truth; `count` is the local with how many there are."""

    arm: int
    form: Literal["set", "list", "once"]
    locals: list[int]
    count: int


class Choices(Statements):
    """Writes what is done with arms."""

    def more(self, local: int, by: int | None) -> None:
        self.f.get(local)
        if by is None:
            self.f.i64(1)
        else:
            self.f.get(by)
        self.f.op("i64.add")
        self.f.set(local)

    def offer(self, number: int, arm: k.Arm) -> Offer:
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
                self.more(count, None)
            return
        param = arm.params[depth]
        over, where = self.unit.masker.select(param.local, param.over, param.where)

        def lap(out: Label, following: Label) -> None:
            if where != make.truth(True):
                self.expr(make.no(where))
                f.br_if(following)
            self._bind(arm, depth + 1, end, count)

        later = [expr for each in arm.params[depth + 1 :] for expr in (each.over, each.where)]
        binders = frozenset(each.local for each in arm.params[depth:])
        asked = (where,) if where != make.truth(True) else tuple(later[:1])
        self.laps(param.local, over, lap, Laps((where, *later, arm.legal), asked, binders))

    def taken(self, arm: k.Arm, offer: Offer, chosen: int) -> None:
        f = self.f
        if offer.form == "set":
            (own,) = self.local(arm.params[0].local)
            over = arm.params[0].over.type
            assert isinstance(over, k.Set)
            self._nth(over.size, offer.locals, chosen, own)
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

    def _nth(self, size: int, mask: list[int], chosen: int, own: int) -> None:
        """The element of a set that has so many below it."""
        f = self.f
        if len(mask) == 1:
            draws.nth(f, self.unit.memory, size, mask[0], chosen, own)
            return
        rest, base = f.new(), f.new()
        with f.block() as there:
            for at, word in enumerate(mask):
                f.get(word)
                f.set(rest)
                f.i64(BITS * at)
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
        draws.nth(f, self.unit.memory, BITS, rest, chosen, own)
        f.get(own)
        f.get(base)
        f.op("i64.add")
        f.set(own)
