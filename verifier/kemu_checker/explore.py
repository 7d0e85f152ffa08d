"""All reachable states, and what they answer."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from kemu_checker.limits import TooLarge
from kemu_checker.machine import Machine
from kemu_checker.plays import Landing, Position, landing
from kemu_checker.statements import Place


@dataclass(slots=True)
class Graph:
    """States, the opening's first; for each its ways' ends (a state, or nothing: a fault)."""

    positions: list[Position] = field(default_factory=list)
    after: list[list[int | None]] = field(default_factory=list)
    faults: set[int] = field(default_factory=set)
    places: set[Place] = field(default_factory=set)
    arms: set[tuple[int, int]] = field(default_factory=set)
    open: set[int] = field(default_factory=set)  # states whose ways were not looked at
    late: bool = False  # whether that is for want of time

    def number(self, position: Position) -> int | None:
        """Which of the states that is, if it is one of them."""
        return next((i for i, each in enumerate(self.positions) if each.key == position.key), None)


def opening(machine: Machine) -> Landing:
    """Where play begins."""
    return landing(machine, machine.begin())


def explore(
    start: Landing,
    most: int,
    seconds: float,
    note: Callable[[int], None] | None = None,
    more: Iterable[Landing] = (),
) -> Graph:
    """The states reached first, up to so many; perhaps from `more` beginnings."""
    graph, until = Graph(), time.monotonic() + seconds
    known: dict[object, int] = {}
    for each in (start, *more):
        _number(graph, known, each)
    at = 0
    while at < len(graph.positions):
        if at % 1000 == 0:
            if note:
                note(at)
            if time.monotonic() > until:
                graph.late = True
                break
        if len(graph.positions) > most:
            break
        position = graph.positions[at]
        ends = []
        for way in position.ways:
            if position.exit.kind == "Decide":
                graph.arms.add((position.block, way.arm))
            ends.append(_number(graph, known, position.step(way)))
        graph.after.append(ends)
        at += 1
    graph.open = set(range(at, len(graph.positions)))
    graph.after += [[] for _ in graph.open]
    return graph


def complete(graph: Graph) -> Graph:
    """The graph, if it has all states."""
    if graph.open:
        raise TooLarge("no time for all states" if graph.late else f"more than {len(graph.positions)} states")
    return graph


def _number(graph: Graph, known: dict[object, int], end: Landing) -> int | None:
    graph.places |= end.places
    if end.position is None:
        if end.fault is not None:
            graph.faults.add(end.fault)
        return None
    key = end.position.key
    found = known.get(key)
    if found is None:
        found = known[key] = len(graph.positions)
        graph.positions.append(end.position)
    return found


def cycles(graph: Graph) -> bool:
    """Whether some play comes back to a state: not all states can be taken away from the end."""
    return len(_leaving(graph, lambda _: False)) < len(graph.positions)


def lasting(graph: Graph) -> set[int]:
    """The states in which play can be kept for ever whatever chance brings (the greatest such set)."""
    inside = set(range(len(graph.positions)))
    gone = _leaving(graph, lambda i: graph.positions[i].exit.kind == "Chance")
    return inside - gone


def _leaving(graph: Graph, any_way: Callable[[int], bool]) -> set[int]:
    """States from which play leaves in the end: all ways do so, or for those named some way does."""
    before: list[list[int]] = [[] for _ in graph.positions]
    left = [len(ends) for ends in graph.after]
    todo = []
    for i, ends in enumerate(graph.after):
        for end in ends:
            if end is None:
                left[i] -= 1
            else:
                before[end].append(i)
        if left[i] == 0 or i in graph.open or (any_way(i) and None in ends):
            todo.append(i)
    gone = set(todo)
    while todo:
        for i in before[todo.pop()]:
            left[i] -= 1
            if i not in gone and (left[i] == 0 or any_way(i)):
                gone.add(i)
                todo.append(i)
    return gone


def reaching(graph: Graph, goals: Iterable[int]) -> set[int]:
    """The states from which steps lead to one of these."""
    before: list[list[int]] = [[] for _ in graph.positions]
    for i, ends in enumerate(graph.after):
        for end in ends:
            if end is not None:
                before[end].append(i)
    todo = list(goals)
    found = set(todo)
    while todo:
        for i in before[todo.pop()]:
            if i not in found:
                found.add(i)
                todo.append(i)
    return found
