"""A program that sums up the game it plays: every action, every outcome of chance, and the state at the end.

The sum is one more key of every player, so that every reader tells it at the end of a game; play is the same,
and so are the places. It is a hash: h becomes (FACTOR * h + value) mod PRIME for every value in turn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import retargeted
from kemu_engine.support.stack import deep

PRIME = (1 << 31) - 1
FACTOR = 1_103_515_245
CUT = "end.cut"
"""The name of the block where a game is cut off."""

_SUM = k.Int(0, PRIME - 1)


def followed(program: k.Program, longest: int) -> k.Program:
    """The same game, cut off after so many decisions, with the sum. It has a hash of its own, no claims."""
    with deep():
        return _Following(program, longest).done()


class _Following:
    def __init__(self, program: k.Program, longest: int) -> None:
        self.program, self.longest = program, longest
        self.sum, self.left, self.told = range(len(program.vars), len(program.vars) + 3)
        self.item, self.place = range(len(program.locals), len(program.locals) + 2)
        self.blocks = list(program.blocks)

    def done(self) -> k.Program:
        program = self.program
        self.cut = self._block((), k.End("rank"), CUT)
        ends = {number: self._before_end(number) for number in [*range(len(program.blocks)), self.cut]}
        self.cut = ends[self.cut]
        for number, block in enumerate(program.blocks):
            self.blocks[number] = replace(block, exit=self._exit(retargeted(block.exit, ends)))
        result = program.vars[program.result]
        assert isinstance(result.type, k.Int) and isinstance(result.initial, tuple)
        told = k.Int(min(result.type.low, 0), max(result.type.high, PRIME - 1))
        keys = [(*result.initial[at : at + program.width], 0) for at in self._starts()]
        widest = max([1, *(_places(var) for var in program.vars)])
        return replace(
            program,
            vars=(
                *program.vars,
                k.Var("sum of the game", _SUM, None, 0),
                k.Var("decisions left", k.Int(0, self.longest), None, self.longest),
                k.Var("told", told, sum(map(len, keys)), sum(keys, ())),
            ),
            locals=(
                *program.locals,
                k.LocalInfo("item", k.Int(0, widest - 1)),
                k.LocalInfo("place", k.Int(0, widest - 1)),
            ),
            blocks=tuple(self.blocks),
            entry=ends[program.entry],
            result=self.told,
            width=program.width + 1,
            properties=(),
            examples=(),
            views=(),
        )

    def _starts(self) -> range:
        """Where in the result the keys of each player begin."""
        return range(0, len(self.program.players) * self.program.width, self.program.width)

    def _block(self, code: k.Code, exit: k.Exit, name: str = "") -> int:
        self.blocks.append(k.Block(code, exit, (), name))
        return len(self.blocks) - 1

    # ------------------------------------------------------------------------------------------ the sum

    def _add(self, value: k.Expr) -> k.Store:
        """To the sum: an integer or a truth."""
        if isinstance(value.type, k.Bool):
            value = k.If(k.Int(0, 1), value, build.integer(1), build.integer(0))
        if not 0 <= build.interval(value)[0] <= build.interval(value)[1] < PRIME:
            value = k.Op(_SUM, "mod", (value, build.integer(PRIME)))
        times = k.Op(k.Int(0, FACTOR * (PRIME - 1)), "mul", (k.Load(_SUM, self.sum), build.integer(FACTOR)))
        both = k.Op(k.Int(0, (FACTOR + 1) * (PRIME - 1)), "add", (times, value))
        return k.Store(self.sum, k.Op(_SUM, "mod", (both, build.integer(PRIME))))

    def _value(self, value: k.Expr) -> Iterable[k.Stmt]:
        """Adds a value of any kind: a set with its elements and how many there are."""
        if not isinstance(value.type, k.Set):
            return [self._add(value)]
        item = k.Local(k.Int(0, value.type.size - 1), self.item)
        size = k.Op(k.Int(0, value.type.size), "card", (value,))
        return [k.For(self.item, value, (self._add(item),)), self._add(size)]

    def _state(self) -> Iterable[k.Stmt]:
        """Adds all that the rules keep."""
        for number, var in enumerate(self.program.vars):
            if var.length is None:
                yield from self._value(k.Load(var.type, number))
            elif var.length:
                cell = k.At(var.type, number, k.Local(k.Int(0, var.length - 1), self.place))
                yield k.For(self.place, build.full(var.length), tuple(self._value(cell)))

    # ------------------------------------------------------------------------------------------ exits

    def _exit(self, exit: k.Exit) -> k.Exit:
        """With a block behind every action and outcome that adds it."""
        match exit:
            case k.Decide():
                return replace(exit, arms=tuple(self._arm(*each) for each in enumerate(exit.arms)))
            case k.Chance():
                size = len(self.program.domains[exit.domain].texts)
                drawn = self._add(k.Local(k.Int(0, size - 1), exit.local))
                return replace(exit, target=self._block((drawn,), k.Goto(exit.target)))
        return exit

    def _arm(self, number: int, arm: k.Arm) -> k.Arm:
        """With a block behind it that adds what was chosen, and cuts the game off if it is too long."""
        made = k.Int(0, self.longest)
        code = [self._add(build.integer(number))]
        for param in arm.params:
            assert isinstance(param.over.type, k.Set)
            code.append(self._add(k.Local(k.Int(0, param.over.type.size - 1), param.local)))
        left = k.Load(made, self.left)
        code.append(
            k.Store(self.left, k.Op(made, "max", (build.add(left, build.integer(-1)), build.integer(0))))
        )
        more = k.Op(k.BOOL, "lt", (build.integer(0), left))
        return replace(arm, target=self._block(tuple(code), k.Split(more, arm.target, self.cut)))

    def _before_end(self, number: int) -> int:
        """A block that tells the keys and the sum and goes on to the end; for all others the block itself."""
        if not isinstance(self.blocks[number].exit, k.End):
            return number
        result, width = self.program.result, self.program.width
        type_ = self.program.vars[result].type
        told: list[k.Expr] = []
        for start in self._starts():
            told += [k.At(type_, result, build.integer(at)) for at in range(start, start + width)]
            told.append(k.Load(_SUM, self.sum))
        puts = [k.Put(self.told, build.integer(at), value) for at, value in enumerate(told)]
        return self._block((*self._state(), *puts), k.Goto(number))


def _places(var: k.Var) -> int:
    """How large a set its elements, and those of its sets, need."""
    return max(var.length or 1, var.type.size if isinstance(var.type, k.Set) else 1)
