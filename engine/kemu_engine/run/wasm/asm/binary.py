"""WebAssembly's binary format, as much of it as is used here: functions, sections, whole modules.

After the WebAssembly Core Specification, version 2 (W3C, 2022), chapter 5.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

ValueType = Literal["i32", "i64", "f32", "f64"]
I32: ValueType = "i32"
I64: ValueType = "i64"
F32: ValueType = "f32"
F64: ValueType = "f64"

CODES = {"i32": 0x7F, "i64": 0x7E, "f32": 0x7D, "f64": 0x7C}
NO_RESULT = 0x40
PAGE = 1 << 16
"""Bytes of a page of memory."""

OPCODES = {
    "unreachable": 0x00, "return": 0x0F, "drop": 0x1A, "select": 0x1B,
    "i32.eqz": 0x45, "i32.eq": 0x46, "i32.ne": 0x47, "i32.lt_s": 0x48, "i32.lt_u": 0x49, "i32.gt_u": 0x4B,
    "i32.ge_s": 0x4E, "i32.ge_u": 0x4F,
    "i64.eqz": 0x50, "i64.eq": 0x51, "i64.ne": 0x52, "i64.lt_s": 0x53, "i64.lt_u": 0x54, "i64.gt_s": 0x55,
    "i64.gt_u": 0x56,
    "i64.le_s": 0x57, "i64.le_u": 0x58, "i64.ge_s": 0x59, "i64.ge_u": 0x5A,
    "i32.add": 0x6A, "i32.sub": 0x6B, "i32.mul": 0x6C, "i32.div_u": 0x6E, "i32.rem_u": 0x70,
    "i32.and": 0x71, "i32.or": 0x72, "i32.xor": 0x73, "i32.shl": 0x74, "i32.shr_u": 0x76,
    "i64.ctz": 0x7A, "i64.popcnt": 0x7B, "i64.add": 0x7C, "i64.sub": 0x7D, "i64.mul": 0x7E,
    "i64.div_s": 0x7F, "i64.div_u": 0x80, "i64.rem_s": 0x81, "i64.rem_u": 0x82,
    "i64.and": 0x83, "i64.or": 0x84, "i64.xor": 0x85, "i64.shl": 0x86, "i64.shr_s": 0x87, "i64.shr_u": 0x88,
    "i32.wrap_i64": 0xA7, "i64.extend_i32_s": 0xAC, "i64.extend_i32_u": 0xAD,
    "f32.eq": 0x5B, "f32.lt": 0x5D, "f32.gt": 0x5E, "f32.le": 0x5F, "f32.ge": 0x60,
    "f64.eq": 0x61, "f64.ne": 0x62, "f64.lt": 0x63, "f64.gt": 0x64, "f64.le": 0x65, "f64.ge": 0x66,
    "f32.sqrt": 0x91, "f32.add": 0x92, "f32.sub": 0x93, "f32.mul": 0x94, "f32.div": 0x95,
    "f64.sqrt": 0x9F, "f64.add": 0xA0, "f64.sub": 0xA1, "f64.mul": 0xA2, "f64.div": 0xA3,
    "f64.min": 0xA4, "f64.max": 0xA5,
    "f64.convert_i32_s": 0xB7, "f64.convert_i32_u": 0xB8, "f64.convert_i64_s": 0xB9, "f64.promote_f32": 0xBB,
    "f32.demote_f64": 0xB6,
}  # fmt: skip
"""The operators without an immediate."""

ACCESS = {
    "i32.load": 0x28, "i64.load": 0x29, "i32.load8_u": 0x2D,
    "i64.load8_s": 0x30, "i64.load8_u": 0x31, "i64.load16_s": 0x32, "i64.load16_u": 0x33,
    "i64.load32_s": 0x34, "i64.load32_u": 0x35,
    "i32.store": 0x36, "i64.store": 0x37, "i32.store8": 0x3A,
    "i64.store8": 0x3C, "i64.store16": 0x3D, "i64.store32": 0x3E,
    "f32.load": 0x2A, "f64.load": 0x2B, "f32.store": 0x38, "f64.store": 0x39,
}  # fmt: skip
"""Loads and stores; how they are aligned is not said (it is a hint, and 0 is always right)."""

VECTORS = {
    "v128.load": 0x00,
    "i8x16.splat": 0x0F, "i8x16.eq": 0x23, "i8x16.bitmask": 0x64,
    "i16x8.splat": 0x10, "i16x8.eq": 0x2D, "i16x8.bitmask": 0x84,
    "i64x2.splat": 0x12, "i64x2.eq": 0xD6, "v128.or": 0x50, "v128.any_true": 0x53,
}  # fmt: skip
"""Operations on vectors."""


def unsigned(value: int) -> bytes:
    """LEB128 of a number that is not negative."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value: int) -> bytes:
    """LEB128 of any number."""
    out = bytearray()
    while not -0x40 <= value < 0x40:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value & 0x7F)
    return bytes(out)


