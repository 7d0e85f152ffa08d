"""What a piece of kernel can do, worked out once: whether it can fault, which state it reads, what it may
write.
"""

from __future__ import annotations

from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import below, nodes, nodes_with_calls, read


class Facts:
    """Facts about nodes of one program, remembered by node."""

    def __init__(self, program: k.Program) -> None:
        self.program = program
        self._faults: dict[int, tuple[Any, bool]] = {}
        self._reads: dict[int, frozenset[int]] = {}
        self._counts: dict[int, bool] = {}

    def can_fault(self, node: Any) -> bool:
        """Whether evaluating an expression, or running code, can meet a fault."""
        known = self._faults.get(id(node))
        if known is None:
            known = self._faults[id(node)] = (node, self._can_fault(node))
        return known[1]

    def _can_fault(self, node: Any) -> bool:
        if isinstance(node, k.Need | k.Check | k.Loop):
            return True
        if isinstance(node, k.Call) and self.can_fault(self.program.functions[node.function].body):
            return True
        return any(self.can_fault(part) for part in below(node))

    def function_reads(self, number: int) -> frozenset[int]:
        """The state variables that a function reads, itself or through others."""
        if number not in self._reads:
            self._reads[number] = self.reads(self.program.functions[number].body)
        return self._reads[number]

    def counts(self, number: int) -> bool:
        """Whether a function itself counts or adds up."""
        if number not in self._counts:
            inside = nodes(self.program.functions[number].body)
            self._counts[number] = any(isinstance(n, k.Fold) and n.op in ("count", "sum") for n in inside)
        return self._counts[number]

    def flows(self, root: Any) -> bool:
        """Whether an expression has a closure in it, or calls a function that has."""
        for node in nodes(root):
            if isinstance(node, k.Closure):
                return True
            if isinstance(node, k.Call) and self.flows(self.program.functions[node.function].body):
                return True
        return False

    def reads(self, root: Any) -> frozenset[int]:
        """The state variables that an expression or code reads or writes."""
        found: set[int] = set()
        for node in nodes(root):
            if isinstance(node, k.Call):
                found |= self.function_reads(node.function)
            else:
                found |= read(self.program.vars, node)
        return frozenset(found)


def nested(program: k.Program, call: k.Call) -> bool:
    """Whether an argument calls the same function, which sets its parameters anew: only all at once, when all
    arguments are worked out, can they be given their values."""
    reached = nodes_with_calls(program, call.args)
    return any(isinstance(node, k.Call) and node.function == call.function for node in reached)
