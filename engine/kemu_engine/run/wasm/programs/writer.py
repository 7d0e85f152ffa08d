"""A program as a WebAssembly module.

It exports its memory and `playouts(seed, first, number, longest)`, which plays so many random games, of those
of a seed from number `first` on, and leaves a record of each where the section `kemu` of the module says.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.hash import program_hash
from kemu_engine.opt.pipeline import optimize
from kemu_engine.run.wasm.asm.binary import I32, I64, Function
from kemu_engine.run.wasm.emit.functions import unit_of
from kemu_engine.run.wasm.programs.play import ENDINGS, KEYS, Play
from kemu_engine.support.stack import deep

BATCH = 4096
"""Games that are played at one call at most."""


@dataclass(frozen=True, slots=True)
class Made:
    """A module, the address where it leaves its records, and how many bytes each of them has."""

    binary: bytes
    records: int
    size: int


def module(program: k.Program, about: bool = True) -> Made:
    """With a section that tells others about it, if `about`. Raises NotCovered."""
    with deep():
        unit = unit_of(optimize(program), histories=True)
        play = Function((I64, I64, I64, I32), ())
        unit.binary.functions.append(play)
        number = len(unit.binary.functions) - 1
        Play(unit, play).write()
    keys = program.vars[program.result].length or 0
    size = KEYS + 8 * keys
    records = unit.memory.take(BATCH * size)
    unit.binary.functions.append(_many(number, records, size))
    unit.binary.data = unit.memory.data
    unit.binary.size = unit.memory.top
    if about:
        told = {
            "game": program.game,
            "hash": program_hash(program),
            "players": program.players,
            "records": records,
            "size": size,
            "keys": keys,
            "batch": BATCH,
            "endings": ENDINGS,
        }
        unit.binary.custom.append(("kemu", json.dumps(told).encode()))
    return Made(unit.binary.bytes(), records, size)


def _many(play: int, records: int, size: int) -> Function:
    f = Function((I64, I64, I32, I64), (), "playouts")
    seed, first, number, longest = range(4)
    record, end = f.new(I32), f.new(I32)
    f.i32(records)
    f.tee(record)
    f.get(number)
    f.i32(size)
    f.op("i32.mul", "i32.add")
    f.set(end)
    with f.block() as done, f.loop() as again:
        f.get(record)
        f.get(end)
        f.op("i32.eq")
        f.br_if(done)
        for each in (seed, first, longest, record):
            f.get(each)
        f.call(play)
        f.get(first)
        f.i64(1)
        f.op("i64.add")
        f.set(first)
        f.get(record)
        f.i32(size)
        f.op("i32.add")
        f.set(record)
        f.br(again)
    return f
