"""A program that counts while it plays: which actions are chosen, which lines of the rules do something.

The counters stand behind the keys of the result, so that every reader tells them at the end of a game; play
is the same. A line does something where an action of it is chosen, its outcome of chance is drawn, its game
ends, or it gives something a value. What is only tried (`require`) or looked up (a `fun`, a condition) does
not count.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.build import integer
from kemu_engine.kernel.cfg import retargeted
from kemu_engine.support.stack import deep

HIGHEST = 1 << 62
"""More than any counter comes to in a game."""


@dataclass(frozen=True, slots=True)
class Counted:
    """`program` counts; the others say which of its counters (from 0) are those of an action (by the label of
    the decision and its name), of a line (by file and number), of a statement of the rulebook."""

    program: k.Program
    actions: dict[tuple[str, str], tuple[int, ...]]
    lines: dict[tuple[str, int], tuple[int, ...]]
    statements: dict[str, tuple[int, ...]]


def counted(program: k.Program) -> Counted:
    """The same game with counters; it has a hash of its own, and no claims."""
    with deep():
        return _Counting(program).done()


class _Counting:
    def __init__(self, program: k.Program) -> None:
        self.program = program
        self.keys = program.vars[program.result].length or 0
        self.var = len(program.vars)
        self.number = 0
        self.blocks = list(program.blocks)
        self.actions: dict[tuple[str, str], tuple[int, ...]] = {}
        self.lines: dict[tuple[str, int], tuple[int, ...]] = {}
        self.statements: dict[str, tuple[int, ...]] = {}

    def done(self) -> Counted:
        program, numbers = self.program, range(len(self.program.blocks))
        ends = {number: self._before_end(number) for number in numbers}
        for number in numbers:
            block = program.blocks[number]
            self.blocks[number] = replace(
                block, code=self._code(block.code), exit=self._exit(retargeted(block.exit, ends))
            )
        result = program.vars[program.result]
        assert isinstance(result.type, k.Int) and isinstance(result.initial, tuple)
        type_ = k.Int(min(result.type.low, 0), HIGHEST)
        initial = (*result.initial, *[0] * self.number)
        changed = replace(
            program,
            vars=(*program.vars, k.Var("counted", type_, len(initial), initial)),
            blocks=tuple(self.blocks),
            entry=ends[program.entry],
            result=self.var,
            properties=(),
            examples=(),
            views=(),
        )
        return Counted(changed, self.actions, self.lines, self.statements)

    # ------------------------------------------------------------------------------------------ counters

    def _counter(self) -> int:
        self.number += 1
        return self.number - 1

    def _count(self, counter: int) -> k.Put:
        at = integer(self.keys + counter)
        old = k.At(k.Int(0, HIGHEST - 1), self.var, at)
        return k.Put(self.var, at, k.Op(k.Int(1, HIGHEST), "add", (old, integer(1))))

    def _stands_for(self, counter: int, origin: int) -> None:
        """The counter counts what comes from there."""
        if origin < 0:
            return
        source = self.program.origins[origin]
        line = source.span.file, source.span.line
        if source.span.line:
            self.lines[line] = _with(self.lines.get(line, ()), counter)
        for cite in source.cites:
            self.statements[cite] = _with(self.statements.get(cite, ()), counter)

    # ------------------------------------------------------------------------------------------ code

    def _code(self, code: k.Code) -> k.Code:
        """With one counter for statements that are all run if the first is."""
        out: list[k.Stmt] = []
        counter = -1
        for statement in code:
            match statement:
                case k.When(test, then, other):
                    out.append(k.When(test, self._code(then), self._code(other)))
                case k.For() | k.Loop():
                    out.append(replace(statement, body=self._code(statement.body)))
                case k.Assign() | k.Store() | k.Put() | k.Fill() | k.Note() | k.Forget() if self._says(
                    statement
                ):
                    if counter < 0:
                        counter = self._counter()
                        out.append(self._count(counter))
                    self._stands_for(counter, statement.origin)
                    out.append(statement)
                case _:
                    out.append(statement)
            if isinstance(statement, k.When | k.For | k.Loop) and _leaves((statement,)):
                counter = -1
        return tuple(out)

    def _says(self, statement: k.Assign | k.Writing) -> bool:
        """Whether it comes from a line of the rules; an end is counted where it is reached."""
        at_end = not isinstance(statement, k.Assign) and statement.var == self.program.result
        return statement.origin >= 0 and not at_end

    def _exit(self, exit: k.Exit) -> k.Exit:
        """With a block that counts behind every action and outcome."""
        match exit:
            case k.Decide():
                return replace(exit, arms=tuple(self._arm(exit, arm) for arm in exit.arms))
            case k.Chance():
                return replace(exit, target=self._by_way_of(self._counter(), exit.origin, exit.target))
        return exit

    def _arm(self, decide: k.Decide, arm: k.Arm) -> k.Arm:
        counter, name = self._counter(), (decide.label, arm.name)
        self.actions[name] = _with(self.actions.get(name, ()), counter)
        return replace(arm, target=self._by_way_of(counter, arm.origin, arm.target))

    def _by_way_of(self, counter: int, origin: int, target: int) -> int:
        """A block that counts and goes on."""
        self._stands_for(counter, origin)
        self.blocks.append(k.Block((self._count(counter),), k.Goto(target)))
        return len(self.blocks) - 1

    def _before_end(self, number: int) -> int:
        """A block that takes the keys to where the counters are, and goes on to the end; for all others the
        block itself."""
        exit, result = self.program.blocks[number].exit, self.program.result
        if not isinstance(exit, k.End):
            return number
        counter = self._counter()
        self._stands_for(counter, exit.origin)
        type_ = self.program.vars[result].type
        keys = [k.Put(self.var, integer(at), k.At(type_, result, integer(at))) for at in range(self.keys)]
        self.blocks.append(k.Block((self._count(counter), *keys), k.Goto(number)))
        return len(self.blocks) - 1


def _with(counters: tuple[int, ...], counter: int) -> tuple[int, ...]:
    return counters if counter in counters else (*counters, counter)


def _leaves(code: k.Code) -> bool:
    """Whether what follows the code may be passed over."""
    return any(
        isinstance(statement, k.Break | k.Continue | k.Return)
        or (isinstance(statement, k.When) and _leaves(statement.then + statement.other))
        or (isinstance(statement, k.For | k.Loop) and _leaves(statement.body))
        for statement in code
    )
