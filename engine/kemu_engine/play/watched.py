"""A program that watches itself: when in a game each of some things first holds.

At every stop the game looks at them, and keeps how many stops there were by then; at the end these numbers
are what the players are ranked by, so that every reader tells them. Play is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import retargeted
from kemu_engine.kernel.walk import expressions, rebuilt, recoded, statements, within
from kemu_engine.support.stack import deep

CUT = "end.cut"
"""The name of the block where a game is cut off."""


@dataclass(frozen=True, slots=True)
class Watch:
    """A test over the state, to be made at some stops."""

    blocks: frozenset[int]
    test: k.Expr


def watched(program: k.Program, watches: Sequence[Watch], longest: int) -> k.Program:
    """The same game, cut off at its stop number `longest`. Its result has, for each of the watches, the
    number of the first stop where the test holds (1 is the initial one), or 0; what runs into a fault does
    not hold. A decision at which nothing can be done counts as a stop."""
    with deep():
        return _Watching(program, watches, longest).done()


def watchable(program: k.Program, test: k.Expr) -> bool:
    """Whether a test can be watched: it asks for nothing that might go wrong, but for values not there."""
    waiting, called = [test], set[int]()
    while waiting:
        for node in within(waiting.pop()):
            if isinstance(node, k.Trial):
                return False
            if isinstance(node, k.Call) and node.function not in called:
                called.add(node.function)
                body = program.functions[node.function].body
                if any(isinstance(each, k.Check | k.Loop) for each in statements(body)):
                    return False
                waiting += expressions(body)
    return True


class _Watching:
    def __init__(self, program: k.Program, watches: Sequence[Watch], longest: int) -> None:
        self.program, self.longest = program, longest
        self.functions = list(program.functions)
        self._total: dict[int, int] = {}  # by function, the one that does the same and runs into no fault
        self.watches = [replace(watch, test=self._without_faults(watch.test)) for watch in watches]
        self.clock, self.first, self.told = range(len(program.vars), len(program.vars) + 3)
        self.type = k.Int(0, longest)
        self.blocks = list(program.blocks)

    def done(self) -> k.Program:
        program = self.program
        count = len(self.watches)
        width = max(1, -(-count // len(program.players)))
        told = width * len(program.players)
        number = range(len(program.blocks))
        cut = self._telling(self._block((), k.End("rank"), CUT))
        before = {at: self._looking(at, cut) if self._stops(at) else at for at in number}
        for at in number:
            self.blocks[at] = replace(self.blocks[at], exit=retargeted(program.blocks[at].exit, before))
        return replace(
            program,
            vars=(
                *program.vars,
                k.Var("stops", self.type, None, 0),
                k.Var("first", self.type, max(1, count), (0,) * max(1, count)),
                k.Var("told", self.type, told, (0,) * told),
            ),
            functions=tuple(self.functions),
            blocks=tuple(self.blocks),
            entry=before[program.entry],
            result=self.told,
            width=width,
            properties=(),
            examples=(),
            views=(),
        )

    def _stops(self, number: int) -> bool:
        return isinstance(self.program.blocks[number].exit, k.Decide | k.Chance | k.End)

    def _block(self, code: k.Code, exit: k.Exit, name: str = "") -> int:
        self.blocks.append(k.Block(code, exit, (), name))
        return len(self.blocks) - 1

    def _looking(self, number: int, cut: int) -> int:
        """The block before a stop: it counts, and looks."""
        clock = k.Load(self.type, self.clock)
        more = k.Op(self.type, "min", (build.add(clock, build.integer(1)), build.integer(self.longest)))
        code: list[k.Stmt] = [k.Store(self.clock, more)]
        for at, watch in enumerate(self.watches):
            if number in watch.blocks:
                new = k.Op(k.BOOL, "eq", (k.At(self.type, self.first, build.integer(at)), build.integer(0)))
                here = k.Op(k.BOOL, "and", (new, watch.test))
                code.append(k.When(here, (k.Put(self.first, build.integer(at), clock),)))
        if isinstance(self.program.blocks[number].exit, k.End):
            return self._block(tuple(code), k.Goto(self._telling(number)))
        going = k.Op(k.BOOL, "lt", (clock, build.integer(self.longest)))
        return self._block(tuple(code), k.Split(going, number, cut))

    def _telling(self, end: int) -> int:
        """The block before an end."""
        first = [k.At(self.type, self.first, build.integer(at)) for at in range(len(self.watches))]
        return self._block(
            tuple(k.Put(self.told, build.integer(at), value) for at, value in enumerate(first)), k.Goto(end)
        )

    # ------------------------------------------------------------------------------------------ no faults

    def _without_faults(self, expr: k.Expr) -> k.Expr:
        """The expression, with something for what is not there."""
        expr = rebuilt(expr, self._without_faults)
        match expr:
            case k.Need(type_, test, value, _):
                return k.If(type_, test, value, _something(type_))
            case k.Call(type_, function, args):
                return k.Call(type_, self._function(function), args)
            case k.Op(_, "div" | "mod"):
                return _but_for_zero(expr)
        return expr

    def _function(self, number: int) -> int:
        if number not in self._total:
            function = self.program.functions[number]
            body = recoded(function.body, self._without_faults)
            if body == function.body:
                self._total[number] = number
            else:
                self._total[number] = len(self.functions)
                self.functions.append(replace(function, body=body))
        return self._total[number]


def _but_for_zero(division: k.Op) -> k.Expr:
    """A division by something else where it would be by 0, as when its divisor is not there."""
    value, divisor = division.args
    known = divisor.type
    assert isinstance(known, k.Int)
    if known.low > 0 or known.high < 0:
        return division
    above = replace(division, args=(value, build.clamped(divisor, 1, max(known.high, 1))))
    if known.low == 0:
        return above
    below = replace(division, args=(value, build.clamped(divisor, known.low, -1)))
    return k.If(division.type, k.Op(k.BOOL, "lt", (divisor, build.integer(0))), below, above)


def _something(type_: k.Type) -> k.Expr:
    match type_:
        case k.Bool():
            return build.FALSE
        case k.Int(low, high):
            return k.Const(type_, min(max(0, low), high))
        case _:
            return k.Const(type_, 0)
