"""The kernel's operators as WebAssembly."""

from __future__ import annotations

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import size
from kemu_engine.run.wasm.asm.binary import I32
from kemu_engine.run.wasm.emit.layout import BITS, words
from kemu_engine.run.wasm.emit.values import Values

CHEAP = 16
"""Nodes of a condition that may as well be worked out when nobody asks."""

COMPARED = {"lt": "i64.lt_s", "le": "i64.le_s"}
PLAIN = {"add": "i64.add", "sub": "i64.sub", "mul": "i64.mul"}
SETS = {"union": ("i64.or",), "inter": ("i64.and",), "diff": ("i64.xor", "i64.and")}


class Operations:
    """Writes operators."""

    def __init__(self, values: Values) -> None:
        self.unit, self.program, self.f = values.unit, values.program, values.f
        self.values = values

    def operation(self, expr: k.Op) -> None:
        f, args = self.f, expr.args
        match expr.op:
            case "add" | "sub" | "mul":
                self.values.number(args[0])
                self.values.number(args[1])
                f.op(PLAIN[expr.op])
            case "lt" | "le":
                self.values.number(args[0])
                self.values.number(args[1])
                f.op(COMPARED[expr.op])
            case "div" | "mod":
                self._divide(expr.op, *args)
            case "neg":
                f.i64(0)
                self.values.number(args[0])
                f.op("i64.sub")
            case "abs":
                value = f.new()
                self.values.number(args[0])
                f.set(value)
                f.i64(0)
                f.get(value)
                f.op("i64.sub")
                f.get(value)
                f.get(value)
                f.i64(0)
                f.op("i64.lt_s", "select")
            case "min" | "max":
                one, two = (self.values.kept(arg) for arg in args)
                self.lesser(one, two, expr.op)
            case "eq" | "ne":
                self._same(expr.op, *args)
            case "and" | "or":
                self._lazy(expr.op, args)
            case "not":
                self.values.expr(args[0])
                f.op("i32.eqz")
            case "in":
                self._in(*args)
            case "union" | "inter" | "diff":
                self._sets(expr.op, args[0], args[1], words(expr.type))
            case "subset":
                self._subset(*args)
            case "card":
                self.values.expr(args[0])
                self.popcount(words(args[0].type))
            case "single":
                self.point(args[0], words(expr.type))

    def lesser(self, one: int, two: int, op: str) -> None:
        """The lesser of two numbers, or the greater."""
        for each in (one, two, one, two):
            self.f.get(each)
        self.f.op("i64.lt_s" if op == "min" else "i64.gt_s", "select")

    def _divide(self, op: str, one: k.Expr, two: k.Expr) -> None:
        f = self.f
        assert isinstance(one.type, k.Int) and isinstance(two.type, k.Int)
        if one.type.low >= 0 and two.type.low >= 0:
            self.values.number(one)
            self.values.number(two)
            f.op("i64.div_u" if op == "div" else "i64.rem_u")
            return
        over, under = self.values.kept(one), self.values.kept(two)
        rest = f.new()
        f.get(over)
        f.get(under)
        f.op("i64.rem_s")
        f.set(rest)
        if op == "div":
            f.get(over)
            f.get(under)
            f.op("i64.div_s")
            self._apart(rest, under)
            f.op("i64.extend_i32_u", "i64.sub")
        else:
            f.get(rest)
            f.get(under)
            f.i64(0)
            self._apart(rest, under)
            f.op("select", "i64.add")

    def _apart(self, rest: int, under: int) -> None:
        """Whether there is a rest, of another sign than the divisor."""
        f = self.f
        f.get(rest)
        f.i64(0)
        f.op("i64.ne")
        f.get(rest)
        f.get(under)
        f.op("i64.xor")
        f.i64(0)
        f.op("i64.lt_s", "i32.and")

    def _same(self, op: str, one: k.Expr, two: k.Expr) -> None:
        f = self.f
        if isinstance(one.type, k.Bool) and isinstance(two.type, k.Bool):
            self.values.expr(one)
            self.values.expr(two)
            f.op("i32.eq" if op == "eq" else "i32.ne")
            return
        if not isinstance(one.type, k.Set):
            self.values.number(one)
            self.values.number(two)
            f.op("i64.eq" if op == "eq" else "i64.ne")
            return
        count = max(words(one.type), words(two.type))
        if count == 1:
            self.values.expr(one)
            self.values.expr(two)
            f.op("i64.eq" if op == "eq" else "i64.ne")
            return
        first, second = self.values.words_of(one, count), self.values.words_of(two, count)
        for at, (a, b) in enumerate(zip(first, second, strict=True)):
            f.get(a)
            f.get(b)
            f.op("i64.xor")
            if at:
                f.op("i64.or")
        self._nothing(op == "eq")

    def _nothing(self, wanted: bool) -> None:
        if wanted:
            self.f.op("i64.eqz")
        else:
            self.f.i64(0)
            self.f.op("i64.ne")

    def _lazy(self, op: str, args: tuple[k.Expr, ...]) -> None:
        """`and`, `or`: what is cheap and sure to have a value is worked out in any case."""
        f = self.f
        self.values.expr(args[0])
        for at, each in enumerate(args[1:], 1):
            if self.cheap(each):
                self.values.expr(each)
                f.op("i32.and" if op == "and" else "i32.or")
                continue
            with f.when(I32):
                if op == "or":
                    f.i32(1)
                    f.otherwise()
                self._lazy(op, args[at:])
                if op == "and":
                    f.otherwise()
                    f.i32(0)
            return

    def cheap(self, *exprs: k.Expr) -> bool:
        return sum(size(each, CHEAP) for each in exprs) < CHEAP and all(
            self.unit.traits.of(each).total for each in exprs
        )

    def _in(self, item: k.Expr, over: k.Expr) -> None:
        """Whether an element is in a set: the set word by word in locals, or looked up in memory."""
        f = self.f
        assert isinstance(over.type, k.Set) and isinstance(item.type, k.Int)
        at = self.values.kept(item)
        count = words(over.type)
        base = f.new(I32)
        if count == 1:
            self.values.expr(over)
            f.get(at)
            f.op("i64.shr_u")
        else:
            offset = self.values.stored(over)
            f.set(base)
            f.get(base)
            f.get(at)
            f.i64(0)
            f.get(at)
            f.i64(over.type.size)
            f.op("i64.lt_u", "select")
            f.op("i32.wrap_i64")
            f.i32(3)
            f.op("i32.shr_u", "i32.add")
            f.access("i64.load8_u", offset)
            f.get(at)
            f.i64(7)
            f.op("i64.and", "i64.shr_u")
        f.i64(1)
        f.op("i64.and", "i32.wrap_i64")
        if item.type.low < 0 or item.type.high >= over.type.size:
            f.get(at)
            f.i64(over.type.size)
            f.op("i64.lt_u", "i32.and")

    def _sets(self, op: str, one: k.Expr, two: k.Expr, count: int) -> None:
        f = self.f
        if count == 1:
            self.values.expr(one)
            self.values.fit(words(one.type), 1)
            if op == "diff" and isinstance(two, k.Const):
                f.i64(~two.value & (1 << BITS) - 1)
                f.op("i64.and")
                return
            self.values.expr(two)
            self.values.fit(words(two.type), 1)
            self.joined(op)
            return
        first, second = self.values.words_of(one, count), self.values.words_of(two, count)
        for a, b in zip(first, second, strict=True):
            f.get(a)
            f.get(b)
            self.joined(op)

    def joined(self, op: str) -> None:
        if op == "diff":
            self.f.i64(-1)
        self.f.op(*SETS[op])

    def _subset(self, one: k.Expr, two: k.Expr) -> None:
        f, count = self.f, max(words(one.type), words(two.type))
        first, second = self.values.words_of(one, count), self.values.words_of(two, count)
        for at, (a, b) in enumerate(zip(first, second, strict=True)):
            f.get(a)
            f.get(b)
            self.joined("diff")
            if at:
                f.op("i64.or")
        f.op("i64.eqz")

    def popcount(self, count: int) -> None:
        """Of the words on the stack."""
        f = self.f
        f.op("i64.popcnt")
        if count > 1:
            total = f.new()
            f.set(total)
            for _ in range(count - 1):
                f.op("i64.popcnt")
                f.get(total)
                f.op("i64.add")
                f.set(total)
            f.get(total)

    def point(self, item: k.Expr, count: int) -> None:
        """The set of one element, of those below 64 * count."""
        f = self.f
        if count == 1:
            f.i64(1)
            self.values.number(item)
            f.op("i64.shl")
            return
        at = self.values.kept(item)
        for word in range(count):
            f.i64(1)
            f.get(at)
            f.op("i64.shl")
            f.i64(0)
            f.get(at)
            f.i64(BITS * word)
            f.op("i64.sub")
            f.i64(BITS)
            f.op("i64.lt_u", "select")
