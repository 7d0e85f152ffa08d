"""All states of a game by WebAssembly, breadth first."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence

from kemu_engine.kernel import nodes as k
from kemu_engine.run.wasm.asm.runtime import Running, needed
from kemu_engine.run.wasm.emit.predicates import Condition
from kemu_engine.run.wasm.programs.bfs import KINDS, searching
from kemu_engine.run.wasm.programs.hash_table import MOST_BITS

MEMORY = 2 << 30
"""Bytes of memory that a search may take, if nothing else is said."""
MOST_MEMORY = 4 << 30
MOST_STATES = 5 << MOST_BITS - 3
NO_ROOM = 1


class Explorer:
    """A search at work; `conditions` may be asked of the states; of the set `aside`, a variable that is no
    part of them, `notes` tells. Raises NotCovered, NotInstalled.

    `expanded`, `count`: states of which the successors are known, and all states; `levels`: how many there
    are up to each distance from the first, as far as that is known; `kinds`, `moves`: states expanded, and
    moves at them, at decisions, chance nodes and ends; `widest`: the most moves of a state; `faults`: how
    many steps end in which fault. `complete`: there are no more; `full`: memory does not suffice. `lost`:
    there is a step that is too long for it, so that another reader has to do it all.
    """

    def __init__(
        self,
        program: k.Program,
        memory: int = MEMORY,
        conditions: Sequence[Condition] = (),
        aside: int = -1,
    ) -> None:
        needed()
        self.program = program
        self._made = searching(program, min(memory, MOST_MEMORY), conditions, aside)
        self.packing = self._made.packing
        self._running = Running(self._made.binary)
        self.expanded = self.count = self.widest = 0
        self.levels: list[int] = []
        self.kinds, self.moves = (0,) * len(KINDS), (0,) * len(KINDS)
        self.faults: dict[int, int] = {}
        self.complete = self.full = self.lost = False
        self._states = 0  # where they are in memory
        begun = self._running.call("begin")
        if begun == NO_ROOM:
            self.full = True
        elif begun < 0:
            self._told({-1 - begun: 1})
            self.complete = True
        else:
            self.expand(0)

    def _told(self, faults: dict[int, int]) -> None:
        """Takes what went wrong, by number; the last number means that a step was too long."""
        self.lost = bool(faults.pop(len(self.program.faults), 0))
        self.faults = faults

    @property
    def size(self) -> int:
        """Bytes of memory that it has."""
        return self._running.size

    def expand(
        self,
        until: int,
        most: int = MOST_STATES,
        edges: array[int] | None = None,
        degrees: array[int] | None = None,
    ) -> None:
        """Goes on to the successors of all states below number `until`, or of some of them, as long as there
        are fewer than `most` states. Of each state `degrees` gets how many there are, `edges` their numbers,
        below 0 for a fault. Raises TooLong."""
        before, record = self.expanded, edges is not None and degrees is not None
        how = self._running.call("expand", min(until, MOST_STATES), min(most, MOST_STATES), int(record))
        faults = len(self.program.faults) + 1
        form = struct.Struct(f"<{4 + 2 * len(KINDS) + 1 + faults}q")
        self.expanded, self.count, levels, self._states, *rest = form.unpack(
            self._running.read(self._made.tally, form.size)
        )
        self.kinds, self.moves = tuple(rest[: len(KINDS)]), tuple(rest[len(KINDS) : 2 * len(KINDS)])
        self.widest = rest[2 * len(KINDS)]
        self._told({number: count for number, count in enumerate(rest[-faults:]) if count})
        self.levels += array("I", self._running.read(self._made.levels, 4 * levels))
        if edges is not None and degrees is not None:
            new = array("i", self._running.read(self._made.degrees, 4 * (self.expanded - before)))
            degrees += new
            edges.frombytes(self._running.read(self._made.edges, 4 * sum(new)))
        self.full = how == NO_ROOM
        self.complete = self.expanded == self.count

    def state(self, number: int) -> bytes:
        """A state, packed."""
        size = self.packing.size
        return self._running.read(self._states + size * number, size)

    def first(self, condition: int, start: int, end: int) -> int | None:
        """The first of the states start..end-1 that meets the condition of that number. Raises TooLong."""
        found = int(self._running.call(f"ask{condition}", start, end))
        return found if found < end else None

    def stops(self) -> dict[int, int]:
        """The blocks at which states expanded stand: the first state at each."""
        found = self._numbers(self._made.stop_at, len(self._made.steps.stops))
        return {block: at - 1 for block, at in zip(self._made.steps.stops, found, strict=True) if at}

    def arms(self) -> dict[tuple[int, int], int]:
        """The arms (block, arm) that states expanded have moves of: the first state with one."""
        steps = self._made.steps
        first = self._made.case_at + 4 * (steps.first + len(steps.stops))
        found = self._numbers(first, len(steps.ways))
        return {way: at - 1 for way, at in zip(steps.ways, found, strict=True) if at}

    def notes(self) -> list[tuple[int, int, int]]:
        """The steps that first put elements into the set `aside`: the state, which of its moves (-1, -1: the
        beginning), and the elements as a mask."""
        (end,) = self._numbers(self._made.notes, 1)
        data = self._running.read(self._made.notes + 8, end - self._made.notes - 8)
        return [
            (state, move, mask << 8 * at) for state, move, at, mask in struct.iter_unpack("<iiI4xQ", data)
        ]

    def _numbers(self, at: int, count: int) -> array[int]:
        return array("I", self._running.read(at, 4 * count))
