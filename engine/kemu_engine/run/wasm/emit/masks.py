"""The set operations of opt/nodes.py in WebAssembly."""

from __future__ import annotations

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.limits import NotCovered
from kemu_engine.kernel.walk import within
from kemu_engine.opt.nodes import Below, Cells, Named, Point, RowsEqual, RowsTouching, Window
from kemu_engine.run.wasm.emit.layout import BITS, pieces, words
from kemu_engine.run.wasm.emit.values import Values

BYTE = 256
"""Values of a byte."""
DIRECT = 4
"""Rows of a table that are asked one by one."""
RANGE = 4096
"""Values between the least and the greatest of a table that is looked up by value."""


class Masks:
    """Writes operations on masks."""

    def __init__(self, values: Values) -> None:
        self.unit, self.program, self.f = values.unit, values.program, values.f
        self.values = values

    def mask(self, mask: k.Intrinsic) -> None:
        assert isinstance(mask.type, k.Set)
        arg = mask.args[0]
        match mask:
            case Cells(var=var) if var in self.values.at_hand:
                self._hand(self.values.at_hand[var], arg)
                self.values.fit(1, words(mask.type))
            case Cells(var=var):
                slot = self.unit.slots[var]
                lowest = build.integer(slot.lowest)
                at = build.sub(arg, lowest) if isinstance(arg.type, k.Int) else arg
                if isinstance(arg, k.Const):
                    at = build.integer(int(arg.value) - slot.lowest)
                offset = self.values.place(slot.masks, slot.row, at)
                self.values.load(k.Set(slot.var.length or 0), offset, words(mask.type))
            case Window():
                self._window(mask.type, arg, mask.args[1])
            case RowsTouching(table=table):
                self._touching(mask.type, table, arg)
            case RowsEqual(table=table):
                self._rows(mask.type, table, arg)
            case Point():
                self._point(mask.type, arg)
            case Below():
                self._under(mask.type, arg)

    def _hand(self, sets: dict[int, int], value: k.Expr) -> None:
        """The set for a value, of those in locals."""
        f = self.f
        if isinstance(value, k.Const):
            f.get(sets[int(value.value)])
            return
        low, high = (value.type.low, value.type.high) if isinstance(value.type, k.Int) else (0, 1)
        likely = [each for each in sets if low <= each <= high]
        if len(likely) == 1 and not any(isinstance(part, Named) for part in within(value)):
            f.get(sets[likely[0]])
            return
        at = self.values.number_in(value)
        f.get(sets[likely[0]])
        for each in likely[1:]:
            f.get(sets[each])
            f.get(at)
            f.i64(each)
            f.op("i64.ne", "select")

    def _point(self, type_: k.Set, item: k.Expr) -> None:
        """The element, if it is one."""
        f = self.f
        at = self.values.number_in(item)
        for word in range(words(type_)):
            f.i64(1)
            f.get(at)
            f.op("i64.shl")
            f.i64(0)
            f.get(at)
            if word:
                f.i64(BITS * word)
                f.op("i64.sub")
            f.i64(min(BITS, type_.size - BITS * word))
            f.op("i64.lt_u", "select")

    def _under(self, type_: k.Set, bound: k.Expr) -> None:
        """All below a number: of each word none, some or all."""
        f = self.f
        at = self.values.number_in(bound)
        for word in range(words(type_)):
            full = pieces((1 << type_.size) - 1, words(type_))[word]
            f.i64(0)
            f.i64(1)
            f.get(at)
            f.op("i64.shl")
            f.i64(1)
            f.op("i64.sub")
            f.i64(full)
            f.get(at)
            f.i64(BITS * word + full.bit_length())
            f.op("i64.lt_s", "select")
            f.get(at)
            f.i64(BITS * word)
            f.op("i64.le_s", "select")

    def _window(self, type_: k.Set, pairs: k.Expr, start: k.Expr) -> None:
        """A set moved down by a number."""
        f = self.f
        assert isinstance(pairs.type, k.Set) and isinstance(start.type, k.Int)
        have, count = words(pairs.type), words(type_)
        if have == 1 and count == 1:
            self.values.expr(pairs)
            self.values.number(start)
            f.op("i64.shr_u")
            if start.type.high >= BITS:
                f.i64(0)
                at = self.values.number_in(start)
                f.get(at)
                f.i64(BITS)
                f.op("i64.lt_u", "select")
        else:
            at = self.unit.memory.take(8 * (have + count + 1))
            if isinstance(pairs, k.Const):
                at = self.unit.memory.static(pairs.value.to_bytes(8 * (have + count + 1), "little"))
            else:
                self.values.spill(pairs, at)
            first, shift = self._clamped(start, BITS * have), f.new()
            f.get(first)
            f.i64(BITS - 1)
            f.op("i64.and")
            f.set(shift)
            found = [f.new() for _ in range(count)]
            for word in range(count):
                self._word(at + 8 * word, first)
                f.get(shift)
                f.op("i64.shr_u")
                self._word(at + 8 * word + 8, first)
                f.i64(1)
                f.op("i64.shl")
                f.i64(BITS - 1)
                f.get(shift)
                f.op("i64.sub", "i64.shl", "i64.or")
                f.set(found[word])
            self.values.push(found)
        self._cut(type_)

    def _clamped(self, value: k.Expr, most: int) -> int:
        f = self.f
        at = self.values.number_in(value)
        found = f.new()
        f.get(at)
        f.i64(most)
        f.get(at)
        f.i64(most)
        f.op("i64.lt_u", "select")
        f.set(found)
        return found

    def _word(self, at: int, bit: int) -> None:
        """The word in memory that holds a bit."""
        f = self.f
        f.get(bit)
        f.i64(6)
        f.op("i64.shr_u")
        f.op("i32.wrap_i64")
        f.i32(3)
        f.op("i32.shl")
        f.access("i64.load", at)

    def _cut(self, type_: k.Set) -> None:
        """Of the words on the stack only what is in the set."""
        last = type_.size - BITS * (words(type_) - 1)
        if last < BITS:
            self.f.i64((1 << last) - 1)
            self.f.op("i64.and")

    def _touching(self, type_: k.Set, table: int, items: k.Expr) -> None:
        """The rows that have an element in common with a set: one by one, or a byte of the set at a time."""
        f, count = self.f, words(type_)
        rows = self.program.tables[table].values
        width = max(1, max(int(row).bit_length() for row in rows))
        have = self.values.words_of(items, words(items.type))
        have = have[: -(-width // BITS)]
        if len(rows) <= DIRECT:
            for number, row in enumerate(rows):
                for at, (word, piece) in enumerate(zip(have, pieces(row, len(have)), strict=True)):
                    f.get(word)
                    f.i64(piece)
                    f.op("i64.and")
                    if at:
                        f.op("i64.or")
                f.i64(0)
                f.op("i64.ne", "i64.extend_i32_u")
                f.i64(number)
                f.op("i64.shl")
                if number:
                    f.op("i64.or")
            return
        found = [f.new() for _ in range(count)]
        address = f.new("i32")
        for at, base in enumerate(self.unit.touching(table)):
            if at // 8 >= len(have):
                break
            f.get(have[at // 8])
            if at % 8:
                f.i64(8 * (at % 8))
                f.op("i64.shr_u")
            f.op("i32.wrap_i64")
            f.i32(BYTE - 1)
            f.op("i32.and")
            f.i32(8 * count)
            f.op("i32.mul")
            f.set(address)
            for word in range(count):
                f.get(address)
                f.access("i64.load", base + 8 * word)
                if at:
                    f.get(found[word])
                    f.op("i64.or")
                f.set(found[word])
        self.values.push(found)

    def _rows(self, type_: k.Set, table: int, value: k.Expr) -> None:
        """The rows of a table with a value, from a table by value."""
        f, count = self.f, words(type_)
        rows = [int(row) for row in self.program.tables[table].values]
        low, high = min(rows), max(rows)
        if high - low >= RANGE:
            raise NotCovered(f"a table looked up by values from {low} to {high}")
        data = b"".join(
            sum(1 << i for i, row in enumerate(rows) if row == each).to_bytes(8 * count, "little")
            for each in [*range(low, high + 1), None]
        )
        at = self.unit.memory.static(data)
        self.values.number(value)
        number = f.new()
        f.i64(low)
        f.op("i64.sub")
        f.set(number)
        f.get(number)
        f.i64(high - low + 1)
        f.get(number)
        f.i64(high - low + 1)
        f.op("i64.lt_u", "select", "i32.wrap_i64")
        f.i32(8 * count)
        f.op("i32.mul")
        self.values.load(type_, at, count)
