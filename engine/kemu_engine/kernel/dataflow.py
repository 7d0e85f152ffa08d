"""Dataflow analysis: sets of facts that flow along the control-flow graph, until nothing changes."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import Edge, edges

Ids = frozenset[int]
NONE: Ids = frozenset()


def backward(program: k.Program, flow: Callable[[int, Ids], Ids]) -> list[Ids]:
    """For every block what holds on entry: `flow` gives it from what holds on one of the ways on. What a way
    sets itself does not come back along it."""
    before: list[set[int]] = [set() for _ in program.blocks]
    for number, block in enumerate(program.blocks):
        for edge in edges(block.exit):
            before[edge.target].add(number)
    found = [NONE] * len(before)
    later = [-number for number in range(len(before))]  # blocks are numbered from the beginning of play on
    heapify(later)
    waiting = set(later)
    while later:
        at = heappop(later)
        waiting.remove(at)
        ways = edges(program.blocks[-at].exit)
        now = flow(-at, NONE.union(*(found[edge.target] - edge.sets for edge in ways)))
        if now != found[-at]:
            found[-at] = now
            for number in before[-at]:
                if -number not in waiting:
                    waiting.add(-number)
                    heappush(later, -number)
    return found


def forward(program: k.Program, flow: Callable[[int, Ids], Ids], along: Callable[[Edge], Ids]) -> list[Ids]:
    """For every block that can be reached what may hold on entry: `flow` gives what may hold at its end from
    what may hold on entry; `along` what a way adds."""
    found = [NONE] * len(program.blocks)
    waiting, seen = {program.entry}, {program.entry}
    while waiting:
        number = waiting.pop()
        out = flow(number, found[number])
        for edge in edges(program.blocks[number].exit):
            now = found[edge.target] | out | along(edge)
            if now != found[edge.target] or edge.target not in seen:
                found[edge.target] = now
                seen.add(edge.target)
                waiting.add(edge.target)
    return found
