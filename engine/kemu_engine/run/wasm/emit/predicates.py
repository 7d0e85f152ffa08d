"""Conditions asked of states: functions of a module that look for a state in which one holds."""

from __future__ import annotations

from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.run.wasm.asm.binary import I32, Function
from kemu_engine.run.wasm.emit.module import Unit
from kemu_engine.run.wasm.emit.spill import Held
from kemu_engine.run.wasm.emit.statements import Statements
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


class Holds(Held, Statements):
    """Writes the function of a condition's expression."""

    def write(self, expr: k.Expr, stops: list[int]) -> None:
        f, wanted = self.f, self.unit.traits.of(expr).locals
        f.i32(0)
        f.set_global(FAULT)
        for number, block in enumerate(stops if wanted else ()):
            f.get(0)
            f.i32(number)
            f.op("i32.eq")
            with f.when():
                self.take_up(block, wanted)
        with f.block() as self.faulted:
            self.expr(expr)
            f.op("return")
        f.i32(0)


def holds(unit: Unit, expr: k.Expr, stops: list[int]) -> tuple[int, Function]:
    """Writes a function that says whether an expression holds in the position in memory, at the stop of a
    number. Raises NotCovered."""
    f = Function((I32,), (I32,))
    unit.binary.functions.append(f)
    number = len(unit.binary.functions) - 1
    Holds(unit, f).write(expr, stops)
    return number, f
