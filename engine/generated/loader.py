"""Generated Python at work: the machine behind states, and random games in one function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine import kernel as k
from engine.frame import Faulted, Write
from engine.generated import writer
from engine.generated.text import rendered
from engine.interpret import Choice, Machine, Stop

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
    """The functions from stop to stop of a program, each written and compiled when first needed."""

    def __init__(self, program: k.Program) -> None:
        self.program = program
        text, self.steps = writer.stepping(program)
        self.names: dict[str, Any] = {"Stop": Stop, "Choice": Choice, "fault": self._fault}
        run(text, self.names)
        self.unpacked = self.names["unpacked"]
        for head in self.steps.graph.heads:
            self.names[self.steps.name(head)] = Pending(head)
        self._live = [tuple(self.steps.names[local] for local in block.live) for block in program.blocks]
        self._set: dict[tuple[int, int], tuple[tuple[str, ...], str]] = {}

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
        names, part = self._set.get((stop.block, choice.arm)) or self._entered(stop.block, choice.arm)
        for name, value in zip(names, choice.values, strict=True):
            setattr(position, name, value)
        return self._run(position, self.names[part])

    def _entered(self, block: int, arm: int) -> tuple[tuple[str, ...], str]:
        """What a choice sets, and the part where it leads."""
        exit = self.program.blocks[block].exit
        if isinstance(exit, k.Decide):
            locals = tuple(param.local for param in exit.arms[arm].params)
            target = exit.arms[arm].target
        elif isinstance(exit, k.Chance):
            locals, target = (exit.local,), exit.target
        else:
            raise ValueError("nothing follows an end")
        names = tuple(self.steps.names[local] for local in locals)
        self._set[block, arm] = names, self.steps.name(self.steps.graph.after(target))
        return self._set[block, arm]

    def _run(self, position: Any, part: Any) -> Stop | None:
        for _ in range(PATIENCE):
            if type(part) is Pending:
                part = self._compiled(part.head)
            part = part(position)
            if type(part) is Stop:
                return part
        return None

    def _compiled(self, head: int) -> Part:
        name = self.steps.name(head)
        lines = self.steps.function(head)
        run("\n".join([*self.steps.module.definitions(), *rendered(lines)]) + "\n", self.names)
        part: Part = self.names[name]
        return part


class GeneratedMachine(Machine):
    """Goes from stop to stop by generated Python; all else, and what is to be logged, is interpreted.

    So is a program that Python cannot take: its expressions nest too deeply.
    """

    def __init__(self, program: k.Program) -> None:
        super().__init__(program)
        self._stepper: Stepper | None = kept(_steppers, program, Stepper)

    @property
    def by_python(self) -> bool:
        """Whether generated Python leads from stop to stop, and not the interpreter in its place."""
        return self._stepper is not None

    def begin(self, log: list[Write] | None = None) -> Stop:
        if log is None and self._stepper is not None:
            try:
                return self._stepper.begin() or super().begin()
            except TOO_DEEP:
                self._stepper = None
        return super().begin(log)

    def follow(self, stop: Stop, choice: Choice, log: list[Write] | None = None) -> Stop:
        if log is None and self._stepper is not None:
            try:
                return self._stepper.follow(stop, choice) or super().follow(stop, choice)
            except TOO_DEEP:
                self._stepper = None
        return super().follow(stop, choice, log)


TOO_DEEP = (RecursionError, MemoryError, SyntaxError)

_steppers: dict[int, tuple[k.Program, Any]] = {}
_players: dict[int, tuple[k.Program, Any]] = {}

Player = Callable[[int, int, int], tuple[int, int, int, str, Any]]


def player(program: k.Program) -> Player | None:
    """The function `play` of a program (engine/generated/fused.py); None if Python cannot take it."""
    play: Player | None = kept(_players, program, _player)
    return play


def _player(program: k.Program) -> Player:
    names: dict[str, Any] = {}
    run(writer.fast(program), names)
    play: Player = names["play"]
    return play


def kept(
    cache: dict[int, tuple[k.Program, Any]], program: k.Program, make: Callable[[k.Program], Any]
) -> Any:
    """What was made of a program not long ago, or what is made of it now; None if Python cannot take it."""
    found = cache.pop(id(program), None)
    if found is None:
        try:
            found = program, make(program)
        except TOO_DEEP:
            found = program, None
        while len(cache) >= KEPT:
            del cache[next(iter(cache))]
    cache[id(program)] = found
    return found[1]


def run(text: str, names: dict[str, Any]) -> None:
    """Runs the text of a module, or of a part of one."""
    exec(compile(text, "<generated>", "exec"), names)
