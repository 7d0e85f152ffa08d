"""From above: what a number cannot exceed, by thresholds.

A threshold "the number is at most n" holds if it is inductive together with what is known (all thresholds are
tried at once), or if no state that the known invariants allow exceeds it: a pseudo-Boolean question, decided
exactly by bit-blasting.
"""

from __future__ import annotations

from collections.abc import Sequence

import z3
from kemu_engine.kernel import nodes as k

from kemu_verifier.methods.invariants.invariants import Knowledge
from kemu_verifier.methods.invariants.k_induction import Houdini, proved_facts
from kemu_verifier.methods.invariants.solvers import StopSolver
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.solve import Translator, ask
from kemu_verifier.symbolic.terms import DIV, FALSE, ITE, IVAR, MOD, MUL, TRUE, Lin, Lit
from kemu_verifier.symbolic.transition import Edge
from kemu_verifier.symbolic.values import TooLarge

MANY = 40  # thresholds that are tried at once
QUERY = 5.0  # seconds for one threshold at one stop


class Ceiling:
    """What `sign` times an expression cannot exceed at some stops."""

    def __init__(self, knowledge: Knowledge, expr: k.Expr, blocks: Sequence[int], sign: int) -> None:
        self.knowledge = knowledge
        self.terms = knowledge.terms
        self.values: dict[int, Lin] = {}
        self.sound: dict[int, Lit] = {}
        reader, transitions = knowledge.transitions.reader, knowledge.transitions
        for block in blocks:
            outer, reader.faults = reader.faults, []
            value = reader.numbers.lin(reader.number(expr, transitions.env(block), TRUE))
            self.sound[block] = self.terms.conj([-fault for fault, _ in reader.faults])
            reader.faults = outer
            self.values[block] = self.terms.plus(Lin(0), value, sign)
        self.limit = max((self.terms.range(value)[1] for value in self.values.values()), default=0)
        self.by = "the type of the number"

    def lower(self, seen: int, edges: Sequence[Edge], deadline: Deadline) -> tuple[int, str]:
        """The least limit that is shown in time, `seen` being a value that is taken; and how it is shown."""
        if self.limit > seen:
            self._allowed(seen, deadline.part(deadline.left / 2))
        if self.limit > seen:
            self._inductive(seen, edges, deadline)
        return self.limit, self.by

    def beyond(self, block: int, limit: int) -> Lit:
        """At the stop, the number is defined and exceeds the limit."""
        value = self.values[block]
        over = self.terms.le0(self.terms.plus(Lin(limit + 1), value, -1))
        return self.terms.both(self.sound[block], over)

    def _allowed(self, seen: int, deadline: Deadline) -> None:
        """By bisection: no state that the invariants allow has more."""
        low, high = seen, self.limit
        while low < high and not deadline.passed:
            middle = (low + high) // 2
            if all(self._excluded(block, middle, deadline) for block in self.values):
                high = middle
                self.limit, self.by = high, "the invariants: no state that they allow has more"
            else:
                low = middle + 1

    def _excluded(self, block: int, limit: int, deadline: Deadline) -> bool:
        """Whether no state at the stop that is known to be possible exceeds the limit."""
        return self._never(block, self.beyond(block, limit), deadline)

    def defined(self, deadline: Deadline) -> bool:
        """Whether the number is defined in all states at the stops that are known to be possible."""
        return all(self._never(block, -sound, deadline) for block, sound in self.sound.items())

    def _never(self, block: int, lit: Lit, deadline: Deadline) -> bool:
        """Whether it holds in no state at the stop that is known to be possible."""
        if lit == FALSE:
            return True
        if StopSolver(self.knowledge, block).excludes(lit, deadline.part(QUERY), False):
            return True
        return self._exactly([*self.knowledge.at(block), lit], deadline.part(QUERY))

    def _exactly(self, lits: list[Lit], deadline: Deadline) -> bool:
        """Whether the literals exclude each other, sums taken as they are. Those that speak of integers are
        left out where the last one does not, so that all can be told bit by bit."""
        made = Translator(self.terms)
        if self._bitwise(lits[-1]):
            lits = [lit for lit in lits if self._bitwise(lit)]
        asserted = made.lits([lit for lit in lits if lit != TRUE])
        blasting = z3.Then("simplify", "card2bv", "bit-blast", "sat")
        solver = z3.Solver() if made.integers else blasting.solver()
        return ask(solver, [*asserted, *made.bounds], made, deadline).status == "unsat"

    def _bitwise(self, lit: Lit) -> bool:
        """Whether the literal speaks of truth values only, and of sums of them."""
        kinds = self.terms.kind
        return not any(kinds[node] in (IVAR, MUL, DIV, MOD, ITE) for node in self.terms.cone([lit]))

    def _inductive(self, seen: int, edges: Sequence[Edge], deadline: Deadline) -> None:
        """All thresholds at once; those that are kept become known."""
        span = self.limit - seen
        steps = range(seen, self.limit) if span <= MANY else [seen + span * at // MANY for at in range(MANY)]
        candidates = [
            Candidate(f"at most {limit}", {block: -self.beyond(block, limit) for block in self.values}, True)
            for limit in steps
        ]
        try:
            alive = Houdini(self.knowledge, candidates, deadline).run(edges)
        except TooLarge:
            return
        if alive:
            self.knowledge.add(proved_facts(alive[:1]))
            self.limit = int(alive[0].words.split()[-1])
            self.by = "induction: no step exceeds it"
