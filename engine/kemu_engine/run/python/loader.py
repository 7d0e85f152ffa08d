"""Generated Python at work: the machine behind states, and random games in one function."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from threading import RLock
from typing import Any

from kemu_engine.interp.frame import Faulted, Log
from kemu_engine.interp.machine import Machine, crowded
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.limits import TOO_DEEP
from kemu_engine.kernel.snapshots import EMPTY
from kemu_engine.kernel.stop import Choice, Stop

PATIENCE = 10_000
"""Parts passed without a stop before the interpreter takes over, which knows a run that never stops."""
KEPT = 8
"""Programs whose Python is kept for the next game of the same program."""

Part = Callable[[Any], Any]


class Pending:
    """A part whose function has not been compiled yet."""

    __slots__ = ("head",)

    def __init__(self, head: int) -> None:
        self.head = head


class Stepper:
    """The functions from stop to stop of a program, each written and compiled when first needed.

    `spoilt`: it was interrupted while writing, so that what it has written may have gaps.
    """

    def __init__(self, program: k.Program) -> None:
        self.program = program
        self.spoilt = False
        from kemu_engine.run.python import writer  # needed only where something is written

        text, self.steps = writer.stepping(program)
        self.names: dict[str, Any] = {"EMPTY": EMPTY, "Stop": Stop, "Choice": Choice, "fault": self._fault}
        run(text, self.names)
        self.unpacked = self.names["unpacked"]
        for head in self.steps.graph.heads:
            self.names[self.steps.name(head)] = Pending(head)
        self._live = [self.steps.live(number) for number in range(len(program.blocks))]
        self._ways = self.steps.ways()

    def _fault(self, index: int) -> None:
        raise Faulted(self.program.faults[index], index)

    def begin(self) -> Stop | None:
        """The first stop of a game; None if the way there is too long. Raises Faulted."""
        position = self.unpacked([var.initial for var in self.program.vars])
        return self._run(position, self.names[self.steps.begin])

    def follow(self, stop: Stop, choice: Choice) -> Stop | None:
        """The stop after a choice; None if the way there is too long. Raises Faulted."""
        position = self.unpacked(stop.vars)
        for name, value in zip(self._live[stop.block], stop.locals, strict=True):
            setattr(position, name, value)
        if (stop.block, choice.arm) not in self._ways:
            raise ValueError("nothing follows an end")
        part, names = self._ways[stop.block, choice.arm]
        for name, value in zip(names, choice.values, strict=True):
            setattr(position, name, value)
        return self._run(position, self.names[part])

    def _run(self, position: Any, part: Any) -> Stop | None:
        for _ in range(PATIENCE):
            if type(part) is Pending:
                part = self._compiled(part.head)
            part = part(position)
            if type(part) is Stop:
                return part
        return None

    def _compiled(self, head: int) -> Part:
        from kemu_engine.run.python.stepper import function
        from kemu_engine.run.python.text import rendered

        with _writing:
            name = self.steps.name(head)
            if type(self.names[name]) is Pending:  # no other thread was faster
                self.spoilt = True
                lines = function(self.steps, head)
                run("\n".join([*self.steps.module.definitions(), *rendered(lines)]) + "\n", self.names)
                self.spoilt = False
            part: Part = self.names[name]
        return part


class GeneratedMachine(Machine):
    """Goes from stop to stop by generated Python; all else, and what is to be logged, is interpreted.

    So is a program that Python cannot take: its expressions nest too deeply.
    """

    @cached_property
    def _stepper(self) -> Stepper | None:
        """Written when the first step is to be made: who plays whole games needs none."""
        stepper: Stepper | None = kept(_steppers, self.program, Stepper)
        return stepper

    @property
    def by_python(self) -> bool:
        """Whether generated Python leads from stop to stop, and not the interpreter in its place."""
        return self._stepper is not None

    def prepare(self) -> None:
        kept(_steppers, self.program, Stepper)

    def begin(self, log: Log | None = None) -> Stop:
        stop = self._by_python(lambda python: python.begin()) if log is None else None
        return stop or super().begin(log)

    def follow(self, stop: Stop, choice: Choice, log: Log | None = None) -> Stop:
        after = self._by_python(lambda python: python.follow(stop, choice)) if log is None else None
        return after or super().follow(stop, choice, log)

    def _by_python(self, go: Callable[[Stepper], Stop | None]) -> Stop | None:
        if self._stepper is not None and self._stepper.spoilt:
            self._stepper = kept(_steppers, self.program, Stepper)
        try:
            return None if self._stepper is None else go(self._stepper)
        except TOO_DEEP:
            self._stepper = None
        return None


_writing = RLock()
_steppers: dict[int, tuple[k.Program, Any]] = {}
_players: dict[int, tuple[k.Program, Any]] = {}

Player = Callable[[int, int, int], tuple[int, int, int, str, Any]]


def player(program: k.Program) -> Player | None:
    """The function `play` of a program (run/python/playout.py); None if Python cannot take it."""
    play: Player | None = kept(_players, program, _player)
    return play


def _player(program: k.Program) -> Player:
    from kemu_engine.run.python import writer

    names: dict[str, Any] = {}
    run(writer.fast(program), names)
    play: Player = names["play"]
    return play


def kept(
    cache: dict[int, tuple[k.Program, Any]], program: k.Program, make: Callable[[k.Program], Any]
) -> Any:
    """What was made of a program not long ago, or what is made of it now; None if Python cannot take it, or
    should not, for it counts no actions."""
    with _writing:
        found = cache.pop(id(program), None)
        if found is None or getattr(found[1], "spoilt", False):
            try:
                found = program, None if crowded(program) else make(program)
            except TOO_DEEP:
                found = program, None
            while len(cache) >= KEPT:
                del cache[next(iter(cache))]
        cache[id(program)] = found
    return found[1]


def run(text: str, names: dict[str, Any]) -> None:
    """Runs the text of a module, or of a part of one."""
    exec(compile(text, "<generated>", "exec"), names)
