"""Ranking: numbers that fall from stop to stop, the first that changes deciding, so that play must end.

Steps are ranked greedily: within each strongly connected component of the graph of stops find a measure that
no step raises and some step lowers, take those out, go on (Alias, Darte, Feautrier, Gonnord 2010). Measures
are bounded, so that is a proof. What is taken out are the edges that always lower the measure, and of others
the steps that do: from then on only those are looked at that keep it.

Where somebody helps (chance, if play is to end with probability one; everybody, if an aim is to be always
possible), it is enough that at his stops *some* choice does not raise the measure, and in the end lowers one:
so a preference is looked for at each of his stops, an arm or an option that is taken wherever it is legal.
From every state, then, a way of choices that he may take leads to the end, whatever the others do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import reached

from kemu_verifier.methods.invariants.invariants import Knowledge
from kemu_verifier.methods.termination.decrease import QUERY, DecreaseCheck, Preference, minus
from kemu_verifier.methods.termination.linear_ranking import combination
from kemu_verifier.methods.termination.measures import WIDTH, StepSamples, both_ways, combined
from kemu_verifier.methods.termination.measures import Measure as Measure
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.mapping import Valuation
from kemu_verifier.symbolic.terms import FALSE, Lit
from kemu_verifier.symbolic.transition import Edge

ROUNDS = 30  # of mending a combination
ALONE, PART = 0.5, 0.3  # of the time that is left, for measures one by one, for a combination
TRIES = 12  # preferences that may turn out to lead nowhere
FEW = 12  # options of a stop that are tried one by one


@dataclass(frozen=True, slots=True)
class Ranking:
    """`proved`: every cycle lowers a measure; `rounds`: the measures in the order of their use; `preferred`:
    by stop, what is chosen there. Else `left` are edges on cycles that nothing lowers."""

    proved: bool
    rounds: tuple[Measure, ...]
    left: tuple[Edge, ...]
    preferred: Mapping[int, Preference] = field(default_factory=dict)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Each once."""
        return tuple({id(measure): measure for measure in self.rounds}.values())


