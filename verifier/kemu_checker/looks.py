"""What is seen of an expression without evaluating it: whether it may fault, and whether it rests on what is
forgotten.
"""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any

from kemu_checker.text import Node


class Care(Enum):
    """How exactly code is worked out. `LOOSE`: what depends on nothing but what is forgotten is any value, as
    if it met no fault; `LOOSEST`: so is every closure; `BLIND`: so is what a function gives that looks into a
    long table."""

    EXACT = 0
    LOOSE = 1
    LOOSEST = 2
    BLIND = 3


LONG = 2000
"""Entries of a table that is long."""


class Looks:
    """Of each expression and function of a program once."""

    def __init__(self, program: Node, forget: frozenset[int], care: Care = Care.EXACT) -> None:
        self.forget, self.care = forget, care
        self._vars, self._tables, self._functions = program.fields[3], program.fields[5], program.fields[7]
        self._searches: dict[int, bool] = {}
        self._faulty: dict[int, tuple[Node, bool]] = {}
        self._hazy: dict[int, tuple[Node, bool]] = {}
        self._reads: dict[int, frozenset[int] | None] = {}
        self._loose: dict[int, tuple[Node, bool]] = {}
        self._shapes: dict[tuple[Any, ...], int] = {}

    def hazy(self, item: Any) -> bool:
        """Whether it depends on what is forgotten."""
        if isinstance(item, tuple):
            return any(map(self.hazy, item))
        if not isinstance(item, Node):
            return False
        known = self._hazy.get(id(item))
        if known is None:
            result = (item.kind in ("Load", "At") and item.fields[1] in self.forget) or self.hazy(item.fields)
            if item.kind == "Call" and not result:
                result = self.hazy(self._functions[item.fields[1]].fields[3])
            known = self._hazy[id(item)] = item, result
        return known[1]

    def reads(self, function: int) -> frozenset[int] | None:
        """The variables that a function reads; None if its value does not follow from theirs and its
        arguments (histories, the clock), or is not looked into (code that is tried)."""
        if function not in self._reads:
            self._reads[function] = None  # no function calls itself
            self._reads[function] = self.read_in(self._functions[function].fields[3])
        return self._reads[function]

    def read_in(self, root: Any) -> frozenset[int] | None:
        """The same of an expression or code, and its locals."""
        found: set[int] = set()
        for item in below(root):
            if item.kind in ("Times", "Trial", "Clock"):
                return None
            if item.kind in ("Load", "At"):
                found.add(item.fields[1])
            elif item.kind == "Call":
                more = self.reads(item.fields[1])
                if more is None:
                    return None
                found |= more
        return frozenset(found)

    def shape(self, item: Any) -> int:
        """A number, the same for equal pieces of code."""
        if isinstance(item, Node):
            key = item.kind, *map(self.shape, item.fields)
        else:
            key = (type(item), *map(self.shape, item)) if isinstance(item, tuple) else (type(item), item)
        return self._shapes.setdefault(key, len(self._shapes))

    def loose(self, node: Node) -> bool:
        """Whether the expression is not worked out: any value will do."""
        if self.care is Care.EXACT or node.kind == "Load":
            return False
        known = self._loose.get(id(node))
        if known is None:
            known = self._loose[id(node)] = node, self._is_loose(node)
        return known[1]

    def _is_loose(self, node: Node) -> bool:
        if self.care is Care.BLIND and node.kind == "Call" and self.searches(node.fields[1]):
            return True
        if not self.hazy(node):
            return node.kind == "Closure" and self.care in (Care.LOOSEST, Care.BLIND)
        if node.kind == "At" and node.fields[2].kind == "Const":
            return False
        if node.kind == "Closure":
            return True
        read = self.read_in(node)
        return read is not None and read <= self.forget

    def searches(self, function: int) -> bool:
        """Whether a function, or what it calls, looks into a long table by a number that the program does not
        name."""
        found = self._searches.get(function)
        if found is None:
            code = list(below(self._functions[function].fields[3]))
            found = self._searches[function] = any(map(self._is_search, code)) or any(
                self.searches(each.fields[1]) for each in code if each.kind == "Call"
            )
        return found

    def _is_search(self, node: Node) -> bool:
        long = node.kind == "Lookup" and len(self._tables[node.fields[1]].fields[1]) > LONG
        return long and node.fields[2].kind != "Const"

    def faulty(self, item: Any) -> bool:
        """Whether something in it may fault."""
        if isinstance(item, tuple):
            return any(map(self.faulty, item))
        if not isinstance(item, Node):
            return False
        known = self._faulty.get(id(item))
        if known is None:
            result = self._partial(item) or any(map(self.faulty, item.fields))
            if item.kind == "Call" and not result:
                result = self.faulty(self._functions[item.fields[1]].fields[3])
            known = self._faulty[id(item)] = item, result
        return known[1]

    def _partial(self, node: Node) -> bool:
        """Whether the node by itself has no value in some states, as far as types show it."""
        match node.kind:
            case "Need" | "Check" | "Loop" | "Def":
                return True
            case "At":
                return not _within(node.fields[2], 0, self._vars[node.fields[1]].fields[2] - 1)
            case "Put":
                return not _within(node.fields[1], 0, self._vars[node.fields[0]].fields[2] - 1)
            case "Lookup":
                return not _within(node.fields[2], 0, len(self._tables[node.fields[1]].fields[1]) - 1)
            case "Op" if node.fields[1] in ("div", "mod"):
                divisor = node.fields[2][1]
                return not (_within(divisor, 1) or _within(divisor, None, -1))
            case "Op" if node.fields[1] == "single":
                return not _within(node.fields[2][0], 0, node.fields[0].fields[0] - 1)
            case "Fold":
                return node.fields[1] in ("min", "max", "set")
            case _:
                return False


def below(root: Any, functions: Sequence[Any] = ()) -> Iterator[Node]:
    """All nodes of an expression or code; of what it calls only if the functions' code is given."""
    todo: list[Any] = [root]
    called: set[int] = set()
    while todo:
        item = todo.pop()
        if isinstance(item, tuple):
            todo += item
        elif isinstance(item, Node):
            yield item
            todo += item.fields
            if functions and item.kind == "Call" and item.fields[1] not in called:
                called.add(item.fields[1])
                todo.append(functions[item.fields[1]])


def _within(expr: Node, low: int | None = None, high: int | None = None) -> bool:
    """Whether the type of an integer shows that it lies there."""
    if expr.kind in ("Def", "Clock"):
        return False
    least, most = expr.fields[0].fields
    return (low is None or low <= least) and (high is None or most <= high)
