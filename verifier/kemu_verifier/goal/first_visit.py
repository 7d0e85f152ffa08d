"""A game up to where it first comes to certain stops: what holds there holds `initially`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kemu_engine.kernel import nodes as k

from kemu_verifier.goal.goal import Goal, state_goal
from kemu_verifier.symbolic.facts import Facts
from kemu_verifier.symbolic.transition import Transitions


def up_to(program: k.Program, stops: Sequence[int]) -> k.Program:
    """The program that is over with the first step from one of these stops. Until then it is the same, block
    by block, so each of its plays is the beginning of a play of the whole."""
    over = len(program.blocks)
    blocks = [
        replace(block, exit=_ending(block.exit, over)) if number in stops else block
        for number, block in enumerate(program.blocks)
    ]
    over_block = k.Block((), k.End("tie"), (), "over")
    return replace(program, blocks=(*blocks, over_block), properties=(), examples=(), views=())


def _ending(leave: k.Exit, over: int) -> k.Exit:
    """Where nothing can be done at a decision, play has not come to it."""
    match leave:
        case k.Decide(arms=arms):
            return replace(leave, arms=tuple(replace(arm, target=over) for arm in arms))
        case k.Chance():
            return replace(leave, target=over)
    return leave


def broken_at_first(
    transitions: Transitions | None, program: k.Program, name: str, expr: k.Expr, stop: int
) -> Goal:
    """The first of the stops of a claim, reached with its expression false. Asked of the program up to it."""
    return state_goal(transitions, Facts(program), name, expr, [stop], False)
