"""Kernel expressions as WebAssembly: truth is an i32, a number an i64, a set one i64 for each 64 elements.

`expr` leaves the words of a value on the stack, the lowest first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine import kernel as k
from engine import make
from engine.generated.nodes import Mask, size
from engine.generated.work import assigned, written
from engine.wasm.binary import I32, I64, Function, Label
from engine.wasm.layout import BITS, Area, NotCovered, cell, pieces, words

if TYPE_CHECKING:
    from engine.wasm.unit import Unit

FAULT = 0
"""The global that holds one more than the number of the fault, 0 if there is none."""
UNROLLED = 256
"""Bytes that are copied word by word."""
CHEAP = 8
"""Nodes of a condition that may as well be worked out when nobody asks."""
MOST_WORDS = 64
"""Words of a set that is kept in locals."""
BYTE = 256

COMPARED = {"lt": "i64.lt_s", "le": "i64.le_s"}
PLAIN = {"add": "i64.add", "sub": "i64.sub", "mul": "i64.mul"}
SETS = {"union": ("i64.or",), "inter": ("i64.and",), "diff": ("i64.xor", "i64.and")}


class Expressions:
    """Writes expressions into one function."""

    def __init__(self, unit: Unit, f: Function) -> None:
        self.unit = unit
        self.work = unit.work
        self.f = f
        self.faulted: Label  # where a fault goes
        self._locals: dict[int, list[int]] = {}

    # ------------------------------------------------------------------------------------------ locals

    def local(self, local: int) -> list[int]:
        """The words that hold a local of the program."""
        if local not in self._locals:
            type_ = self.work.locals[local].type
            kind = I32 if isinstance(type_, k.Bool) else I64
            self._locals[local] = [self.f.new(kind) for _ in range(words(type_))]
        return self._locals[local]

    def held(self, type_: k.Type, words: list[int]) -> k.Local:
        """A value that is in locals, as an expression."""
        self.work.locals.append(k.LocalInfo("held", type_))
        self._locals[len(self.work.locals) - 1] = words
        return k.Local(type_, len(self.work.locals) - 1)

    def set_local(self, local: int, value: k.Expr) -> None:
        self.expr(value)
        own = self.local(local)
        self.fit(words(value.type), len(own))
        self.pop(own)

    def pop(self, locals: list[int]) -> None:
        """Takes words from the stack."""
        for each in reversed(locals):
            self.f.set(each)

    def push(self, locals: list[int]) -> None:
        for each in locals:
            self.f.get(each)

    def fit(self, have: int, want: int) -> None:
        """Makes a set of so many words one of another number."""
        for _ in range(have, want):
            self.f.i64(0)
        for _ in range(want, have):
            self.f.op("drop")

    def words_of(self, value: k.Expr, count: int) -> list[int]:
        """The value in locals."""
        if isinstance(value, k.Local) and len(self.local(value.id)) == count:
            return self.local(value.id)
        self.expr(value)
        self.fit(words(value.type), count)
        found = [self.f.new() for _ in range(count)]
        self.pop(found)
        return found

    def number(self, value: k.Expr) -> None:
        """A number, or truth as one."""
        self.expr(value)
        if isinstance(value.type, k.Bool):
            self.f.op("i64.extend_i32_u")

    def number_in(self, value: k.Expr) -> int:
        """The same in a local."""
        if isinstance(value, k.Local) and isinstance(value.type, k.Int):
            return self.local(value.id)[0]
        self.number(value)
        found = self.f.new()
        self.f.set(found)
        return found

    # ------------------------------------------------------------------------------------------ expressions

    def expr(self, expr: k.Expr) -> None:
        f = self.f
        if words(expr.type) > MOST_WORDS:
            raise NotCovered(f"sets of more than {MOST_WORDS * BITS:,} elements")
        match expr:
            case k.Const(k.Bool(), value):
                f.i32(int(value))
            case k.Const(k.Set(), value):
                for word in pieces(value, words(expr.type)):
                    f.i64(word)
            case k.Const(_, value):
                f.i64(value)
            case k.Local(type_, local):
                own = self.local(local)
                self.push(own)
                self.fit(len(own), words(type_))
            case k.Load(_, var):
                f.i32(0)
                self.load(self.work.program.vars[var].type, self.unit.slots[var].at, words(expr.type))
            case k.At(_, var, index):
                slot = self.unit.slots[var]
                self.load(slot.var.type, self.place(slot.at, slot.cell.size, index), words(expr.type))
            case k.Lookup(_, table, index):
                at, type_ = self.unit.table(table, expr.type)
                self.load(type_, self.place(at, cell(type_).size, index), words(expr.type))
            case k.Op():
                self._operation(expr)
            case k.If(type_, test, then, other):
                self._if(type_, test, then, other)
            case k.Fold():
                self._fold(expr)
            case k.Closure():
                self._closure(expr)
            case k.Let(type_, local, value, body):
                self.set_local(local, value)
                self.expr(body)
                self.fit(words(body.type), words(type_))
            case Mask():
                self.mask(expr)
            case k.Call():
                self._call(expr)
            case k.Need(type_, test, value, fault):
                self.check(test, fault)
                self.expr(value)
                self.fit(words(value.type), words(type_))
            case k.Trial():
                self._trial(expr)

    def mask(self, mask: Mask) -> None:
        raise NotImplementedError

    def code(self, code: k.Code) -> None:
        raise NotImplementedError

    def place(self, at: int, size: int, index: k.Expr) -> int:
        """Puts an address on the stack, and gives the offset that belongs to it, of an element of what
        begins at `at`."""
        f = self.f
        if isinstance(index, k.Const):
            f.i32(0)
            return at + size * max(index.value, 0)
        self.number(index)
        f.op("i32.wrap_i64")
        if size > 1:
            f.i32(size)
            f.op("i32.mul")
        if isinstance(index.type, k.Int) and index.type.low < 0:
            f.i32(at)
            f.op("i32.add")
            return 0
        return at

    def load(self, type_: k.Type, offset: int, count: int) -> None:
        """The value that is kept at the address on the stack."""
        f, kept = self.f, cell(type_)
        there = min(words(type_), count)
        if there == 1:
            f.access(kept.load, offset)
        else:
            address = f.new(I32)
            f.set(address)
            for word in range(there):
                f.get(address)
                f.access(kept.load, offset + 8 * word)
        self.fit(there, count)

    def fault(self, fault: int) -> None:
        self.f.i32(fault + 1)
        self.f.set_global(FAULT)
        self.f.br(self.faulted)

    def check(self, test: k.Expr, fault: int) -> None:
        """The fault, unless the test holds."""
        self.expr(make.no(test))
        with self.f.when():
            self.fault(fault)

    # ------------------------------------------------------------------------------------------ operations

    def _operation(self, expr: k.Op) -> None:
        f, args = self.f, expr.args
        match expr.op:
            case "add" | "sub" | "mul":
                self.number(args[0])
                self.number(args[1])
                f.op(PLAIN[expr.op])
            case "lt" | "le":
                self.number(args[0])
                self.number(args[1])
                f.op(COMPARED[expr.op])
            case "div" | "mod":
                self._divide(expr.op, *args)
            case "neg":
                f.i64(0)
                self.number(args[0])
                f.op("i64.sub")
            case "abs":
                value = f.new()
                self.number(args[0])
                f.set(value)
                f.i64(0)
                f.get(value)
                f.op("i64.sub")
                f.get(value)
                f.get(value)
                f.i64(0)
                f.op("i64.lt_s", "select")
            case "min" | "max":
                one, two = (self._kept(arg) for arg in args)
                self._lesser(one, two, expr.op)
            case "eq" | "ne":
                self._same(expr.op, *args)
            case "and" | "or":
                self._lazy(expr.op, args)
            case "not":
                self.expr(args[0])
                f.op("i32.eqz")
            case "in":
                self._in(*args)
            case "union" | "inter" | "diff":
                self._sets(expr.op, *args, words(expr.type))
            case "subset":
                self._subset(*args)
            case "card":
                self.expr(args[0])
                self._popcount(words(args[0].type))
            case "single":
                self.point(args[0], words(expr.type))

    def _kept(self, value: k.Expr) -> int:
        found = self.f.new()
        self.number(value)
        self.f.set(found)
        return found

    def _lesser(self, one: int, two: int, op: str) -> None:
        """The lesser of two numbers, or the greater."""
        for each in (one, two, one, two):
            self.f.get(each)
        self.f.op("i64.lt_s" if op == "min" else "i64.gt_s", "select")

    def _divide(self, op: str, one: k.Expr, two: k.Expr) -> None:
        f = self.f
        assert isinstance(one.type, k.Int) and isinstance(two.type, k.Int)
        if one.type.low >= 0 and two.type.low >= 0:
            self.number(one)
            self.number(two)
            f.op("i64.div_u" if op == "div" else "i64.rem_u")
            return
        over, under = self._kept(one), self._kept(two)
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
            self.expr(one)
            self.expr(two)
            f.op("i32.eq" if op == "eq" else "i32.ne")
            return
        if not isinstance(one.type, k.Set):
            self.number(one)
            self.number(two)
            f.op("i64.eq" if op == "eq" else "i64.ne")
            return
        count = max(words(one.type), words(two.type))
        if count == 1:
            self.expr(one)
            self.expr(two)
            f.op("i64.eq" if op == "eq" else "i64.ne")
            return
        first, second = self.words_of(one, count), self.words_of(two, count)
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
        self.expr(args[0])
        for at, each in enumerate(args[1:], 1):
            if self._cheap(each):
                self.expr(each)
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

    def _cheap(self, *exprs: k.Expr) -> bool:
        return sum(size(each, CHEAP) for each in exprs) < CHEAP and all(
            self.unit.traits.of(each).total for each in exprs
        )

    def _in(self, item: k.Expr, over: k.Expr) -> None:
        """Whether an element is in a set: the set word by word in locals, or looked up in memory."""
        f = self.f
        assert isinstance(over.type, k.Set) and isinstance(item.type, k.Int)
        at = self._kept(item)
        count = words(over.type)
        base = f.new(I32)
        if count == 1:
            self.expr(over)
            f.get(at)
            f.op("i64.shr_u")
        else:
            offset = self.stored(over)
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

    def stored(self, over: k.Expr) -> int:
        """Where in memory a set is: puts an address on the stack, and gives the offset that belongs to it."""
        match over:
            case k.Load(_, var) if words(self.work.program.vars[var].type) == words(over.type):
                self.f.i32(0)
                return self.unit.slots[var].at
            case k.Const():
                self.f.i32(0)
                return self.unit.memory.static(over.value.to_bytes(8 * words(over.type), "little"))
        at = self.unit.memory.take(8 * words(over.type))
        self.spill(over, at)
        self.f.i32(0)
        return at

    def spill(self, over: k.Expr, at: int, count: int = 0) -> None:
        """Writes a set to memory, as so many words."""
        for word, local in enumerate(self.words_of(over, count or words(over.type))):
            self.f.i32(0)
            self.f.get(local)
            self.f.access("i64.store", at + 8 * word)

    def _sets(self, op: str, one: k.Expr, two: k.Expr, count: int) -> None:
        f = self.f
        if count == 1:
            self.expr(one)
            self.fit(words(one.type), 1)
            if op == "diff" and isinstance(two, k.Const):
                f.i64(~two.value & (1 << BITS) - 1)
                f.op("i64.and")
                return
            self.expr(two)
            self.fit(words(two.type), 1)
            self._joined(op)
            return
        first, second = self.words_of(one, count), self.words_of(two, count)
        for a, b in zip(first, second, strict=True):
            f.get(a)
            f.get(b)
            self._joined(op)

    def _joined(self, op: str) -> None:
        if op == "diff":
            self.f.i64(-1)
        self.f.op(*SETS[op])

    def _subset(self, one: k.Expr, two: k.Expr) -> None:
        f, count = self.f, max(words(one.type), words(two.type))
        first, second = self.words_of(one, count), self.words_of(two, count)
        for at, (a, b) in enumerate(zip(first, second, strict=True)):
            f.get(a)
            f.get(b)
            self._joined("diff")
            if at:
                f.op("i64.or")
        f.op("i64.eqz")

    def _popcount(self, count: int) -> None:
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
            self.number(item)
            f.op("i64.shl")
            return
        at = self._kept(item)
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

    def _if(self, type_: k.Type, test: k.Expr, then: k.Expr, other: k.Expr) -> None:
        f, count = self.f, words(type_)
        if count == 1:
            if self._cheap(then, other):
                for each in (then, other):
                    self.expr(each)
                    self.fit(words(each.type), 1)
                self.expr(test)
                f.op("select")
                return
            self.expr(test)
            with f.when(I32 if isinstance(type_, k.Bool) else I64):
                self.expr(then)
                self.fit(words(then.type), 1)
                f.otherwise()
                self.expr(other)
                self.fit(words(other.type), 1)
            return
        found = [f.new() for _ in range(count)]
        self.expr(test)
        with f.when():
            for at, each in enumerate((then, other)):
                if at:
                    f.otherwise()
                self.expr(each)
                self.fit(words(each.type), count)
                self.pop(found)
        self.push(found)

    # ------------------------------------------------------------------------------------------ folds

    def laps(self, binder: int, over: k.Expr, lap: Callable[[Label, Label], None]) -> None:
        """The elements of a set one by one, in the local `binder`; `lap` writes what is done with each, given
        where to go to leave the loop, and to go on with the next."""
        f, (own,) = self.f, self.local(binder)
        count = words(over.type)
        with f.block() as out:
            if isinstance(over, k.Const) and over.value:
                low, high = (over.value & -over.value).bit_length() - 1, over.value.bit_length() - 1
                if over.value == (1 << high + 1) - (1 << low):
                    at = f.new()
                    f.i64(low)
                    f.set(at)
                    with f.loop() as again:
                        f.get(at)
                        f.set(own)
                        with f.block() as following:
                            lap(out, following)
                        f.get(at)
                        f.i64(1)
                        f.op("i64.add")
                        f.tee(at)
                        f.i64(high)
                        f.op("i64.le_u")
                        f.br_if(again)
                    return
            rest = f.new()
            if count == 1:
                self.expr(over)
                f.set(rest)
                self._bits(rest, own, None, lambda following: lap(out, following))
                return
            at = self.unit.memory.take(8 * count)
            self.spill(over, at)
            word = f.new(I32)
            f.i32(0)
            f.set(word)
            with f.loop() as again:
                f.get(word)
                f.access("i64.load", at)
                f.set(rest)
                self._bits(rest, own, word, lambda following: lap(out, following))
                f.get(word)
                f.i32(8)
                f.op("i32.add")
                f.tee(word)
                f.i32(8 * count)
                f.op("i32.lt_u")
                f.br_if(again)

    def _bits(self, rest: int, own: int, word: int | None, lap: Callable[[Label], None]) -> None:
        """The bits of a word; `word`: eight times its number."""
        f = self.f
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

    def _fold(self, fold: k.Fold) -> None:
        f = self.f
        (own,) = self.local(fold.binder)
        kind = I32 if fold.op in ("any", "all") else I64
        count = words(fold.type)
        wide = self.unit.memory.take(8 * count) if fold.op == "set" and count > 1 else 0
        found = f.new(kind)
        if wide:
            self.zero(Area(wide, 8 * count))
        elif kind == I32:
            f.i32(int(fold.op == "all"))
        else:
            f.i64(self._start(fold))
        if not wide:
            f.set(found)

        def lap(out: Label, following: Label) -> None:
            if fold.where != make.truth(True):
                self.expr(make.no(fold.where))
                f.br_if(following)
            match fold.op:
                case "any" | "all":
                    self.expr(fold.body if fold.op == "any" else make.no(fold.body))
                    with f.when():
                        f.i32(int(fold.op == "any"))
                        f.set(found)
                        f.br(out)
                case "first":
                    self.expr(fold.body)
                    with f.when():
                        f.get(own)
                        f.set(found)
                        f.br(out)
                case "count" | "sum":
                    self.number(fold.body)
                    f.get(found)
                    f.op("i64.add")
                    f.set(found)
                case "min" | "max":
                    one = self._kept(fold.body)
                    self._lesser(one, found, fold.op)
                    f.set(found)
                case "set" if wide:
                    self.switch_on(wide, self._kept(fold.body))
                case "set":
                    self.point(fold.body, 1)
                    f.get(found)
                    f.op("i64.or")
                    f.set(found)

        self.laps(fold.binder, fold.over, lap)
        if wide:
            f.i32(0)
            self.load(fold.type, wide, count)
        else:
            f.get(found)

    def _start(self, fold: k.Fold) -> int:
        if fold.op == "first":
            return -1
        if fold.op in ("min", "max"):
            assert isinstance(fold.type, k.Int)
            return fold.type.high if fold.op == "min" else fold.type.low
        return 0

    def byte_of(self, item: int) -> None:
        """The number of the byte with an element's bit."""
        self.f.get(item)
        self.f.op("i32.wrap_i64")
        self.f.i32(3)
        self.f.op("i32.shr_u")

    def switch_on(self, at: int, item: int) -> None:
        """Adds an element to a set in memory."""
        f = self.f
        self.byte_of(item)
        self.byte_of(item)
        f.access("i64.load8_u", at)
        f.i64(1)
        f.get(item)
        f.i64(7)
        f.op("i64.and", "i64.shl", "i64.or")
        f.access("i64.store8", at)

    def _closure(self, closure: k.Closure) -> None:
        """In the interpreter's order: what was found last first, of those found together the greatest."""
        f = self.f
        assert isinstance(closure.type, k.Set)
        count = words(closure.type)
        stack = self.unit.memory.take(4 * closure.type.size)
        item = f.new()
        top = f.new(I32)
        reached, fresh = ([f.new() for _ in range(count)] for _ in range(2))
        self.expr(closure.seed)
        self.fit(words(closure.seed.type), count)
        self.pop(reached)
        self.push(reached)
        self.pop(fresh)
        f.i32(0)
        f.set(top)
        (own,) = self.local(closure.binder)
        each_of = self.held(k.Int(0, closure.type.size), [item])

        def put(out: Label, following: Label) -> None:
            f.get(top)
            f.get(item)
            f.access("i64.store32", stack)
            f.get(top)
            f.i32(4)
            f.op("i32.add")
            f.set(top)

        with f.block() as done, f.loop() as again:
            self.laps(each_of.id, self.held(closure.type, fresh), put)
            f.get(top)
            f.op("i32.eqz")
            f.br_if(done)
            f.get(top)
            f.i32(4)
            f.op("i32.sub")
            f.tee(top)
            f.access("i64.load32_u", stack)
            f.set(own)
            found = self.words_of(closure.step, count)
            for each, known, new in zip(found, reached, fresh, strict=True):
                f.get(each)
                f.get(known)
                self._joined("diff")
                f.tee(new)
                f.get(known)
                f.op("i64.or")
                f.set(known)
            f.br(again)
        self.push(reached)

    # ------------------------------------------------------------------------------------------ calls, trials

    def _call(self, call: k.Call) -> None:
        function = self.work.functions[call.function]
        for param, arg in zip(function.params, call.args, strict=True):
            self.expr(arg)
            self.fit(words(arg.type), words(self.work.locals[param].type))
        self.f.call(self.unit.function(call.function))
        if self.unit.may_fault(call.function):
            self.f.get_global(FAULT)
            self.f.br_if(self.faulted)
        count = words(function.type)
        if count > 1:
            # several words come back in memory
            self.f.i32(0)
            self.load(function.type, self.unit.returned(call.function), words(call.type))
        else:
            self.fit(count, words(call.type))

    def zero(self, area: Area) -> None:
        if area.size <= UNROLLED:
            for at in range(area.at, area.at + area.size, 8):
                self.f.i32(0)
                self.f.i64(0)
                self.f.access("i64.store", at)
            return
        self.f.i32(area.at)
        self.f.i32(0)
        self.f.i32(area.size)
        self.f.fill()

    def move(self, to: int, area: Area) -> None:
        """Copies an area of whole words."""
        if area.size <= UNROLLED:
            for at in range(0, area.size, 8):
                self.f.i32(0)
                self.f.i32(0)
                self.f.access("i64.load", area.at + at)
                self.f.access("i64.store", to + at)
            return
        self.f.i32(to)
        self.f.i32(area.at)
        self.f.i32(area.size)
        self.f.copy()

    def _trial(self, trial: k.Trial) -> None:
        """What it writes is put aside and put back."""
        f = self.f
        areas = [self.unit.slots[var].area for var in sorted(written(trial.body))]
        saved = [(area, self.unit.memory.take(area.size)) for area in areas]
        kept: list[tuple[int, int]] = []
        for local in sorted(assigned(trial.body)):
            for own in self.local(local):
                kept.append((own, f.new(I32 if isinstance(self.work.locals[local].type, k.Bool) else I64)))
        for own, copy in kept:
            f.get(own)
            f.set(copy)
        for area, at in saved:
            self.move(at, area)
        self.code(trial.body)
        self.expr(trial.test)
        for own, copy in kept:
            f.get(copy)
            f.set(own)
        for area, at in saved:
            self.move(area.at, Area(at, area.size))
