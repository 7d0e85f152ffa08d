"""Conditions asked of states: functions of a module that say whether one holds in the position in memory."""

from __future__ import annotations

from collections.abc import Sequence

from engine import kernel as k
from engine.wasm.binary import I32, Function
from engine.wasm.layout import NotCovered
from engine.wasm.statements import Statements
from engine.wasm.unit import Unit
from engine.wasm.values import FAULT

ASK = """
(func ask{number} (param $from $until i32) (result i32)  ;; the first of these in which it holds; else $until
    (local $stop i32)
    (block $done (loop $next
        (br_if $done (i32.eq $from $until))
        (set $stop (call unpack (i32.add (global.get STATES) (i32.mul $from STRIDE))))
        (br_if $done (call asked{number}))
        (set $from (i32.add $from 1))
        (br $next)))
    $from)
"""


class Asked(Statements):
    """Writes the function of one condition; a fault counts as if it held."""

    def write(self, condition: k.Expr) -> None:
        if self.unit.traits.of(condition).locals:
            raise NotCovered("a condition that reads locals of a stop")
        self.f.i32(0)
        self.f.set_global(FAULT)
        with self.f.block() as self.faulted:
            self.expr(self.unit.masker.expr(condition))
            self.f.op("return")
        self.f.i32(1)


def asked(unit: Unit, conditions: Sequence[k.Expr]) -> list[tuple[int, Function]]:
    """Writes a function for each condition, of the variables. Raises NotCovered."""
    found = []
    for condition in conditions:
        f = Function((), (I32,))
        unit.binary.functions.append(f)
        found.append((len(unit.binary.functions) - 1, f))
        Asked(unit, f).write(condition)
    return found
