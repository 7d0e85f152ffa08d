"""Property-directed reachability: z3's Spacer looks for an invariant by itself that keeps a goal from being
reached (Bradley, "SAT-based model checking without unrolling", 2011; Komuravelli, Gurfinkel and Chaki,
"SMT-based model checking for recursive programs", 2014).

A relation for each stop says which states are reached there, a rule for each edge how. What the relations do
not speak of may be anything: first they speak of the variables in the goal alone, then of those that these
depend on, and so on (localisation; Kurshan, 1994). What Spacer finds is not believed: it is read back into
literals, which induction has to prove like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import z3
from kemu_engine.support.time_limit import postponed

from kemu_verifier.goal.goal import Goal
from kemu_verifier.methods.invariants.invariants import Knowledge
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.layout import variables
from kemu_verifier.symbolic.solve import Translator
from kemu_verifier.symbolic.terms import FALSE, IVAR, TRUE, VAR, Lin, Lit, Terms
from kemu_verifier.symbolic.transition import Edge
from kemu_verifier.symbolic.watchdog import Watchdog

MOST = 20_000  # terms of the steps, beyond which they are not put to Spacer
SHARE = 0.4  # of the time that is left, for a look at some of the variables
PLAIN = ("xform.slice", "xform.inline_linear", "xform.inline_eager")  # what would do away with relations


def invariant(
    knowledge: Knowledge, edges: Sequence[Edge], goal: Goal, deadline: Deadline
) -> Candidate | None:
    """What Spacer says holds wherever play stands, and keeps the goal from being reached; None if it finds
    nothing in time, or if there is nothing to be found. To be proved before it is used."""
    system = _System(knowledge, edges, goal)
    rings = system.rings()
    kept = next(rings, None)
    while kept is not None and not deadline.passed and system.size(kept) <= MOST:
        wider = next(rings, None)
        part = deadline if wider is None else deadline.part(SHARE * deadline.left)
        found = system.solved(kept, part)
        if found is not None:
            return Candidate(f"what Spacer found for {goal.name}", found, claim=True)
        kept = wider
    return None


class _System:
    """The steps of a program, and what is not to be reached."""

    def __init__(self, knowledge: Knowledge, edges: Sequence[Edge], goal: Goal) -> None:
        self.knowledge = knowledge
        self.edges = edges
        self.goal = goal
        reached = [stop for edge in edges for stop in (edge.source, edge.target)]
        self.stops = sorted({*reached, *goal.states, *goal.steps} - {-1})
        layout = knowledge.transitions.layout
        here = [node for symbol in layout.vars for node in variables(knowledge.terms, symbol)]
        self.at = {block: list(dict.fromkeys([*here, *self._locals(block)])) for block in self.stops}

    def _locals(self, block: int) -> Iterator[int]:
        layout = self.knowledge.transitions.layout
        for local in self.knowledge.transitions.program.blocks[block].live:
            yield from variables(self.knowledge.terms, layout.local(local))

    def size(self, kept: frozenset[int]) -> int:
        """How many terms there are in what is said if these variables are remembered."""
        said = [*self.goal.states.values(), *self.goal.steps.values()]
        for edge in self.edges:
            said += self.knowledge.before(edge)
            said += _nodes(self._after(edge, node) for node in self.at[edge.target] if node in kept)
        return len(self.knowledge.terms.cone(said))

    def rings(self) -> Iterator[frozenset[int]]:
        """Variables to speak of: those of the goal, with those that they depend on, and so on."""
        states = frozenset(chain.from_iterable(self.at.values()))
        wanted = self._in([*self.goal.states.values(), *self.goal.steps.values()]) & states
        while True:
            yield wanted
            more = set(wanted)
            for edge in self.edges:
                after = {node: self._after(edge, node) for node in wanted}
                changed = [value for node, value in after.items() if value != self._itself(node)]
                if changed:
                    more |= self._in([edge.env.live, *_nodes(changed)]) & states
            if more == wanted:
                break
            wanted = frozenset(more)
        whole = wanted | (self._in([edge.env.live for edge in self.edges]) & states)
        if whole != wanted:
            yield whole

    def _in(self, roots: Iterable[int]) -> frozenset[int]:
        """The variables below."""
        terms = self.knowledge.terms
        return frozenset(node for node in terms.cone(roots) if terms.kind[node] in (VAR, IVAR))

    def _itself(self, node: int) -> Lit | Lin:
        return node if self.knowledge.terms.kind[node] == VAR else Lin(0, ((1, node),))

    def _after(self, edge: Edge, node: int) -> Lit | Lin:
        """The variable as it is after the edge."""
        after, itself = self.knowledge.after(edge), self._itself(node)
        return after.lit(itself) if isinstance(itself, int) else after.lin(itself)

    def solved(self, kept: frozenset[int], deadline: Deadline) -> dict[int, Lit] | None:
        """By stop what holds there, where only these variables are remembered from stop to stop."""
        rules = _Rules(self, kept)
        for edge in self.edges:
            values = [self._after(edge, node) for node in rules.args[edge.target]]
            rules.add(edge.source, self.knowledge.before(edge), edge.target, values)
        for block, lit in self.goal.states.items():
            rules.add(block, [*self.knowledge.at(block), lit], None, ())
        for block, lit in self.goal.steps.items():
            transitions = self.knowledge.transitions
            clauses = (transitions.begin() if block < 0 else transitions.step(block)).clauses
            rules.add(block, [*self.knowledge.at(block), *clauses, lit], None, ())
        found = rules.invariants(deadline)
        if found is None:
            return None
        bad, both = self.goal.states, self.knowledge.terms.both
        return {block: both(found[block], -bad.get(block, FALSE)) for block in self.stops}


class _Rules:
    """Horn clauses: what is reached, and whether the goal is."""

    def __init__(self, system: _System, kept: frozenset[int]) -> None:
        terms = system.knowledge.terms
        self.terms = terms
        self.made = Translator(terms, counted=True)
        self.args = {block: [node for node in nodes if node in kept] for block, nodes in system.at.items()}
        self.solver = z3.Fixedpoint()
        self.solver.set(engine="spacer", **dict.fromkeys(PLAIN, False))
        truth = z3.BoolSort()
        sorts = {VAR: truth, IVAR: z3.IntSort()}
        self.reached = {
            block: z3.Function(f"at {block}", *(sorts[terms.kind[node]] for node in nodes), truth)
            for block, nodes in self.args.items()
        }
        self.bad = z3.Function("bad", truth)
        self.solver.register_relation(self.bad, *self.reached.values())

    def add(self, source: int, given: Iterable[Lit], target: int | None, values: Sequence[Lit | Lin]) -> None:
        """From a state at a stop (-1: from the beginning) of which this is given to one at another, or (None)
        to the goal."""
        body = [lit for lit in given if lit != TRUE]
        if FALSE in body:
            return
        before = self.args.get(source, [])
        asserted = self.made.lits(body)
        if source >= 0:
            asserted.append(self.reached[source](*map(self._variable, before)))
        new = [self._value(value) for value in values]
        head = self.bad() if target is None else self.reached[target](*new)
        spoken = self.terms.cone([*body, *before, *_nodes(values)])
        free = [node for node in spoken if node in self.made.variables]
        rule = z3.Implies(z3.And(*asserted, *self._bounds(free)), head)
        self.solver.rule(z3.ForAll([self.made.variables[node] for node in free], rule) if free else rule)

    def _bounds(self, nodes: Iterable[int]) -> Iterator[Any]:
        """What bounds the integers among the variables."""
        for node in nodes:
            if self.terms.kind[node] != VAR:
                low, high = self.terms.bounds[node]
                yield from (self.made.variables[node] >= low, self.made.variables[node] <= high)

    def _variable(self, node: int) -> Any:
        return self._value(node if self.terms.kind[node] == VAR else Lin(0, ((1, node),)))

    def _value(self, value: Lit | Lin) -> Any:
        return self.made.lits([value])[0] if isinstance(value, int) else self.made.number(value)

    def invariants(self, deadline: Deadline) -> dict[int, Lit] | None:
        """By stop what Spacer says holds there, if it says that the goal is not reached."""
        if deadline.passed:
            return None
        watchdog = Watchdog(self.solver, deadline.left)
        try:
            with postponed(), watchdog:
                answer = self.solver.query(self.bad())
            if answer != z3.unsat:
                return None
            return {block: self._read(block) for block in self.reached}
        except z3.Z3Exception as error:
            if "canceled" in str(error) and not watchdog.barked:
                raise KeyboardInterrupt from None
            return None
        except (Unread, RecursionError):
            return None

    def _read(self, block: int) -> Lit:
        found = self.solver.get_cover_delta(-1, self.reached[block])
        args = [self._variable(node) for node in self.args[block]]
        nodes = {made.get_id(): node for made, node in zip(args, self.args[block], strict=True)}
        return Reader(self.terms, nodes).lit(z3.substitute_vars(found, *args))


def _nodes(values: Iterable[Lit | Lin]) -> Iterator[int]:
    for value in values:
        if isinstance(value, int):
            yield abs(value)
        else:
            yield from (term for _, term in value.terms)


class Unread(Exception):
    """An expression that has no counterpart among our terms."""


class Reader:
    """z3's expressions as terms. `nodes`: of the constants in them, by z3's number. Raises Unread."""

    def __init__(self, terms: Terms, nodes: Mapping[int, int]) -> None:
        self.terms = terms
        self.nodes = nodes
        self._lits: dict[int, Lit] = {}

    def lit(self, made: Any) -> Lit:
        number = made.get_id()
        if number not in self._lits:
            self._lits[number] = self._lit(made)
        return self._lits[number]

    def _lit(self, made: Any) -> Lit:
        if not z3.is_app(made):
            raise Unread
        if made.get_id() in self.nodes:
            return self.nodes[made.get_id()]
        terms, kind, parts = self.terms, made.decl().kind(), made.children()
        if parts and all(z3.is_bool(part) for part in parts):
            return self._connected(kind, [self.lit(part) for part in parts])
        match kind:
            case z3.Z3_OP_TRUE:
                return TRUE
            case z3.Z3_OP_FALSE:
                return FALSE
        if len(parts) != 2 or not all(z3.is_int(part) for part in parts):
            raise Unread
        gap = terms.plus(self.lin(parts[0]), self.lin(parts[1]), -1)
        within, beyond = terms.le0(gap), terms.le0(terms.plus(Lin(0), gap, -1))
        comparisons = {
            z3.Z3_OP_LE: within,
            z3.Z3_OP_GE: beyond,
            z3.Z3_OP_LT: -beyond,
            z3.Z3_OP_GT: -within,
            z3.Z3_OP_EQ: terms.both(within, beyond),
            z3.Z3_OP_DISTINCT: -terms.both(within, beyond),
        }
        if kind not in comparisons:
            raise Unread
        return comparisons[kind]

    def _connected(self, kind: int, parts: list[Lit]) -> Lit:
        terms = self.terms
        match kind:
            case z3.Z3_OP_AND:
                return terms.conj(parts)
            case z3.Z3_OP_OR:
                return terms.disj(parts)
            case z3.Z3_OP_NOT:
                return -parts[0]
            case z3.Z3_OP_IMPLIES:
                return terms.either(-parts[0], parts[1])
            case z3.Z3_OP_ITE:
                return terms.ite(parts[0], parts[1], parts[2])
            case z3.Z3_OP_EQ | z3.Z3_OP_IFF if len(parts) == 2:
                return terms.iff(parts[0], parts[1])
            case z3.Z3_OP_XOR | z3.Z3_OP_DISTINCT if len(parts) == 2:
                return -terms.iff(parts[0], parts[1])
        raise Unread

    def lin(self, made: Any) -> Lin:
        if z3.is_int_value(made):
            return Lin(made.as_long())
        if made.get_id() in self.nodes:
            return Lin(0, ((1, self.nodes[made.get_id()]),))
        terms, kind, parts = self.terms, made.decl().kind(), made.children()
        match kind:
            case z3.Z3_OP_ADD:
                total = Lin(0)
                for part in parts:
                    total = terms.plus(total, self.lin(part))
                return total
            case z3.Z3_OP_SUB if len(parts) == 2:
                return terms.plus(self.lin(parts[0]), self.lin(parts[1]), -1)
            case z3.Z3_OP_UMINUS:
                return terms.plus(Lin(0), self.lin(parts[0]), -1)
            case z3.Z3_OP_MUL if len(parts) == 2 and z3.is_int_value(parts[0]):
                return terms.plus(Lin(0), self.lin(parts[1]), parts[0].as_long())
            case z3.Z3_OP_ITE:
                return terms.ite_lin(self.lit(parts[0]), self.lin(parts[1]), self.lin(parts[2]))
        raise Unread
