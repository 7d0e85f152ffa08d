"""What is worked out in one state after another, as pictures are: anew only where something that was read for
it has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from kemu_engine.interp.frame import Frame
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.values import Cells
from kemu_engine.play.state import State

Node = TypeVar("Node")
Made = TypeVar("Made")
Read = frozenset[int]
"""What was read: numbers of elements of the state variables, of locals, and of the stop (Places)."""
MOST = 1 << 16  # different sets of readings that are kept once for all


class Reader:
    """What gives the values of expressions in a state, and takes note of what was read. Its use raises
    Faulted."""

    __slots__ = ("_block", "_value", "noted", "places")

    def __init__(self, value: Callable[[k.Expr], int], block: int, noted: set[int], places: Places) -> None:
        self._value, self._block, self.noted, self.places = value, block, noted, places

    def __call__(self, expr: k.Expr) -> int:
        return int(expr.value) if isinstance(expr, k.Const) else self._value(expr)

    @property
    def block(self) -> int:
        """The stop at which play waits."""
        self.noted.add(self.places.block)
        return self._block


class Places:
    """Numbers of all that can be read: `first` of each variable, `locals`, the `block`."""

    def __init__(self, program: k.Program) -> None:
        self.first: list[int] = []
        at = 0
        for var in program.vars:
            self.first.append(at)
            at += 1 if var.length is None else var.length
        self.locals = at
        self.block = at + len(program.locals)

    def changed(self, program: k.Program, old: State, new: State) -> set[int]:
        """Where the states differ."""
        found: set[int] = set()
        for first, one, other in zip(self.first, old.vars, new.vars, strict=True):
            if one is other or one == other:
                continue
            if isinstance(one, tuple) and isinstance(other, tuple):
                found.update(first + at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
            else:
                found.add(first)
        if old.block != new.block or old.locals != new.locals:
            before, after = (
                dict(zip(program.blocks[each.block].live, each.locals, strict=True)) for each in (old, new)
            )
            found.update(
                self.locals + each for each in {*before, *after} if before.get(each, 0) != after.get(each, 0)
            )
        if old.block != new.block:
            found.add(self.block)
        return found


class _Array:
    """An array whose readings are noted."""

    __slots__ = ("cells", "first", "note")

    def __init__(self, cells: tuple[int, ...], first: int, note: Callable[[int], None]) -> None:
        self.cells, self.first, self.note = cells, first, note

    def __getitem__(self, at: int) -> int:
        self.note(self.first + at)
        return self.cells[at]

    def __len__(self) -> int:
        return len(self.cells)

    def whole(self) -> tuple[int, ...]:
        for at in range(self.first, self.first + len(self.cells)):
            self.note(at)
        return self.cells

    def __iter__(self) -> Iterator[int]:
        return iter(self.whole())

    def __eq__(self, other: object) -> bool:
        return self.whole() == (other.whole() if isinstance(other, _Array) else other)

    def __hash__(self) -> int:
        return hash(self.whole())


class _Vars:
    """The state variables of a frame, readings noted."""

    __slots__ = ("at", "first", "note")

    def __init__(self, vars: Sequence[Cells], first: Sequence[int], note: Callable[[int], None]) -> None:
        self.at = [
            _Array(cells, start, note) if isinstance(cells, tuple) else cells
            for cells, start in zip(vars, first, strict=True)
        ]
        self.first, self.note = first, note

    def __getitem__(self, var: int) -> Any:
        value = self.at[var]
        if not isinstance(value, _Array):
            self.note(self.first[var])
        return value

    def __iter__(self) -> Iterator[Any]:
        return (self[var] for var in range(len(self.at)))


class _Locals(list[Any]):
    """The locals of a frame, readings noted."""

    __slots__ = ("first", "note")

    def __init__(self, values: Sequence[Any], first: int, note: Callable[[int], None]) -> None:
        super().__init__(values)
        self.first, self.note = first, note

    def __getitem__(self, at: Any) -> Any:
        self.note(self.first + at)
        return super().__getitem__(at)


class Retained(Generic[Node, Made]):
    """What `make` gives for each node in the state that was asked for last. What it would give again is the
    same object. `make` may ask nothing of the state but the reader."""

    def __init__(
        self, program: k.Program, nodes: Sequence[Node], make: Callable[[Reader, Node], Made]
    ) -> None:
        self.program, self.nodes, self.make = program, nodes, make
        self.places = Places(program)
        self.state: State | None = None
        self.made: list[Made] = []
        self.reads: list[Read] = []
        self.known: dict[Read, Read] = {}

    def another(self) -> Retained[Node, Made]:
        """One that begins where this one stands."""
        copy = Retained.__new__(Retained)
        copy.program, copy.nodes, copy.make = self.program, self.nodes, self.make
        copy.places, copy.known = self.places, self.known
        copy.state, copy.made, copy.reads = self.state, list(self.made), list(self.reads)
        return copy

    def of(self, state: State) -> list[Made]:
        """Of all nodes, in their order; the list is not to be changed. Raises FaultError."""
        before, self.state = self.state, None  # if it breaks down, nothing is known
        if before is None:
            self.made, self.reads = [], []
            self._renew(state, range(len(self.nodes)))
        elif before is not state:
            changed = self.places.changed(self.program, before, state)
            if changed:
                self._renew(state, [at for at, read in enumerate(self.reads) if not changed.isdisjoint(read)])
        self.state = state
        return self.made

    def _renew(self, state: State, which: Sequence[int]) -> None:
        if not which:
            return
        noted: set[int] = set()
        with state.reading(lambda frame: self._noting(frame, noted)) as value:
            reader = Reader(value, state.block, noted, self.places)
            for at in which:
                noted.clear()
                made, read = self.make(reader, self.nodes[at]), frozenset(noted)
                if at == len(self.made):
                    self.made.append(made)
                    self.reads.append(self._once(read))
                    continue
                if made != self.made[at]:
                    self.made[at] = made
                if read != self.reads[at]:
                    self.reads[at] = self._once(read)

    def _noting(self, frame: Frame, noted: set[int]) -> None:
        frame.vars = _Vars(frame.vars, self.places.first, noted.add)  # type: ignore[assignment]
        frame.locals = _Locals(frame.locals, self.places.locals, noted.add)

    def _once(self, read: Read) -> Read:
        """The same, as one object."""
        if len(self.known) >= MOST:
            self.known.clear()
        return self.known.setdefault(read, read)