def vector(items: Sequence[bytes]) -> bytes:
    return unsigned(len(items)) + b"".join(items)


def name(text: str) -> bytes:
    data = text.encode()
    return unsigned(len(data)) + data


@dataclass(frozen=True, slots=True)
class Label:
    """Where a branch may go to; it counts the constructs around."""

    height: int


@dataclass(slots=True)
class Function:
    """A function in the making. Values are on WebAssembly's stack; `new` gives a local to put one in."""

    params: tuple[ValueType, ...]
    results: tuple[ValueType, ...]
    export: str = ""
    locals: list[ValueType] = field(default_factory=list)
    body: bytearray = field(default_factory=bytearray)
    height: int = 0

    def new(self, type_: ValueType = I64) -> int:
        self.locals.append(type_)
        return len(self.params) + len(self.locals) - 1

    def type_of(self, local: int) -> ValueType:
        return (*self.params, *self.locals)[local]

    def op(self, *names: str) -> None:
        """Operators without an immediate."""
        for each in names:
            self.body.append(OPCODES[each])

    def _with(self, code: int, immediate: int) -> None:
        self.body.append(code)
        self.body += unsigned(immediate)

    def get(self, local: int) -> None:
        self._with(0x20, local)

    def set(self, local: int) -> None:
        self._with(0x21, local)

    def tee(self, local: int) -> None:
        self._with(0x22, local)

    def get_global(self, number: int) -> None:
        self._with(0x23, number)

    def set_global(self, number: int) -> None:
        self._with(0x24, number)

    def call(self, function: int) -> None:
        self._with(0x10, function)

    def i32(self, value: int) -> None:
        """A constant of 32 bits, signed or not."""
        self.body.append(0x41)
        self.body += signed(value - (1 << 32) if value >= 1 << 31 else value)

    def i64(self, value: int) -> None:
        """A constant of 64 bits, signed or not."""
        self.body.append(0x42)
        self.body += signed(value - (1 << 64) if value >= 1 << 63 else value)

    def f32(self, value: float) -> None:
        """A constant of 32 bits with a point."""
        self.body += b"\x43" + struct.pack("<f", value)

    def f64(self, value: float) -> None:
        """A constant of 64 bits with a point."""
        self.body += b"\x44" + struct.pack("<d", value)

    def access(self, what: str, offset: int) -> None:
        """A load or a store; the address is on the stack, and `offset` is added to it."""
        self.body.append(ACCESS[what])
        self.body += b"\0" + unsigned(offset)

    def vector(self, what: str, offset: int = -1) -> None:
        """An operation on 16 bytes at once; a load has an offset."""
        self.body += b"\xfd" + unsigned(VECTORS[what])
        if offset >= 0:
            self.body += b"\0" + unsigned(offset)

    def copy(self) -> None:
        """memory.copy: to, from, number of bytes."""
        self.body += b"\xfc\x0a\0\0"

    def fill(self) -> None:
        """memory.fill: to, value, number of bytes."""
        self.body += b"\xfc\x0b\0"

    def pages(self) -> None:
        """memory.size: the pages of memory."""
        self.body += b"\x3f\0"

    def grow(self) -> None:
        """memory.grow: so many pages more; the number before, or -1 if they cannot be had."""
        self.body += b"\x40\0"

    # ------------------------------------------------------------------------------------ constructs

    def _open(self, code: int, result: ValueType | None) -> Label:
        self.body += bytes((code, NO_RESULT if result is None else CODES[result]))
        self.height += 1
        return Label(self.height)

    def _close(self) -> None:
        self.body.append(0x0B)
        self.height -= 1

    @contextmanager
    def block(self, result: ValueType | None = None) -> Iterator[Label]:
        """A branch to the label goes behind it."""
        yield self._open(0x02, result)
        self._close()

    @contextmanager
    def loop(self) -> Iterator[Label]:
        """A branch to the label begins it again; at its end it is left."""
        yield self._open(0x03, None)
        self._close()

    @contextmanager
    def when(self, result: ValueType | None = None) -> Iterator[Label]:
        """If what is on the stack is not 0; `otherwise` inside begins the other case."""
        yield self._open(0x04, result)
        self._close()

    def otherwise(self) -> None:
        self.body.append(0x05)

    def br(self, label: Label) -> None:
        self._with(0x0C, self.height - label.height)

    def br_if(self, label: Label) -> None:
        self._with(0x0D, self.height - label.height)

    def br_table(self, labels: Sequence[Label], default: Label) -> None:
        self.body.append(0x0E)
        self.body += vector([unsigned(self.height - label.height) for label in labels])
        self.body += unsigned(self.height - default.height)

    def code(self) -> bytes:
        """Its entry in the section of code."""
        runs: list[tuple[int, ValueType]] = []
        for each in self.locals:
            if runs and runs[-1][1] == each:
                runs[-1] = runs[-1][0] + 1, each
            else:
                runs.append((1, each))
        inner = vector([unsigned(count) + bytes((CODES[each],)) for count, each in runs])
        inner += bytes(self.body) + b"\x0b"
        return unsigned(len(inner)) + inner


