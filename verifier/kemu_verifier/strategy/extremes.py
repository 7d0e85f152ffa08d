"""How much can a number be? `maximize`, and the true extreme behind `at most` and `at least`.

Small instances by the whole graph of states. Large ones from below by plays (random ones, then windowed
search for a state with more), from above by thresholds: that no state has more is proved by induction, or
because no state that the known invariants allow has more. Where both meet, that is the extreme.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from kemu_engine.kernel import nodes as k
from kemu_engine.play.replay import Replay, replay, text_of
from kemu_engine.play.state import FaultError, State

from kemu_verifier.goal.goal import Goal, state_goal
from kemu_verifier.goal.questions import EXTREMES, Question
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.invariants.bound_search import Ceiling
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.asked import Asked
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.facts import Facts
from kemu_verifier.symbolic.values import TooLarge


@dataclass(frozen=True, slots=True)
class Extreme:
    """The most (or least) that is known: shown by `found`; `limit` is what cannot be exceeded, `by` how that
    is known."""

    value: int | None
    found: Replay | None
    limit: int | None
    by: str
    everywhere: bool = False  # whether the number is shown to be defined in all states that it is asked of

    @property
    def met(self) -> bool:
        return self.value is not None and self.value == self.limit


def settle_maximize(context: ProofContext, asked: Asked, deadline: Deadline) -> Verdict:
    """The verdict on `maximize e`: proved with the greatest value, or unknown with what is known."""
    extreme = Search(context, asked.question, 1).run(deadline)
    if extreme.value is None or extreme.found is None:
        return asked.verdict("unknown", "", detail="no state was found in which the number is defined")
    steps = extreme.found.steps
    detail = words_of(extreme, "greatest")
    if extreme.met and extreme.everywhere:
        return asked.verdict("proved", extreme.by, depth=len(steps), steps=steps, detail=detail)
    if extreme.met:
        detail += ", where it can be worked out; it was not shown that it always can"
    return asked.verdict("unknown", "search", depth=len(steps), steps=steps, detail=detail)


def with_extreme(context: ProofContext, question: Question, verdict: Verdict, deadline: Deadline) -> Verdict:
    """A verdict on `at most` or `at least`, with the extreme itself."""
    if question.form not in EXTREMES or verdict.kind == "unknown":
        return verdict
    sign: Literal[1, -1] = 1 if question.form == "at_most" else -1
    extreme = Search(context, question, sign).run(deadline.part(strategy.SIDE))
    if extreme.value is None:
        return verdict
    words = words_of(extreme, "greatest" if sign > 0 else "least")
    return replace(verdict, detail="; ".join(filter(None, (words, verdict.detail))))


def words_of(extreme: Extreme, which: str) -> str:
    """The extreme in words."""
    if extreme.met:
        return f"the {which} value is {extreme.value}"
    more = "at least" if which == "greatest" else "at most"
    known = f"{more} {extreme.value}, as a play shows"
    if extreme.limit is None:
        return f"{known}; not shown to be the {which}"
    less = "at most" if which == "greatest" else "at least"
    return f"{known}; {less} {extreme.limit}, by {extreme.by}; which is the {which} is not known"


class Search:
    """The search for the greatest value (`sign` -1: the least) of the number that a question is about."""

    def __init__(self, context: ProofContext, question: Question, sign: Literal[1, -1]) -> None:
        self.context = context
        self.question = question
        self.sign = sign
        self.expr = question.exprs[0]

    def run(self, deadline: Deadline) -> Extreme:
        """The extreme, as far as it is found in time."""
        graph = self.context.graph
        best = self._seen(deadline)
        if best is None:
            return Extreme(None, None, None, "")
        value, steps = best
        found = replay(self.context.game, steps)
        if graph.complete:
            by = f"exhaustive search of {len(graph.states)} states"
            asked = (state for state in graph.states if state.block in self.question.blocks)
            everywhere = all(self.value(state) is not None for state in asked)
            return Extreme(value, found, None if deadline.passed else value, by, everywhere)
        if self.context.trouble or self.context.transitions.unclosed:
            return Extreme(value, found, None, "")
        limit, by, everywhere = None, "", False
        try:
            ceiling = Ceiling(self.context.knowledge, self.expr, self.question.blocks, self.sign)
            limit, by = ceiling.lower(self.sign * value, self.context.edges, deadline.part(deadline.left / 2))
            value, found = self._climb(value, found, limit, deadline)
            if limit is not None and limit > self.sign * value:
                limit, by = ceiling.lower(self.sign * value, self.context.edges, deadline)
            everywhere = ceiling.defined(deadline)
        except TooLarge:
            pass
        return Extreme(value, found, None if limit is None else self.sign * limit, by, everywhere)

    def _seen(self, deadline: Deadline) -> tuple[int, list[str]] | None:
        """The most extreme value in the states explored and in random games, and a way to it."""
        graph, best, at = self.context.graph, None, -1
        for number, state in enumerate(graph.states):
            value = self.value(state)
            if value is not None and (best is None or self.sign * value > self.sign * best):
                best, at = value, number
            if deadline.passed:
                break
        steps = graph.path(at) if best is not None else []
        for play in () if graph.complete else self.context.plays:
            for length, state in enumerate(play.states):
                value = self.value(state)
                if value is not None and (best is None or self.sign * value > self.sign * best):
                    best = value
                    steps = [text_of(s, c) for s, c in zip(play.states[:length], play.choices, strict=False)]
            if deadline.passed:
                break
        return None if best is None else (best, steps)

    def _climb(self, value: int, found: Replay, limit: int | None, deadline: Deadline) -> tuple[int, Replay]:
        """Looks for plays that lead further, in leaps as long as that works."""
        leap = 1
        while not deadline.passed and (limit is None or limit > self.sign * value):
            leap = leap if limit is None else min(leap, limit - self.sign * value)
            goal = self._goal(value + self.sign * leap)
            self.context.progress(f"{self.question.name}: more than {value}")
            more = self.context.windowed(goal, deadline.part(max(1.0, deadline.left * strategy.MORE)))
            if more is not None:
                reached = self.value(more.last)
                assert reached is not None
                value, found, leap = reached, more, 2 * leap
            elif leap == 1:
                break
            else:
                leap = max(1, leap // 2)
        return value, found

    def _goal(self, value: int) -> Goal:
        """A state in which the number is at least (`sign` -1: at most) so much."""
        bound = k.Const(k.Int(value, value), value)
        order = (bound, self.expr) if self.sign > 0 else (self.expr, bound)
        expr = k.Op(k.BOOL, "le", order)
        facts, blocks = Facts(self.context.program), list(self.question.blocks)
        name = f"{self.question.name} {value}"
        return state_goal(self.context.transitions, facts, name, expr, blocks, True)

    def value(self, state: State) -> int | None:
        """What the number is in a state; None where it is not asked for, or cannot be worked out."""
        if state.block not in self.question.blocks:
            return None
        try:
            return int(state.evaluate(self.expr))
        except FaultError:
            return None
