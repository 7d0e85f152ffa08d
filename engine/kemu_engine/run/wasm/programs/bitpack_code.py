"""The functions `pack` and `unpack`, of the form that bitpack.py says: code without loops, for all is known
beforehand; elements of arrays go 8 bytes of them at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.run.wasm.asm.binary import I32, Function
from kemu_engine.run.wasm.emit.layout import BITS, Slot, words
from kemu_engine.run.wasm.emit.unit import Unit
from kemu_engine.run.wasm.programs.bitpack import Packing, bits, low, unset

FULL = (1 << BITS) - 1


def lanes(value: int, width: int, count: int = BITS) -> int:
    """The value in every lane of so many bits."""
    return sum(value << at for at in range(0, min(BITS, count), width))


@dataclass(frozen=True, slots=True)
class Packers:
    """The functions: `pack(stop)` leaves the packed state at the address `key`, `unpack(address)` gives the
    number of the stop."""

    pack: int
    unpack: int
    key: int


def packers(unit: Unit, packing: Packing) -> Packers:
    """Writes `pack` and `unpack` into the module."""
    key = unit.memory.take(packing.size + 16)
    pack, unpack = Function((I32,), ()), Function((I32,), (I32,))
    unit.binary.functions += [pack, unpack]
    number = len(unit.binary.functions)
    Packer(unit, pack, packing).write(key)
    Unpacker(unit, unpack, packing).write()
    return Packers(number - 2, number - 1, key)


class Lanes:
    """What both have: arithmetic on 8 bytes of elements at once, on the stack."""

    def __init__(self, unit: Unit, f: Function, packing: Packing) -> None:
        self.unit = unit
        self.f = f
        self.packing = packing
        self.x = f.new()
        self.at = 0  # bits so far

    def apply(self, op: str, value: int) -> None:
        self.f.i64(value)
        self.f.op(op)

    def added(self, value: int, width: int) -> None:
        """Adds a number to every lane of what is on the stack."""
        f = self.f
        if not value:
            return
        if width == BITS:
            self.apply("i64.add", value & FULL)
            return
        top = lanes(1 << width - 1, width)
        each = lanes(value & (1 << width) - 1, width)
        f.tee(self.x)
        self.apply("i64.and", FULL ^ top)
        self.apply("i64.add", each & ~top)
        f.get(self.x)
        self.apply("i64.xor", each)
        self.apply("i64.and", top)
        f.op("i64.xor")

    def pairs(self, by: int, shift: str, lower: int, upper: int, width: int) -> None:
        """Of two parts in every lane: the lower one stays, the other is shifted, and begins at bit `upper`
        then."""
        f = self.f
        f.tee(self.x)
        self.apply("i64.and", lanes(lower, width))
        f.get(self.x)
        self.apply(shift, by)
        self.apply("i64.and", lanes(lower << upper, width))
        f.op("i64.or")

    def var(self, number: int, masked: bool) -> None:
        slot = self.unit.slots[number]
        if masked:
            self.planes(slot)
            return
        count = 1 if slot.var.length is None else slot.var.length
        if isinstance(slot.var.type, k.Set):
            for at in range(count):
                for word in range(words(slot.var.type)):
                    taken = min(BITS, slot.var.type.size - BITS * word)
                    self.word(slot.at + at * slot.cell.size + 8 * word, taken)
            return
        many = 8 // slot.cell.size
        for first in range(0, count, many):
            self.group(slot, slot.at + first * slot.cell.size, min(many, count - first))

    def local(self, type_: k.Type, at: int) -> None:
        """A live local, held from an address on."""
        if isinstance(type_, k.Set):
            for word in range(words(type_)):
                self.word(at + 8 * word, min(BITS, type_.size - BITS * word))
        else:
            self.number(type_, at)

    def by_stop(self, stop: int) -> None:
        """The live locals of the stop whose number is in the local."""
        f, packing = self.f, self.packing
        before = self.at
        for number, block in enumerate(packing.stops):
            self.at = before
            f.get(stop)
            f.i32(number)
            f.op("i32.eq")
            with f.when():
                self.begin_stop()
                at = self.unit.held
                for local in packing.program.blocks[block].live:
                    type_ = unset(packing.program.locals[local].type)
                    self.local(type_, at)
                    at += 8 * words(type_)
                self.end_stop(number)

    def planes(self, slot: Slot) -> None:
        raise NotImplementedError

    def group(self, slot: Slot, at: int, count: int) -> None:
        raise NotImplementedError

    def word(self, at: int, count: int) -> None:
        raise NotImplementedError

    def number(self, type_: k.Type, at: int) -> None:
        raise NotImplementedError

    def begin_stop(self) -> None:
        raise NotImplementedError

    def end_stop(self, number: int) -> None:
        raise NotImplementedError


def rows(slot: Slot) -> Iterator[tuple[int, int]]:
    """The words of a slot's masks: how far from the beginning of each, and how many bits are used."""
    for at in range(slot.row // 8):
        yield 8 * at, min(BITS, (slot.var.length or 0) - BITS * at)


class Packer(Lanes):
    """Writes `pack`: the bits go one after another into the local `word`, and from there to `key`."""

    def write(self, key: int) -> None:
        f, packing = self.f, self.packing
        self._key = key
        self._word, self._value = f.new(), f.new()
        for var, masked in packing.vars:
            self.var(var, masked)
        f.get(0)
        f.op("i64.extend_i32_u")
        self.put(packing.stop_bits)
        self._kept = f.new()
        f.get(self._word)
        f.set(self._kept)
        self.by_stop(0)

    def put(self, count: int) -> None:
        """Takes so many bits, the rest being 0, from the stack."""
        f, offset = self.f, self.at % BITS
        if not count:
            f.op("drop")
            return
        f.tee(self._value)
        if offset:
            self.apply("i64.shl", offset)
            f.get(self._word)
            f.op("i64.or")
        f.set(self._word)
        if offset + count >= BITS:
            self._store()
            f.get(self._value)
            if offset + count == BITS:
                f.op("drop")
                f.i64(0)
            else:
                self.apply("i64.shr_u", BITS - offset)
            f.set(self._word)
        self.at += count

    def _store(self) -> None:
        self.f.i32(0)
        self.f.get(self._word)
        self.f.access("i64.store", self._key + self.at // BITS * 8)

    def planes(self, slot: Slot) -> None:
        f = self.f
        for bit in range(bits(slot.var.type)):
            for at, count in rows(slot):
                f.i64(0)
                for number in range(high_of(slot) + 1):
                    if number >> bit & 1:
                        f.i32(0)
                        f.access("i64.load", slot.masks + number * slot.row + at)
                        f.op("i64.or")
                self.put(count)

    def group(self, slot: Slot, at: int, count: int) -> None:
        f, width, used = self.f, 8 * slot.cell.size, bits(slot.var.type)
        if not used:
            return
        f.i32(0)
        f.access("i64.load", at)
        self.added(-low(slot.var.type), width)
        self.apply("i64.and", lanes((1 << used) - 1, width, width * count))
        while used < width < BITS and count > 1:
            self.pairs(width - used, "i64.shr_u", (1 << used) - 1, used, 2 * width)
            width, used = 2 * width, 2 * used
        self.put(bits(slot.var.type) * count)

    def word(self, at: int, count: int) -> None:
        self.f.i32(0)
        self.f.access("i64.load", at)
        self.put(count)

    def number(self, type_: k.Type, at: int) -> None:
        self.f.i32(0)
        if isinstance(type_, k.Bool):
            self.f.access("i64.load32_u", at)
        else:
            self.f.access("i64.load", at)
        if low(type_):
            self.apply("i64.sub", low(type_) & FULL)
        self.put(bits(type_))

    def begin_stop(self) -> None:
        self.f.get(self._kept)
        self.f.set(self._word)

    def end_stop(self, number: int) -> None:
        f = self.f
        whole = -(-self.packing.size // 8)
        if self.at // BITS < whole:
            self._store()
        for word in range(self.at // BITS + 1, whole):
            f.i32(0)
            f.i64(0)
            f.access("i64.store", self._key + 8 * word)
        f.op("return")


class Unpacker(Lanes):
    """Writes `unpack(address)`, which gives the number of the stop."""

    def write(self) -> None:
        f, packing = self.f, self.packing
        for var, masked in packing.vars:
            self.var(var, masked)
        self.take(packing.stop_bits)
        f.op("i32.wrap_i64")
        stop = f.new(I32)
        f.set(stop)
        self.by_stop(stop)
        f.op("unreachable")

    def take(self, count: int) -> None:
        """Leaves the next bits on the stack."""
        f, offset = self.f, self.at % 8
        at = self.at // 8
        if not count:
            f.i64(0)
            return
        f.get(0)
        f.access("i64.load", at)
        if offset:
            self.apply("i64.shr_u", offset)
        if offset + count > BITS:
            f.get(0)
            f.access("i64.load8_u", at + 8)
            self.apply("i64.shl", BITS - offset)
            f.op("i64.or")
        if count < BITS:
            self.apply("i64.and", (1 << count) - 1)
        self.at += count

    def _stored(self, put: Callable[[], None], at: int, how: str = "i64.store") -> None:
        self.f.i32(0)
        put()
        self.f.access(how, at)

    def planes(self, slot: Slot) -> None:
        f, used = self.f, bits(slot.var.type)
        width = 8 * slot.cell.size
        many = BITS // width
        planes = [[f.new() for _ in rows(slot)] for _ in range(used)]
        for plane in planes:
            for word, (_, count) in zip(plane, rows(slot), strict=True):
                self.take(count)
                f.set(word)
        for row, (at, count) in enumerate(rows(slot)):
            for number in range(high_of(slot) + 1):
                f.i32(0)
                f.i64((1 << count) - 1)
                for bit in range(used):
                    f.get(planes[bit][row])
                    if not number >> bit & 1:
                        self.apply("i64.xor", FULL)
                    f.op("i64.and")
                f.access("i64.store", slot.masks + number * slot.row + at)
            for first in range(0, count, many):
                f.i32(0)
                self._spread([plane[row] for plane in planes], first, width)
                self.added(low(slot.var.type), width)
                if low(slot.var.type) and count - first < many:
                    self.apply("i64.and", (1 << width * (count - first)) - 1)
                f.access("i64.store", slot.at + (BITS * row + first) * slot.cell.size)

    def _spread(self, planes: list[int], first: int, width: int) -> None:
        """Of words with a bit for each element: the elements' numbers, a lane each, from `first` on."""
        f, many = self.f, BITS // width
        f.i64(0)
        for bit, plane in enumerate(planes):
            f.get(plane)
            self.apply("i64.shr_u", first)
            self.apply("i64.and", (1 << many) - 1)
            if many > 1:
                self.apply("i64.mul", lanes(1, width))
                self.apply("i64.and", sum(1 << at * width + at for at in range(many)))
                self.apply("i64.add", lanes((1 << width - 1) - 1, width))
                self.apply("i64.shr_u", width - 1)
                self.apply("i64.and", lanes(1, width))
            self.apply("i64.shl", bit)
            f.op("i64.or")

    def group(self, slot: Slot, at: int, count: int) -> None:
        f, least, used = self.f, 8 * slot.cell.size, bits(slot.var.type)
        if not used:
            return
        f.i32(0)
        self.take(used * count)
        width = BITS // 2
        while width >= least:
            narrow = used * (width // least)
            if narrow < width and count > 1:
                self.pairs(width - narrow, "i64.shl", (1 << narrow) - 1, width, 2 * width)
            width //= 2
        self.added(low(slot.var.type), least)
        if low(slot.var.type) and count * least < BITS:
            self.apply("i64.and", (1 << least * count) - 1)
        if slot.var.length is None and slot.cell.size < 8:
            f.access({1: "i64.store8", 2: "i64.store16", 4: "i64.store32"}[slot.cell.size], at)
        else:
            f.access("i64.store", at)

    def word(self, at: int, count: int) -> None:
        self._stored(lambda: self.take(count), at)

    def number(self, type_: k.Type, at: int) -> None:
        def put() -> None:
            self.take(bits(type_))
            if low(type_):
                self.apply("i64.add", low(type_) & FULL)

        self._stored(put, at, "i64.store32" if isinstance(type_, k.Bool) else "i64.store")

    def begin_stop(self) -> None:
        pass

    def end_stop(self, number: int) -> None:
        self.f.i32(number)
        self.f.op("return")


def high_of(slot: Slot) -> int:
    """The number of the last of the values that there are masks for."""
    return (slot.var.type.high - slot.var.type.low) if isinstance(slot.var.type, k.Int) else 1
