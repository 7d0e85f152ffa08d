"""A claim about a rule by itself, broken: by which start, seen in the graph of what follows, by what run."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kemu_engine.play.state import State

from kemu_verifier.methods.search.bmc_from_any import Found
from kemu_verifier.methods.termination.lasso import region_of, shortest_loop
from kemu_verifier.methods.termination.reach_graph import ReachGraph, aftermath
from kemu_verifier.strategy import strategy
from kemu_verifier.symbolic.deadline import Deadline

FAULTY = "here the rules run into a fault"


@dataclass(frozen=True, slots=True)
class Bad:
    """A start that breaks the claim, what is done from there, and why that breaks it."""

    found: Found
    words: str


def breaking(graph: ReachGraph, form: str) -> int | None:
    """The first start that breaks the claim. States that were not looked at lead nowhere."""
    graph = graph if graph.complete else _closed(graph)
    roots = range(graph.roots)
    if form == "can_return":
        over = graph.over()
        return next((root for root in roots if root not in over), None)
    lost = graph.faulty(form == "returns")
    lost |= graph.endless() if form == "returns" else graph.over()
    return next((root for root in roots if root in lost), None)


def shown(start: State, form: str) -> Bad:
    """Why this start breaks the claim: the run that does, as short as can be."""
    return shown_in(aftermath([start], strategy.AFTER_ALL, Deadline(strategy.SHOWING)), form)


def shown_in(graph: ReachGraph, form: str) -> Bad:
    """The same of the one start of a graph, of which perhaps only a part is known."""
    start, fault = graph.states[0], tuple(graph.breakdown(form != "never_returns") or ())
    if form == "never_returns":
        end = next((number for number, state in enumerate(graph.states) if state.is_end), None)
        if end is not None:
            return Bad(Found(start, tuple(graph.path(end))), "here the run is over")
        return Bad(Found(start, fault), FAULTY)
    cycle = shortest_loop(region_of(graph), Deadline(strategy.CIRCLING))
    around = () if cycle is None else (*cycle[0], *cycle[1])
    if form == "can_return":
        count = f"{len(graph.states)} " if graph.complete else ""
        words = f"whatever is chosen: none of the {count}states that can follow is an end"
        return Bad(Found(start, around or fault), f"{words}; this run goes on for ever" if around else words)
    if cycle is None:
        return Bad(Found(start, fault), FAULTY)
    forced = "; no choice leads out" if graph.complete and 0 not in graph.over() else ""
    there = len(cycle[0])
    words = f"after step {len(around)} the state is again what it was after step {there}"
    return Bad(Found(start, around), words + forced)


def _closed(graph: ReachGraph) -> ReachGraph:
    """The graph as far as it is known, the states that were not looked at leading nowhere."""
    rest = len(graph.states) - len(graph.edges)
    return replace(graph, edges=[*graph.edges, *([] for _ in range(rest))])
