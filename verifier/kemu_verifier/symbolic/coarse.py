"""A coarse reading: an action is looked at by itself, and nothing else that might be done.

Which actions an arm has is read without what they would lead to: that is tried once, with the action that
was chosen, whatever it is. Whether something can be done where play arrives is not looked at, unless it
plainly always can, nor what is asked of all actions of a kind (`can go`). So the reading grows with what
actions change, not with what they are tried for. Every play is a play of this reading; what is found in it
shows nothing.
"""

from __future__ import annotations

from kemu_engine.kernel import nodes as k

from kemu_verifier.symbolic.expressions import Env
from kemu_verifier.symbolic.havoc import histories, tries
from kemu_verifier.symbolic.terms import FALSE, TRUE, Lit
from kemu_verifier.symbolic.transition import Option, Transitions


class CoarseTransitions(Transitions):
    """The reading."""

    def __init__(self, program: k.Program, hidden: frozenset[int] = frozenset()) -> None:
        super().__init__(program, hidden=hidden | histories(program), integers=True)
        self.reader.hiding.untried = True

    def _legal(self, arm: k.Arm, env: Env, path: Lit) -> Lit:
        return path if tries(self.program, arm.legal) else super()._legal(arm, env, path)

    def _taken(self, block: int, arm: int, options: tuple[Option, ...], chosen: list[Lit]) -> Env:
        env, exit = super()._taken(block, arm, options, chosen), self.program.blocks[block].exit
        if env.live != FALSE and isinstance(exit, k.Decide) and tries(self.program, exit.arms[arm].legal):
            holds = self._test(exit.arms[arm].legal, env)
            env.live = self.terms.both(env.live, holds)
        return env

    def _stands(self, block: int, env: Env) -> Lit:
        exit = self.program.blocks[block].exit
        if isinstance(exit, k.Decide):
            plain = {at for at, arm in enumerate(exit.arms) if not tries(self.program, arm)}
            if any(option.arm in plain and option.legal == TRUE for option in self.arrival(block).options):
                return TRUE
        return self.reader.unknowns.loose(f"something can be done at {block}")