@dataclass(slots=True)
class Binary:
    """A module in the making: functions, `globals` (variables of 32 bits, with their first values), one
    memory of `size` bytes, exported as "memory", with `data` in it, that may grow to `most` bytes, and
    sections of others' making."""

    functions: list[Function] = field(default_factory=list)
    globals: list[int] = field(default_factory=list)
    size: int = 0
    most: int = 0
    data: list[tuple[int, bytes]] = field(default_factory=list)
    custom: list[tuple[str, bytes]] = field(default_factory=list)

    def bytes(self) -> bytes:
        types: list[bytes] = []
        used: list[bytes] = []
        for function in self.functions:
            given = vector([bytes((CODES[each],)) for each in function.params])
            type_ = b"\x60" + given + vector([bytes((CODES[each],)) for each in function.results])
            if type_ not in types:
                types.append(type_)
            used.append(unsigned(types.index(type_)))
        exports = [name("memory") + b"\x02\0"]
        exports += [
            name(each.export) + b"\0" + unsigned(number)
            for number, each in enumerate(self.functions)
            if each.export
        ]
        pages = unsigned(-(-self.size // PAGE)) + unsigned(-(-max(self.size, self.most) // PAGE))
        sections = [
            (1, vector(types)),
            (3, vector(used)),
            (5, vector([b"\x01" + pages])),
            (6, vector([b"\x7f\x01\x41" + signed(value) + b"\x0b" for value in self.globals])),
            (7, vector(exports)),
            (10, vector([each.code() for each in self.functions])),
            (11, vector([b"\0\x41" + signed(at) + b"\x0b" + vector_of(data) for at, data in self.data])),
        ]
        out = b"\0asm\1\0\0\0"
        for number, content in sections:
            out += bytes((number,)) + unsigned(len(content)) + content
        for title, content in self.custom:
            inner = name(title) + content
            out += b"\0" + unsigned(len(inner)) + inner
        return out


def vector_of(data: bytes) -> bytes:
    return unsigned(len(data)) + data
