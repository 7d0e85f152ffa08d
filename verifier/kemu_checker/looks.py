"""What is seen of an expression without evaluating it: whether it may fault, and whether it rests on what is
forgotten.
"""

from typing import Any

from kemu_checker.text import Node


class Looks:
    """Of each expression and function of a program once."""

    def __init__(self, program: Node, forget: frozenset[int]) -> None:
        self.forget = forget
        self._vars, self._tables, self._functions = program.fields[3], program.fields[5], program.fields[7]
        self._faulty: dict[int, tuple[Node, bool]] = {}
        self._hazy: dict[int, tuple[Node, bool]] = {}

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


def _within(expr: Node, low: int | None = None, high: int | None = None) -> bool:
    """Whether the type of an integer shows that it lies there."""
    if expr.kind in ("Def", "Clock"):
        return False
    least, most = expr.fields[0].fields
    return (low is None or low <= least) and (high is None or most <= high)
