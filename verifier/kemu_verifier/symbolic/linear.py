"""A linear reading: what is moved from one place to another cancels in the sum of both.

Every number is an integer, and what a step makes of it a sum over literals, integers and products of the two.
So that few products are left, each action is read by itself that points to a place of an array, for each
element that a local may stand for; and what is said of hidden state is unknown as a whole. Whether something
can be done where play arrives is not looked at. Every play is a play of this reading, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kemu_engine.kernel import nodes as k

from kemu_verifier.symbolic.expressions import Env
from kemu_verifier.symbolic.index_provenance import Pointing
from kemu_verifier.symbolic.terms import FALSE, Lit, Terms
from kemu_verifier.symbolic.transition import Option, Transitions
from kemu_verifier.symbolic.values import constant

FEW = 8  # combinations of elements that are looked at one by one


class LinearTransitions(Transitions):
    """The reading. `copies`: by stop, the local that holds the same as another one; `apart`: by stop, a local
    whose values are looked at one by one."""

    def __init__(
        self,
        program: k.Program,
        hidden: frozenset[int],
        copies: Mapping[int, Mapping[int, int]],
        apart: Mapping[int, int],
    ) -> None:
        terms = Terms()
        terms.linear = True
        super().__init__(program, terms, hidden, integers=True)
        self._copies, self._apart = copies, apart
        self._pointing = Pointing(program, self.reader.hiding)

    def _cases(self, block: int, arm: int, options: tuple[Option, ...], chosen: list[Lit]) -> Iterator[Env]:
        """The states in which one of the actions of an arm is chosen: each action, with each element that a
        local may stand for, by itself."""
        cases = self._elements(block)
        for env in self._actions_taken(block, arm, options, chosen):
            for values in cases if env.live != FALSE else ():
                case = env.copy(env.live)
                for local, value in values.items():
                    same = self.reader.numbers.equal(env.locals[local], constant(value))
                    case.live = self.terms.both(case.live, same)
                    case.locals[local] = constant(value)
                if case.live != FALSE:
                    yield case

    def _actions_taken(
        self, block: int, arm: int, options: tuple[Option, ...], chosen: list[Lit]
    ) -> Iterator[Env]:
        """The states in which an action of the arm was chosen: each by itself, or all together."""
        locals = self._chosen(block, arm)
        if not self._pointing.points(dict(self._ways(block))[arm], locals):
            yield self._taken(block, arm, options, chosen)
            return
        for option, lit in zip(options, chosen, strict=True):
            if option.arm == arm:
                env = self._taken(block, arm, (option,), [lit])
                for local, value in zip(locals, option.values, strict=True):
                    env.locals[local] = constant(value)
                yield env

    def _chosen(self, block: int, arm: int) -> list[int]:
        """The locals that hold what is chosen."""
        exit = self.program.blocks[block].exit
        if isinstance(exit, k.Decide):
            return [param.local for param in exit.arms[arm].params]
        assert isinstance(exit, k.Chance)
        return [exit.local]

    def _elements(self, block: int) -> list[dict[int, int]]:
        """The values of locals at a stop that stand for one of few elements, in every combination."""
        found: list[dict[int, int]] = [{}]
        copies = self._copies.get(block, {})
        for first in dict.fromkeys(copies.values()):
            type_ = self.program.locals[first].type
            assert isinstance(type_, k.Int)
            values = range(type_.low, type_.high + 1)
            if len(found) * len(values) <= FEW:
                same = [local for local, other in copies.items() if other == first]
                found = [{**one, **dict.fromkeys(same, value)} for one in found for value in values]
        if block in self._apart:
            type_ = self.program.locals[self._apart[block]].type
            assert isinstance(type_, k.Int)
            values = range(type_.low, type_.high + 1)
            found = [{**one, self._apart[block]: value} for one in found for value in values]
        return found

    def _stands(self, block: int, env: Env) -> Lit:
        return self.reader.unknowns.loose(f"something can be done at {block}")
