"""Random numbers as kernel/rng.py has them, and the elements of sets by number."""

from __future__ import annotations

from collections.abc import Callable

from kemu_engine.kernel.rng import GOLDEN, HALF
from kemu_engine.run.wasm.asm.binary import Function
from kemu_engine.run.wasm.emit.layout import Memory

FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mix(f: Function) -> None:
    """Scatters the word on the stack."""
    z = f.new()
    f.set(z)
    for shift, factor in ((30, FIRST), (27, SECOND), (31, 0)):
        f.get(z)
        f.get(z)
        f.i64(shift)
        f.op("i64.shr_u", "i64.xor")
        if factor:
            f.i64(factor)
            f.op("i64.mul")
            f.set(z)


def absorb(f: Function, part: Callable[[], None]) -> None:
    """Of the key on the stack and a word that `part` puts there, a new key."""
    part()
    f.op("i64.xor")
    f.i64(GOLDEN)
    f.op("i64.add")
    mix(f)


def half(f: Function, stream: int) -> None:
    """Puts the upper half of a stream's next word on the stack; `stream` is the local with its counter."""
    f.get(stream)
    f.i64(GOLDEN)
    f.op("i64.add")
    f.tee(stream)
    mix(f)
    f.i64(32)
    f.op("i64.shr_u")


def below(f: Function, stream: int, limit: int, most: int = 0) -> int:
    """A local with a number below the one in the local `limit`, which is at most `most`; 0: that of actions,
    of which there are fewer than 2^32."""
    number = f.new()
    if most <= 1 << 32:
        _product(f, stream, limit, number)
        return number
    f.get(limit)
    f.i64(1 << 32)
    f.op("i64.le_u")
    with f.when():
        _product(f, stream, limit, number)
        f.otherwise()
        _remainder(f, stream, limit, number)
    return number


def _product(f: Function, stream: int, limit: int, number: int) -> None:
    with f.block() as good, f.loop() as again:
        _times(f, stream, lambda: f.get(limit), number)
        _low(f, number)
        f.get(limit)
        f.op("i64.ge_u")
        f.br_if(good)
        _low(f, number)
        f.i64(1 << 32)
        f.get(limit)
        f.op("i64.rem_u", "i64.lt_u")
        f.br_if(again)
    _high(f, number)


def _remainder(f: Function, stream: int, limit: int, number: int) -> None:
    with f.loop() as again:
        half(f, stream)
        f.i64(32)
        f.op("i64.shl")
        half(f, stream)
        f.op("i64.or")
        f.tee(number)
        f.i64(0)
        f.get(limit)
        f.op("i64.sub")
        f.get(limit)
        f.op("i64.rem_u", "i64.lt_u")
        f.br_if(again)
    f.get(number)
    f.get(limit)
    f.op("i64.rem_u")
    f.set(number)


def below_known(f: Function, stream: int, limit: int, number: int) -> None:
    """Sets the local `number` to one below a number that is known, at most 2^32."""
    few = (1 << 32) % limit
    with f.loop() as again:
        _times(f, stream, lambda: f.i64(limit), number)
        if few:
            _low(f, number)
            f.i64(few)
            f.op("i64.lt_u")
            f.br_if(again)
    _high(f, number)


def _times(f: Function, stream: int, limit: Callable[[], None], number: int) -> None:
    half(f, stream)
    limit()
    f.op("i64.mul")
    f.set(number)


def _low(f: Function, number: int) -> None:
    f.get(number)
    f.i64(HALF)
    f.op("i64.and")


def _high(f: Function, number: int) -> None:
    f.get(number)
    f.i64(32)
    f.op("i64.shr_u")
    f.set(number)


def places(memory: Memory) -> int:
    """Where it is written, for every byte and n < 8, which is its bit number n."""
    table = bytearray()
    for byte in range(256):
        found = [bit for bit in range(8) if byte >> bit & 1]
        table += bytes([*found, *[0] * (8 - len(found))])
    return memory.static(bytes(table))


def nth(f: Function, memory: Memory, size: int, mask: int, number: int, found: int) -> None:
    """Sets `found` to the element of a word of `size` bits that has `number` elements below it.

    All are locals, of which mask and number are spoilt. Halves first, without branches (which nobody could
    predict), then a table for the last byte.
    """
    f.i64(0)
    f.set(found)
    count, shift = f.new(), f.new()
    for bits in (each for each in (32, 16, 8) if each < size):
        f.get(mask)
        f.i64((1 << bits) - 1)
        f.op("i64.and", "i64.popcnt")
        f.set(count)
        f.i64(bits)
        f.i64(0)
        f.get(number)
        f.get(count)
        f.op("i64.ge_u", "select")
        f.set(shift)
        f.get(number)
        f.get(count)
        f.i64(0)
        f.get(number)
        f.get(count)
        f.op("i64.ge_u", "select", "i64.sub")
        f.set(number)
        f.get(mask)
        f.get(shift)
        f.op("i64.shr_u")
        f.set(mask)
        f.get(found)
        f.get(shift)
        f.op("i64.add")
        f.set(found)
    f.get(mask)
    f.i64(0xFF)
    f.op("i64.and")
    f.i64(3)
    f.op("i64.shl")
    f.get(number)
    f.op("i64.add", "i32.wrap_i64")
    f.access("i64.load8_u", places(memory))
    f.get(found)
    f.op("i64.add")
    f.set(found)
