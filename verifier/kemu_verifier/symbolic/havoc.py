"""Hiding state: a reading of a program in which some variables may hold anything.

What is said of a hidden variable becomes an unknown: one and the same wherever the same expression is worked
out of the same contents of the state and the same locals, whatever else is the case (uninterpreted functions
of the state; the abstraction is Kurshan's localization, 1994). Every play of the program is a play of this
reading too, so that what is proved of it is proved of the program; what is found in it shows nothing.
"""

from __future__ import annotations

from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import below, nodes_with_calls

from kemu_verifier.symbolic.facts import Facts


class Hiding:
    """Which expressions become unknowns, where `hidden` are the variables that are not looked at. `coarse`:
    a condition that looks at one of them becomes an unknown as a whole. `opaque`: closures do, whatever they
    look at. `untried`: so do folds in which something is tried."""

    def __init__(
        self, program: k.Program, facts: Facts, hidden: frozenset[int], coarse: bool = False
    ) -> None:
        self.program = program
        self.facts = facts
        self.hidden = hidden
        self.coarse = coarse
        self.opaque = False
        self.untried = False
        self._looks: dict[int, frozenset[int]] = {}
        self._covered: dict[int, tuple[k.Expr, bool]] = {}
        self._about: dict[int, tuple[k.Expr, tuple[int, ...], tuple[int, ...]]] = {}

    def covers(self, expr: k.Expr) -> bool:
        """Whether the expression becomes an unknown as a whole: it looks at what is hidden, and at nothing
        else of the state; or it is more than an unknown can be worked into."""
        if isinstance(expr, k.Const | k.Local):
            return False
        known = self._covered.get(id(expr))
        if known is None:
            known = self._covered[id(expr)] = (expr, self._covers(expr))
        return known[1]

    def _covers(self, expr: k.Expr) -> bool:
        if isinstance(expr, k.Closure) and self.opaque:
            return True
        if self.untried and isinstance(expr, k.Fold | k.Closure) and tries(self.program, expr):
            return True
        looks = self.looks(expr)
        if looks.isdisjoint(self.hidden):
            return False
        if isinstance(expr, k.At | k.Load | k.Times) and expr.var in self.hidden:
            return True
        if self.coarse and isinstance(expr.type, k.Bool):
            return True
        return isinstance(expr, k.Closure) or self.facts.reads(expr) <= self.hidden

    def looks(self, root: Any) -> frozenset[int]:
        """The state variables of whose values something is said in an expression or code, or in what it
        calls; more than whether hidden ones are there."""
        found: set[int] = set()
        waiting = [root]
        while waiting:
            node = waiting.pop()
            there = self.presence(node)
            if there is not None:
                waiting += below(there) if isinstance(there, k.At) else ()
                continue
            if isinstance(node, k.Load | k.At | k.Times | k.Writing):
                found.add(node.var)
            elif isinstance(node, k.Call):
                if node.function not in self._looks:
                    self._looks[node.function] = self.looks(self.program.functions[node.function].body)
                found |= self._looks[node.function]
            waiting += below(node)
        return frozenset(found)

    def presence(self, expr: Any) -> k.At | k.Load | None:
        """The hidden variable, or the element of one, of which the expression asks whether it is there."""
        match expr:
            case k.Op(op="eq" | "ne", args=(k.At() | k.Load() as asked, k.Const(value=-1))):
                pass
            case k.Op(op="le", args=(k.Const(value=0), k.At() | k.Load() as asked)):
                pass
            case _:
                return None
        there = asked.var in self.hidden and optional(self.program.vars[asked.var].type)
        return asked if there else None

    def about(self, expr: k.Expr) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """(locals, state variables) on which the value of the expression depends."""
        known = self._about.get(id(expr))
        if known is None:
            known = expr, tuple(sorted(free(expr))), tuple(sorted(self.facts.reads(expr)))
            self._about[id(expr)] = known
        return known[1:]


def tries(program: k.Program, root: Any) -> bool:
    """Whether something is tried in an expression, or in what it calls."""
    return any(isinstance(node, k.Trial) for node in nodes_with_calls(program, root))


def histories(program: k.Program) -> frozenset[int]:
    """The variables that are histories."""
    return frozenset(at for at, var in enumerate(program.vars) if isinstance(var.type, k.History))


def optional(type_: k.Type) -> bool:
    """Whether values of the type can be `none`."""
    return isinstance(type_, k.Int) and type_.low == -1


def faults(program: k.Program, root: Any) -> frozenset[int]:
    """The faults in an expression or code, and in the functions that it calls."""
    reached = nodes_with_calls(program, root)
    return frozenset(node.fault for node in reached if isinstance(node, k.Need | k.Check | k.Loop))


def free(root: Any) -> set[int]:
    """The locals on whose values an expression or code depends; perhaps some more."""
    match root:
        case k.Local():
            return {root.id}
        case k.Fold():
            return free(root.over) | (free(root.where) | free(root.body)) - {root.binder}
        case k.Closure():
            return free(root.seed) | free(root.step) - {root.binder}
        case k.Let():
            return free(root.value) | free(root.body) - {root.local}
    found: set[int] = set()
    for part in below(root):
        found |= free(part)
    return found
