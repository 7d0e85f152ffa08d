"""What the functions of a generated module share: constants, tables, the functions of the rules, names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from textwrap import wrap

from kemu_engine.opt.nodes import Pattern
from kemu_engine.opt.optimized import Optimized
from kemu_engine.run.python.nesting import shallow
from kemu_engine.run.python.search import searching
from kemu_engine.run.python.text import Block, Names, rendered

Patterns = tuple[tuple[Pattern, int], ...]

RESERVED = frozenset(
    "elements element_table masks chunks rows nth fault Faulted Stop Choice halves absorb mix unpack watch "  # noqa: SIM905
    "play playouts places s draw chance player seed game longest at laps kept decisions branching outcomes "
    "limit accumulate bisect_right lru_cache Struct NamedTuple Counter argparse main Position unpacked "
    "packed error vars key start follow run INITIAL LIVE WAYS STOPS GAME PLAYERS WIDTH FAULTS WORD GOLDEN "
    "LANES EACH LOW STEPS LAP BYTES draw_below Snapshots EMPTY".split()
)
"""Names that mean something in every module."""

CHUNK = 12
"""Bits of a mask that one look into a table takes."""

LISTED = 5000
"""Elements of all sets of a table that are listed."""

Slots = tuple[tuple[int, bool], ...]
"""Variables, and whether as masks."""


@dataclass(frozen=True, slots=True)
class Written:
    """A function of the rules: its name, and the variables that it needs (and whether as masks)."""

    name: str
    slots: Slots


class Module:
    """The parts of one module, gathered while its functions are written. `write` writes a function of the
    rules: the variables that it needs, and its lines."""

    def __init__(self, optimized: Optimized, write: Callable[[Module, int], tuple[Slots, Block]]) -> None:
        self._write = write
        self.optimized = optimized
        self.source = optimized.source
        self.program = program = optimized.program
        self.traits = optimized.traits
        self.names = Names(RESERVED)
        self._fresh: Block = []  # constants and tables
        self._fresh_functions: Block = []
        self._constants: dict[tuple[str, str], str] = {}
        self._tables: dict[int, str] = {}
        self._rows: dict[int, str] = {}
        self._touching: dict[int, list[str]] = {}
        self._patterns: dict[Patterns, str] = {}
        self._functions: dict[int, Written] = {}
        self.slot_names = [self.names.give(var.name) for var in program.vars]
        self.function_names = [self.names.give(function.name) for function in program.functions]
        self.mask_names = {
            var: self.names.give(f"{self.slot_names[var]}_is") for var in sorted(optimized.masked)
        }

    # ------------------------------------------------------------------------------------------ definitions

    def constant(self, value: str, name: str) -> str:
        """The name of a constant."""
        key = (value, name)
        if key not in self._constants:
            self._constants[key] = self.names.give(name)
            self._define(self._constants[key], value)
        return self._constants[key]

    def _define(self, name: str, value: str) -> None:
        lines = wrap(f"{name} = {value}", 108, subsequent_indent="    ", break_long_words=False)
        self._fresh += lines if value.startswith("(") else [f"{name} = {value}"]

    def table(self, table: int) -> str:
        if table not in self._tables:
            name = self.names.give(f"{self.program.tables[table].name.upper()}_{table}")
            self._tables[table] = name
            values = self.program.tables[table].values
            shown = [f"{value:#x}" if value > 0xFFFF else str(int(value)) for value in values]
            self._define(name, f"({', '.join(shown)}{',' if len(values) == 1 else ''})")
        return self._tables[table]

    def few(self, table: int) -> bool:
        """Whether the sets of a table have so few elements that these may be listed."""
        return sum(value.bit_count() for value in self.program.tables[table].values) <= LISTED

    def rows(self, table: int) -> str:
        """Of a table, by value: the mask of the rows that have it."""
        if table not in self._rows:
            name = self.names.give(f"{self.table(table)}_ROWS")
            self._rows[table] = name
            self._define(name, f"rows({self.table(table)})")
        return self._rows[table]

    def touching(self, table: int) -> list[str]:
        """Of a table of sets, for a mask piece by piece: the mask of the rows that have a common element."""
        if table not in self._touching:
            wide = self.chunk(table)
            number = -(-self._width(table) // wide)
            names = [self.names.give(f"{self.table(table)}_TOUCHED_{at}") for at in range(number)]
            self._touching[table] = names
            targets = ", ".join(names) + ("," if number == 1 else "")
            self._fresh.append(f"{targets} = chunks({self.table(table)}, {wide}, {number})")
        return self._touching[table]

    def pattern(self, patterns: Patterns) -> str:
        """The function that finds patterns; it is written when it is first called for."""
        if patterns not in self._patterns:
            name = self._patterns[patterns] = self.names.give("found_at")
            self._fresh_functions += ["", "", *searching(name, patterns)]
        return self._patterns[patterns]

    def _width(self, table: int) -> int:
        return max(1, max(value.bit_length() for value in self.program.tables[table].values))

    def chunk(self, table: int) -> int:
        """How many bits make a piece of a mask."""
        width = self._width(table)
        number = -(-width // CHUNK)
        return -(-width // number)

    def function(self, number: int) -> Written:
        """A function of the rules; it is written when it is first called for."""
        if number not in self._functions:
            slots, lines = self._write(self, number)
            self._functions[number] = Written(self.function_names[number], slots)
            self._fresh_functions += ["", "", *shallow(lines)]
        return self._functions[number]

    # ------------------------------------------------------------------------------------------ variables

    def masked(self, var: int) -> bool:
        """Whether masks are kept of the values of an array."""
        return var in self.optimized.masked

    def definitions(self) -> list[str]:
        """The lines of all definitions that were called for since this was last asked."""
        lines = rendered(self._fresh + self._fresh_functions)
        self._fresh, self._fresh_functions = [], []
        return lines
