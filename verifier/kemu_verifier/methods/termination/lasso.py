"""Loops: plays that come back to a state, on the graph of states or a part of it, and who can keep them up.

From the states from which a play can be kept going for ever, whatever those do who are not asked: the largest
set in which each state that they choose at has all its steps inside, each other one at least one (the
complement of an attractor; Zielonka 1998). With all players asked and chance not, that set is empty exactly
if every strategy of the players ends with probability one: it is the union of the end components (de Alfaro
1997). A part of the graph gives such sets as well, if what lies outside counts as lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from kemu_engine.play.replay import text_of
from kemu_engine.play.state import State
from kemu_engine.play.steps import Steps

from kemu_verifier.methods.search.explicit_state import Graph
from kemu_verifier.symbolic.deadline import Deadline

OUTSIDE = -1  # where a step leads that runs into a fault, or out of the region

Kind = Literal["forced", "optional", "chance"]


@dataclass(frozen=True, slots=True)
class Region:
    """States, and all the steps from each: (index of the choice, state or OUTSIDE). `path`: the texts of a
    way from the opening to a state. `whole`: these are all reachable states. `met`: how many states there
    are with those that a step leads to out of the region."""

    states: Sequence[State]
    edges: Sequence[Sequence[tuple[int, int]]]
    path: Callable[[int], list[str]]
    whole: bool
    met: int


@dataclass(frozen=True, slots=True)
class Loop:
    """`way` leads to a state, `round` from there back to it. `forced`: no choice leads to an end from there;
    `optional`: the players in each of `keepers` can together keep play going whatever the others choose and
    chance brings; `chance`: it comes round only if chance brings the same again. `shortest`: no loop of
    the kind, of these keepers, has fewer steps in the region."""

    kind: Kind
    way: list[str]
    round: list[str]
    keepers: tuple[tuple[str, ...], ...]
    shortest: bool


def region_of(graph: Graph) -> Region:
    """The states of a graph whose steps are known."""
    known = len(graph.edges)
    edges: Sequence[Sequence[tuple[int, int]]] = graph.edges
    if not graph.complete:
        edges = [[(c, to if to < known else OUTSIDE) for c, to in out] for out in graph.edges]
    return Region(graph.states[:known], edges, graph.path, graph.complete, len(graph.states))


def region_around(steps: Steps, way: list[str], start: State, most: int, deadline: Deadline) -> Region:
    """Up to so many states nearest to one that `way` leads to."""
    states, numbers = [start], {start: 0}
    parents: list[tuple[int, int]] = [(OUTSIDE, OUTSIDE)]
    edges: list[list[tuple[int, int]]] = []
    while len(edges) < min(len(states), most) and not deadline.passed:
        at, out = len(edges), []
        for choice in range(len(states[at].choices)):
            after = steps.follow(states[at], choice)[0]
            if after is None:
                out.append((choice, OUTSIDE))
                continue
            if after not in numbers:
                numbers[after] = len(states)
                states.append(after)
                parents.append((at, choice))
            out.append((choice, numbers[after]))
        edges.append(out)

    def path(number: int) -> list[str]:
        texts: list[str] = []
        while number > 0:
            number, choice = parents[number]
            texts.append(text_of(states[number], choice))
        return [*way, *texts[::-1]]

    known = len(edges)
    inner = [[(c, to if to < known else OUTSIDE) for c, to in out] for out in edges]
    return Region(states[:known], inner, path, False, len(states))


def kept_up(region: Region, asked: Collection[int]) -> set[int]:
    """The states from which play can be kept going for ever by the choices of the players asked (by index),
    whatever the others do and chance brings."""
    inside = set(range(len(region.edges)))
    sources: dict[int, list[int]] = {}
    spare = []  # of each state, how many steps it may lose before it is lost
    for at, edges in enumerate(region.edges):
        spare.append(len(edges) - 1 if region.states[at].player in asked else 0)
        for _, target in edges:
            sources.setdefault(target, []).append(at)
    lost = [*sources.get(OUTSIDE, ()), *(at for at in inside if not region.edges[at])]
    while lost:
        at = lost.pop()
        if at not in inside:
            continue
        spare[at] -= 1
        if spare[at] < 0 or not region.edges[at]:
            inside.discard(at)
            lost += sources.get(at, ())
    return inside


def find_loop(region: Region, players: Sequence[str], deadline: Deadline) -> Loop | None:
    """A loop that is as hard to leave as there are any, with the fewest steps, near the opening; that there
    is none is found out whatever the time."""
    forced = kept_up(region, ())
    if forced:
        return _loop(region, "forced", forced, (), deadline)
    everybody = range(len(players))
    inside = kept_up(region, everybody)
    if inside:
        keepers, all_of_them = _keepers(region, inside, everybody, deadline.part(deadline.left / 2))
        names = tuple(tuple(players[p] for p in group) for group in keepers)
        loops = [_loop(region, "optional", kept_up(region, group), names, deadline) for group in keepers]
        found = [each for each in loops if each is not None]
        best = min(found, key=lambda each: len(each.round))
        sure = all_of_them and all(each.shortest for each in found)
        return replace(best, shortest=sure or len(best.round) == 1)
    return _loop(region, "chance", set(range(len(region.edges))), (), deadline)


def shortest_loop(region: Region, deadline: Deadline) -> tuple[list[str], list[str]] | None:
    """The way to a loop, and the way round, with the fewest steps if there is time; that there is none is
    found out whatever the time."""
    loop = _loop(region, "chance", set(range(len(region.edges))), (), deadline)
    return None if loop is None else (loop.way, loop.round)


def _keepers(
    region: Region, inside: set[int], everybody: Sequence[int], deadline: Deadline
) -> tuple[list[tuple[int, ...]], bool]:
    """The smallest groups of players who can keep play going, and whether these are all of them; everybody,
    if time does not suffice."""
    asked = sorted({region.states[at].player for at in inside} & set(everybody))
    for size in range(1, len(asked)):
        found: list[tuple[int, ...]] = []
        for group in combinations(asked, size):
            if deadline.passed:
                return found or [tuple(asked)], False
            if kept_up(region, group):
                found.append(group)
        if found:
            return found, True
    return [tuple(asked)], True


def _loop(
    region: Region, kind: Kind, inside: set[int], keepers: tuple[tuple[str, ...], ...], deadline: Deadline
) -> Loop | None:
    """The shortest loop in a set of states."""
    best: tuple[int, list[str]] | None = None
    for node in sorted(on_cycles(region, inside)):
        if best is not None and (deadline.passed or len(best[1]) == 1):
            break
        back = _way_back(region, inside, node, len(best[1]) - 1 if best else len(region.edges))
        if back is not None:
            best = (node, back)
    else:
        return Loop(kind, region.path(best[0]), best[1], keepers, True) if best else None
    return Loop(kind, region.path(best[0]), best[1], keepers, len(best[1]) == 1)


def _way_back(region: Region, inside: set[int], node: int, most: int) -> list[str] | None:
    """The texts of a shortest way from a state back to it, of no more than so many steps."""
    parents: dict[int, tuple[int, int]] = {}
    waiting = deque([(node, 0)])
    while waiting:
        at, length = waiting.popleft()
        if length == most:
            return None
        for choice, target in region.edges[at]:
            if target == node:
                texts = [text_of(region.states[at], choice)]
                while at != node:
                    at, choice = parents[at]
                    texts.append(text_of(region.states[at], choice))
                return texts[::-1]
            if target in inside and target not in parents:
                parents[target] = (at, choice)
                waiting.append((target, length + 1))
    return None


def on_cycles(region: Region, inside: set[int]) -> set[int]:
    """The states on cycles: strongly connected components with an inner edge (Tarjan 1972, without
    recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: set[int] = set()
    for root in inside:
        if root in index:
            continue
        way: list[tuple[int, Iterator[tuple[int, int]]]] = [(root, iter(region.edges[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while way:
            node, rest = way[-1]
            for _, target in rest:
                if target not in inside:
                    continue
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    way.append((target, iter(region.edges[target])))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                way.pop()
                if way:
                    low[way[-1][0]] = min(low[way[-1][0]], low[node])
                if low[node] == index[node]:
                    part = {stack.pop()}
                    while node not in part:
                        part.add(stack.pop())
                    on_stack -= part
                    if len(part) > 1 or any(target == node for _, target in region.edges[node]):
                        found |= part
    return found
