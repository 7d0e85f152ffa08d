"""The reference interpreter: evaluates expressions, runs code, and carries play on to the next stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice

from kemu_engine.interp.compile import Compiler
from kemu_engine.interp.frame import (
    Execute,
    Faulted,
    Frame,
    Log,
    TooMany,
)
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.actions import room
from kemu_engine.kernel.alike import Alike, alike
from kemu_engine.kernel.evaluate import Elements, Evaluate
from kemu_engine.kernel.hash import program_hash
from kemu_engine.kernel.limits import MOST_ACTIONS
from kemu_engine.kernel.sight import secret
from kemu_engine.kernel.stop import Choice, Stop
from kemu_engine.kernel.values import Cells
from kemu_engine.support.stack import deep

BLOCKS_BEFORE_WATCHING = 1000
"""Blocks passed without a stop before the interpreter looks out for a cycle."""
MOST_BLOCKS = 1_000_000
"""Blocks that may be passed without a stop, though no position comes again."""


Leave = Callable[[Frame], "int | Stop"]
"""What an exit does: the block where play goes on, or a stop."""


class Machine:
    """Runs one program. It has no state of its own beyond what it has translated already.

    `checked` tests every value against its type; BrokenProgram says where the program breaks its contract.
    """

    def __init__(self, program: k.Program, checked: bool = False) -> None:
        self.program = program
        self._unset = None if checked else 0  # what a local holds that has no value
        self._compiler = Compiler(program, checked)

    @cached_property
    def _bodies(self) -> list[Execute]:
        with deep():
            return [self._compiler.code(block.code) for block in self.program.blocks]

    @cached_property
    def _exits(self) -> list[Leave]:
        with deep():
            return [self._exit(number) for number in range(len(self.program.blocks))]

    @cached_property
    def hash(self) -> str:
        """The program's hash (kernel/hash.py)."""
        return program_hash(self.program)

    @cached_property
    def secret(self) -> bool:
        """Whether there is anything that somebody does not see or is not told."""
        return secret(self.program)

    @cached_property
    def alike(self) -> Alike:
        """Of each block those that somebody may take it for."""
        return alike(self.program)

    # ---------------------------------------------------------------------------------------- frames

    def opening(self, log: Log | None = None) -> Frame:
        """A frame as a game begins: initial values, no local set."""
        return Frame([var.initial for var in self.program.vars], self._no_locals(), log)

    def frame(
        self, block: int, vars: Sequence[Cells], locals: Sequence[int], log: Log | None = None
    ) -> Frame:
        """A frame at a stop: `locals` are the values of the block's live locals, in their order."""
        frame = Frame(list(vars), self._no_locals(), log)
        for local, value in zip(self.program.blocks[block].live, locals, strict=True):
            frame.locals[local] = value
        return frame

    def _no_locals(self) -> list[int | None]:
        return [self._unset] * len(self.program.locals)

    # ---------------------------------------------------------------------------------------- running

    def evaluate(self, expr: k.Expr, frame: Frame) -> int:
        """The value of an expression; state variables stay as they are. Raises Faulted."""
        with deep():
            return self._compiler.expr(expr)(frame)

    @contextmanager
    def reading(self, frame: Frame) -> Iterator[Callable[[k.Expr], int]]:
        """The same for many expressions. Its use raises Faulted."""
        with deep():
            yield lambda expr: self._compiler.expr(expr)(frame)

    def run(self, code: k.Code, frame: Frame) -> None:
        """Runs code in the frame. Raises Faulted."""
        with deep():
            self._compiler.code(code)(frame)

    def prepare(self) -> None:
        """Makes ready what leads from stop to stop."""

    def begin(self, log: Log | None = None) -> Stop:
        """From the beginning of a game to its first stop. Raises Faulted."""
        return self.advance(self.opening(log), self.program.entry)

    def follow(self, stop: Stop, choice: Choice, log: Log | None = None) -> Stop:
        """From a stop, by one of its choices, to the next. Raises Faulted."""
        frame = self.frame(stop.block, stop.vars, stop.locals, log)
        exit = self.program.blocks[stop.block].exit
        if isinstance(exit, k.Decide):
            arm = exit.arms[choice.arm]
            for param, value in zip(arm.params, choice.values, strict=True):
                frame.locals[param.local] = value
            return self.advance(frame, arm.target)
        if isinstance(exit, k.Chance):
            (frame.locals[exit.local],) = choice.values
            return self.advance(frame, exit.target)
        raise ValueError("nothing follows an end")

    def advance(self, frame: Frame, block: int) -> Stop:
        """Runs from a block to the next stop.

        Raises Faulted; a run that would never stop is the fault "silent_loop". Such a run comes back to a
        block with all variables and locals as they were. After a while that is looked for, by R. P. Brent's
        method (An improved Monte Carlo factorization algorithm, BIT 20, 1980): keep one earlier point, and
        replace it by the present one each time the run has become twice as long.
        """
        with deep():
            return self._advance(frame, block)

    def _advance(self, frame: Frame, block: int) -> Stop:
        passed, renewal = 0, BLOCKS_BEFORE_WATCHING
        kept: object = None
        while True:
            self._bodies[block](frame)
            going = self._exits[block](frame)
            if isinstance(going, Stop):
                return going
            block, passed = going, passed + 1
            if passed >= BLOCKS_BEFORE_WATCHING:
                here = (block, frame.frozen(), tuple(frame.locals))
                if here == kept:
                    raise self._silent_loop(frame, block)
                if passed > MOST_BLOCKS:
                    raise TooMany(f"the rules take more than {MOST_BLOCKS:,} turns without coming to a stop")
                if passed == renewal:
                    kept, renewal = here, 2 * renewal

    def _silent_loop(self, frame: Frame, start: int) -> Faulted:
        """The fault of a cycle of blocks through `start`; its origin is the first found in one more lap."""
        for index, fault in enumerate(self.program.faults):
            if fault.code == "silent_loop":
                return Faulted(fault, index)
        block, origin = start, -1
        while origin < 0:
            origin = next(origins(self.program.blocks[block].code), -1)
            self._bodies[block](frame)
            going = self._exits[block](frame)
            if isinstance(going, Stop) or going == start:
                break
            block = going
        return Faulted(k.Fault("silent_loop", "the rules run in a circle and never stop", origin), -1)

    # ---------------------------------------------------------------------------------------- exits

    def _exit(self, number: int) -> Leave:
        exit = self.program.blocks[number].exit
        match exit:
            case k.Goto(block):
                return lambda f: block
            case k.Split(test, then, other):
                holding = self._compiler.expr(test)
                return lambda f: then if holding(f) else other
            case k.Switch(local, targets):
                return lambda f: targets[f.locals[local]]
            case k.Decide():
                return self._decision(number, exit)
            case k.Chance():
                return self._chance(number, exit)
            case k.End():
                return lambda f: Stop(number, f.frozen(), self._forget(f, number), -1, ())
            case k.Fail(index):
                return failure(self.program.faults[index], index)

    def _forget(self, frame: Frame, number: int) -> tuple[int, ...]:
        """Unsets all locals but the live ones of a stop, whose values it gives."""
        live = self.program.blocks[number].live
        values = tuple(frame.locals[local] or 0 for local in live)
        frame.locals = self._no_locals()
        for local, value in zip(live, values, strict=True):
            frame.locals[local] = value
        return values

    def _decision(self, number: int, decide: k.Decide) -> Leave:
        actor = self._compiler.expr(decide.actor)
        menu = [self._arm(arm) for arm in decide.arms]

        def leave(frame: Frame) -> int | Stop:
            values = self._forget(frame, number)
            player = actor(frame)
            legal = (Choice(arm, given) for arm, legal in enumerate(menu) for given in legal(frame))
            choices = tuple(islice(legal, MOST_ACTIONS + 1))
            if len(choices) > MOST_ACTIONS:
                raise TooMany(f"the decision `{decide.label}` has more than {MOST_ACTIONS:,} actions")
            if choices:
                return Stop(number, frame.frozen(), values, player, choices)
            if decide.other < 0:
                raise Faulted(self.program.faults[decide.stuck], decide.stuck)
            return decide.other

        return leave

    def _arm(self, arm: k.Arm) -> Callable[[Frame], Iterator[tuple[int, ...]]]:
        """The values of the parameters of an arm's legal actions, the last parameter fastest."""
        guard, legal = self._compiler.expr(arm.guard), self._compiler.expr(arm.legal)
        params: list[tuple[int, Elements, Evaluate]] = [
            (param.local, self._compiler.elements(param.over), self._compiler.expr(param.where))
            for param in arm.params
        ]

        def bind(frame: Frame, depth: int, values: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
            if depth == len(params):
                if legal(frame):
                    yield values
                return
            local, over, where = params[depth]
            for value in over(frame):
                frame.locals[local] = value
                if where(frame):
                    yield from bind(frame, depth + 1, (*values, value))

        return lambda frame: bind(frame, 0, ()) if guard(frame) else iter(())

    def _chance(self, number: int, chance: k.Chance) -> Leave:
        weight = self._compiler.expr(chance.weight)
        outcomes = range(len(self.program.domains[chance.domain].texts))

        def leave(frame: Frame) -> Stop:
            values = self._forget(frame, number)
            choices = []
            for outcome in outcomes:
                frame.locals[chance.local] = outcome
                likely = weight(frame)
                if likely:
                    choices.append(Choice(0, (outcome,), likely))
            if not choices:
                raise Faulted(self.program.faults[chance.empty], chance.empty)
            return Stop(number, frame.frozen(), values, -1, tuple(choices))

        return leave


def crowded(program: k.Program) -> bool:
    """Whether a decision has room for more than MOST_ACTIONS of one name: then only the interpreter plays,
    which counts them."""
    decisions = (block.exit for block in program.blocks if isinstance(block.exit, k.Decide))
    return any(room(program, arm) > MOST_ACTIONS for decide in decisions for arm in decide.arms)


def failure(fault: k.Fault, index: int) -> Leave:
    def leave(frame: Frame) -> Stop:
        raise Faulted(fault, index)

    return leave


def origins(code: k.Code) -> Iterator[int]:
    """The origins of statements, in order, those of inner code included."""
    for statement in code:
        if isinstance(statement, k.Assign | k.Writing) and statement.origin >= 0:
            yield statement.origin
        if isinstance(statement, k.When):
            yield from origins(statement.then + statement.other)
        if isinstance(statement, k.For | k.Loop):
            yield from origins(statement.body)
