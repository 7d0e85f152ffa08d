"""Unknowns: values that stand for what is said of hidden state (see havoc.py).

An unknown truth is a free variable; of an unknown integer one value is true however the free variables behind
it are, so that nothing has to be assumed of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kemu_engine.kernel import nodes as k

from kemu_verifier.symbolic.havoc import Hiding, faults
from kemu_verifier.symbolic.terms import TRUE, Lin, Lit, Terms
from kemu_verifier.symbolic.values import INDEX, Cases, Value


class Unknowns:
    """Makes them. `missed`: the faults that are nowhere looked at: they would be met within an unknown."""

    def __init__(self, hiding: Hiding, terms: Terms) -> None:
        self.hiding = hiding
        self.terms = terms
        self.missed: set[int] = set()
        self._known: dict[Any, Value] = {}
        self._inside: dict[int, frozenset[int]] = {}  # by expression of the program, the faults in it
        self._numbers: dict[int, tuple[k.Expr, int]] = {}
        self._equal: dict[k.Expr, int] = {}
        self._nodes: dict[int, tuple[bool, tuple[tuple[int, int], ...]]] = {}

    def value(self, expr: k.Expr, locals: Mapping[int, Value], versions: Sequence[int]) -> Value:
        """What the expression is, of state with these versions."""
        return self._unknown(expr, expr.type, locals, versions)

    def truth(self, expr: k.Expr, locals: Mapping[int, Value], versions: Sequence[int]) -> Lit:
        """Something that is so or not, as the value of the expression has it."""
        value = self._unknown(expr, k.BOOL, locals, versions)
        assert isinstance(value, int)
        return value

    def loose(self, name: str) -> Lit:
        """Something that is so or not, and may be otherwise wherever it is asked again."""
        made = self.terms.var(name)
        self._nodes[made] = False, ()
        return made

    def _unknown(
        self, expr: k.Expr, type_: k.Type, locals: Mapping[int, Value], versions: Sequence[int]
    ) -> Value:
        read, seen = self.hiding.about(expr)
        given = tuple(locals.get(local) for local in read)
        contents = tuple((var, versions[var]) for var in seen)
        key = (self._said(expr), type_, given, contents)
        if key not in self._known:
            self.missed |= self._faults(expr)
            first = len(self.terms.kind)
            self._known[key] = self._fresh(type_)
            lasting = not any(_varies(value) for value in given)
            for node in range(first, len(self.terms.kind)):
                self._nodes[node] = lasting, contents
        return self._known[key]

    def _faults(self, expr: k.Expr) -> frozenset[int]:
        if id(expr) not in self._inside:
            self._inside[id(expr)] = faults(self.hiding.program, expr)
        return self._inside[id(expr)]

    def _said(self, expr: k.Expr) -> int:
        """A number for the expression, the same for what is written the same way elsewhere."""
        known = self._numbers.get(id(expr))
        if known is None:
            known = self._numbers[id(expr)] = expr, self._equal.setdefault(expr, len(self._equal))
        return known[1]

    def _fresh(self, type_: k.Type) -> Value:
        name = f"unknown {len(self._known)}"
        if isinstance(type_, k.Bool):
            return self.terms.var(name)
        if isinstance(type_, k.Set):
            return tuple(self.terms.var(f"{i} in {name}") for i in range(type_.size))
        assert isinstance(type_, k.Int), "an expression gives no history"
        if type_.high - type_.low >= INDEX:
            return Lin(0, ((1, self.terms.ivar(name, type_.low, type_.high)),))
        return Cases(tuple(self._chain(name, type_.low, type_.high)))

    def _chain(self, name: str, low: int, high: int) -> Iterable[tuple[int, Lit]]:
        """The first value whose variable is true; the last if none is."""
        none_yet = TRUE
        for value in range(low, high):
            here = self.terms.var(f"{name}={value}")
            yield value, self.terms.both(none_yet, here)
            none_yet = self.terms.both(none_yet, -here)
        yield high, none_yet

    def of(self, lits: Iterable[Lit]) -> list[int]:
        """The variables of unknowns on which literals rest."""
        return [node for node in self.terms.cone(lits) if node in self._nodes] if self._nodes else []

    def made(self) -> list[int]:
        """The variables of all unknowns."""
        return [node for node in self._nodes if node in self.terms.names]

    def elsewhere(
        self, nodes: Iterable[int], versions: Sequence[int]
    ) -> tuple[dict[int, Lit], dict[int, Lin]]:
        """Variables of unknowns, as they read of state with other versions: those of which something has
        changed, or may have, replaced by new ones."""
        lits: dict[int, Lit] = {}
        lins: dict[int, Lin] = {}
        for node in nodes:
            lasting, contents = self._nodes[node]
            if lasting and all(versions[var] == version for var, version in contents):
                continue
            if node in self.terms.bounds:
                new = self.terms.ivar(self.terms.names[node], *self.terms.bounds[node])
                lins[node] = Lin(0, ((1, new),))
            elif node in self.terms.names:
                new = lits[node] = self.terms.var(self.terms.names[node])
            else:
                continue  # made of the others
            self._nodes[new] = False, contents
        return lits, lins


def _varies(value: Value | None) -> bool:
    """Whether it is not the same in every state."""
    if value is None or isinstance(value, Lin):
        return value is not None and bool(value.terms)
    if isinstance(value, Cases):
        return len(value.pairs) > 1
    return any(abs(lit) > 1 for lit in (value if isinstance(value, tuple) else (value,)))
