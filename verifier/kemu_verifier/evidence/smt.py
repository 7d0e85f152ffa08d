"""Terms as SMT-LIB 2 text: Booleans and integers, in operators that every solver knows (no cardinalities, no
pseudo-Boolean atoms).

A symbol stands between bars: `|stone[(1, 3)]=black|`. The state after a step has the same symbols with a
prime, `|stone[(1, 3)]=black'|`, so that a text about a state is made one about the next by priming it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from kemu_verifier.symbolic.solve import LONG
from kemu_verifier.symbolic.terms import (
    AND,
    CONST,
    DIV,
    ITE,
    IVAR,
    LE,
    MOD,
    MUL,
    SUM,
    VAR,
    Lin,
    Lit,
    Terms,
)

SYMBOL = re.compile(r"\|([^|]*)\|")


def quoted(name: str) -> str:
    """The name as a symbol; the two signs that a quoted symbol must not have are replaced."""
    return "|" + name.replace("|", "/").replace("\\", "/") + "|"


def primed(text: str) -> str:
    """The text about the state after the step."""
    return SYMBOL.sub(r"|\1'|", text)


def sum_symbol(node: int) -> str:
    return quoted(f"sum {node}")


def number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def joined(operator: str, parts: list[str], empty: str) -> str:
    """`(operator part ...)`, where there may be only one part, or none."""
    if len(parts) < 2:
        return parts[0] if parts else empty
    return f"({operator} {' '.join(parts)})"


class Every(frozenset[int]):
    """All nodes."""

    def __contains__(self, node: object) -> bool:
        return True


class Writer:
    """Writes nodes of a store as definitions, each once, in the order in which they are needed.

    `symbols`: the names of the variables. `prefix`: of the names of the other nodes, so that two parts of a
    file do not clash. A long sum is a symbol as well, `|sum N|`, unless it is in `exact`: what it is the sum
    of is told elsewhere. `lines` is what was written, `used` the nodes of the variables in it, `sums` those
    of the sums, `linear` whether all products have a constant factor.
    """

    def __init__(
        self, terms: Terms, symbols: dict[int, str], prefix: str, exact: Collection[int] = ()
    ) -> None:
        self.terms = terms
        self.symbols = symbols
        self.prefix = prefix
        self.exact = exact
        self.lines: list[str] = []
        self.used: set[int] = set()
        self.sums: set[int] = set()
        self.linear = True
        self._made: dict[int, str] = {1: "true"}

    def lit(self, lit: Lit) -> str:
        """The literal, whose node is defined from now on."""
        return self.lits([lit])[0]

    def lits(self, lits: Iterable[Lit]) -> list[str]:
        wanted = list(lits)
        self._define(wanted)
        return [self._lit(lit) for lit in wanted]

    def lin(self, value: Lin) -> str:
        self._define([term for _, term in value.terms])
        return self._linear(value)

    def define(self, name: str, sort: str, text: str) -> str:
        """Gives a text a name of its own."""
        symbol = quoted(name)
        self.lines.append(f"(define-fun {symbol} () {sort} {text})")
        return symbol

    def items(self, node: int) -> str:
        """What a sum is the sum of."""
        data = self.terms.data[node]
        self._define([lit for _, lit in data])
        return self._added(data)

    def _added(self, data: Sequence[tuple[int, Lit]]) -> str:
        return joined("+", [f"(ite {self._lit(lit)} {number(coef)} 0)" for coef, lit in data], "0")

    def _define(self, roots: list[int]) -> None:
        found: set[int] = set()
        waiting = [abs(root) for root in roots]
        while waiting:
            node = waiting.pop()
            if node not in found and node not in self._made:
                found.add(node)
                waiting += [] if self.apart(node) else self.terms.children(node)
        for node in sorted(found):
            self._made[node] = self._node(node)

    def apart(self, node: int) -> bool:
        """Whether the node is a sum that has a symbol."""
        return self.terms.kind[node] == SUM and len(self.terms.data[node]) > LONG and node not in self.exact

    def _lit(self, lit: Lit) -> str:
        return self._made[lit] if lit > 0 else ("false" if lit == -1 else f"(not {self._made[-lit]})")

    def _linear(self, value: Lin) -> str:
        parts = [number(value.const)] if value.const or not value.terms else []
        for coef, term in value.terms:
            made = self._made[term]
            parts.append(made if coef == 1 else f"(* {number(coef)} {made})")
        return joined("+", parts, "0")

    def _node(self, node: int) -> str:
        kind, data = self.terms.kind[node], self.terms.data[node]
        if kind in (VAR, IVAR):
            self.used.add(node)
            return self.symbols[node]
        if self.apart(node):
            self.sums.add(node)
            return sum_symbol(node)
        if kind == CONST:
            return "true"
        sort = "Bool" if kind in (AND, LE) else "Int"
        return self.define(f"{self.prefix}{node}", sort, self._body(kind, data))

    def _body(self, kind: int, data: Any) -> str:
        if kind == AND:
            return joined("and", [self._lit(lit) for lit in data], "true")
        if kind == LE:
            return f"(<= {self._linear(Lin(0, data[1]))} {number(-data[0])})"
        if kind == SUM:
            return self._added(data)
        if kind == ITE:
            return f"(ite {self._lit(data[0])} {self._linear(data[1])} {self._linear(data[2])})"
        a, b = self._linear(data[0]), self._linear(data[1])
        self.linear &= not (data[0].terms and data[1].terms) if kind == MUL else not data[1].terms
        if kind == MUL:
            return f"(* {a} {b})"
        # SMT-LIB's div leaves a remainder that is never negative: for a divisor above 0 that is the floor
        floor = f"(ite (> {b} 0) (div {a} {b}) (div (- {a}) (- {b})))"
        if not data[1].terms and data[1].const > 0:
            floor = f"(div {a} {b})"
        assert kind in (DIV, MOD)
        return floor if kind == DIV else f"(- {a} (* {b} {floor}))"