class Ranker:
    """Ranks edges of one program. `helped`: the stops at which some choice suffices. `aims`: by stop, what is
    to be reached, if it is not just an end: then a choice that may run into a fault before does not count."""

    def __init__(
        self,
        knowledge: Knowledge,
        samples: StepSamples,
        deadline: Deadline,
        helped: Collection[int] = (),
        aims: Mapping[int, Lit] | None = None,
    ) -> None:
        self.knowledge = knowledge
        self.deadline = deadline
        self.helped = helped
        self.aims = dict(aims or {})
        self._closed: dict[tuple[int, Preference | None], bool] = {}
        self.aiming = aims is not None
        self.steps = DecreaseCheck(knowledge, samples, deadline, self.aims)
        self.preferred: dict[int, Preference] = {}
        self.banned: set[tuple[int, Preference]] = set()
        self.at_once = True  # only steps that keep a measure are looked at from when it is found, not later

    def rank(self, edges: Sequence[Edge], measures: Sequence[Measure], combine: bool = False) -> Ranking:
        """A lexicographic ranking, as far as these measures give one; `combine`: or sums of them. Where a
        preference leads nowhere, it is tried again without it. None where paths were cut off."""
        if self.knowledge.transitions.unclosed:
            return Ranking(False, (), tuple(edges))
        ways, banned = both_ways(measures), set[tuple[int, Preference]]()
        while True:
            self.preferred, self.banned, self.steps.kept = {}, banned, {}
            ranking = self._greedy(edges, measures, ways, combine)
            if ranking.proved or not self.preferred or len(banned) >= TRIES or self.deadline.passed:
                return ranking
            banned.add(list(self.preferred.items())[-1])

    def _greedy(
        self, edges: Sequence[Edge], measures: Sequence[Measure], ways: Sequence[Measure], combine: bool
    ) -> Ranking:
        used: list[Measure] = []
        remaining = list(edges)
        while True:
            remaining = [edge for part in components(remaining) for edge in part]
            if not remaining:
                return Ranking(True, tuple(used), (), self.preferred)
            progress = False
            for part in components(remaining):
                found = self._lowering(part, measures, ways, combine)
                if found is not None:
                    measure, lowered = found
                    if measure is not None and measure not in used[-1:]:
                        used.append(measure)
                    remaining = [edge for edge in remaining if edge not in lowered]
                    progress = True
                    if self.at_once and measure is not None and not self._somebody_helps(part):
                        left = [edge for edge in part if edge not in lowered]
                        self._keep([edge for edge in left if self.steps.varies(edge, measure)], [measure])
                elif lowered_somewhere := self._lowered_somewhere(part, ways):
                    used += lowered_somewhere
                    self._keep(part, lowered_somewhere)
                    progress = True
            if not progress or self.deadline.passed:
                return Ranking(False, tuple(used), tuple(remaining), self.preferred)

    def _keep(self, edges: Iterable[Edge], measures: Sequence[Measure]) -> None:
        """From now on only those steps of the edges are looked at that keep the measures."""
        self.steps.kept |= {id(edge): (*self.steps.keeps(edge), *measures) for edge in edges}

    def _somebody_helps(self, part: Iterable[Edge]) -> bool:
        return self.aiming or any(edge.source in self.helped for edge in part)

    def _lowering(
        self, part: list[Edge], measures: Sequence[Measure], ways: Sequence[Measure], combine: bool
    ) -> tuple[Measure | None, list[Edge]] | None:
        """A measure alone, or a sum of them; if need be with something preferred."""
        alone = self.deadline.part(self.deadline.left * ALONE)
        found = self._lowered(part, ways, False, alone)
        if found is None and combine and not alone.passed:
            found = self._combined(part, measures, False)
        if found is None and any(edge.source in self.helped for edge in part):
            found = self._lowered(part, [], True, self.deadline)
            if found is None and combine:
                found = self._combined(part, measures, True)
            if found is None:
                found = self._lowered(part, ways, True, self.deadline)
        return found

    def _lowered(
        self, part: list[Edge], measures: Sequence[Measure], prefer: bool, deadline: Deadline
    ) -> tuple[Measure | None, list[Edge]] | None:
        """A measure that suits the component, and the edges that it lowers; None for a preference that just
        leaves it. `prefer`: something may be preferred for it that was not before."""
        fitting = [m for m in measures if m.covers(part)]
        fitting.sort(key=lambda m: not any(self.steps.seen_to_fall(edge, m) for edge in part))
        for measure in [None, *fitting] if prefer else fitting:
            if deadline.passed:
                return None
            found = self._suits(part, measure, prefer)
            if found is not None:
                lowered, preferred = found
                self.preferred |= preferred
                return measure, lowered
        return None

    def _lowered_somewhere(self, part: list[Edge], measures: Sequence[Measure]) -> list[Measure]:
        """The measures of which it was found out that no step of the component raises them, and that some
        step lowers; none where somebody helps."""
        if self._somebody_helps(part):
            return []
        return [
            measure
            for measure in measures
            if measure.covers(part)
            and all(self.steps.never_rises(edge, measure) for edge in part)
            and any(self.steps.may_fall(edge, measure) for edge in part)
        ]

    def _suits(
        self, part: list[Edge], measure: Measure | None, prefer: bool
    ) -> tuple[list[Edge], dict[int, Preference]] | None:
        """The edges lowered if none is raised, and what must be preferred for it."""
        by_stop: dict[int, list[Edge]] = {}
        for edge in part:
            by_stop.setdefault(edge.source, []).append(edge)
        lowered: list[Edge] = []
        preferred: dict[int, Preference] = {}
        for block, edges in by_stop.items():
            for preference in self._preferences(block, prefer):
                falls: list[int] = []
                for edge in edges:
                    falls.append(self.steps.falls(edge, measure, preference))
                    if falls[-1] < 0:
                        break
                else:
                    lowered += [edge for edge, fall in zip(edges, falls, strict=True) if fall > 0]
                    if preference is not None:
                        preferred[block] = preference
                    break
            else:
                return None
        if lowered:
            return lowered, preferred
        for block, edges in by_stop.items():
            for preference in self._preferences(block, prefer) if block not in preferred else ():
                if preference is not None and all(
                    self.steps.falls(edge, measure, preference) > 0 for edge in edges
                ):
                    return edges, {**preferred, block: preference}
        return None

    def _preferences(self, block: int, new: bool) -> Iterator[Preference | None]:
        """What may be preferred at a stop, the weakest first."""
        if block in self.preferred or self.closed(block, None):
            yield self.preferred.get(block)
        if not new or block in self.preferred or block not in self.helped:
            return
        options = self.knowledge.transitions.step(block).options
        arms = sorted({option.arm for option in options})
        tried = [frozenset(i for i, o in enumerate(options) if o.arm == arm) for arm in arms]
        if len(options) <= FEW:
            tried += [frozenset([i]) for i in range(len(options))]
        for preference in dict.fromkeys(tried):
            fresh = len(preference) < len(options) and (block, preference) not in self.banned
            if fresh and self.closed(block, preference):
                yield preference

    def closed(self, block: int, preference: Preference | None) -> bool:
        """Whether, under the preference, nothing can run into a fault short of the aim."""
        key = (block, preference)
        if self.aiming and key not in self._closed:
            step = self.knowledge.transitions.step(block)
            faults = self.knowledge.terms.disj([lit for lit, _ in step.faults])
            self._closed[key] = faults == FALSE
            if faults != FALSE:
                lits = [*self.knowledge.at(block), *step.clauses, -self.aims.get(block, FALSE), faults]
                lits += [] if preference is None else [self.steps.prefers(block, preference)]
                answer, _ = self.knowledge.ask(None, lits, self.deadline.part(QUERY))
                self._closed[key] = answer.status == "unsat"
        return self._closed.get(key, True)

    def ends_short(self, edges: Iterable[Edge]) -> int | None:
        """An end that play may come to, from wherever and by whatever choice, where the aim does not hold."""
        for edge in edges:
            if isinstance(self.knowledge.transitions.program.blocks[edge.target].exit, k.End):
                after, aim = self.knowledge.after(edge), self.aims.get(edge.target, FALSE)
                known = [after.lit(lit) for lit in self.knowledge.at(edge.target)]
                lits = [*self.knowledge.before(edge), *known, -after.lit(aim)]
                answer, _ = self.knowledge.ask(
                    edge, lits, self.deadline.part(QUERY), self.knowledge.sums([aim])
                )
                if answer.status != "unsat":
                    return edge.target
        return None

    def all_closed(self, blocks: Iterable[int]) -> int | None:
        """A stop at which play may run into a fault, whatever is preferred; None if there is none."""
        for block in blocks:
            if not self.closed(block, self.preferred.get(block)):
                found = next((p for p in self._preferences(block, True) if p is not None), None)
                if block in self.preferred or found is None:
                    return block
                self.preferred[block] = found
        return None

    # ------------------------------------------------------------------------------------------ combinations

    def _combined(
        self, part: list[Edge], measures: Sequence[Measure], prefer: bool
    ) -> tuple[Measure, list[Edge]] | None:
        """A sum of measures that no edge of the component raises, found from the changes seen."""
        if self.deadline.passed:
            return None
        by_stop: dict[int, list[Edge]] = {}
        for edge in part:
            by_stop.setdefault(edge.source, []).append(edge)
        choices = {block: list(self._preferences(block, prefer)) for block in by_stop}
        if not all(choices.values()):
            return None
        fitting = self._moving(part, [m for m in measures if m.covers(part)])
        ways = [
            [[self._changes(edge, fitting, preference) for edge in edges] for preference in choices[block]]
            for block, edges in by_stop.items()
        ]
        deadline = self.deadline.part(self.deadline.left * PART)
        for _ in range(ROUNDS):
            found = combination(len(fitting), ways) if fitting else None
            if found is None or deadline.passed:
                return None
            measure = combined(self.knowledge.transitions, fitting, found[0])
            lowered: list[Edge] = []
            right, learnt = True, False
            for stop, (block, edges) in enumerate(by_stop.items()):
                preference = choices[block][found[1][stop]]
                for edge, changes in zip(edges, ways[stop][found[1][stop]], strict=True):
                    fall = self.steps.falls(edge, measure, preference)
                    lowered += [edge] if fall > 0 else []
                    right &= fall >= 0
                    vector = self._breaks(edge, measure, fitting, preference, fall < 0) if fall <= 0 else None
                    if vector is not None and vector not in changes:
                        changes.append(vector)
                        learnt = True
            if right and lowered:
                picked = ((block, choices[block][at]) for block, at in zip(by_stop, found[1], strict=True))
                self.preferred |= {block: choice for block, choice in picked if choice is not None}
                return measure, lowered
            if not learnt:
                return None
        return None

    def _moving(self, part: list[Edge], measures: Sequence[Measure]) -> list[Measure]:
        """Those that sampled steps change."""
        steps = [(edge, step) for edge in part for step in self.steps.samples.of(edge)]
        return [m for m in measures if any(self.steps.seen(edge, m, step) for edge, step in steps)][:WIDTH]

    def _changes(
        self, edge: Edge, measures: Sequence[Measure], preference: Preference | None
    ) -> list[tuple[int, ...]]:
        seen = [s for s in self.steps.samples.of(edge) if self.steps.taken(edge, s, preference)]
        return list(dict.fromkeys(tuple(self.steps.seen(edge, m, s) for m in measures) for s in seen))

    def _breaks(
        self,
        edge: Edge,
        measure: Measure,
        measures: Sequence[Measure],
        preference: Preference | None,
        raised: bool,
    ) -> tuple[int, ...] | None:
        """What a step does to the measures that raises the sum, or does not lower it."""
        amount = self.steps.change(edge, measure)
        lits = [*self.steps.context(edge, preference), self.knowledge.terms.le0(minus(amount, int(raised)))]
        answer = self.steps.ask(edge, lits)
        if answer.status != "sat":
            return None
        values = Valuation(self.knowledge.terms, answer.values)
        return tuple(values.lin(self.steps.change(edge, m)) for m in measures)


def components(edges: Sequence[Edge]) -> list[list[Edge]]:
    """The edges within strongly connected components of the graph of stops, by component."""
    targets: dict[int, set[int]] = {}
    for edge in edges:
        if edge.source >= 0:
            targets.setdefault(edge.source, set()).add(edge.target)

    ways = {node: set(reached(after, lambda at: targets.get(at, ()))) for node, after in targets.items()}
    parts: dict[frozenset[int], list[Edge]] = {}
    for edge in edges:
        if edge.source >= 0 and edge.source in ways.get(edge.target, ()):
            members = frozenset(node for node in ways[edge.source] if edge.source in ways.get(node, ()))
            parts.setdefault(members, []).append(edge)
    return list(parts.values())
