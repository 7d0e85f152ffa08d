"""A measure that falls at every step if chance is kind: of the author's, all its components at once.

At a decision every choice has to lower the measure, or keep it. At a chance node it is enough that in every
state *some* outcome does: which one may differ from state to state, as it does where chance has to keep out
of the players' way. What keeps the measure must not lead round and round: the steps that do are without a
cycle as steps between stops.

From every state, then, play is over after a bounded number of steps if chance is kind at each of them. There
are finitely many states, so the chance of that has a bound above zero, and sooner or later it happens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import reached

from kemu_verifier.methods.invariants.invariants import Knowledge
from kemu_verifier.methods.invariants.templates import scalars
from kemu_verifier.methods.termination.measures import Measure, change
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.mapping import Substitution, Valuation
from kemu_verifier.symbolic.solve import solve
from kemu_verifier.symbolic.terms import AND, FALSE, IVAR, TRUE, VAR, Lin, Lit
from kemu_verifier.symbolic.transition import Edge
from kemu_verifier.symbolic.values import Cases, Number

QUICK, SHORT = 30.0, 30_000  # seconds for a question, before it is split; terms, beyond which it is at once
SPLITS, LOOKED = 3, 4  # how often; of how many variables it is tried out which makes the parts shorter


class AlmostSureDecrease:
    """Whether a measure falls so. `components`: numbers by stop, the first that changes deciding."""

    def __init__(
        self, knowledge: Knowledge, components: Sequence[Mapping[int, Number]], deadline: Deadline
    ) -> None:
        self.knowledge = knowledge
        self.components = components
        self.deadline = deadline
        self.terms = knowledge.terms
        self.blocks = knowledge.transitions.program.blocks
        self.kept: set[tuple[int, int]] = set()  # from stop to stop, by a step that may keep the measure

    def fails(self, moving: Collection[int]) -> int | None:
        """A stop where the measure is not shown to fall; None if it falls everywhere."""
        if self.knowledge.transitions.unclosed:
            return min(moving, default=0)
        for block in sorted(moving, key=lambda block: isinstance(self.blocks[block].exit, k.Chance)):
            chance = isinstance(self.blocks[block].exit, k.Chance)
            if not (self._some_outcome(block) if chance else self._all_choices(block)):
                return block
        return next((source for source, target in self.kept if self._leads(target, source)), None)

    def _all_choices(self, block: int) -> bool:
        for edge in self.knowledge.transitions.step(block).edges:
            if not self._over(edge) and not self._never(block, [edge.env.live, -self._falls(edge, False)]):
                if not self._never(block, [edge.env.live, -self._falls(edge, True)]):
                    return False
                self.kept.add((block, edge.target))
        return True

    def _some_outcome(self, block: int) -> bool:
        """Whether in every state some outcome lowers it; or keeps it, on the way to a stop from which nothing
        that keeps it leads back."""
        edges = self.knowledge.transitions.step(block).edges
        onward = {edge.target for edge in edges if not self._leads(edge.target, block)}
        if self._never(block, self._unkind(block, ())):
            return True
        if not onward or not self._never(block, self._unkind(block, onward)):
            return False
        self.kept |= {(block, target) for target in onward}
        return True

    def _unkind(self, block: int, onward: Collection[int]) -> list[Lit]:
        """That no outcome of positive weight does. `onward`: the stops on the way to which it may be kept."""
        step = self.knowledge.transitions.step(block)
        kind = self.terms.disj(
            [
                self.terms.both(
                    edge.env.live, TRUE if self._over(edge) else self._falls(edge, edge.target in onward)
                )
                for edge in step.edges
            ]
        )
        found = []
        for outcome in step.chosen:
            values = {abs(lit): _agrees(lit, outcome) for lit in step.chosen}
            found.append(-Substitution(self.terms, values).lit(kind))
        return found

    def _over(self, edge: Edge) -> bool:
        return isinstance(self.blocks[edge.target].exit, k.End)

    def _falls(self, edge: Edge, kept: bool) -> Lit:
        """That the edge lowers the measure, or lowers or keeps it."""
        found = TRUE if kept else FALSE
        for component in reversed(self.components):
            falls, stays = self._compared(edge, component)
            found = self.terms.either(falls, self.terms.both(stays, found))
        return found

    def _compared(self, edge: Edge, component: Mapping[int, Number]) -> tuple[Lit, Lit]:
        """Whether the edge lowers a number, and whether it does not raise it."""
        numbers = self.knowledge.transitions.reader.numbers
        before, target = component[edge.source], component[edge.target]
        if isinstance(before, Cases) and isinstance(target, Cases):
            there = self.knowledge.after(edge)
            after = [(value, there.lit(lit)) for value, lit in target.pairs]
            above = Cases(tuple((value + 1, lit) for value, lit in after))
            return numbers.less_equal(above, before), numbers.less_equal(Cases(tuple(after)), before)
        measure = Measure("", {block: numbers.lin(number) for block, number in component.items()})
        amount = change(self.knowledge, edge, measure)
        return self.terms.le0(self.terms.plus(amount, Lin(1))), self.terms.le0(amount)

    def _leads(self, start: int, goal: int) -> bool:
        """Whether steps that keep the measure lead from stop to stop."""
        return goal in reached([start], lambda at: [after for before, after in self.kept if before == at])

    def _never(
        self, block: int, lits: Sequence[Lit], given: Sequence[Lit] = (), splits: int = SPLITS
    ) -> bool:
        """Whether no state at the stop has these, some values being given. Where that takes long, value by
        value of a variable, since that makes shorter questions."""
        if FALSE in lits:
            return True
        if not splits or len(self.terms.cone(lits)) <= SHORT:
            status = self._asked(block, [*lits, *given], QUICK if splits else self.deadline.left)
            if status != "unknown" or not splits or self.deadline.passed:
                return status == "unsat"
        tried = [self._ways(lits, values) for values in self._telling(block, lits)]
        if not tried:
            return self._never(block, lits, given, 0)
        ways = min(tried, key=self._size)
        return all(self._never(block, shorter, [*given, value], splits - 1) for value, shorter in ways)

    def _telling(self, block: int, lits: Sequence[Lit]) -> list[list[Lit]]:
        """The values of those variables that most parts of the literals ask for."""
        asked: Counter[int] = Counter()
        for node in self.terms.cone(lits):
            if self.terms.kind[node] == AND:
                asked.update(map(abs, self.terms.data[node]))
        found = []
        for name, _, symbol, _ in scalars(self.knowledge.transitions, block):
            if isinstance(symbol, Cases) and "[" not in name:
                values = [lit for _, lit in symbol.pairs]
                often = sum(asked[abs(lit)] for lit in values)
                found += [(often / len(values), values)] if often else []
        found.sort(key=lambda pair: -pair[0])
        return [values for _, values in found[:LOOKED]]

    def _ways(self, lits: Sequence[Lit], values: Sequence[Lit]) -> Ways:
        ways = []
        for value in values:
            known = Substitution(self.terms, {abs(lit): _agrees(lit, value) for lit in values})
            ways.append((value, [known.lit(lit) for lit in lits]))
        return ways

    def _size(self, ways: Ways) -> float:
        return sum(len(self.terms.cone(lits)) for _, lits in ways) / len(ways)

    def _asked(self, block: int, lits: Sequence[Lit], seconds: float) -> str:
        """Whether a state at the stop has these. What is known of it and speaks of nothing else is assumed;
        the rest only where a model breaks it."""
        step, deadline = self.knowledge.transitions.step(block), self.deadline.part(seconds)
        known, assumed = self.knowledge.facts_at(block), [*self.knowledge.types(block), *step.clauses, *lits]
        asked = self._variables(assumed)
        assumed += [fact for fact in known if self._variables([fact]) <= asked]
        while not deadline.passed:
            answer = solve(self.terms, assumed, deadline)
            values = Valuation(self.terms, answer.values)
            told = [lit for lit in known if not values.lit(lit)] if answer.status == "sat" else []
            if not told:
                self.knowledge.rested.setdefault(block, set()).update(lit for lit in known if lit in assumed)
                return answer.status
            assumed += told
        return "unknown"

    def _variables(self, lits: Sequence[Lit]) -> set[int]:
        return {node for node in self.terms.cone(lits) if self.terms.kind[node] in (VAR, IVAR)}


Ways = list[tuple[Lit, list[Lit]]]
"""For each value of a variable: that it has it, and what some literals then come to."""


def _agrees(lit: Lit, value: Lit) -> Lit:
    """What the variable in a literal is, if of several only the one with the value holds."""
    return TRUE if (lit == value) == (lit > 0) else FALSE
