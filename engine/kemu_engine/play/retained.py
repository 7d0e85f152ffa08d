"""What is worked out in one state after another, as pictures are: anew only where something that was read for
it has changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from kemu_engine.interp.frame import Faulted
from kemu_engine.interp.noting import Noted, Noting
from kemu_engine.kernel import nodes as k
from kemu_engine.play.state import FaultError, State
from kemu_engine.support.stack import deep

Node = TypeVar("Node")
Made = TypeVar("Made")
Read = frozenset[int]
"""What was read (interp/noting.py)."""
MOST = 1 << 16  # different sets of readings that are kept once for all


class Reader:
    """What gives the values of expressions in a state, and takes note of what was read. Its use raises
    Faulted."""

    __slots__ = ("_block", "_frame", "_noting", "noted")

    def __init__(self, noting: Noting, state: State) -> None:
        self.noted: set[int] = set()
        frame = state.machine.frame(state.block, state.vars, state.locals)
        self._noting, self._block = noting, state.block
        self._frame = Noted(frame.vars, frame.locals, note=self.noted.add)

    def __call__(self, expr: k.Expr) -> int:
        return int(expr.value) if isinstance(expr, k.Const) else self._noting.expr(expr)(self._frame)

    @property
    def block(self) -> int:
        """The stop at which play waits."""
        self.noted.add(self._noting.numbers.block)
        return self._block


class Changes:
    """Where states differ; asked for the same two again, as many do in turn, it knows."""

    def __init__(self, program: k.Program) -> None:
        self.noting = Noting(program)
        self._last: tuple[State, State, set[int]] | None = None

    def between(self, old: State, new: State) -> set[int]:
        if self._last is None or self._last[0] is not old or self._last[1] is not new:
            self._last = (old, new, self.noting.numbers.changed(self.noting.program, old, new))
        return self._last[2]


class Known:
    """What has been read anywhere for some nodes: each set of readings once, and by place who reads there."""

    def __init__(self) -> None:
        self.reads: dict[Read, Read] = {}
        self.readers: dict[int, set[int]] = {}

    def once(self, node: int, read: Read) -> Read:
        """The same, as one object."""
        if len(self.reads) >= MOST:
            self.reads.clear()
        for place in read:
            self.readers.setdefault(place, set()).add(node)
        return self.reads.setdefault(read, read)

    def touched(self, changed: set[int], reads: Sequence[Read]) -> list[int]:
        """The nodes that read what has changed; `reads` of each."""
        perhaps = set().union(*(self.readers.get(place, ()) for place in changed))
        return sorted(node for node in perhaps if not changed.isdisjoint(reads[node]))


class Retained(Generic[Node, Made]):
    """What `make` gives for each node in the state that was asked for last (`made`), and for which of them
    that is another object than the time before (`renewed`). What it would give again is the same object.
    `make` may ask nothing of the state but the reader."""

    def __init__(
        self,
        changes: Changes,
        nodes: Sequence[Node],
        make: Callable[[Reader, Node], Made],
    ) -> None:
        self.changes, self.nodes, self.make = changes, nodes, make
        self.state: State | None = None
        self.made: list[Made] = []
        self.renewed: Sequence[int] = ()
        self.reads: list[Read] = []
        self.known = Known()

    def another(self) -> Retained[Node, Made]:
        """One that begins where this one stands."""
        copy = Retained(self.changes, self.nodes, self.make)
        copy.state, copy.made, copy.reads = self.state, list(self.made), list(self.reads)
        copy.known = self.known
        return copy

    def of(self, state: State) -> list[Made]:
        """Of all nodes, in their order; the list is not to be changed. Raises FaultError."""
        before, self.state = self.state, None  # if it breaks down, nothing is known
        self.renewed = ()
        if before is None:
            self.made, self.reads = [], []
            self._renew(state, range(len(self.nodes)))
        elif before is not state:
            changed = self.changes.between(before, state)
            self._renew(state, self.known.touched(changed, self.reads))
        self.state = state
        return self.made

    def _renew(self, state: State, which: Sequence[int]) -> None:
        if not which:
            return
        try:
            with deep():
                self.renewed = self._made(Reader(self.changes.noting, state), which)
        except Faulted as faulted:
            raise FaultError(state.program, faulted) from None

    def _made(self, reader: Reader, which: Sequence[int]) -> list[int]:
        renewed: list[int] = []
        for at in which:
            reader.noted.clear()
            made, read = self.make(reader, self.nodes[at]), frozenset(reader.noted)
            if at == len(self.made):
                renewed.append(at)
                self.made.append(made)
                self.reads.append(self.known.once(at, read))
                continue
            if made != self.made[at]:
                renewed.append(at)
                self.made[at] = made
            if read != self.reads[at]:
                self.reads[at] = self.known.once(at, read)
        return renewed
