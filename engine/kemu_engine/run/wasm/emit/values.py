"""Values of the kernel in WebAssembly's locals, on its stack and in memory.

Truth is an i32, a number an i64, a set one i64 for each 64 elements, the lowest first.
"""

from __future__ import annotations

from collections.abc import Callable

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.run.wasm.asm.binary import I32, I64, Function, Label
from kemu_engine.run.wasm.emit.layout import Area, cell, words
from kemu_engine.run.wasm.emit.unit import Unit

FAULT = 0
"""The global that holds one more than the number of the fault, 0 if there is none."""
UNROLLED = 256
"""Bytes that are copied word by word."""


class Values:
    """The values of one function in the making. `expr` leaves the words of a value on the stack. `at_hand`:
    of arrays of which the sets by value are not in memory but in locals, by value which."""

    def __init__(self, unit: Unit, f: Function, expr: Callable[[k.Expr], None]) -> None:
        self.unit = unit
        self.program = unit.program
        self.f = f
        self.expr = expr
        self.faulted: Label  # where a fault goes
        self.at_hand: dict[int, dict[int, int]] = {}
        self._locals: dict[int, list[int]] = {}
        self._lowest = 0

    def given(self, local: int, words: list[int]) -> None:
        """A local of the program is in these words."""
        self._locals[local] = words

    def local(self, local: int) -> list[int]:
        """The words that hold a local of the program."""
        if local not in self._locals:
            type_ = self.program.locals[local].type
            kind = I32 if isinstance(type_, k.Bool) else I64
            self._locals[local] = [self.f.new(kind) for _ in range(words(type_))]
        return self._locals[local]

    def held(self, type_: k.Type, words: list[int]) -> k.Local:
        """A value that is in locals, as an expression: a local that the program does not have."""
        self._lowest -= 1
        self._locals[self._lowest] = words
        return k.Local(type_, self._lowest)

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

    def kept(self, value: k.Expr) -> int:
        found = self.f.new()
        self.number(value)
        self.f.set(found)
        return found

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

    def stored(self, over: k.Expr) -> int:
        """Where in memory a set is: puts an address on the stack, and gives the offset that belongs to it."""
        match over:
            case k.Load(_, var) if words(self.program.vars[var].type) == words(over.type):
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

    def fault(self, fault: int) -> None:
        self.f.i32(fault + 1)
        self.f.set_global(FAULT)
        self.f.br(self.faulted)

    def check(self, test: k.Expr, fault: int) -> None:
        """The fault, unless the test holds."""
        self.expr(build.no(test))
        with self.f.when():
            self.fault(fault)
