"""The control-flow graph: where blocks lead, and what may be reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from kemu_engine.kernel import nodes as k

Stopping = k.Decide | k.Chance | k.End


@dataclass(frozen=True, slots=True)
class Edge:
    """A way from a block to the next, on which some locals are set. `chosen`: after an action or outcome."""

    target: int
    sets: frozenset[int] = frozenset()
    chosen: bool = False


def edges(exit: k.Exit) -> list[Edge]:
    """The ways on from an exit, in order; two may lead to the same block."""
    match exit:
        case k.Goto(block):
            return [Edge(block)]
        case k.Split(_, then, other):
            return [Edge(then), Edge(other)]
        case k.Switch(_, blocks):
            return [Edge(block) for block in blocks]
        case k.Decide(arms=arms, other=other):
            found = [Edge(arm.target, frozenset(param.local for param in arm.params), True) for arm in arms]
            return found if other < 0 else [*found, Edge(other)]
        case k.Chance():
            return [Edge(exit.target, frozenset({exit.local}), True)]
        case _:
            return []


def targets(exit: k.Exit) -> list[int]:
    """The blocks that come next."""
    return [edge.target for edge in edges(exit)]


def onward(exit: k.Exit) -> list[int]:
    """Those of them to which play goes on without a choice: at a decision, where nothing can be done."""
    return [edge.target for edge in edges(exit) if not edge.chosen]


def chosen(exit: k.Exit) -> list[int]:
    """Those of them at which play goes on after a choice."""
    return [edge.target for edge in edges(exit) if edge.chosen]


def reached(starts: Iterable[int], following: Callable[[int], Iterable[int]]) -> list[int]:
    """What one comes to from somewhere, the starts first."""
    found = list(dict.fromkeys(starts))
    seen = set(found)
    for number in found:
        for each in following(number):
            if each not in seen:
                seen.add(each)
                found.append(each)
    return found


def stops_from(program: k.Program, block: int) -> set[int]:
    """The stops to which a block may lead, through decisions at which nothing can be done as well."""
    found = reached([block], lambda number: onward(program.blocks[number].exit))
    return {number for number in found if isinstance(program.blocks[number].exit, Stopping)}


def retargeted(exit: k.Exit, to: Mapping[int, int]) -> k.Exit:
    """The same exit, `to` other blocks than those that come next."""
    match exit:
        case k.Goto(block):
            return k.Goto(to[block])
        case k.Split(test, then, other):
            return k.Split(test, to[then], to[other])
        case k.Switch(local, blocks):
            return k.Switch(local, tuple(to[block] for block in blocks))
        case k.Decide(arms=arms, other=other):
            made = tuple(replace(arm, target=to[arm.target]) for arm in arms)
            return replace(exit, arms=made, other=to[other] if other >= 0 else other)
        case k.Chance(target=target):
            return replace(exit, target=to[target])
    return exit
