"""The legal actions of a decision: worked out, counted, and one of them taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.actions import has_path, room
from kemu_engine.kernel.draws import enough
from kemu_engine.kernel.limits import MOST_ACTIONS, NotCovered
from kemu_engine.opt.optimized import Domain
from kemu_engine.run.wasm.asm.binary import I32, Label
from kemu_engine.run.wasm.emit import rng
from kemu_engine.run.wasm.emit.emitter import Emitter
from kemu_engine.run.wasm.emit.layout import BITS, words


@dataclass(frozen=True, slots=True)
class Offer:
    """The legal actions of an arm: a set of the values of its parameter; a list of tuples of values; rows, in
    each of which the last parameter has a set of values; or whether it is legal at all. `locals`: the words
    of the set, the address where list or rows begin, or the truth; `count` is the local with how many
    actions there are."""

    arm: int
    form: Literal["set", "list", "rows", "once"]
    locals: list[int]
    count: int


@dataclass(frozen=True, slots=True)
class Row:
    """The values of the last parameter, in how many words they are, and the bytes of a row: these words and
    the other parameters."""

    over: k.Expr
    words: int
    size: int


class Choices:
    """Writes what is done with arms. `in_rows`: whether an offer may have the form of rows; `lost`: what to
    do where there is no room for more actions."""

    def __init__(self, emit: Emitter, in_rows: bool, lost: Callable[[], None]) -> None:
        self.unit, self.program, self.f = emit.unit, emit.unit.program, emit.f
        self.values, self.operations, self.loops = emit.values, emit.operations, emit.loops
        self.statements = emit.statements
        self.in_rows, self.lost = in_rows, lost

    def more(self, local: int, by: int | None) -> None:
        self.f.get(local)
        if by is None:
            self.f.i64(1)
        else:
            self.f.get(by)
        self.f.op("i64.add")
        self.f.set(local)

    def offer(self, block: int, number: int, arm: k.Arm) -> Offer:
        """Works out the legal actions of an arm."""
        f = self.f
        count = f.new()
        always = arm.guard == build.truth(True)
        if not arm.params:
            truth = f.new(I32)
            self.values.expr(build.both(arm.guard, arm.legal))
            f.tee(truth)
            f.op("i64.extend_i32_u")
            f.set(count)
            return Offer(number, "once", [truth], count)
        domains = self.unit.optimized.domains[block, number]
        if len(arm.params) == 1:
            param = arm.params[0]
            over, where = domains[0].over, domains[0].where
            assert isinstance(param.over.type, k.Set)
            binder = k.Local(self.program.locals[param.local].type, param.local)
            legal: k.Expr = over
            if where != build.truth(True):
                legal = k.Fold(param.over.type, "set", param.local, over, where, binder)
            many = words(param.over.type)
            found = [f.new() for _ in range(many)]
            if not always:
                for each in found:
                    f.i64(0)
                    f.set(each)
                self.values.expr(arm.guard)
                with f.when():
                    self._into(domains[0].before, legal, found)
            else:
                self._into(domains[0].before, legal, found)
            for at, each in enumerate(found):
                f.get(each)
                f.op("i64.popcnt")
                if at:
                    f.op("i64.add")
            f.set(count)
            return Offer(number, "set", found, count)
        row = self._row_of(arm, domains) if self.in_rows else None
        walks = has_path(self.program, arm)
        most = room(self.program, replace(arm, params=arm.params[:-1]) if row and not walks else arm)
        if most > MOST_ACTIONS:
            raise NotCovered(f"decisions with more than {MOST_ACTIONS:,} actions of one name")
        size = most * (4 * len(arm.params) if row is None else row.size)
        start = self.unit.memory.take(size)
        end = f.new(I32)
        f.i32(start)
        f.set(end)
        f.i64(0)
        f.set(count)
        self._full = start + size if walks else None
        if not always:
            self.values.expr(arm.guard)
            with f.when():
                self._bind(arm, domains, 0, end, count, row)
        else:
            self._bind(arm, domains, 0, end, count, row)
        return Offer(number, "rows" if row else "list", [start], count)

    def _into(self, before: k.Code, value: k.Expr, found: list[int]) -> None:
        self.statements.code(before)
        self.values.expr(value)
        self.values.fit(words(value.type), len(found))
        self.values.pop(found)

    def _row_of(self, arm: k.Arm, domains: tuple[Domain, ...]) -> Row | None:
        """How rows are kept, if masks say all that is asked of the last parameter."""
        over = domains[-1].over
        if domains[-1].where != build.truth(True):
            return None
        return Row(over, words(over.type), -(-(len(arm.params) - 1) // 2) * 8 + 8 * words(over.type))

    def _put_row(self, arm: k.Arm, row: Row, end: int, count: int) -> None:
        """Writes a row, and keeps it unless it is empty."""
        f = self.f
        found = self.values.words_of(row.over, row.words)
        for at, each in enumerate(found):
            f.get(end)
            f.get(each)
            f.access("i64.store", 8 * at)
        for at, param in enumerate(arm.params[:-1]):
            f.get(end)
            f.get(self.values.local(param.local)[0])
            f.access("i64.store32", 8 * row.words + 4 * at)
        self.values.push(found)
        self.operations.popcount(row.words)
        more = f.new()
        f.set(more)
        self.more(count, more)
        f.get(end)
        f.i32(row.size)
        f.i32(0)
        f.get(more)
        f.op("i32.wrap_i64", "select", "i32.add")
        f.set(end)

    def _bind(
        self, arm: k.Arm, domains: tuple[Domain, ...], depth: int, end: int, count: int, row: Row | None
    ) -> None:
        f = self.f
        if depth == len(arm.params) - (row is not None) and self._full is not None:
            f.get(end)
            f.i32(self._full)
            f.op("i32.eq")
            with f.when():
                self.lost()
        if depth == len(arm.params):
            for at, param in enumerate(arm.params):
                f.get(end)
                f.get(self.values.local(param.local)[0])
                f.access("i64.store32", 4 * at)
            f.get(end)
            f.i32(4 * len(arm.params))
            f.op("i32.add")
            f.set(end)
            self.more(count, None)
            return
        self.statements.code(domains[depth].before)
        if row is not None and depth == len(arm.params) - 1:
            self._put_row(arm, row, end, count)
            return
        param = arm.params[depth]
        over, where = domains[depth].over, domains[depth].where

        def lap(out: Label, following: Label) -> None:
            if where != build.truth(True):
                self.values.expr(build.no(where))
                f.br_if(following)
            self._bind(arm, domains, depth + 1, end, count, row)

        self.loops.laps(param.local, over, lap)

    def taken(self, block: int, arm: k.Arm, offer: Offer, chosen: int) -> None:
        f = self.f
        if offer.form == "set":
            (own,) = self.values.local(arm.params[0].local)
            over = arm.params[0].over.type
            assert isinstance(over, k.Set)
            self._nth(over.size, offer.locals, chosen, own)
        elif offer.form == "rows":
            self._from_rows(arm, self.unit.optimized.domains[block, offer.arm], offer, chosen)
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
                f.set(self.values.local(param.local)[0])

    def tried(self, block: int, arm: k.Arm, offer: Offer, total: int, stream: int, size: int) -> None:
        """Draws a value of the only parameter: one after the other until one is legal, or by its rank."""
        f = self.f
        (own,) = self.values.local(arm.params[0].local)
        f.get(total)
        f.i64(enough(size))
        f.op("i64.ge_u")
        with f.when():
            with f.loop() as again:
                rng.below_known(f, stream, size, own)
                self._word(offer.locals, own, size)
                f.get(own)
                f.op("i64.shr_u")
                f.i64(1)
                f.op("i64.and", "i64.eqz")
                f.br_if(again)
            f.otherwise()
            self.taken(block, arm, offer, rng.below(f, stream, total))

    def _word(self, mask: list[int], element: int, size: int) -> None:
        """Puts the word in which an element below `size` has its bit on the stack."""
        f = self.f
        if size > BITS * len(mask):
            f.i64(0)
        else:
            f.get(mask[-1])
            mask = mask[:-1]
        for at, word in reversed(list(enumerate(mask, 1))):
            f.get(word)
            f.get(element)
            f.i64(BITS * at)
            f.op("i64.ge_u", "select")

    def _from_rows(self, arm: k.Arm, domains: tuple[Domain, ...], offer: Offer, chosen: int) -> None:
        """Past the rows that come before."""
        f, row = self.f, self._row_of(arm, domains)
        assert row is not None and isinstance(row.over.type, k.Set)
        found, here = [f.new() for _ in range(row.words)], f.new()
        address = f.new(I32)
        f.i32(offer.locals[0])
        f.set(address)
        with f.block() as there, f.loop() as again:
            for at, each in enumerate(found):
                f.get(address)
                f.access("i64.load", 8 * at)
                f.set(each)
            self.values.push(found)
            self.operations.popcount(row.words)
            f.set(here)
            f.get(chosen)
            f.get(here)
            f.op("i64.lt_u")
            f.br_if(there)
            f.get(chosen)
            f.get(here)
            f.op("i64.sub")
            f.set(chosen)
            f.get(address)
            f.i32(row.size)
            f.op("i32.add")
            f.set(address)
            f.br(again)
        for at, param in enumerate(arm.params[:-1]):
            f.get(address)
            f.access("i64.load32_u", 8 * row.words + 4 * at)
            f.set(self.values.local(param.local)[0])
        self._nth(row.over.type.size, found, chosen, self.values.local(arm.params[-1].local)[0])

    def _nth(self, size: int, mask: list[int], chosen: int, own: int) -> None:
        """The element of a set that has so many below it."""
        f = self.f
        if len(mask) == 1:
            rng.nth(f, self.unit.memory, size, mask[0], chosen, own)
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
        rng.nth(f, self.unit.memory, BITS, rest, chosen, own)
        f.get(own)
        f.get(base)
        f.op("i64.add")
        f.set(own)
