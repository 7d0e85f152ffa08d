"""Where one has to look to see that players can keep play going whatever chance brings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kemu_engine.play.state import State

from kemu_verifier.methods.termination.lasso import Region, kept_up, region_around, region_of
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.deadline import Deadline


def kept_up_since(context: ProofContext, states: Sequence[State]) -> tuple[int, int] | None:
    """After how many steps of a play, and among how many states from there on, is seen that players can keep
    play going from its last state; None if it is nowhere seen. Looked for from the last state backwards."""
    players = range(len(context.program.players))
    for since, region in _regions(context, states):
        if states[-1] in region.states and region.states.index(states[-1]) in kept_up(region, players):
            return since, region.met
    return None


def _regions(context: ProofContext, states: Sequence[State]) -> Iterator[tuple[int, Region]]:
    last = len(states) - 1
    if context.graph.complete:
        yield last, region_of(context.graph)
        return
    deadline = Deadline(strategy.WALKING)
    for since in range(last, -1, -1):
        yield since, region_around(context.steps, [], states[since], strategy.NEAR, deadline)
        if deadline.passed:
            break
    yield 0, region_of(context.graph)
