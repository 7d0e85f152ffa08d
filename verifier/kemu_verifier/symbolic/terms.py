"""Hash-consed terms: truth as literals over and-nodes, integers as linear sums over numeric terms.

A literal is a node's number, or minus that number for its negation; TRUE is 1 and FALSE is -1. A numeric term
is a node's number too. Children have smaller numbers than their parents, so ascending order is a topological
order. Constructors fold constants, contradictions and what one step of unit propagation shows; this is what
keeps the merged states small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

TRUE, FALSE = 1, -1
Lit = int

CONST, VAR, AND, LE, IVAR, SUM, MUL, DIV, MOD, ITE = range(10)
UNBOUNDED = 1 << 62
PAIRED = 8  # literals of which "no two" is said pair by pair
MERGED = 64  # literals in the difference of two numbers that are merged literal by literal
_FEW = 4  # how many it may have for its parts to be gone through
_NEAR = 24  # how many literals an and-node may have for its parts to be looked at


@dataclass(frozen=True, slots=True)
class Lin:
    """const + the sum of coefficient * term; terms ascending, coefficients not 0."""

    const: int
    terms: tuple[tuple[int, int], ...] = ()


class Terms:
    """A store of nodes. `kind` and `data` by node number; `group` of a variable: exactly one of a group is
    true. `apart`: sums are taken apart where a comparison, or a choice between two, says something of each
    literal; that suits readings in which most numbers are integers. `linear`: numbers are kept as sums over
    literals, integers, and products of both, so that what is moved cancels.
    """

    def __init__(self) -> None:
        self.apart = False
        self.linear = False
        self.kind: list[int] = [CONST, CONST]
        self.data: list[Any] = [None, None]
        self.names: dict[int, str] = {}
        self.group: dict[int, int] = {}
        self.groups: list[tuple[int, ...]] = []
        self.choices: set[int] = set()
        self.places: dict[Lit, set[tuple[Lit, ...]]] = {}
        self.bounds: dict[int, tuple[int, int]] = {}
        self._known: dict[tuple[int, Any], int] = {}

    def _node(self, kind: int, data: Any) -> int:
        key = (kind, data)
        node = self._known.get(key)
        if node is None:
            node = len(self.kind)
            self.kind.append(kind)
            self.data.append(data)
            self._known[key] = node
        return node

    # ------------------------------------------------------------------------------------------ truth

    def var(self, name: str) -> Lit:
        node = len(self.kind)
        self.kind.append(VAR)
        self.data.append(None)
        self.names[node] = name
        return node

    def one_of(self, names: Sequence[str], choice: bool = False) -> list[Lit]:
        """Literals of which exactly one is true. Terms are folded as if that were so: whoever asks about
        them has to assume it (see `exactly_one`).

        `choice`: they say what is chosen, rather than what a state holds."""
        if len(names) == 1:
            return [TRUE]
        if len(names) == 2:
            node = self.var(names[1])
            return [-node, node]
        made = [self.var(name) for name in names]
        for node in made:
            self.group[node] = len(self.groups)
        if choice:
            self.choices.update(made)
        self.groups.append(tuple(made))
        return made

    def conj(self, lits: Iterable[Lit]) -> Lit:
        """The conjunction."""
        given: set[Lit] = set(lits)
        given.discard(TRUE)
        if FALSE in given:
            return FALSE
        if len(given) == 1:
            return given.pop()
        if not given:
            return TRUE
        return self._conj(given)

    def _conj(self, given: set[Lit]) -> Lit:
        kind, data, group = self.kind, self.data, self.group
        known, compound = set(given), []
        for lit in given:
            if lit > 0:
                if kind[lit] == AND and len(data[lit]) <= _NEAR:
                    known.update(data[lit])
            elif kind[-lit] == AND and len(data[-lit]) <= _NEAR:
                compound.append(lit)
        denied = {-lit for lit in known}
        if not known.isdisjoint(denied):
            return FALSE
        groups = [group[lit] for lit in known if lit in group]
        taken = set(groups)
        if len(taken) < len(groups) or self._none_of_a_group(denied):
            return FALSE
        changed = False
        for lit in compound:
            parts = data[-lit]
            rest = self._rest(parts, known, denied, taken)
            if rest is None or len(rest) < len(parts):
                given.discard(lit)
                changed = True
                if rest is not None:
                    given.add(-self.conj(rest))
        if changed:
            return self.conj(given)
        return self._node(AND, tuple(sorted(given)))

    def _none_of_a_group(self, denied: set[Lit]) -> bool:
        """Whether all of some group are denied."""
        groups = [self.group[lit] for lit in denied if lit in self.group]
        return len(groups) > 2 and any(
            count == len(self.groups[group]) for group, count in Counter(groups).items()
        )

    def _rest(
        self, parts: tuple[Lit, ...], known: set[Lit], denied: set[Lit], taken: set[int]
    ) -> list[Lit] | None:
        """Those of the parts that are not known to hold; None if one of them is known to be false."""
        kind, data, group = self.kind, self.data, self.group
        rest = []
        for part in parts:
            if part in known:
                continue
            if part in denied or group.get(part) in taken:
                return None
            if kind[abs(part)] == AND:
                inner = data[abs(part)]
                if len(inner) <= _NEAR and not denied.isdisjoint(inner):
                    if part > 0:
                        return None
                    continue
            rest.append(part)
        return rest

    def both(self, a: Lit, b: Lit) -> Lit:
        if a in (TRUE, b):
            return b
        if b == TRUE:
            return a
        if a == FALSE or b == FALSE or a == -b:
            return FALSE
        return self._conj({a, b})

    def disj(self, lits: Iterable[Lit]) -> Lit:
        return -self.conj([-lit for lit in lits])

    def either(self, a: Lit, b: Lit) -> Lit:
        return -self.both(-a, -b)

    def ite(self, test: Lit, then: Lit, other: Lit) -> Lit:
        if test == TRUE or then == other:
            return then
        if test == FALSE:
            return other
        return self.either(self.both(test, then), self.both(-test, other))

    def parts(self, lit: Lit) -> set[Lit]:
        """The literals whose conjunction this is."""
        return set(self.data[lit]) if lit > 0 and self.kind[lit] == AND else {lit}

    def conjuncts(self, lit: Lit) -> list[Lit]:
        """The same, conjunctions among them taken apart too."""
        found: dict[Lit, None] = {}
        waiting = [lit]
        while waiting:
            part = waiting.pop()
            if part > 0 and self.kind[part] == AND:
                waiting += reversed(self.data[part])
            else:
                found[part] = None
        return list(found)

    def given(self, lit: Lit, known: Lit, depth: int = 6) -> Lit:
        """The literal where another one is known to hold, as far as that shows near the top of its term."""
        node = abs(lit)
        if node == abs(known):
            return TRUE if lit == known else FALSE
        parts = self.data[node]
        if not depth or self.kind[node] != AND or len(parts) > _FEW:
            return lit
        made = [self.given(part, known, depth - 1) for part in parts]
        if made == list(parts):
            return lit
        return self.conj(made) if lit > 0 else -self.conj(made)

    def implied(self, lit: Lit, depth: int = 3) -> set[Lit]:
        """The literal, and what follows from it by opening conjunctions."""
        found = {lit}
        if depth and lit > 0 and self.kind[lit] == AND:
            for part in self.data[lit]:
                found |= self.implied(part, depth - 1)
        return found

    def iff(self, a: Lit, b: Lit) -> Lit:
        return self.ite(a, b, -b)

    def distinct(self, lits: Sequence[Lit]) -> None:
        """Remembers that no two of these hold at once."""
        told = tuple(lits)
        for lit in told:
            self.places.setdefault(lit, set()).add(told)

    def exactly_one(self, lits: Sequence[Lit]) -> list[Lit]:
        """Clauses that say so: one for "some", the rest for "no two": of many, none with one before it."""
        clauses = [self.some(lits)]
        if len(lits) <= PAIRED or min(lits) <= 1:
            for at, lit in enumerate(lits):
                clauses += [-self.raw(AND, (lit, other)) for other in lits[:at] if lit > 1 and other > 1]
            return clauses
        earlier = -lits[0]  # that none holds so far
        for lit in lits[1:]:
            clauses.append(-self.raw(AND, (lit, -earlier)))
            earlier = self.raw(AND, (-lit, earlier))
        return clauses

    def some(self, lits: Sequence[Lit]) -> Lit:
        """The clause that says that one of these holds, not folded."""
        return -self.raw(AND, [-lit for lit in lits])

    def raw(self, kind: int, lits: Sequence[Lit]) -> int:
        """A node as it is, nothing folded."""
        return self._node(kind, tuple(sorted(set(lits))))

    # ------------------------------------------------------------------------------------------ integers

    def ivar(self, name: str, low: int, high: int) -> int:
        node = len(self.kind)
        self.kind.append(IVAR)
        self.data.append(None)
        self.names[node] = name
        self.bounds[node] = (low, high)
        return node

    def lin(self, const: int, pairs: Iterable[tuple[int, int]]) -> Lin:
        total: dict[int, int] = {}
        for coef, term in pairs:
            total[term] = total.get(term, 0) + coef
        return Lin(const, tuple((coef, term) for term, coef in sorted(total.items()) if coef))

    def sum(self, const: int, pairs: Iterable[tuple[int, Lit]]) -> Lin:
        """const + the sum of coefficient * (1 if the literal holds)."""
        total: dict[Lit, int] = {}
        for coef, lit in pairs:
            if lit == TRUE:
                const += coef
            elif lit != FALSE:
                if -lit in total:  # c[x] + d[not x] = d + (c - d)[x]
                    const += coef
                    total[-lit] -= coef
                else:
                    total[lit] = total.get(lit, 0) + coef
        items = tuple((coef, lit) for lit, coef in sorted(total.items()) if coef)
        if not items:
            return Lin(const)
        if self.linear:
            return self._by_literal(const, items)
        term = self._node(SUM, items)
        if term not in self.bounds:
            self.bounds[term] = (sum(min(c, 0) for c, _ in items), sum(max(c, 0) for c, _ in items))
        return Lin(const, ((1, term),))

    def _by_literal(self, const: int, items: Iterable[tuple[int, Lit]]) -> Lin:
        """The same, each literal a term of its own."""
        pairs = []
        for coef, lit in items:
            if lit < 0:
                const, coef, lit = const + coef, -coef, -lit
            term = self._node(SUM, ((1, lit),))
            self.bounds[term] = (0, 1)
            pairs.append((coef, term))
        return self.lin(const, pairs)

    def numeric(self, kind: int, data: tuple[Any, ...], low: int, high: int) -> Lin:
        """A term that is not linear: MUL, DIV, MOD of two Lins, ITE of a literal and two Lins."""
        term = self._node(kind, data)
        self.bounds.setdefault(term, (low, high))
        return Lin(0, ((1, term),))

    def range(self, value: Lin) -> tuple[int, int]:
        low = high = value.const
        for coef, term in value.terms:
            a, b = self.bounds[term]
            low += min(coef * a, coef * b)
            high += max(coef * a, coef * b)
        return low, high

    def plus(self, a: Lin, b: Lin, times: int = 1) -> Lin:
        """a + times * b"""
        pairs = [*a.terms, *((times * coef, term) for coef, term in b.terms)]
        return self.lin(a.const + times * b.const, pairs)

    def le0(self, value: Lin) -> Lit:
        """value <= 0"""
        low, high = self.range(value)
        if high <= 0:
            return TRUE
        if low > 0:
            return FALSE
        if self.apart and len(value.terms) == 1:
            none_or_all = self._extreme(value, low, high)
            if none_or_all is not None:
                return none_or_all
        if value.terms[0][0] < 0:  # v <= 0 is not (1 - v <= 0): one node for both directions
            return -self._le(1 - value.const, tuple((-coef, term) for coef, term in value.terms))
        return self._le(value.const, value.terms)

    def _extreme(self, value: Lin, low: int, high: int) -> Lit | None:
        """value <= 0, where that says of every literal of a sum that it holds, or that it does not; or its
        negation does."""
        factor, term = value.terms[0]
        if self.kind[term] != SUM:
            return None
        items = [(factor * coef, lit) for coef, lit in self.data[term]]
        least = min(abs(coef) for coef, _ in items)
        if low + least > 0:  # only the least value will do
            return self.conj([-lit if coef > 0 else lit for coef, lit in items])
        if high - least <= 0:  # all but the greatest will
            return -self.conj([lit if coef > 0 else -lit for coef, lit in items])
        return None

    def _le(self, const: int, terms: tuple[tuple[int, int], ...]) -> Lit:
        return self._node(LE, (const, terms))

    def ite_lin(self, test: Lit, then: Lin, other: Lin) -> Lin:
        if test == TRUE or then == other:
            return then
        if test == FALSE:
            return other
        gap = self.plus(then, other, -1)
        if not gap.terms:
            return self.plus(other, self.sum(0, [(gap.const, test)]))
        if self.linear and len(gap.terms) <= MERGED:
            return self.plus(other, self.times(test, gap))
        if self.apart and self._summed(gap):
            pairs = [(gap.const, test)]
            for factor, term in gap.terms:
                pairs += [(factor * coef, self.both(test, lit)) for coef, lit in self.data[term]]
            return self.plus(other, self.sum(0, pairs))
        (a, b), (c, d) = self.range(then), self.range(other)
        return self.numeric(ITE, (test, then, other), min(a, c), max(b, d))

    def times(self, test: Lit, value: Lin) -> Lin:
        """The value if the literal holds, else 0: term by term, a product for each."""
        return self.total(
            [
                (value.const, self.sum(0, [(1, test)])),
                *((coef, self._product(test, term)) for coef, term in value.terms),
            ]
        )

    def total(self, parts: Iterable[tuple[int, Lin]]) -> Lin:
        """The sum of factor * value."""
        parts = list(parts)
        pairs = [(factor * coef, term) for factor, value in parts for coef, term in value.terms]
        return self.lin(sum(factor * value.const for factor, value in parts), pairs)

    def _product(self, test: Lit, term: int) -> Lin:
        """The term if the literal holds, else 0."""
        kind, data = self.kind[term], self.data[term]
        if kind == SUM and len(data) == 1:
            return self.sum(0, [(data[0][0], self.both(test, data[0][1]))])
        if kind == ITE and data[2] == Lin(0) and len(data[1].terms) == 1:
            (_, inner), *_ = data[1].terms
            if data[1] == Lin(0, ((1, inner),)):
                test, term = self.both(test, data[0]), inner
        value = Lin(0, ((1, term),))
        if test in (TRUE, FALSE):
            return value if test == TRUE else Lin(0)
        low, high = self.bounds[term]
        made = self.numeric(ITE, (abs(test), value, Lin(0)), min(low, 0), max(high, 0))
        return made if test > 0 else self.plus(value, made, -1)

    def _summed(self, value: Lin) -> bool:
        """Whether it is made of a few literals."""
        if any(self.kind[term] != SUM for _, term in value.terms):
            return False
        return sum(len(self.data[term]) for _, term in value.terms) <= MERGED

    # ------------------------------------------------------------------------------------------ structure

    def children(self, node: int) -> list[int]:
        kind, data = self.kind[node], self.data[node]
        if kind == AND:
            return [abs(lit) for lit in data]
        if kind == LE:
            return [term for _, term in data[1]]
        if kind == SUM:
            return [abs(lit) for _, lit in data]
        if kind in (MUL, DIV, MOD):
            return [term for part in data for _, term in part.terms]
        if kind == ITE:
            return [abs(data[0]), *(term for part in data[1:] for _, term in part.terms)]
        return []

    def cone(self, roots: Iterable[int], stop: Container[int] = ()) -> list[int]:
        """All nodes below the roots (given as nodes or literals), ascending; not below those in `stop`."""
        found: set[int] = set()
        waiting = [abs(root) for root in roots]
        kind, data = self.kind, self.data
        while waiting:
            node = waiting.pop()
            if node not in found:
                found.add(node)
                if node not in stop:
                    waiting += map(abs, data[node]) if kind[node] == AND else self.children(node)
        return sorted(found)
