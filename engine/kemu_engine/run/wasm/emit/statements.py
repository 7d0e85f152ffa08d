"""Kernel statements as WebAssembly."""

from __future__ import annotations

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import within
from kemu_engine.opt.sets.mask_arrays import values
from kemu_engine.run.wasm.asm.binary import I32, Label
from kemu_engine.run.wasm.emit.histories import Histories
from kemu_engine.run.wasm.emit.layout import BITS, Area, Slot, pieces, words
from kemu_engine.run.wasm.emit.loops import Loops
from kemu_engine.run.wasm.emit.values import Values


class Statements:
    """Writes code; `returns`: the number of the function of the rules whose code it is."""

    def __init__(self, values: Values, loops: Loops, returns: int) -> None:
        self.unit, self.program, self.f = values.unit, values.program, values.f
        self.values = values
        self.loops = loops
        self.histories = Histories(values)
        self.returns = returns
        self._around: tuple[Label, Label] | None = None  # of the innermost loop: its end, and its next lap

    def code(self, code: k.Code) -> None:
        for statement in code:
            self.statement(statement)

    def statement(self, statement: k.Stmt) -> None:
        match statement:
            case k.Assign(local, value):
                self.values.set_local(local, value)
            case k.Store(var, value):
                slot = self.unit.slots[var]
                if isinstance(slot.var.type, k.Set):
                    self.values.spill(value, slot.at, words(slot.var.type))
                    return
                self.f.i32(0)
                self.values.expr(value)
                self.f.access(slot.cell.store, slot.at)
            case k.Put():
                self._put(statement)
            case k.Fill():
                self._fill(statement)
            case k.Note(var):
                self.histories.note(var)
            case k.Forget(var):
                self.histories.forget(var)
            case k.When(test, then, other):
                self.values.expr(test if then else build.no(test))
                with self.f.when():
                    self.code(then or other)
                    if then and other:
                        self.f.otherwise()
                        self.code(other)
            case k.For(local, over, body):
                self.loops.laps(local, over, lambda out, following: self._lap(body, out, following))
            case k.Loop(bound, body, fault):
                self._loop(bound, body, fault)
            case k.Break():
                assert self._around is not None
                self.f.br(self._around[0])
            case k.Continue():
                assert self._around is not None
                self.f.br(self._around[1])
            case k.Return(value):
                self._return(value)
            case k.Check(test, fault):
                self.values.check(test, fault)

    def _return(self, value: k.Expr) -> None:
        type_ = self.program.functions[self.returns].type
        count = words(type_)
        if count == 1:
            self.values.expr(value)
            self.values.fit(words(value.type), 1)
        else:
            self.values.spill(value, self.unit.returned(self.returns), count)
        self.f.op("return")

    def _lap(self, body: k.Code, out: Label, following: Label) -> None:
        around, self._around = self._around, (out, following)
        self.code(body)
        self._around = around

    def _loop(self, bound: int, body: k.Code, fault: int) -> None:
        f = self.f
        laps = f.new()
        f.i64(0)
        f.set(laps)
        with f.block() as out, f.loop() as again:
            f.get(laps)
            f.i64(bound)
            f.op("i64.eq")
            with f.when():
                self.values.fault(fault)
            f.get(laps)
            f.i64(1)
            f.op("i64.add")
            f.set(laps)
            self._lap(body, out, again)
            f.br(again)

    # ------------------------------------------------------------------------------------------ writing

    def _put(self, put: k.Put) -> None:
        f, slot = self.f, self.unit.slots[put.var]
        kept = slot.cell
        at = f.new()
        self.values.number(put.index)
        f.set(at)
        index = k.Int(0, max(0, (slot.var.length or 0) - 1))
        place_of = put.index if isinstance(put.index, k.Const) else self.values.held(index, [at])
        if isinstance(slot.var.type, k.Set):
            new = self.values.words_of(put.value, words(slot.var.type))
            offset = self.values.place(slot.at, kept.size, place_of)
            address = f.new(I32)
            f.set(address)
            for word, each in enumerate(new):
                f.get(address)
                f.get(each)
                f.access(kept.store, offset + 8 * word)
            return
        value = f.new(I32 if isinstance(slot.var.type, k.Bool) else "i64")
        self.values.expr(put.value)
        f.set(value)
        if put.var in self.values.at_hand:
            self._switch_at_hand(self.values.at_hand[put.var], at, value, put.value)
        elif slot.masks >= 0:
            self._switch(slot, at, place_of, value, put.value)
        offset = self.values.place(slot.at, kept.size, place_of)
        f.get(value)
        f.access(kept.store, offset)

    def _switch_at_hand(self, sets: dict[int, int], at: int, value: int, new: k.Expr) -> None:
        """The same, where the sets are in locals: nobody asks for the old value."""
        f, bit = self.f, self.f.new()
        f.i64(1)
        f.get(at)
        f.op("i64.shl")
        f.set(bit)
        for each, own in sets.items():
            if isinstance(new, k.Const):
                f.get(own)
                f.get(bit)
                if int(new.value) != each:
                    f.i64(-1)
                    f.op("i64.xor", "i64.and")
                else:
                    f.op("i64.or")
            else:
                for op in (("i64.or",), ("xor", "i64.and")):
                    f.get(own)
                    f.get(bit)
                    if op[0] == "xor":
                        f.i64(-1)
                        f.op("i64.xor")
                    f.op(op[-1])
                f.get(value)
                if isinstance(new.type, k.Bool):
                    f.op("i64.extend_i32_u")
                f.i64(each)
                f.op("i64.eq", "select")
            f.set(own)

    def _switch(self, slot: Slot, at: int, place: k.Expr, value: int, new: k.Expr) -> None:
        """Moves an element from the set of its old value to that of its new one."""
        f = self.f
        bit, word, address = self.f.new(), self.f.new(I32), f.new(I32)
        wide = slot.row > 8
        f.i64(1)
        f.get(at)
        f.op("i64.shl")
        f.set(bit)
        if wide:
            f.get(at)
            f.i64(6)
            f.op("i64.shr_u", "i32.wrap_i64")
            f.i32(3)
            f.op("i32.shl")
            f.set(word)
        for old in (True, False):
            if old:
                offset = self.values.place(slot.at, slot.cell.size, place)
                f.access(slot.cell.load, offset)
            else:
                f.get(value)
            if isinstance(slot.var.type, k.Int):
                if slot.lowest:
                    f.i64(slot.lowest)
                    f.op("i64.sub")
                f.op("i32.wrap_i64")
            f.i32(slot.row)
            f.op("i32.mul")
            if wide:
                f.get(word)
                f.op("i32.add")
            f.tee(address)
            f.get(address)
            f.access("i64.load", slot.masks)
            f.get(bit)
            f.op("i64.xor" if old else "i64.or")
            f.access("i64.store", slot.masks)

    def _fill(self, fill: k.Fill) -> None:
        slot, f = self.unit.slots[fill.var], self.f
        length = slot.var.length or 0
        if not length:
            return
        kept, type_ = slot.cell, slot.var.type
        if isinstance(fill.value, k.Const) and not isinstance(type_, k.Set):
            value = int(fill.value.value)
            self._same_everywhere(slot, value, length)
            self.to_hand(fill.var)
            return
        parts = list(within(fill.value))
        reads = fill.var in self.unit.traits.of(fill.value).vars or any(
            isinstance(part, k.Trial) for part in parts
        )
        to = self.unit.memory.take(kept.size * length) if reads else slot.at
        (own,) = self.values.local(fill.binder)
        item, address = f.new(), f.new(I32)
        f.i64(0)
        f.set(item)
        if slot.masks >= 0:
            masks = self.unit.memory.take(slot.row * len(values(type_)))
            self.values.zero(Area(masks, slot.row * len(values(type_))))
        with f.loop() as again:
            f.get(item)
            f.set(own)
            new = self._words_for(fill.value, type_)
            f.get(item)
            f.op("i32.wrap_i64")
            f.i32(kept.size)
            f.op("i32.mul")
            f.set(address)
            for word, each in enumerate(new):
                f.get(address)
                f.get(each)
                f.access(kept.store, to + 8 * word)
            if slot.masks >= 0:
                self._note_mask(slot, masks, new[0], item, address)
            f.get(item)
            f.i64(1)
            f.op("i64.add")
            f.tee(item)
            f.i64(length)
            f.op("i64.lt_u")
            f.br_if(again)
        if to != slot.at:
            self.values.move(slot.at, Area(to, -(-kept.size * length // 8) * 8))
        if slot.masks >= 0:
            self.values.move(slot.masks, Area(masks, slot.row * len(values(type_))))
            self.to_hand(fill.var)

    def _note_mask(self, slot: Slot, masks: int, value: int, item: int, address: int) -> None:
        """Adds an element to the set of its value; `address` is a local for that."""
        f = self.f
        f.get(value)
        if isinstance(slot.var.type, k.Int):
            f.i64(slot.lowest)
            f.op("i64.sub", "i32.wrap_i64")
        f.i32(slot.row)
        f.op("i32.mul")
        f.get(item)
        f.i64(6)
        f.op("i64.shr_u", "i32.wrap_i64")
        f.i32(3)
        f.op("i32.shl", "i32.add")
        f.tee(address)
        f.get(address)
        f.access("i64.load", masks)
        f.i64(1)
        f.get(item)
        f.op("i64.shl", "i64.or")
        f.access("i64.store", masks)

    def to_hand(self, var: int) -> None:
        """From memory to locals, if the sets are kept there."""
        slot = self.unit.slots[var]
        for number, own in enumerate(self.values.at_hand.get(var, {}).values()):
            self.f.i32(0)
            self.f.access("i64.load", slot.masks + number * slot.row)
            self.f.set(own)

    def _words_for(self, value: k.Expr, type_: k.Type) -> list[int]:
        """A value to be written, in locals."""
        if isinstance(type_, k.Set):
            return self.values.words_of(value, words(type_))
        found = self.f.new(I32 if isinstance(type_, k.Bool) else "i64")
        self.values.expr(value)
        self.f.set(found)
        return [found]

    def _same_everywhere(self, slot: Slot, value: int, length: int) -> None:
        size = slot.cell.size
        data = (value & (1 << 8 * size) - 1).to_bytes(size, "little") * length
        padded = data + b"\0" * (-len(data) % 8)
        self.values.move(slot.at, Area(self.unit.memory.static(padded), len(padded)))
        if slot.masks >= 0:
            count = slot.row * 8 // BITS
            for number, each in enumerate(values(slot.var.type)):
                full = (1 << length) - 1 if each == value else 0
                for word, piece in enumerate(pieces(full, count)):
                    self.f.i32(0)
                    self.f.i64(piece)
                    self.f.access("i64.store", slot.masks + number * slot.row + 8 * word)
