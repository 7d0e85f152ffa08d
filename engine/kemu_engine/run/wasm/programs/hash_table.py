"""A table of states that grows: each is kept once, packed, under the number in which it was found.

Behind all that has a fixed place lie the slots of the table, of 4 bytes each, then the states. A slot is 0 or
one more than the number of a state, with a part of the state's hash in the bits that are left: so the wrong
state is rarely looked at. Open addressing, one slot after another; at most 5 of 8 slots are full.
"""

from __future__ import annotations

from kemu_engine.run.wasm.asm.binary import Function
from kemu_engine.run.wasm.asm.wat import function
from kemu_engine.run.wasm.emit.rng import FIRST, SECOND
from kemu_engine.run.wasm.emit.unit import Unit

BITS, STATES, COUNT, BASE, FILLED = 2, 3, 4, 5, 6
"""Globals: the table has two to the power of BITS slots; where the states are, and how many; the number of
the first that belongs into the table; while the table is being filled anew, how far that has come."""
GLOBALS = 7
FIRST_BITS = 14
MOST_BITS = 29
FILL = 1 << 20
"""States that go into the table anew at a call: a tenth of a second's worth."""

HASH = """(func (param $at i32) (result i64) (local $h i64) {words} (i64.mul $h SECOND))"""
HASH_WORD = """
    (set $h (i64.mul (i64.xor $h ({load} $at +{offset})) FIRST))
    (set $h (i64.xor $h (i64.shr_u $h 32)))"""

SAME = """(func (param $at i32) (result i32) (block $no {words} (return 1)) 0)"""
SAME_WORD = """(br_if $no (i64.ne ({load} $at +{offset}) ({load} KEY +{offset})))"""

FIND = """
(func (result i32)  ;; the number of the packed state at KEY, which it may get now; there must be room
    (local $h i64) (local $slot $mask $tag $word $at i32)
    (set $h (call hash KEY))
    (set $mask (i32.sub (i32.shl 1 (global.get BITS)) 1))
    (set $slot (i32.wrap_i64 (i64.shr_u $h (i64.sub 64 (i64.extend_i32_u (global.get BITS))))))
    (set $tag (i32.shl (i32.wrap_i64 $h) (global.get BITS)))
    (block $new (loop $next
        (set $word (i32.load (i32.shl $slot 2) +TABLE))
        (br_if $new (i32.eqz $word))
        (if (i32.eq (i32.sub $word (i32.and $word $mask)) $tag) (then
            (set $word (i32.sub (i32.and $word $mask) 1))
            (if (call same (i32.add (global.get STATES) (i32.mul $word STRIDE))) (then (return $word)))))
        (set $slot (i32.and (i32.add $slot 1) $mask))
        (br $next)))
    (set $word (global.get COUNT))
    (set $at (i32.add (global.get STATES) (i32.mul $word STRIDE)))
    {copies}
    {zeros}
    (global.set COUNT (i32.add $word 1))
    (i32.store (i32.shl $slot 2) (i32.or $tag (i32.add $word 1)) +TABLE)
    $word)
"""

FITS = """
(func (param $end i64) (result i32)  ;; whether memory reaches so far, or can be made to
    (local $have $want i64)
    (set $have (i64.extend_i32_u (memory.size)))
    (set $want (i64.shr_u (i64.add $end 65535) 16))
    (if (i64.le_u $want $have) (then (return 1)))
    (set $have (i64.sub $want $have))
    (set $want (i64.shr_u $want 3))
    (if (i64.lt_u $want $have) (then (set $want $have)))
    (if (i32.ne (memory.grow (i32.wrap_i64 $want)) -1) (then (return 1)))
    (i32.ne (memory.grow (i32.wrap_i64 $have)) -1))
"""

