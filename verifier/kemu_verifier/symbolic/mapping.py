"""Substitution and evaluation of terms: one pass over a cone, ascending."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.terms import (
    AND,
    CONST,
    DIV,
    ITE,
    IVAR,
    LE,
    MUL,
    SUM,
    TRUE,
    VAR,
    Lin,
    Lit,
    Terms,
)

OFTEN = 1_000  # terms, after which the time is looked at


class Interrupted(Exception):
    """The time for rebuilding terms is up; those that were rebuilt are kept."""


class Substitution:
    """Rebuilds terms with variables replaced: `lits` by node of a variable, `lins` by node of a
    numeric one. `until`: then it raises Interrupted."""

    until: Deadline | None = None

    def __init__(self, terms: Terms, lits: Mapping[int, Lit], lins: Mapping[int, Lin] | None = None) -> None:
        self.terms = terms
        self._lits: dict[int, Lit] = {**lits, 1: TRUE}
        self._lins: dict[int, Lin] = dict(lins or {})

    def lit(self, lit: Lit) -> Lit:
        node = abs(lit)
        if node not in self._lits:
            self.run(self._missing([node]))
        new = self._lits[node]
        return new if lit > 0 else -new

    def lin(self, value: Lin) -> Lin:
        if any(term not in self._lins for _, term in value.terms):
            self.run(self._missing(term for _, term in value.terms))
        return self._linear(value)

    def _missing(self, roots: Iterable[int]) -> list[int]:
        """What is below the roots and not mapped, ascending."""
        lits, lins, terms = self._lits, self._lins, self.terms
        kind, data = terms.kind, terms.data
        found: set[int] = set()
        waiting = list(roots)
        while waiting:
            node = waiting.pop()
            if node not in lits and node not in lins and node not in found:
                found.add(node)
                waiting += map(abs, data[node]) if kind[node] == AND else terms.children(node)
        return sorted(found)

    def _linear(self, value: Lin) -> Lin:
        pairs, const = [], value.const
        for coef, term in value.terms:
            new = self._lins[term]
            const += coef * new.const
            pairs += [(coef * c, t) for c, t in new.terms]
        return self.terms.lin(const, pairs)

    def run(self, nodes: Iterable[int]) -> None:
        """Maps the nodes, which come ascending and are not mapped."""
        terms, lits, lins = self.terms, self._lits, self._lins
        kinds, datas = terms.kind, terms.data
        for count, node in enumerate(nodes, 1):
            if not count % OFTEN and self.until is not None and self.until.passed:
                raise Interrupted
            kind, data = kinds[node], datas[node]
            if kind == AND:
                lits[node] = terms.conj([lits[x] if x > 0 else -lits[-x] for x in data])
            elif kind in (VAR, CONST):
                lits[node] = node
            elif kind == IVAR:
                lins[node] = Lin(0, ((1, node),))
            else:
                self._other(node, kind, data)

    def _other(self, node: int, kind: int, data: tuple) -> None:  # type: ignore[type-arg]
        terms, lits = self.terms, self._lits
        if kind == LE:
            lits[node] = terms.le0(self._linear(Lin(*data)))
        elif kind == SUM:
            self._lins[node] = terms.sum(0, [(c, lits[x] if x > 0 else -lits[-x]) for c, x in data])
        elif kind == ITE:
            test = lits[data[0]] if data[0] > 0 else -lits[-data[0]]
            self._lins[node] = terms.ite_lin(test, self._linear(data[1]), self._linear(data[2]))
        else:
            a, b = self._linear(data[0]), self._linear(data[1])
            self._lins[node] = arithmetic(terms, kind, a, b, terms.bounds[node])


def arithmetic(terms: Terms, kind: int, a: Lin, b: Lin, bounds: tuple[int, int]) -> Lin:
    """MUL, DIV or MOD, folded where a side is constant."""
    if not a.terms and not b.terms:
        return Lin(_compute(kind, a.const, b.const))
    if kind == MUL and not (a.terms and b.terms):
        value, factor = (a, b.const) if a.terms else (b, a.const)
        return terms.plus(Lin(0), value, factor)
    return terms.numeric(kind, (a, b), *bounds)


def _compute(kind: int, a: int, b: int) -> int:
    if kind == MUL:
        return a * b
    if b == 0:  # only where a fault has been met before
        return 0
    return a // b if kind == DIV else a % b


class Valuation:
    """The values of terms under values of the variables; a variable without a value is false, or its least
    value.
    """

    def __init__(self, terms: Terms, values: Mapping[int, int]) -> None:
        self.terms = terms
        self._values: dict[int, int] = {**values, 1: 1}

    def lit(self, lit: Lit) -> bool:
        node = abs(lit)
        if node not in self._values:
            self._work_out(node)
        return bool(self._values[node]) == (lit > 0)

    def lin(self, value: Lin) -> int:
        missing = [term for _, term in value.terms if term not in self._values]
        if missing:
            self._run(self.terms.cone(missing, self._values))
        return self._linear(value)

    def _work_out(self, node: int) -> None:
        """The value of a node; of a conjunction no part is looked at behind a false one."""
        values, kinds, datas = self._values, self.terms.kind, self.terms.data
        if kinds[node] != AND:
            self._run(self.terms.cone([node], values))
            return
        waiting = [(node, 0)]  # conjunctions, and which of their parts comes next
        while waiting:
            node, at = waiting.pop()
            parts = datas[node]
            while at < len(parts):
                lit = parts[at]
                below = abs(lit)
                if below not in values:
                    kind = kinds[below]
                    if kind == AND:
                        waiting += ((node, at), (below, 0))
                        break
                    if kind == VAR:
                        values[below] = 0
                    else:
                        self._run(self.terms.cone([below], values))
                if (not values[below]) is (lit > 0):
                    values[node] = False
                    break
                at += 1
            else:
                values[node] = True

    def _linear(self, value: Lin) -> int:
        return value.const + sum(coef * self._values[term] for coef, term in value.terms)

    def _holds(self, lit: Lit) -> bool:
        return bool(self._values[lit]) if lit > 0 else not self._values[-lit]

    def _run(self, nodes: Iterable[int]) -> None:
        values, holds = self._values, self._holds
        for node in nodes:
            if node in values:
                continue
            kind, data = self.terms.kind[node], self.terms.data[node]
            if kind == AND:
                values[node] = all(holds(lit) for lit in data)
            elif kind == VAR:
                values[node] = 0
            elif kind == LE:
                values[node] = self._linear(Lin(*data)) <= 0
            elif kind == IVAR:
                values[node] = self.terms.bounds[node][0]
            elif kind == SUM:
                values[node] = sum(coef for coef, lit in data if holds(lit))
            elif kind == ITE:
                values[node] = self._linear(data[1] if holds(data[0]) else data[2])
            else:
                values[node] = _compute(kind, self._linear(data[0]), self._linear(data[1]))
