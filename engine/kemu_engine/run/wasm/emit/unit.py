"""What the functions of one WebAssembly module share: memory, tables, the functions of the rules."""

from __future__ import annotations

from collections.abc import Callable

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import expressions, statements, within
from kemu_engine.opt.optimized import Optimized
from kemu_engine.run.wasm.asm.binary import I32, I64, Binary, Function, ValueType
from kemu_engine.run.wasm.emit.layout import Area, Memory, cell, initial, packed, words

BYTES = 8
"""Bits of a set that one look into a table takes."""


class Unit:
    """The parts of one module, gathered while its functions are written. `write` writes a function of the
    rules, of a number, into one of the module."""

    def __init__(self, optimized: Optimized, write: Callable[[Unit, Function, int], None]) -> None:
        self._write = write
        self.optimized = optimized
        self.source = optimized.source
        self.program = program = optimized.program
        self.traits = optimized.traits
        self.binary = Binary(globals=[0])
        self.memory = Memory()
        self.slots = [
            self.memory.slot(var, number in optimized.masked) for number, var in enumerate(program.vars)
        ]
        self.start = self.slots[0].area.at if self.slots else self.memory.top
        live = [sum(words(program.locals[local].type) for local in block.live) for block in program.blocks]
        self.held = self.memory.take(8 * max(live))  # at a stop: its live locals, word after word
        self.stop = self.memory.take(8)  # its number, and that of the player who acts
        self.actor = self.stop + 4
        self.position = Area(self.start, self.memory.top - self.start)
        self.logs = {
            at: self.memory.log(self.slots, var.type.vars)
            for at, var in enumerate(program.vars)
            if isinstance(var.type, k.History)
        }
        self.no_room = len(program.faults)  # the fault of a log that is full
        begun = initial(self.slots, self.logs)
        self.initial, self.state_size = self.memory.static(begun), len(begun)
        self._tables: dict[tuple[int, bool], tuple[int, k.Type]] = {}
        self._touching: dict[int, list[int]] = {}
        self._functions: dict[int, int] = {}
        self._returned: dict[int, int] = {}
        self._faulting: dict[int, bool] = {}

    # ------------------------------------------------------------------------------------------ tables

    def table(self, table: int, type_: k.Type) -> tuple[int, k.Type]:
        """Where a table is, and as what its values are kept."""
        key = table, isinstance(type_, k.Set)
        if key not in self._tables:
            rows = tuple(map(int, self.program.tables[table].values))
            if isinstance(type_, k.Set):
                kept: k.Type = k.Set(max(type_.size, max(row.bit_length() for row in rows)))
            elif isinstance(type_, k.Bool):
                kept = k.BOOL
            else:
                kept = k.Int(min(rows), max(rows))
            self._tables[key] = self.memory.static(packed(kept, rows)), kept
        return self._tables[key]

    def touching(self, table: int) -> list[int]:
        """Of a table of sets, for each byte of a set: where the rows are that it has an element in common
        with."""
        if table not in self._touching:
            rows = [int(row) for row in self.program.tables[table].values]
            count = words(k.Set(len(rows)))
            found = []
            for at in range(0, max(1, max(row.bit_length() for row in rows)), BYTES):
                touched = [
                    sum(1 << number for number, row in enumerate(rows) if row >> at & part)
                    for part in range(1 << BYTES)
                ]
                data = b"".join(each.to_bytes(8 * count, "little") for each in touched)
                found.append(self.memory.static(data))
            self._touching[table] = found
        return self._touching[table]

    # ------------------------------------------------------------------------------------------ functions

    def function(self, number: int) -> int:
        """The number in the module of a function of the rules; it is written when it is first called for."""
        if number not in self._functions:
            function = self.program.functions[number]
            kinds: list[ValueType] = []
            for param in function.params:
                type_ = self.program.locals[param].type
                kinds += [I32 if isinstance(type_, k.Bool) else I64] * words(type_)
            back: ValueType = I32 if isinstance(function.type, k.Bool) else I64
            f = Function(tuple(kinds), (back,) if words(function.type) == 1 else ())
            self.binary.functions.append(f)
            self._functions[number] = len(self.binary.functions) - 1
            self._write(self, f, number)
        return self._functions[number]

    def returned(self, number: int) -> int:
        """Where a function leaves its value if that is a set of several words."""
        if number not in self._returned:
            self._returned[number] = self.memory.take(cell(self.program.functions[number].type).size)
        return self._returned[number]

    def may_fault(self, number: int) -> bool:
        if number not in self._faulting:
            body = self.program.functions[number].body
            self._faulting[number] = self._fails(body)
        return self._faulting[number]

    def _fails(self, code: k.Code) -> bool:
        if any(isinstance(each, k.Check | k.Loop | k.Note) for each in statements(code)):
            return True
        for expr in expressions(code):
            for part in within(expr):
                if isinstance(part, k.Need) or (isinstance(part, k.Trial) and self._fails(part.body)):
                    return True
                if isinstance(part, k.Call) and self.may_fault(part.function):
                    return True
        return False
