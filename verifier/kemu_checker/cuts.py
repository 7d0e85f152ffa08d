"""Loops that are cut: play stops at the head of each of them, and goes on (docs/evidence.md, "Laps")."""

from collections.abc import Iterator
from typing import Any

from kemu_checker.machine import STOPS
from kemu_checker.questions import number
from kemu_checker.scopes import Locals, Scopes
from kemu_checker.text import BadText, Node

Cuts = tuple[int, ...]  # blocks

_NONE: Locals = frozenset()


def cuts_of(evidence: dict[str, Any]) -> Cuts | None:
    """Where an answer has loops cut; nothing if it has not."""
    given = evidence.get("cuts")
    if evidence.get("kind") != "laps" or not isinstance(given, list):
        return None
    return tuple(given) if all(type(each) is int for each in given) else None


def cut(program: Node, cuts: Cuts) -> Node:
    """The program that stops where play comes to one of these blocks. The stop has the block's number, one
    way on, and keeps what is set whichever way play comes there."""
    blocks, known = list(program.fields[9]), certainly_set(program)
    lap = Node("LocalInfo", ("lap", Node("Int", (0, 0)), (), 0))
    for at in cuts:
        if not 0 <= at < len(program.fields[9]) or blocks[at].fields[1].kind in STOPS:
            raise BadText(f"no loop can be cut at block {at}")
        stop = Node("Chance", ("lap", len(program.fields[4]), number(1), None, len(blocks), None))
        blocks.append(blocks[at])
        blocks[at] = Node("Block", ((), stop, tuple(sorted(known.get(at, _NONE))), f"lap {at}"))
    more = {4: (*program.fields[4], lap), 9: tuple(blocks)}
    return Node("Program", tuple(more.get(i, field) for i, field in enumerate(program.fields)))


def certainly_set(program: Node) -> dict[int, Locals]:
    """By block to which play may come, the locals that are set there whichever way it comes."""
    scopes, blocks = Scopes(program), program.fields[9]
    found: dict[int, Locals] = {}
    todo = [(program.fields[10], _NONE)]
    while todo:
        at, have = todo.pop()
        now = have & found.get(at, have)
        if now != found.get(at):
            found[at] = now
            todo += _onward(scopes, blocks[at], now)
    return found


def _onward(scopes: Scopes, block: Node, have: Locals) -> Iterator[tuple[int, Locals]]:
    """Where a block leads, with what is set there."""
    code, node, live, _ = block.fields
    after, kept = scopes.code(code, have, []), have & frozenset(live)
    if after is None:
        return
    match node.kind:
        case "Goto":
            yield node.fields[0], after
        case "Split":
            scopes.expr(node.fields[0], after)
            yield from ((to, after - scopes.left(node.fields[0])) for to in node.fields[1:])
        case "Switch":
            yield from ((to, after) for to in node.fields[1])
        case "Decide":
            for _, params, _, _, target in (arm.fields for arm in node.fields[2]):
                yield target, kept | {param.fields[1] for param in params}
            if node.fields[3] >= 0:
                yield node.fields[3], kept
        case "Chance":
            yield node.fields[4], kept | {node.fields[1]}
