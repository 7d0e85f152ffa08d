"""A module that counts the ways to play so many steps.

Ways that come to equal states after the same number of steps go on together: how many ways lead to a state is
kept in 16 bytes beside it. The module exports `begin()`; `expand(until, last)`, which goes one step on from
the states up to number `until` (only to count, if it is the `last` one); and `next()`, after which the states
one step further are those to go on from. It gives up where a step is too long, or a number passes 127 bits.
"""

from __future__ import annotations

from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.opt.pipeline import optimize
from kemu_engine.run.wasm.emit.functions import unit_of
from kemu_engine.run.wasm.programs.bfs import KINDS, copied, kind, places
from kemu_engine.run.wasm.programs.bitpack import packing
from kemu_engine.run.wasm.programs.bitpack_code import packers
from kemu_engine.run.wasm.programs.hash_table import GLOBALS, add, table
from kemu_engine.run.wasm.programs.steps import stepping
from kemu_engine.support.stack import deep

AT = GLOBALS
"""The global with the number of the state to go on from next."""
COUNTER = 16
"""Bytes of a counter."""

EXPAND = """
(func (param $until $last i32) (result i32)  ;; 0: done, 1: no room, 2: it cannot, 3: again
    (local $stop $moves $move $end $to $from i32) (local $low $high i64)
    (if (call refill) (then (return 3)))
    (block $done (loop $next
        (br_if $done (i32.ge_u (global.get AT) $until))
        (br_if $done (i32.eq (global.get AT) (global.get BASE)))
        (set $from (i32.add (global.get STATES) (i32.mul (global.get AT) STRIDE)))
        (set $low (i64.load $from +SIZE))
        (set $high (i64.load $from +SIZE_HIGH))
        (set $stop (call unpack $from))
        (drop (call step (i32.add $stop FIRST_CASE) 0 1))
        (set $moves (global.get MOVES))
        (set $to (call room $moves))
        (if $to (then (return $to)))
        (set $move LIST)
        (set $end (i32.add $move (i32.mul $moves MOVE)))
        {save}
        (block $all (loop $again
            (br_if $all (i32.eq $move $end))
            (set $to (call step (i32.load $move) $move 0))
            (if (i32.lt_s $to 0)
                (then
                    (if (i32.eq $to LOST) (then (return 2)))
                    (call add FAULTED $low $high))
                (else
                    (call add WAYS $low $high)
                    (if (i32.eq (i32.load8_u $to +KINDS) END)
                        (then (call add ENDED $low $high))
                        (else (if (i32.eqz $last) (then
                            (call pack $to)
                            (set $from (call find))
                            (call add (i32.add (global.get STATES) (i32.add (i32.mul $from STRIDE) SIZE))
                                $low $high)))))))
            (set $move (i32.add $move MOVE))
            {restore}
            (br $again)))
        (global.set AT (i32.add (global.get AT) 1))
        (br $next)))
    0)
"""

CALL = """
(func expand (param $until $last i32) (result i32) (local $how i32)
    (set $how (call run $until $last))
    (if (i32.load TOO_MANY) (then (return 2)))
    (i64.store NUMBERS (i64.extend_i32_u (global.get AT)))
    (i64.store NUMBERS (i64.extend_i32_u (i32.sub (global.get COUNT) (global.get BASE))) +8)
    $how)
"""

ADD = """
(func (param $at i32) (param $low $high i64)  ;; adds a number of 128 bits to the counter at an address
    (local $sum i64)
    (set $sum (i64.add (i64.load $at) $low))
    (i64.store $at $sum)
    (set $sum (i64.add (i64.add (i64.load $at +8) $high) (i64.extend_i32_u (i64.lt_u $sum $low))))
    (i64.store $at $sum +8)
    (if (i64.lt_s $sum 0) (then (i32.store TOO_MANY 1))))
"""

NEXT = """
(func next
    (memory.copy (global.get STATES) (i32.add (global.get STATES) (i32.mul (global.get BASE) STRIDE))
        (i32.mul (i32.sub (global.get COUNT) (global.get BASE)) STRIDE))
    (global.set COUNT (i32.sub (global.get COUNT) (global.get BASE)))
    (global.set BASE (global.get COUNT))
    (global.set AT 0)
    (memory.fill TABLE 0 (i32.shl 4 (global.get BITS)))
    (memory.fill WAYS 0 COUNTERS))
"""

BEGIN = """
(func begin (result i32)  ;; the number of the first stop, or below 0 what went wrong, as `step` gives it
    (local $to i32)
    (memory.copy START INITIAL STATE)
    (set $to (call step ENTRY 0 0))
    (if (i32.lt_s $to 0) (then (return $to)))
    (call pack $to)
    (drop (call room 1))
    (drop (call find))
    (call add (i32.add (global.get STATES) SIZE) 1 0)
    (call next)
    (i32.load8_u $to +KINDS))
"""


@dataclass(frozen=True, slots=True)
class Counting:
    """A module, and where it leaves numbers: of 8 bytes, the states gone on from, and the states one step
    further; of 16 bytes, the ways to play one step more, those of them that end the game, and the ways on
    which the rules break down."""

    binary: bytes
    numbers: int


def counting(program: k.Program, most: int) -> Counting:
    """The module, with memory of so many bytes at most. Raises NotCovered."""
    with deep():
        unit = unit_of(optimize(program))
        steps = stepping(unit)
        form = packing(unit, steps.stops)
        made = packers(unit, form)
    memory, size = unit.memory, unit.position.size
    at = memory.take(16 + 3 * COUNTER)
    numbers = {
        **places(unit, steps),
        "AT": AT,
        "SIZE": form.size,
        "SIZE_HIGH": form.size + 8,
        "KINDS": memory.static(bytes(kind(program.blocks[stop].exit) for stop in steps.stops)),
        "END": KINDS.index("ends"),
        "LOST": -1 - len(program.faults),
        "NUMBERS": at,
        "WAYS": at + 16,
        "ENDED": at + 16 + COUNTER,
        "FAULTED": at + 16 + 2 * COUNTER,
        "COUNTERS": 3 * COUNTER,
        "SAVED": memory.take(size),
        "TOO_MANY": memory.take(4),
    }
    of_table, functions = table(unit, made.key, form.size, COUNTER)
    numbers |= of_table
    unit.binary.globals.append(0)
    for name, number in (("step", steps.function), ("pack", made.pack), ("unpack", made.unpack)):
        functions[name] = number, unit.binary.functions[number]
    run = EXPAND.replace("{save}", copied("SAVED", "START", size))
    run = run.replace("{restore}", copied("START", "SAVED", size))
    for name, text in (("add", ADD), ("next", NEXT), ("begin", BEGIN), ("run", run), ("expand", CALL)):
        add(unit, functions, name, text, numbers)
    unit.binary.data = memory.data
    unit.binary.most = most
    return Counting(unit.binary.bytes(), at)
