"""Loops that are cut: play stops at the head of each of them, and goes on (docs/evidence.md, "Laps")."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kemu_checker.machine import STOPS
from kemu_checker.questions import number, op
from kemu_checker.scopes import Locals, assigned
from kemu_checker.text import BadText, Node

_NONE: Locals = frozenset()
_MOST = 1_000  # places
_BOOL, _BIT = Node("Bool", ()), Node("Int", (0, 1))
_TRUE = Node("Const", (_BOOL, 1))


@dataclass(frozen=True, slots=True)
class Cuts:
    """Loops in the code of blocks that become blocks of their own, one after the other: each the block, and
    the place in its code; then the blocks at which play stops."""

    opened: tuple[tuple[int, int], ...]
    blocks: tuple[int, ...]


def cuts_of(evidence: dict[str, Any]) -> Cuts | None:
    """Where an answer has loops cut; nothing if it has not."""
    opened, blocks = evidence.get("opened", []), evidence.get("cuts")
    if evidence.get("kind") != "laps" or not isinstance(blocks, list) or not isinstance(opened, list):
        return None
    pairs = [tuple(each) for each in opened if isinstance(each, list) and len(each) == 2]
    return _cuts(pairs, blocks) if len(pairs) == len(opened) else None


def cuts_in(node: Node) -> Cuts:
    """Where a proof says that loops are cut (`Cut`)."""
    opened, blocks, _ = node.fields
    found = _cuts([each.fields for each in opened], blocks)
    if found is None:
        raise BadText("too many loops are cut")
    return found


def _cuts(opened: Sequence[tuple[int, ...]], blocks: Sequence[int]) -> Cuts | None:
    numbers = [*blocks, *(each for pair in opened for each in pair)]
    if len(numbers) > _MOST or not all(type(each) is int and each >= 0 for each in numbers):
        return None
    return Cuts(tuple((block, at) for block, at in opened), tuple(blocks))


def cut(program: Node, cuts: Cuts) -> Node:
    """The program that stops where play comes to these blocks. A stop has the block's number, one way on, and
    keeps what may be set there."""
    for block, at in cuts.opened:
        program = _opened(program, block, at)
    blocks, known = list(program.fields[9]), perhaps_set(program)
    for at in cuts.blocks:
        if at >= len(program.fields[9]) or blocks[at].fields[1].kind in STOPS:
            raise BadText(f"no loop can be cut at block {at}")
        stop = Node("Chance", ("lap", len(program.fields[4]), number(1), None, len(blocks), None))
        blocks.append(blocks[at])
        blocks[at] = Node("Block", ((), stop, tuple(sorted(known.get(at, _NONE))), f"lap {at}"))
    return _with(program, [_info("lap", Node("Int", (0, 0)))], blocks)


def _with(program: Node, more: list[Node], blocks: list[Node]) -> Node:
    """The program with more locals, and these blocks."""
    new = {4: (*program.fields[4], *more), 9: tuple(blocks)}
    return Node("Program", tuple(new.get(i, field) for i, field in enumerate(program.fields)))


def _info(name: str, kind: Node) -> Node:
    return Node("LocalInfo", (name, kind, (), 0))


def _opened(program: Node, block: int, at: int) -> Node:
    """The program in which a loop in the code of a block is blocks of its own: its head, a lap, what comes
    behind it, and of a `Loop` the fault after its last lap."""
    blocks, first = list(program.fields[9]), len(program.fields[4])
    if block >= len(blocks) or at >= len(blocks[block].fields[0]):
        raise BadText("there is no such place in the code of a block")
    code, leave, live, name = blocks[block].fields
    head = len(blocks)
    match code[at]:
        case Node("For", (local, over, body)):
            kind = over.fields[0]
            rest, size = Node("Local", (kind, first + 1)), kind.fields[0]
            element = Node("Int", (0, size - 1))
            least = Node("Fold", (Node("Int", (-1, size - 1)), "first", first + 2, rest, _TRUE, _TRUE))
            this = Node("Op", (kind, "single", (Node("Local", (element, local)),)))
            enter = Node("Assign", (first + 1, over))
            fewer = Node("Assign", (first + 1, Node("Op", (kind, "diff", (rest, this)))))
            chosen = Node("Assign", (local, Node("Op", (element, "max", (number(0), least)))))
            more = [_info("rest", kind), _info("element", element)]
            next_, lap, after = range(head + 1, head + 4)
            onward = Node("Split", (op("ne", rest, Node("Const", (kind, 0))), next_, after))
            before = [Node("Block", ((chosen, fewer), Node("Goto", (lap,)), (), ""))]
            begins, behind = list[Node](), list[Node]()
        case Node("Loop", (bound, body, fault)):
            kind = Node("Int", (0, bound))
            laps, one_more = Node("Local", (kind, first + 1)), Node("Int", (1, bound + 1))
            count = Node("Op", (one_more, "add", (laps, number(1))))
            enter = Node("Assign", (first + 1, number(0)))
            begins = [Node("Assign", (first + 1, Node("Op", (kind, "min", (number(bound), count)))))]
            more = [_info("laps", kind)]
            lap, after, spent = range(head + 1, head + 4)
            onward = Node("Split", (op("lt", laps, number(bound)), lap, spent))
            before, behind = [], [Node("Block", ((), Node("Fail", (fault,)), (), ""))]
        case _:
            raise BadText("there is no loop at this place")
    second = first + 1 + len(more)
    blocks[block] = Node("Block", ((*code[:at], enter), Node("Goto", (head,)), live, name))
    blocks += [
        Node("Block", ((), onward, (), "")),
        *before,
        Node("Block", ((*begins, *_once(body, first, second)), _whether(first, after, head), (), "")),
        Node("Block", (code[at + 1 :], leave, (), "")),
        *behind,
    ]
    return _with(program, [_info("left", _BIT), *more, _info("second", _BIT)], blocks)


def _once(body: tuple[Node, ...], left: int, second: int) -> tuple[Node, ...]:
    """A lap, and whether the loop was left in it: else play comes to a second one, which is none."""
    again = op("eq", Node("Local", (_BIT, second)), number(1))
    none = Node("When", (again, (Node("Assign", (left, number(0))), Node("Break", ())), ()))
    both = Node("Const", (Node("Set", (2,)), 3))
    return Node("Assign", (left, number(1))), Node("For", (second, both, (none, *body)))


def _whether(local: int, then: int, other: int) -> Node:
    return Node("Split", (op("eq", Node("Local", (_BIT, local)), number(1)), then, other))


def perhaps_set(program: Node) -> dict[int, Locals]:
    """By block to which play may come, the locals that may be set there."""
    blocks, found = program.fields[9], dict[int, Locals]()
    todo = [(program.fields[10], _NONE)]
    while todo:
        at, have = todo.pop()
        now = have | found.get(at, _NONE)
        if found.get(at) != now:
            found[at] = now
            todo += _onward(blocks[at], now)
    return found


def _onward(block: Node, have: Locals) -> Iterator[tuple[int, Locals]]:
    """Where a block leads, with what may be set there."""
    code, node, live, _ = block.fields
    after, kept = have | frozenset(assigned(code)), have & frozenset(live)
    match node.kind:
        case "Goto":
            yield node.fields[0], after
        case "Split":
            yield from ((to, after) for to in node.fields[1:])
        case "Switch":
            yield from ((to, after) for to in node.fields[1])
        case "Decide":
            for _, params, _, _, target in (arm.fields for arm in node.fields[2]):
                yield target, kept | {param.fields[1] for param in params}
            if node.fields[3] >= 0:
                yield node.fields[3], kept
        case "Chance":
            yield node.fields[4], kept | {node.fields[1]}
