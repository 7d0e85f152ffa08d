"""Locals in expressions about a state: each is set where it is read; nothing that was left over is read."""

from collections.abc import Iterable
from typing import Any

from kemu_checker.text import BadText, Node

Locals = frozenset[int]
_NONE: Locals = frozenset()


class Scopes:
    """Follows the locals that are certainly set through expressions, and code that they try."""

    def __init__(self, program: Node, definitions: tuple[Node, ...] = ()) -> None:
        self.functions, self.blocks = program.fields[7], program.fields[9]
        self.definitions = definitions
        self._left: dict[int, tuple[Node, Locals]] = {}
        self._of_function: dict[int, Locals] = {}
        self._defined: set[tuple[int, Locals]] = set()
        self._live: Locals = _NONE

    def at(self, block: int, exprs: Iterable[Node]) -> None:
        """Expressions about a state at a stop."""
        self._live = frozenset(self.blocks[block].fields[2])
        for expr in exprs:
            self.expr(expr, self._live)

    # What expressions leave in locals, which nobody may read afterwards

    def left(self, item: Any) -> Locals:
        """The locals that expressions in it bind, and those of the functions that it calls."""
        if isinstance(item, tuple):
            return _NONE.union(*map(self.left, item))
        if not isinstance(item, Node):
            return _NONE
        known = self._left.get(id(item))
        if known is None:
            known = self._left[id(item)] = item, self._leaves(item)
        return known[1]

    def _leaves(self, node: Node) -> Locals:
        match node.kind:
            case "Trial" | "Const" | "Local" | "Load" | "Times" | "Def" | "Clock":
                return _NONE
            case "Call":
                return self.left(node.fields[2]) | self.of_function(node.fields[1])
            case "Fold" | "Closure" | "Let" | "Fill":
                binder = node.fields[{"Fold": 2, "Closure": 2}.get(node.kind, 1)]
                return self.left(node.fields) | {binder}
            case _:
                return self.left(node.fields)

    def of_function(self, function: int) -> Locals:
        """The locals that a function sets."""
        found = self._of_function.get(function)
        if found is None:
            _, params, _, code = self.functions[function].fields
            found = frozenset(params) | self.left(code) | frozenset(assigned(code))
            self._of_function[function] = found
        return found

    # Expressions

    def expr(self, node: Node, have: Locals) -> None:
        """Raises BadText if a local is read that is not one of these."""
        match node.kind:
            case "Local":
                if node.fields[1] not in have:
                    raise BadText(f"local {node.fields[1]} is read where it is not set")
            case "Def":
                self._definition(node.fields[0])
            case "Fold":
                _, _, binder, over, where, body = node.fields
                self._in_turn((over,), have)
                self._bound(binder, (where, body), have - self.left(over))
            case "Closure":
                _, seed, binder, step = node.fields
                self.expr(seed, have)
                self._bound(binder, (step,), have - self.left(seed))
            case "Let":
                _, local, value, body = node.fields
                self.expr(value, have)
                self.expr(body, (have - self.left(value)) | {local})
            case "If":
                _, test, then, other = node.fields
                self.expr(test, have)
                for each in (then, other):
                    self.expr(each, have - self.left(test))
            case "Trial":
                _, code, test = node.fields
                after = self.code(code, have, [])
                if after is not None:
                    self.expr(test, after)
            case _:
                self._in_turn(node.fields, have)

    def _in_turn(self, items: Iterable[Any], have: Locals) -> None:
        for each in items:
            if isinstance(each, tuple):
                self._in_turn(each, have)
            elif isinstance(each, Node) and each.kind not in ("Bool", "Int", "Set", "History"):
                self.expr(each, have)
            have -= self.left(each)

    def _bound(self, binder: int, exprs: tuple[Node, ...], have: Locals) -> None:
        """Expressions that are evaluated again and again, with a binder."""
        left = self.left(exprs)
        if binder in left:
            raise BadText(f"local {binder} is bound within itself")
        for each in exprs:
            self.expr(each, (have - left) | {binder})

    def _definition(self, number: int) -> None:
        if (number, self._live) not in self._defined:
            self.expr(self.definitions[number], self._live)
            self._defined.add((number, self._live))

    # Code: what is set after it; None if play does not come there

    def code(self, code: tuple[Node, ...], have: Locals | None, breaks: list[Locals]) -> Locals | None:
        """What is certainly set after the code."""
        for each in code:
            if have is None:
                return None
            have = self._statement(each, have, breaks)
        return have

    def _statement(self, node: Node, have: Locals, breaks: list[Locals]) -> Locals | None:
        match node.kind:
            case "Assign":
                self.expr(node.fields[1], have)
                return (have - self.left(node)) | {node.fields[0]}
            case "Fill":
                _, binder, value = node.fields
                self._bound(binder, (value,), have)
            case "When":
                test, then, other = node.fields
                self.expr(test, have)
                have -= self.left(test)
                return _meet(self.code(then, have, breaks), self.code(other, have, breaks))
            case "For":
                local, over, code = node.fields
                self.expr(over, have)
                have -= self.left(over) | self.left(code)
                inner: list[Locals] = []
                self.code(code, have | {local}, inner)
                return have
            case "Loop":
                return self._loop(node.fields[1], have - self.left(node))
            case "Break":
                breaks.append(have)
                return None
            case "Continue":
                return None
            case "Return":
                self.expr(node.fields[0], have)
                return None
            case "Check":
                self.expr(node.fields[0], have)
                if node.fields[0].kind == "Const" and not node.fields[0].fields[1]:
                    return None
            case _:
                self._in_turn(node.fields, have)
        return have - self.left(node)

    def _loop(self, code: tuple[Node, ...], have: Locals) -> Locals | None:
        breaks: list[Locals] = []
        self.code(code, have, breaks)
        return frozenset.intersection(*breaks) if breaks else None


def assigned(item: Any) -> Iterable[int]:
    """The locals that code assigns, but for what is only tried."""
    todo = [item]
    while todo:
        each = todo.pop()
        if isinstance(each, tuple):
            todo += each
        elif isinstance(each, Node) and each.kind != "Trial":
            if each.kind in ("Assign", "For"):
                yield each.fields[0]
            todo += each.fields


def _meet(one: Locals | None, other: Locals | None) -> Locals | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other
