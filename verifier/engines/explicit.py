"""Exhaustive search in the interpreter: the whole graph of reachable states of a small instance.

Breadth first, so that the path to a state is a shortest one. The oracle for all other engines.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from engine.game import Game
from engine.state import FaultError, State
from verifier.symbolic.deadline import Deadline
from verifier.trace import text_of

WORTH = 2_500  # states that are always worth their time
GROWTH = 4  # from one distance to the next, beyond which many states are too many


@dataclass(slots=True)
class Graph:
    """Reachable states by number, 0 the initial one. `edges[i]`: (index of the choice, number of the state it
    leads to, or -1 for a fault). `complete`: there are no others."""

    states: list[State] = field(default_factory=list)
    edges: list[list[tuple[int, int]]] = field(default_factory=list)
    parents: list[tuple[int, int]] = field(default_factory=list)  # (state, index of the choice)
    # (state, choice, fault); state -1: the set-up
    faults: list[tuple[int, int, int]] = field(default_factory=list)
    complete: bool = False

    def path(self, number: int) -> list[str]:
        """The texts of a shortest way to a state."""
        texts: list[str] = []
        while number > 0:
            number, choice = self.parents[number]
            texts.append(text_of(self.states[number], choice))
        return texts[::-1]

    def first(self, test: Callable[[State], bool]) -> int | None:
        """The first state, nearest to the initial one, that passes."""
        return next((number for number, state in enumerate(self.states) if test(state)), None)

    def fault_path(self, wanted: Callable[[int], bool]) -> list[str] | None:
        """A shortest way into such a fault."""
        for state, choice, fault in self.faults:
            if wanted(fault):
                return [] if state < 0 else [*self.path(state), text_of(self.states[state], choice)]
        return None


def explore(game: Game, most: int, deadline: Deadline) -> Graph:
    """All reachable states, or as many as fit."""
    graph = Graph()
    known: dict[State, int] = {}

    def number(state: State, parent: int, choice: int) -> int:
        if state not in known:
            known[state] = len(graph.states)
            graph.states.append(state)
            graph.parents.append((parent, choice))
        return known[state]

    try:
        number(game.initial(), -1, -1)
    except FaultError as error:
        graph.faults.append((-1, -1, error.index))
        graph.complete = True
        return graph
    layers = [0, 1]  # where the states of each distance begin
    while len(graph.edges) < len(graph.states):
        if len(graph.edges) == layers[-1]:
            layers.append(len(graph.states))
        if len(graph.states) > most or deadline.passed or hopeless(layers, len(graph.states)):
            return graph
        at = len(graph.edges)
        found = []
        for choice in range(len(graph.states[at].choices)):
            try:
                found.append((choice, number(graph.states[at].follow(choice), at, choice)))
            except FaultError as error:
                graph.faults.append((at, choice, error.index))
                found.append((choice, -1))
        graph.edges.append(found)
    graph.complete = True
    return graph


def hopeless(layers: list[int], count: int) -> bool:
    """Whether the states so far multiply too fast for an end to be in sight."""
    last = layers[-1] - layers[-2]
    return count > WORTH and count - layers[-1] > GROWTH * last


def shortest_cycle(graph: Graph, tries: int = 200) -> tuple[list[str], list[str]] | None:
    """A short cycle near the initial state: from the first states on that lie on one."""
    on_cycle = sorted(_on_cycles(graph))
    best: tuple[list[str], list[str]] | None = None
    for node in on_cycle[:tries]:
        back = _way_back(graph, node)
        if back is not None and (best is None or len(back) < len(best[1])):
            best = (graph.path(node), back)
    return best


def _way_back(graph: Graph, node: int) -> list[str] | None:
    parents: dict[int, tuple[int, int]] = {}
    waiting = deque([node])
    while waiting:
        at = waiting.popleft()
        for choice, target in graph.edges[at]:
            if target == node:
                texts = [text_of(graph.states[at], choice)]
                while at != node:
                    at, choice = parents[at]
                    texts.append(text_of(graph.states[at], choice))
                return texts[::-1]
            if target >= 0 and target not in parents:
                parents[target] = (at, choice)
                waiting.append(target)
    return None


def _on_cycles(graph: Graph) -> set[int]:
    """The states on cycles: strongly connected components with an inner edge (Tarjan, 1972, without
    recursion).
    """
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: set[int] = set()
    for root in range(len(graph.edges)):
        if root in index:
            continue
        way: list[tuple[int, Iterator[tuple[int, int]]]] = [(root, iter(graph.edges[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while way:
            node, rest = way[-1]
            for _, target in rest:
                if target < 0:
                    continue
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    way.append((target, iter(graph.edges[target])))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                way.pop()
                if way:
                    low[way[-1][0]] = min(low[way[-1][0]], low[node])
                if low[node] == index[node]:
                    found |= _component(graph, node, stack, on_stack)
    return found


def _component(graph: Graph, node: int, stack: list[int], on_stack: set[int]) -> set[int]:
    part: set[int] = set()
    while True:
        member = stack.pop()
        on_stack.discard(member)
        part.add(member)
        if member == node:
            break
    inner = len(part) > 1 or any(target == node for _, target in graph.edges[node])
    return part if inner else set()


def can_be_kept_up(graph: Graph, escape: Callable[[State], bool]) -> set[int]:
    """The states from which play can go on for ever whatever the choices at states where `escape` holds: the
    largest set in which those have all their choices inside, and the others at least one. Ends and faults are
    outside."""
    inside = {at for at in range(len(graph.edges)) if graph.edges[at]}
    changed = True
    while changed:
        changed = False
        for at in list(inside):
            targets = [target in inside for _, target in graph.edges[at]]
            if not (all(targets) if escape(graph.states[at]) else any(targets)):
                inside.discard(at)
                changed = True
    return inside
