"""Walks through sets, element by element, and the kernel's closures."""

from __future__ import annotations

from collections.abc import Callable

from kemu_engine.kernel import nodes as k
from kemu_engine.run.wasm.asm.binary import I32, Label
from kemu_engine.run.wasm.emit.layout import words
from kemu_engine.run.wasm.emit.operations import Operations
from kemu_engine.run.wasm.emit.values import Values


class Loops:
    """Writes walks through sets."""

    def __init__(self, values: Values, operations: Operations) -> None:
        self.unit, self.program, self.f = values.unit, values.program, values.f
        self.values = values
        self.operations = operations

    def laps(self, binder: int, over: k.Expr, lap: Callable[[Label, Label], None]) -> None:
        """The elements of a set one by one, in the local `binder`; `lap` writes what is done with each, given
        where to go to leave the loop, and to go on with the next."""
        f, count = self.f, words(over.type)
        rest = f.new()
        known = over.value if isinstance(over, k.Const) else 0
        with f.block() as out:
            low, high = (known & -known).bit_length() - 1, known.bit_length() - 1
            if known and known == (1 << high + 1) - (1 << low):
                self._range(low, high, binder, lambda following: lap(out, following))
            elif count == 1:
                self.values.expr(over)
                f.set(rest)
                self._bits(rest, binder, None, lambda following: lap(out, following))
            else:
                at = self.unit.memory.take(8 * count)
                self.values.spill(over, at)
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

        with f.block() as done, f.loop() as again:
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
