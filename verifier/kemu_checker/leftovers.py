"""Locals that an expression binds and leaves behind: nothing may read them, as what they hold then depends on
how the expression was worked out (docs/kernel.md, "Expressions")."""

from collections.abc import Iterator

from kemu_checker.machine import STOPS, following, targets
from kemu_checker.scopes import Locals, Scopes
from kemu_checker.text import BadText, Node


def check_leftovers(program: Node) -> None:
    """Raises BadText if on some way through the blocks a local is read, or kept at a stop, that was bound and
    not set since. Whether it is set at all is seen when play comes there."""
    blocks, scopes = program.fields[9], Scopes(program)
    every: Locals = frozenset(range(len(program.fields[4])))
    entries = {program.fields[10], *(to for block in blocks for to in targets(block.fields[1]))}
    found = dict.fromkeys(entries, every)
    todo = list(entries)
    while todo:
        at = todo.pop()
        code, node, live, _ = blocks[at].fields
        after = scopes.code(code, found[at], [])
        if after is None:
            continue
        if node.kind in STOPS:
            if not after.issuperset(live):
                raise BadText(f"stop {at} keeps what an expression has left in a local")
            after = every
        for have, exprs in _asked(node, after, scopes):
            for each in exprs:
                scopes.expr(each, have)
                have -= scopes.left(each)
        if node.kind == "Switch" and node.fields[0] not in after:
            raise BadText(f"block {at} goes on by what an expression has left in a local")
        if node.kind == "Split":
            after -= scopes.left(node.fields[0])
        for to in following(node):
            fewer = found.get(to, every) & after
            if fewer != found.get(to):
                found[to] = fewer
                todo.append(to)


def _asked(node: Node, have: Locals, scopes: Scopes) -> Iterator[tuple[Locals, tuple[Node, ...]]]:
    """The expressions of an exit: those that are worked out one after the other. What is worked out for each
    argument or outcome anew finds what it has left itself."""
    match node.kind:
        case "Split":
            yield have, (node.fields[0],)
        case "Decide":
            _, actor, arms, _, _ = node.fields
            yield have, (actor,)
            have -= scopes.left(actor)
            for _, params, guard, legal, _ in (arm.fields for arm in arms):
                yield have, (guard,)
                again = (*(each for param in params for each in param.fields[2:4]), legal)
                yield have - scopes.left((guard, again)), again
        case "Chance":
            yield have - scopes.left(node.fields[2]), (node.fields[2],)
