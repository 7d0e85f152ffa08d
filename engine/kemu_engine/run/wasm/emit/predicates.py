"""Conditions asked of states: functions of a module that look for a state in which one holds."""

from __future__ import annotations

from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.run.wasm.asm.binary import I32, Function
from kemu_engine.run.wasm.emit.emitter import Emitter
from kemu_engine.run.wasm.emit.spill import Spill
from kemu_engine.run.wasm.emit.unit import Unit
from kemu_engine.run.wasm.emit.values import FAULT

ASK = """
(func NAME (param $from $until i32) (result i32)  ;; the first of these in which it is as wanted; else $until
    (local $stop i32)
    (block $done (loop $next
        (br_if $done (i32.eq $from $until))
        (set $stop (call unpack (i32.add (global.get STATES) (i32.mul $from STRIDE))))
        (if (i32.load8_u $stop +HERE) (then
            (br_if $done (i32.eq (call holds $stop) WANTED))))
        (set $from (i32.add $from 1))
        (br $next)))
    $from)
"""


@dataclass(frozen=True, slots=True)
class Condition:
    """Whether an expression is as `wanted`, at some `blocks` (None: at all stops). If it breaks down that
    counts as false."""

    expr: k.Expr
    wanted: bool = True
    blocks: frozenset[int] | None = None

    def here(self, block: int) -> bool:
        return self.blocks is None or block in self.blocks


def holds(unit: Unit, expr: k.Expr, stops: list[int]) -> tuple[int, Function]:
    """Writes a function that says whether an expression holds in the position in memory, at the stop of a
    number. Raises NotCovered."""
    f = Function((I32,), (I32,))
    unit.binary.functions.append(f)
    number = len(unit.binary.functions) - 1
    emit = Emitter(unit, f)
    spill, wanted = Spill(emit.values), unit.traits.of(expr).locals
    f.i32(0)
    f.set_global(FAULT)
    for at, block in enumerate(stops if wanted else ()):
        f.get(0)
        f.i32(at)
        f.op("i32.eq")
        with f.when():
            spill.take_up(block, wanted)
    with f.block() as emit.values.faulted:
        emit.expr(expr)
        f.op("return")
    f.i32(0)
    return number, f
