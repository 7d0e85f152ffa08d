"""Which steps the control flow of a program allows."""

from __future__ import annotations

from collections.abc import Iterable

from kemu_engine.kernel import nodes as k

Edge = tuple[int, int, int]
"""Source, arm, target; source and arm -1 for the opening."""


def ways(program: k.Program) -> set[Edge]:
    """The steps that the control flow allows, whatever the values."""
    found = {(-1, -1, target) for target in led(program, program.entry)}
    for source, block in enumerate(program.blocks):
        if isinstance(block.exit, k.Decide):
            for number, arm in enumerate(block.exit.arms):
                found |= {(source, number, target) for target in led(program, arm.target)}
        elif isinstance(block.exit, k.Chance):
            found |= {(source, 0, target) for target in led(program, block.exit.target)}
    return found


def led(program: k.Program, start: int) -> set[int]:
    """The stops to which a block may lead."""
    found, seen, waiting = set[int](), set[int](), [start]
    while waiting:
        block = waiting.pop()
        if block in seen:
            continue
        seen.add(block)
        exit = program.blocks[block].exit
        if isinstance(exit, k.Goto):
            waiting.append(exit.block)
        elif isinstance(exit, k.Split):
            waiting += [exit.then, exit.other]
        elif isinstance(exit, k.Switch):
            waiting += exit.targets
        elif isinstance(exit, k.Decide | k.Chance | k.End):
            found.add(block)
            if isinstance(exit, k.Decide) and exit.other >= 0:
                waiting.append(exit.other)
    return found


def components(edges: Iterable[Edge]) -> list[set[Edge]]:
    """The edges within strongly connected components, by component."""
    edges = set(edges)
    after: dict[int, set[int]] = {}
    for source, _, target in edges:
        after.setdefault(source, set()).add(target)

    def beyond(start: int) -> frozenset[int]:
        seen, waiting = set[int](), [start]
        while waiting:
            for target in after.get(waiting.pop(), ()):
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return frozenset(seen)

    reach = {node: beyond(node) for node in after}
    parts: dict[frozenset[int], set[Edge]] = {}
    for edge in edges:
        source, _, target = edge
        if source == target or source in reach.get(target, frozenset()):
            members = frozenset(node for node in reach[source] if source in reach.get(node, frozenset()))
            parts.setdefault(members | {source}, set()).add(edge)
    return list(parts.values())
