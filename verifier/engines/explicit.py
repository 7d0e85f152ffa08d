"""Exhaustive search: the whole graph of reachable states of a small instance.

Breadth first, so that the path to a state is a shortest one. The oracle for all other engines.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from engine.state import State
from verifier.steps import Steps, Taken
from verifier.symbolic.deadline import Deadline
from verifier.trace import text_of

WORTH = 2_500  # states that are always worth their time
GROWTH = 4  # from one distance to the next, beyond which many states are too many
OFTEN = 64  # states, after which the time is looked at


class Unfinished(Exception):
    """Not all states could be looked at; the message says how many were."""


@dataclass(slots=True)
class Graph:
    """Reachable states by number, 0 the initial one. `edges[i]`: (index of the choice, number of the state it
    leads to, or -1 for a fault). `complete`: there are no others."""

    states: list[State] = field(default_factory=list)
    edges: list[list[tuple[int, int]]] = field(default_factory=list)
    parents: list[tuple[int, int]] = field(default_factory=list)  # (state, index of the choice)
    # (state, choice, fault); state -1: the set-up
    faults: list[tuple[int, int, int]] = field(default_factory=list)
    lines: list[tuple[int, int, int]] = field(default_factory=list)  # (state, choice, mask) of new lines met
    complete: bool = False

    def path(self, number: int) -> list[str]:
        """The texts of a shortest way to a state."""
        texts: list[str] = []
        while number > 0:
            number, choice = self.parents[number]
            texts.append(text_of(self.states[number], choice))
        return texts[::-1]

    def first(self, test: Callable[[State], bool], deadline: Deadline) -> int | None:
        """The first state, nearest to the initial one, that passes; raises Unfinished."""
        for number, state in enumerate(self.states):
            if test(state):
                return number
            if not number % OFTEN and deadline.passed:
                raise Unfinished(f"out of time after {number} of {len(self.states)} states")
        return None

    def fault_path(self, wanted: Callable[[int], bool]) -> list[str] | None:
        """A shortest way into such a fault."""
        hits = ((state, choice) for state, choice, fault in self.faults if wanted(fault))
        return self._by(next(hits, None))

    def line_path(self, lines: int) -> list[str] | None:
        """A shortest way whose last step meets one of the lines."""
        hits = ((state, choice) for state, choice, met in self.lines if met & lines)
        return self._by(next(hits, None))

    def _by(self, step: tuple[int, int] | None) -> list[str] | None:
        if step is None:
            return None
        state, choice = step
        return [] if state < 0 else [*self.path(state), text_of(self.states[state], choice)]


def explore(steps: Steps, most: int, deadline: Deadline) -> Graph:
    """All reachable states, or as many as fit."""
    graph = Graph()
    known: dict[State, int] = {}
    met = 0

    def note(taken: Taken, parent: int, choice: int) -> int:
        """The number of the state that a step leads to; -1 for a fault."""
        nonlocal met
        state, fault, lines = taken
        if lines & ~met:
            graph.lines.append((parent, choice, lines & ~met))
            met |= lines
        if state is None:
            graph.faults.append((parent, choice, fault))
            return -1
        number = known.setdefault(state, len(graph.states))
        if number == len(graph.states):
            graph.states.append(state)
            graph.parents.append((parent, choice))
        return number

    note(steps.begin(), -1, -1)
    layers = [0, len(graph.states)]  # where the states of each distance begin
    while len(graph.edges) < len(graph.states):
        if len(graph.edges) == layers[-1]:
            layers.append(len(graph.states))
        if len(graph.states) > most or deadline.passed or hopeless(layers, len(graph.states)):
            return graph
        at = len(graph.edges)
        state = graph.states[at]
        choices = range(len(state.choices))
        graph.edges.append([(choice, note(steps.follow(state, choice), at, choice)) for choice in choices])
    graph.complete = True
    return graph


def hopeless(layers: list[int], count: int) -> bool:
    """Whether the states so far multiply too fast for an end to be in sight."""
    last = layers[-1] - layers[-2]
    return count > WORTH and count - layers[-1] > GROWTH * last


def shortest_cycle(graph: Graph, deadline: Deadline, tries: int = 200) -> tuple[list[str], list[str]] | None:
    """A short cycle near the initial state: from the first states on that lie on one. None if there are no
    cycles, which is found out whatever the time."""
    on_cycle = sorted(_on_cycles(graph))
    best: tuple[list[str], list[str]] | None = None
    for node in on_cycle[:tries]:
        if best is not None and deadline.passed:
            break
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
    inside = set(range(len(graph.edges)))
    sources: dict[int, list[int]] = {}
    spare = []  # of each state, how many choices it may lose before it is lost
    for at, edges in enumerate(graph.edges):
        spare.append(0 if escape(graph.states[at]) else len(edges) - 1)
        for _, target in edges:
            sources.setdefault(target, []).append(at)
    lost = [*sources.get(-1, ()), *(at for at in inside if not graph.edges[at])]
    while lost:
        at = lost.pop()
        if at not in inside:
            continue
        spare[at] -= 1
        if spare[at] < 0 or not graph.edges[at]:
            inside.discard(at)
            lost += sources.get(at, ())
    return inside
