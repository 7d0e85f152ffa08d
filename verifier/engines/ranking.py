"""Termination: lexicographic ranking functions from counters, proved step by step under what is known.

Edges of the graph of stops are ranked greedily: within each strongly connected component find a measure that
no edge raises and some edge lowers, take those edges out, go on (Alias, Darte, Feautrier, Gonnord, 2010).
Measures are bounded, so that is a proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from verifier.engines.counters import Feature
from verifier.engines.knowledge import Knowledge
from verifier.symbolic.deadline import Deadline
from verifier.symbolic.terms import SUM, Lin
from verifier.symbolic.transition import Edge

QUERY = 5.0  # seconds for one question


@dataclass(frozen=True, slots=True)
class Measure:
    """A number at each of some stops; `words` name it. `sign` -1: it rises instead of falling."""

    words: str
    at: dict[int, Lin]
    sign: int = 1


def everywhere(feature: Feature, blocks: Iterable[int]) -> list[Measure]:
    """The feature as a measure, falling or rising."""
    at = dict.fromkeys(blocks, feature.value)
    return [Measure(feature.words, at), Measure(f"minus {feature.words}", at, -1)]


@dataclass(frozen=True, slots=True)
class Ranking:
    """`proved`: every cycle lowers a measure; `measures` in the order of their use. Else `left` are edges on
    cycles that nothing lowers."""

    proved: bool
    measures: tuple[Measure, ...]
    left: tuple[Edge, ...]


class Ranker:
    """Ranks edges of one program. `moves`: for each edge and measure, whether it never raises and always
    lowers it.
    """

    def __init__(self, knowledge: Knowledge, deadline: Deadline) -> None:
        self.knowledge = knowledge
        self.terms = knowledge.terms
        self.deadline = deadline

    def rank(self, edges: Sequence[Edge], measures: Sequence[Measure]) -> Ranking:
        """A lexicographic ranking, as far as these measures give one."""
        used: list[Measure] = []
        remaining = list(edges)
        while True:
            remaining = [edge for part in components(remaining) for edge in part]
            if not remaining:
                return Ranking(True, tuple(used), ())
            progress = False
            for part in components(remaining):
                found = self._lowered(part, measures)
                if found is not None:
                    measure, lowered = found
                    if measure not in used:
                        used.append(measure)
                    remaining = [edge for edge in remaining if edge not in lowered]
                    progress = True
            if not progress or self.deadline.passed:
                return Ranking(False, tuple(used), tuple(remaining))

    def _lowered(self, part: list[Edge], measures: Sequence[Measure]) -> tuple[Measure, list[Edge]] | None:
        for measure in measures:
            if self.deadline.passed:
                return None
            if not all(edge.source in measure.at and edge.target in measure.at for edge in part):
                continue
            lowered = []
            for edge in part:
                if self.falls(edge, measure, 1):
                    lowered.append(edge)
                elif not self.falls(edge, measure, 0):
                    break
            else:
                if lowered:
                    return measure, lowered
        return None

    def falls(self, edge: Edge, measure: Measure, by: int) -> bool:
        """Whether the edge lowers the measure by at least so much, always."""
        before = measure.at[edge.source]
        change = self._change(edge, before, measure.at[edge.target])
        amount = self.terms.plus(Lin(0), change, measure.sign)  # negative where it falls
        too_little = self.terms.le0(self.terms.plus(Lin(1 - by), amount, -1))  # 1 - by <= amount
        context = self.knowledge.before(edge)
        answer, _ = self.knowledge.ask(edge, [*context, too_little], self.deadline.part(QUERY), ())
        return answer.status == "unsat"

    def _change(self, edge: Edge, before: Lin, target: Lin) -> Lin:
        """target after - before; element by element where they are the same sums."""
        if before != target:
            return self.terms.plus(self.knowledge.after(edge).lin(target), before, -1)
        change = Lin(0)
        for coef, term in before.terms:
            part = self.knowledge.change(edge, term)
            if self.terms.kind[term] != SUM:
                part = self.terms.plus(
                    self.knowledge.after(edge).lin(Lin(0, ((1, term),))), Lin(0, ((1, term),)), -1
                )
            change = self.terms.plus(change, part, coef)
        return change


def components(edges: Sequence[Edge]) -> list[list[Edge]]:
    """The edges within strongly connected components of the graph of stops, by component."""
    targets: dict[int, set[int]] = {}
    for edge in edges:
        if edge.source >= 0:
            targets.setdefault(edge.source, set()).add(edge.target)

    def reachable(start: int) -> set[int]:
        found: set[int] = set()
        waiting = [start]
        while waiting:
            for target in targets.get(waiting.pop(), ()):
                if target not in found:
                    found.add(target)
                    waiting.append(target)
        return found

    ways = {node: reachable(node) for node in targets}
    parts: dict[frozenset[int], list[Edge]] = {}
    for edge in edges:
        if edge.source >= 0 and edge.source in ways.get(edge.target, ()):
            members = frozenset(node for node in ways[edge.source] if edge.source in ways.get(node, ()))
            parts.setdefault(members, []).append(edge)
    return list(parts.values())
