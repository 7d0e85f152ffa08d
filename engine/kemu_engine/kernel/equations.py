"""Which equations hold at a block: what was given a value on every way there, of things that no way has
changed since.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import Edge
from kemu_engine.kernel.dataflow import NONE, Ids, forward
from kemu_engine.kernel.liveness import Reads
from kemu_engine.kernel.walk import nodes_with_calls, overwritten, read, written


@dataclass(frozen=True, slots=True)
class Equation:
    """`target` (a local, or a state variable that is no array) has the value of `value`."""

    target: k.Local | k.Load
    value: k.Expr
    locals: Ids  # those in `value`
    vars: Ids


class Equations:
    """The equations that the first blocks of a program make, in their order, and where they hold."""

    def __init__(self, program: k.Program, first: int, reads: Reads) -> None:
        self.program, self.reads = program, reads
        self.known: list[Equation] = []
        self._made: dict[int, dict[int, int]] = {}  # by block and statement its equation
        for number, block in enumerate(program.blocks[:first]):
            for at, statement in enumerate(block.code):
                equation = self._equation(statement)
                if equation is not None:
                    self._made.setdefault(number, {})[at] = len(self.known)
                    self.known.append(equation)
        self._locals: dict[int, set[int]] = {}  # by local the equations that speak of it
        self._vars: dict[int, set[int]] = {}
        for number, equation in enumerate(self.known):
            for local in (*equation.locals, *_local(equation.target)):
                self._locals.setdefault(local, set()).add(number)
            for var in (*equation.vars, *_var(equation.target)):
                self._vars.setdefault(var, set()).add(number)
        # the equations that may fail to hold: what flows is their union
        self._failing = forward(program, self._flow, self._along)

    def at(self, block: int) -> list[Equation]:
        """Those that hold at a block that can be reached."""
        failing = self._failing[block]
        return [equation for number, equation in enumerate(self.known) if number not in failing]

    def _equation(self, statement: k.Stmt) -> Equation | None:
        match statement:
            case k.Assign(local=local, value=value):
                target: k.Local | k.Load = k.Local(self.program.locals[local].type, local)
            case k.Store(var=var, value=value):
                target = k.Load(self.program.vars[var].type, var)
            case _:
                return None
        locals_, vars_ = self.reads.of(value), frozenset(self._read(value))
        if locals_ & set(_local(target)) or vars_ & set(_var(target)):
            return None
        return Equation(target, value, locals_, vars_)

    def _read(self, value: k.Expr) -> Iterator[int]:
        for node in nodes_with_calls(self.program, value):
            yield from read(self.program.vars, node)

    def _flow(self, number: int, entry: Ids) -> Ids:
        failing = set(range(len(self.known))) if number == self.program.entry else set(entry)
        made = self._made.get(number, {})
        for at, statement in enumerate(self.program.blocks[number].code):
            for local in overwritten((statement,)):
                failing |= self._locals.get(local, NONE)
            for var in written((statement,)):
                failing |= self._vars.get(var, NONE)
            if at in made:
                failing.discard(made[at])
        return frozenset(failing)

    def _along(self, edge: Edge) -> Ids:
        return frozenset().union(*(self._locals.get(local, NONE) for local in edge.sets))


def _local(target: k.Expr) -> tuple[int, ...]:
    return (target.id,) if isinstance(target, k.Local) else ()


def _var(target: k.Expr) -> tuple[int, ...]:
    return (target.var,) if isinstance(target, k.Load) else ()
