"""Walks through sets: the kernel's folds and closures, and what loops are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.run.wasm.asm.binary import I32, I64, Label
from kemu_engine.run.wasm.emit.invariants import Laps, LoopInvariants
from kemu_engine.run.wasm.emit.layout import Area, words
from kemu_engine.run.wasm.emit.operations import Operations
from kemu_engine.run.wasm.emit.simd import VectorSearch
from kemu_engine.run.wasm.emit.values import Values


class Loops:
    """Writes walks through sets."""

    def __init__(self, values: Values, operations: Operations, invariants: LoopInvariants) -> None:
        self.unit, self.program, self.f = values.unit, values.program, values.f
        self.values = values
        self.operations = operations
        self.invariants = invariants
        self.simd = VectorSearch(values)

    def laps(
        self, binder: int, over: k.Expr, lap: Callable[[Label, Label], None], inner: Laps | None = None
    ) -> None:
        """The elements of a set one by one, in the local `binder`; `lap` writes what is done with each, given
        where to go to leave the loop, and to go on with the next; `inner` says what that is."""
        f, count = self.f, words(over.type)
        inner = inner or Laps()
        inner = replace(inner, locals=inner.locals | {binder})
        rest = f.new()
        known = over.value if isinstance(over, k.Const) else 0
        with f.block() as out:
            low, high = (known & -known).bit_length() - 1, known.bit_length() - 1
            if known and known == (1 << high + 1) - (1 << low):
                with self.invariants.hoisting(inner, True):
                    self._range(low, high, binder, lambda following: lap(out, following))
            elif count == 1:
                self.values.expr(over)
                f.set(rest)
                with self.invariants.hoisting(inner, known != 0):
                    self._bits(rest, binder, None, lambda following: lap(out, following))
            else:
                at = self.unit.memory.take(8 * count)
                self.values.spill(over, at)
                with self.invariants.hoisting(inner, known != 0):
                    self._words_of_bits(at, count, binder, rest, lambda following: lap(out, following))

    def _range(self, low: int, high: int, binder: int, lap: Callable[[Label], None]) -> None:
        """The numbers low..high."""
        f, (own,) = self.f, self.values.local(binder)
        at = f.new()
        f.i64(low)
        f.set(at)
        with f.loop() as again:
            f.get(at)
            f.set(own)
            with f.block() as following:
                lap(following)
            f.get(at)
            f.i64(1)
            f.op("i64.add")
            f.tee(at)
            f.i64(high)
            f.op("i64.le_u")
            f.br_if(again)

    def _words_of_bits(
        self, at: int, count: int, binder: int, rest: int, lap: Callable[[Label], None]
    ) -> None:
        """The elements of a set in memory, word by word."""
        f = self.f
        word = f.new(I32)
        f.i32(0)
        f.set(word)
        with f.loop() as again:
            f.get(word)
            f.access("i64.load", at)
            f.set(rest)
            self._bits(rest, binder, word, lap)
            f.get(word)
            f.i32(8)
            f.op("i32.add")
            f.tee(word)
            f.i32(8 * count)
            f.op("i32.lt_u")
            f.br_if(again)

    def _bits(self, rest: int, binder: int, word: int | None, lap: Callable[[Label], None]) -> None:
        """The bits of a word; `word`: eight times its number."""
        f, (own,) = self.f, self.values.local(binder)
        with f.block() as done:
            f.get(rest)
            f.op("i64.eqz")
            f.br_if(done)
            with f.loop() as again:
                f.get(rest)
                f.op("i64.ctz")
                if word is not None:
                    f.get(word)
                    f.op("i64.extend_i32_u")
                    f.i64(3)
                    f.op("i64.shl", "i64.add")
                f.set(own)
                f.get(rest)
                f.get(rest)
                f.i64(1)
                f.op("i64.sub", "i64.and")
                f.set(rest)
                with f.block() as following:
                    lap(following)
                f.get(rest)
                f.i64(0)
                f.op("i64.ne")
                f.br_if(again)

    def fold(self, fold: k.Fold) -> None:
        if self.simd.searched(fold):
            return
        f = self.f
        (own,) = self.values.local(fold.binder)
        kind = I32 if fold.op in ("any", "all") else I64
        count = words(fold.type)
        gathered = fold.op == "union"
        wide = self.unit.memory.take(8 * count) if fold.op == "set" and count > 1 and not gathered else 0
        all_found = [f.new(kind) for _ in range(count if gathered else 1)]
        found = all_found[0]
        if wide:
            self.values.zero(Area(wide, 8 * count))
        elif gathered:
            for each in all_found:
                f.i64(0)
                f.set(each)
        elif kind == I32:
            f.i32(int(fold.op == "all"))
        else:
            f.i64(self._start(fold))
        if not wide and not gathered:
            f.set(found)

        def lap(out: Label, following: Label) -> None:
            if fold.where != build.truth(True):
                self.values.expr(build.no(fold.where))
                f.br_if(following)
            match fold.op:
                case "any" | "all":
                    self.values.expr(fold.body if fold.op == "any" else build.no(fold.body))
                    with f.when():
                        f.i32(int(fold.op == "any"))
                        f.set(found)
                        f.br(out)
                case "first":
                    self.values.expr(fold.body)
                    with f.when():
                        f.get(own)
                        f.set(found)
                        f.br(out)
                case "count" | "sum":
                    self.values.number(fold.body)
                    f.get(found)
                    f.op("i64.add")
                    f.set(found)
                case "min" | "max":
                    one = self.values.kept(fold.body)
                    self.operations.lesser(one, found, fold.op)
                    f.set(found)
                case "union":
                    self.values.expr(fold.body)
                    self.values.fit(words(fold.body.type), count)
                    for each in reversed(all_found):
                        f.get(each)
                        f.op("i64.or")
                        f.set(each)
                case "set" if wide:
                    self.values.switch_on(wide, self.values.kept(fold.body))
                case "set":
                    self.operations.point(fold.body, 1)
                    f.get(found)
                    f.op("i64.or")
                    f.set(found)

        asked = fold.where if fold.where != build.truth(True) else fold.body
        self.laps(fold.binder, fold.over, lap, Laps((fold.where, fold.body), (asked,)))
        if wide:
            f.i32(0)
            self.values.load(fold.type, wide, count)
        else:
            self.values.push(all_found)

    def _start(self, fold: k.Fold) -> int:
        if fold.op == "first":
            return -1
        if fold.op in ("min", "max"):
            assert isinstance(fold.type, k.Int)
            return fold.type.high if fold.op == "min" else fold.type.low
        return 0

    def closure(self, closure: k.Closure) -> None:
        """In the interpreter's order: what was found last first, of those found together the greatest."""
        f = self.f
        assert isinstance(closure.type, k.Set)
        count = words(closure.type)
        stack = self.unit.memory.take(4 * closure.type.size)
        item = f.new()
        top = f.new(I32)
        reached, fresh = ([f.new() for _ in range(count)] for _ in range(2))
        self.values.expr(closure.seed)
        self.values.fit(words(closure.seed.type), count)
        self.values.pop(reached)
        self.values.push(reached)
        self.values.pop(fresh)
        f.i32(0)
        f.set(top)
        (own,) = self.values.local(closure.binder)
        each_of = self.values.held(k.Int(0, closure.type.size), [item])

        def put(out: Label, following: Label) -> None:
            f.get(top)
            f.get(item)
            f.access("i64.store32", stack)
            f.get(top)
            f.i32(4)
            f.op("i32.add")
            f.set(top)

        inner = Laps((closure.step,), locals=frozenset({closure.binder}))
        with self.invariants.hoisting(inner, False), f.block() as done, f.loop() as again:
            self.laps(each_of.id, self.values.held(closure.type, fresh), put)
            f.get(top)
            f.op("i32.eqz")
            f.br_if(done)
            f.get(top)
            f.i32(4)
            f.op("i32.sub")
            f.tee(top)
            f.access("i64.load32_u", stack)
            f.set(own)
            found = self.values.words_of(closure.step, count)
            for each, known, new in zip(found, reached, fresh, strict=True):
                f.get(each)
                f.get(known)
                self.operations.joined("diff")
                f.tee(new)
                f.get(known)
                f.op("i64.or")
                f.set(known)
            f.br(again)
        self.values.push(reached)
