"""`always possible`: whether from every reachable state one can still reach one in which something holds.

Small instances by the whole graph of states. Large ones: refuted by a state from which all ways are known and
none leads there; proved by a ranking that some choice lowers wherever play stands, until it holds.
"""

from __future__ import annotations

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.text import stop_in_words
from kemu_engine.play.replay import Replay, ReplayError, replay, text_of
from kemu_engine.play.state import FaultError, State

from kemu_verifier.goal.goal import reading, state_goal, stops
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.invariants.linear_features import sums_in
from kemu_verifier.methods.search.explicit_state import Graph
from kemu_verifier.methods.termination.measures import StepSamples, numbers
from kemu_verifier.methods.termination.ranking import Ranker
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.asked import Asked
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.portfolio_safety import RANDOM, WINDOWED
from kemu_verifier.strategy.portfolio_termination import preferred_of, words_of
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.facts import Facts
from kemu_verifier.symbolic.values import TooLarge


def settle_always_possible(context: ProofContext, asked: Asked, deadline: Deadline) -> Verdict:
    """The verdict on `always possible e`."""
    graph, expr = context.graph, asked.question.exprs[0]
    by = f"exhaustive search of {len(graph.states)} states"
    good = set()
    for number, state in enumerate(graph.states):
        if state.block in asked.question.blocks and holds(state, expr):
            good.add(number)
        if deadline.passed:
            return asked.verdict("unknown", by, detail="out of time")
    lost = _lost(graph, good)
    if lost is not None:
        where = by if graph.complete else f"search of the first {len(graph.edges)} states"
        return _refuted(context, asked, graph.path(lost), graph.states[lost], where)
    if graph.complete:
        return asked.unreachable(by)
    for play in context.plays:
        last = play.states[-1] if play.ended else None
        if last is not None and not (last.block in asked.question.blocks and holds(last, expr)):
            texts = [text_of(s, c) for s, c in zip(play.states, play.choices, strict=False)]
            return _refuted(context, asked, texts, last, RANDOM)
    if context.trouble:
        return asked.verdict("unknown", "", detail=context.trouble)
    if context.transitions.unclosed:
        return asked.verdict("unknown", "", detail="the rules go round and round between two stops")
    try:
        verdict = _ranked(context, asked, deadline.part(deadline.left * strategy.RANKING))
        found = None if verdict.kind == "proved" else _ended(context, asked, deadline)
    except TooLarge as error:
        return asked.verdict("unknown", "", detail=str(error))
    return verdict if found is None else _refuted(context, asked, list(found.steps), found.last, WINDOWED)


def _ended(context: ProofContext, asked: Asked, deadline: Deadline) -> Replay | None:
    """A play that ends where it does not hold."""
    question, ends = asked.question, stops(context.program, k.End)
    within = [block for block in ends if block in question.blocks]
    facts, name = Facts(context.program), f"{question.name} at the end"
    goal = state_goal(context.transitions, facts, name, question.exprs[0], within, False)
    if len(within) < len(ends):
        goal = state_goal(context.transitions, facts, name, k.Const(k.BOOL, 0), ends, False)
    return context.windowed(goal, deadline)


def _lost(graph: Graph, good: set[int]) -> int | None:
    """The first state all of whose ways are known, and from which none leads to a good one."""
    sources: dict[int, list[int]] = {}
    for source, edges in enumerate(graph.edges):
        for _, target in edges:
            sources.setdefault(target, []).append(source)
    hopeful = good | set(range(len(graph.edges), len(graph.states)))
    waiting = list(hopeful)
    while waiting:
        for source in sources.get(waiting.pop(), ()):
            if source not in hopeful:
                hopeful.add(source)
                waiting.append(source)
    return next((number for number in range(len(graph.states)) if number not in hopeful), None)


def _refuted(context: ProofContext, asked: Asked, way: list[str], last: State, by: str) -> Verdict:
    found = replay(context.game, way)
    if found.fault is not None or found.last != last:
        raise ReplayError(f"{asked.question.name}: the play does not lead where the search says")
    detail = "the game has ended without it" if last.is_end else "from here on it cannot be reached"
    return asked.verdict("refuted", by, depth=len(found.steps), steps=found.steps, detail=detail)


def _ranked(context: ProofContext, asked: Asked, deadline: Deadline) -> Verdict:
    """By a measure that some choice, or some outcome of chance, lowers wherever play stands."""
    aims = {}
    for block in asked.question.blocks:
        lit, sound = reading(context.transitions, asked.question.exprs[0], block)
        aims[block] = context.transitions.terms.both(lit, sound)
    helped = stops(context.program, k.Decide, k.Chance)
    ranker = Ranker(
        context.knowledge, StepSamples(context.transitions, context.plays), deadline, helped, aims
    )
    name = "ranking functions"
    short = ranker.ends_short(context.edges)
    if short is not None:
        words = "it is not known that play cannot end without it at"
        return asked.verdict("unknown", name, detail=f"{words} {stop_in_words(context.program, short)}")
    measures = numbers(context.transitions, sums_in(context.transitions, list(aims.values())))
    ranking = ranker.rank(context.edges, measures, combine=True)
    faulty = ranker.all_closed(helped)
    if faulty is not None:
        words = "it is not known that play cannot run into a fault before at"
        return asked.verdict("unknown", name, detail=f"{words} {stop_in_words(context.program, faulty)}")
    if not ranking.proved:
        where = ", ".join(sorted({stop_in_words(context.program, edge.source) for edge in ranking.left}))
        way = f"on every way round through {where}"
        detail = f"no counter is known that some choice lowers until it is reached, {way}"
        return asked.verdict("unknown", name, detail=detail)
    context.led[asked.question.key] = ranking
    by = f"ranking function {words_of(context, ranking)}, which some choice lowers until it is reached"
    return asked.unreachable(by, preferred_of(context, ranking))


def holds(state: State, expr: k.Expr) -> bool:
    """Whether the expression can be worked out in the state, and is true."""
    try:
        return bool(state.evaluate(expr))
    except FaultError:
        return False
