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
        reached = self._reached(closure)
        with self.f.block() as done:
            self._closed(closure, reached, done, lambda fresh: None)
        self.values.push(reached)

    def meets(self, op: k.Op) -> bool:
        """Writes whether a closure has an element in common with a set, or has none: no more of it is worked
        out than is needed for that. False if it is not that which is asked, or if a step may fault."""
        match op:
            case k.Op(_, "eq" | "ne", (k.Op(_, "inter", parts), k.Const(_, 0))):
                lets, closures = zip(*map(self._within_lets, parts), strict=True)
            case _:
                return False
        at = 0 if isinstance(closures[0], k.Closure) else 1
        closure, goal, total = closures[at], parts[1 - at], self.unit.traits.of
        if not isinstance(closure, k.Closure) or not total(closure.step).total or not total(goal).total:
            return False
        f, truth, wanted = self.f, self.f.new(I32), []
        if at == 1:
            wanted = self.values.words_of(goal, words(goal.type))
        for let in lets[at]:
            self.values.set_local(let.local, let.value)
        reached = self._reached(closure)
        if at == 0:
            wanted = self.values.words_of(goal, words(goal.type))
        f.i32(int(op.op == "ne"))
        f.set(truth)
        with f.block() as found:

            def stop_at(fresh: list[int]) -> None:
                for at, (one, other) in enumerate(zip(fresh, wanted, strict=False)):
                    f.get(one)
                    f.get(other)
                    f.op("i64.and")
                    if at:
                        f.op("i64.or")
                f.i64(0)
                f.op("i64.ne")
                f.br_if(found)

            with f.block() as done:
                stop_at(reached)
                self._closed(closure, reached, done, stop_at)
            f.i32(int(op.op == "eq"))
            f.set(truth)
        f.get(truth)
        return True

    def _within_lets(self, expr: k.Expr) -> tuple[list[k.Let], k.Expr]:
        lets = []
        while isinstance(expr, k.Let):
            lets.append(expr)
            expr = expr.body
        return lets, expr

    def _reached(self, closure: k.Closure) -> list[int]:
        """Locals with the words of what a closure begins with."""
        assert isinstance(closure.type, k.Set)
        reached = [self.f.new() for _ in range(words(closure.type))]
        self.values.expr(closure.seed)
        self.values.fit(words(closure.seed.type), len(reached))
        self.values.pop(reached)
        return reached

    def _closed(
        self, closure: k.Closure, reached: list[int], done: Label, looked_at: Callable[[list[int]], None]
    ) -> None:
        """Goes on from what is reached until there is nothing new, and then to `done`; `looked_at` writes
        what is done with the new elements of each step."""
        f = self.f
        assert isinstance(closure.type, k.Set)
        stack = self.unit.memory.take(4 * closure.type.size)
        item, top = f.new(), f.new(I32)
        fresh = [f.new() for _ in reached]
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

        with f.loop() as again:
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
            found = self.values.words_of(closure.step, len(reached))
            for each, known, new in zip(found, reached, fresh, strict=True):
                f.get(each)
                f.get(known)
                self.operations.joined("diff")
                f.tee(new)
                f.get(known)
                f.op("i64.or")
                f.set(known)
            looked_at(fresh)
            f.br(again)
