"""Questions beyond reachability that only small instances answer fully: `always possible`, `maximize`."""

from __future__ import annotations

from engine import kernel as k
from engine.state import FaultError, State
from verifier.bench import Bench
from verifier.reach import Asked
from verifier.symbolic.deadline import Deadline
from verifier.trace import ReplayError, replay
from verifier.verdict import Verdict


def settle_always_possible(bench: Bench, asked: Asked, deadline: Deadline) -> Verdict:
    """Whether from every reachable state one can still reach one in which the expression holds."""
    graph, expr = bench.graph, asked.question.exprs[0]
    by = f"exhaustive search of {len(graph.states)} states"
    if not graph.complete:
        return asked.verdict(
            "unknown", "", detail=f"more than {len(graph.states)} states; only small instances are decided"
        )
    good = set()
    for number, state in enumerate(graph.states):
        if state.block in asked.question.blocks and _holds(state, expr):
            good.add(number)
        if deadline.passed:
            return asked.verdict("unknown", by, detail="out of time")
    sources: dict[int, list[int]] = {}
    for source, edges in enumerate(graph.edges):
        for _, target in edges:
            sources.setdefault(target, []).append(source)
    waiting = list(good)
    while waiting:
        for source in sources.get(waiting.pop(), ()):
            if source not in good:
                good.add(source)
                waiting.append(source)
    lost = next((number for number in range(len(graph.states)) if number not in good), None)
    if lost is None:
        return asked.unreachable(by)
    found = replay(bench.game, graph.path(lost))
    if found.fault is not None or found.last != graph.states[lost]:
        raise ReplayError(f"{asked.question.name}: the play does not lead where the search says")
    steps = found.steps
    return asked.verdict(
        "refuted",
        f"{by}, replayed",
        depth=len(steps),
        steps=steps,
        detail="from here on it cannot be reached",
    )


def settle_maximize(bench: Bench, asked: Asked, deadline: Deadline) -> Verdict:
    """The greatest value that a number takes: proved where all states were seen, else the best known."""
    expr, graph = asked.question.exprs[0], bench.graph
    best: tuple[int, int] | None = None
    seen = 0
    for number, state in enumerate(graph.states):
        value = _value(state, expr, asked.question.blocks)
        if value is not None and (best is None or value > best[0]):
            best = (value, number)
        if deadline.passed:
            break
        seen += 1
    if best is None:
        return asked.verdict("unknown", "", detail="no state was found in which the number is defined")
    steps = tuple(graph.path(best[1]))
    if graph.complete and seen == len(graph.states):
        by = f"exhaustive search of {len(graph.states)} states"
        return asked.verdict(
            "proved", by, depth=len(steps), steps=steps, detail=f"the greatest value is {best[0]}"
        )
    detail = f"at least {best[0]}; not shown to be the greatest"
    return asked.verdict("unknown", "search", depth=len(steps), steps=steps, detail=detail)


def _holds(state: State, expr: k.Expr) -> bool:
    try:
        return bool(state.evaluate(expr))
    except FaultError:
        return False


def _value(state: State, expr: k.Expr, blocks: tuple[int, ...]) -> int | None:
    if state.block not in blocks:
        return None
    try:
        return int(state.evaluate(expr))
    except FaultError:
        return None