ROOM = """
(func (param $more i32) (result i32)  ;; 0: so many more states have room, 1: not, 3: refill
    (local $wanted i64) (local $half i32)
    (set $wanted (i64.add (i64.extend_i32_u (global.get COUNT)) (i64.extend_i32_u $more)))
    (set $half (i32.shl 4 (global.get BITS)))
    (if (i64.le_u (i64.mul $wanted 32) (i64.mul (i64.extend_i32_u $half) 5)) (then
        (return (i32.eqz (call fits (i64.add (i64.mul $wanted STRIDE)
            (i64.add (i64.extend_i32_u (global.get STATES)) 64)))))))
    (if (i32.eq (global.get BITS) MOST_BITS) (then (return 1)))
    (if (i32.eqz (call fits (i64.add (i64.mul $wanted STRIDE)
            (i64.add (i64.extend_i32_u (i32.add (global.get STATES) $half)) 64)))) (then (return 1)))
    (memory.copy (i32.add (global.get STATES) $half) (global.get STATES)
        (i32.mul (global.get COUNT) STRIDE))
    (global.set STATES (i32.add (global.get STATES) $half))
    (global.set BITS (i32.add (global.get BITS) 1))
    (memory.fill TABLE 0 (i32.shl 4 (global.get BITS)))
    (global.set FILLED (global.get BASE))
    3)
"""

REFILL = """
(func (result i32)  ;; puts states into the table that has grown; 0 if all are there, else 3
    (local $h i64) (local $slot $mask $n $end i32)
    (set $n (global.get FILLED))
    (if (i32.eq $n -1) (then (return 0)))
    (set $end (i32.add $n FILL))
    (set $mask (i32.sub (i32.shl 1 (global.get BITS)) 1))
    (block $done (loop $next
        (if (i32.eq $n (global.get COUNT)) (then
            (global.set FILLED -1)
            (return 0)))
        (br_if $done (i32.eq $n $end))
        (set $h (call hash (i32.add (global.get STATES) (i32.mul $n STRIDE))))
        (set $slot (i32.wrap_i64 (i64.shr_u $h (i64.sub 64 (i64.extend_i32_u (global.get BITS))))))
        (block $free (loop $taken
            (br_if $free (i32.eqz (i32.load (i32.shl $slot 2) +TABLE)))
            (set $slot (i32.and (i32.add $slot 1) $mask))
            (br $taken)))
        (set $n (i32.add $n 1))
        (i32.store (i32.shl $slot 2)
            (i32.or (i32.shl (i32.wrap_i64 $h) (global.get BITS)) $n) +TABLE)
        (br $next)))
    (global.set FILLED $n)
    3)
"""


def table(
    unit: Unit, key: int, size: int, beside: int
) -> tuple[dict[str, int], dict[str, tuple[int, Function]]]:
    """Writes the functions of a table of states of `size` bytes, which are found at `key`; each has some
    bytes more `beside` it, 0 at first. Gives the numbers that texts may use, and the functions. The table
    takes all of memory from here on."""
    binary = unit.binary
    start = unit.memory.take(4 << FIRST_BITS)
    binary.globals += [FIRST_BITS, unit.memory.top, 0, 0, -1]
    binary.size = unit.memory.top
    numbers = {
        "KEY": key,
        "STRIDE": size + beside,
        "TABLE": start,
        "BITS": BITS,
        "STATES": STATES,
        "COUNT": COUNT,
        "BASE": BASE,
        "FILLED": FILLED,
        "FILL": FILL,
        "MOST_BITS": MOST_BITS,
        "FIRST": FIRST,
        "SECOND": SECOND,
    }
    functions: dict[str, tuple[int, Function]] = {}
    pieces = [("i64.load", "i64.store", at) for at in range(0, size - 7, 8)]
    if size % 8:
        pieces.append(("i64.load32_u", "i64.store32", size - 4))
    zeros = "".join(f"(i64.store $at 0 +{at})" for at in range(size, size + beside, 8))
    for name, text, word in (
        ("hash", HASH, HASH_WORD),
        ("same", SAME, SAME_WORD),
        ("fits", FITS, ""),
        ("refill", REFILL, ""),
        ("room", ROOM, ""),
        ("find", FIND, "({store} $at ({load} KEY +{offset}) +{offset})"),
    ):
        whole = "".join(word.format(load=load, store=store, offset=at) for load, store, at in pieces)
        text = text.replace("{words}", whole).replace("{copies}", whole)
        text = text.replace("{zeros}", zeros)
        add(unit, functions, name, text, numbers)
    return numbers, functions


def add(
    unit: Unit, functions: dict[str, tuple[int, Function]], name: str, text: str, numbers: dict[str, int]
) -> None:
    """Adds a function to the module, and to those that may be called by name."""
    made = function(text, numbers, functions)
    unit.binary.functions.append(made)
    functions[name] = len(unit.binary.functions) - 1, made
