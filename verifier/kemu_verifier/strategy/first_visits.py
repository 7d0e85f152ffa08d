"""What holds when play first comes to a stop: asked of the game up to there."""

from __future__ import annotations

from collections.abc import Sequence

from kemu_engine.play.game import Game
from kemu_engine.play.replay import replay
from kemu_engine.play.state import State

from kemu_verifier.goal.first_visit import broken_at_first, up_to
from kemu_verifier.goal.goal import Goal
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.strategy.asked import SHORTEST, Asked
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.portfolio_safety import UNCLOSED
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.values import TooLarge

UP_TO = "of the game up to its first visit"


def settle_first(context: ProofContext, asked: Asked, deadline: Deadline) -> Verdict:
    """The verdict on a claim about the first visit of some stops."""
    question = asked.question
    program, (expr,) = up_to(context.program, question.blocks), question.exprs
    beginning = ProofContext(Game(program), context.seconds, context.progress)
    goal = broken_at_first(None, program, question.name, expr, question.blocks[0])
    if beginning.graph.complete:
        by = f"exhaustive search of {len(beginning.graph.states)} states {UP_TO}"
        found = next((at for at, state in enumerate(beginning.graph.states) if holds(goal, state)), None)
        if found is None:
            return asked.unreachable(by)
        return _refuted(context, asked, goal, beginning.graph.path(found), by + SHORTEST)
    beginning.games.simulate({question.key: goal}, deadline.part(deadline.left / 4))
    shown = beginning.games.simulated(question.key, goal) or beginning.games.seen(goal, deadline)
    if shown is not None:
        return _refuted(context, asked, goal, shown.steps, "random games")
    if context.trouble:
        return asked.verdict("unknown", "", detail=context.trouble)
    try:
        beginning.shared = deadline.left
        goal = broken_at_first(beginning.transitions, program, question.name, expr, question.blocks[0])
        claim = Candidate(question.name, {block: -lit for block, lit in goal.states.items()}, True)
        by = beginning.learning.learn([claim]).get(question.name, "")
        if beginning.transitions.unclosed:
            return asked.verdict("unknown", "", detail=UNCLOSED)
    except TooLarge as error:
        return asked.verdict("unknown", "", detail=str(error))
    if by:
        context.beginnings[question.key] = beginning
        return asked.unreachable(f"{by} {UP_TO}")
    return asked.verdict("unknown", "", detail="no proof, and no game that breaks it, in the time")


def holds(goal: Goal, state: State) -> bool:
    return goal.holds is not None and goal.holds(state)


def _refuted(context: ProofContext, asked: Asked, goal: Goal, steps: Sequence[str], by: str) -> Verdict:
    """The verdict that a beginning of a play gives, played once more in the whole game."""
    found = replay(context.game, steps)
    assert goal.reached(found), "a play that breaks the claim in the game up to there breaks it in the game"
    return asked.reached(found, by)
