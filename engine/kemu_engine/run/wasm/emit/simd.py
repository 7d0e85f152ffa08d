"""Elements of an array that have a value, found 16 bytes at a time, where no sets are kept of them."""

from __future__ import annotations

from kemu_engine.kernel import build, interval
from kemu_engine.kernel import nodes as k
from kemu_engine.opt.set_algebra import bare
from kemu_engine.run.wasm.asm.binary import I32
from kemu_engine.run.wasm.emit.layout import BITS, Slot
from kemu_engine.run.wasm.emit.values import Values

BYTES = 16
SHAPES = {1: "i8x16", 2: "i16x8"}
"""The vectors of elements of so many bytes."""


class VectorSearch:
    """Writes searches for a value."""

    def __init__(self, values: Values) -> None:
        self.unit, self.program, self.f = values.unit, values.program, values.f
        self.values = values

    def searched(self, fold: k.Fold) -> bool:
        """Writes a fold, if it asks which elements of an array of small numbers have a value."""
        f = self.f
        assert isinstance(fold.over.type, k.Set)
        if fold.op == "set" and not bare(fold.body, fold.binder):
            return False
        test = fold.where if fold.op == "set" else build.both(fold.where, fold.body)
        if fold.op not in ("any", "first", "count", "set") or fold.over.type.size > BITS:
            return False
        if not isinstance(test, k.Op) or test.op not in ("eq", "ne"):
            return False
        for args in (test.args, test.args[::-1]):
            at, value = args
            if isinstance(at, k.Op) and at.op == "add" and isinstance(at.args[1], k.Const):
                value, at = build.sub(value, at.args[1]), at.args[0]
            if isinstance(at, k.At) and isinstance(at.type, k.Int) and self._steady(fold, value):
                slot, start = self.unit.slots[at.var], self._start_of(fold, at.index)
                if slot.cell.size in SHAPES and start is not None:
                    break
        else:
            return False
        self.values.expr(fold.over)
        if args is not test.args:  # the value comes first
            value = self.values.held(value.type, [self.values.kept(value)])
        self._having(slot, start, value, fold.over.type.size)
        if test.op == "ne":
            f.i64(-1)
            f.op("i64.xor")
        f.op("i64.and")
        match fold.op:
            case "any":
                f.i64(0)
                f.op("i64.ne")
            case "count":
                f.op("i64.popcnt")
            case "first":
                found = f.new()
                f.set(found)
                f.i64(-1)
                f.get(found)
                f.op("i64.ctz")
                f.get(found)
                f.op("i64.eqz", "select")
        return True

    def _steady(self, fold: k.Fold, value: k.Expr) -> bool:
        """Whether it may be worked out once, and whatever the set."""
        traits = self.unit.traits.of(value)
        return isinstance(value.type, k.Int) and traits.total and fold.binder not in traits.locals

    def _start_of(self, fold: k.Fold, index: k.Expr) -> k.Expr | None:
        """The index of the binder's 0."""
        if bare(index, fold.binder):
            return build.integer(0)
        if isinstance(index, k.Op) and index.op == "add":
            for one, start in (index.args, index.args[::-1]):
                assert isinstance(start.type, k.Int)
                if bare(one, fold.binder) and self._steady(fold, start) and start.type.low >= 0:
                    return start
        return None

    def _having(self, slot: Slot, start: k.Expr, value: k.Expr, size: int) -> None:
        """The set of the elements, from `start` on, that have the value; there may be more in it."""
        f = self.f
        address = f.new(I32)
        offset = self.values.place(slot.at, slot.cell.size, start)
        f.set(address)
        wanted = self.values.kept(value)
        shape = SHAPES[slot.cell.size]
        for lane in range(0, size, BYTES // slot.cell.size):
            f.get(address)
            f.vector("v128.load", offset + lane * slot.cell.size)
            f.get(wanted)
            f.op("i32.wrap_i64")
            f.vector(f"{shape}.splat")
            f.vector(f"{shape}.eq")
            f.vector(f"{shape}.bitmask")
            f.op("i64.extend_i32_u")
            if lane:
                f.i64(lane)
                f.op("i64.shl", "i64.or")
        assert isinstance(slot.var.type, k.Int)
        if not interval.integers_fit(value.type, slot.var.type):
            f.i64(0)
            f.get(wanted)
            f.i64(slot.var.type.low)
            f.op("i64.sub")
            f.i64(slot.var.type.high - slot.var.type.low)
            f.op("i64.le_u", "select")
