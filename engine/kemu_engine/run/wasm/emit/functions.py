"""The functions of the rules in a module."""

from __future__ import annotations

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.limits import NotCovered
from kemu_engine.opt.optimized import Optimized
from kemu_engine.run.wasm.asm.binary import Function
from kemu_engine.run.wasm.emit.emitter import Emitter
from kemu_engine.run.wasm.emit.layout import words
from kemu_engine.run.wasm.emit.unit import Unit


def unit_of(optimized: Optimized, histories: bool = False) -> Unit:
    """The beginning of a module. `histories`: it plays one game after another, so that each history has a log
    of its own. Raises NotCovered."""
    if not histories and any(isinstance(var.type, k.History) for var in optimized.program.vars):
        raise NotCovered("a history of what has been")
    return Unit(optimized, write)


def write(unit: Unit, f: Function, number: int) -> None:
    """Writes one function of the rules."""
    emit = Emitter(unit, f, number)
    function = unit.program.functions[number]
    at = 0
    for param in function.params:
        count = words(unit.program.locals[param].type)
        emit.values.given(param, list(range(at, at + count)))
        at += count
    with f.block() as emit.values.faulted:
        emit.code(function.body)
        f.op("unreachable")
    if words(function.type) == 1:
        if isinstance(function.type, k.Bool):
            f.i32(0)
        else:
            f.i64(0)
