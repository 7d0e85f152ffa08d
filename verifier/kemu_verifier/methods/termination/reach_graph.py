"""What can follow from several states: their graph, and for each whether play comes to an end, for some
choices or for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kemu_engine.kernel.cfg import reached
from kemu_engine.play.state import FaultError, State

from kemu_verifier.methods.search.explicit_state import Graph
from kemu_verifier.methods.termination.lasso import on_cycles, region_of
from kemu_verifier.symbolic.deadline import Deadline


@dataclass(slots=True)
class ReachGraph(Graph):
    """A graph whose first `roots` states are where it begins. With one root, `path` leads from there."""

    roots: int = 0
    silent: set[tuple[int, int]] = field(default_factory=set)  # (state, choice): the rules never stop again

    def leading(self, goals: Iterable[int]) -> set[int]:
        """The states from which some choices lead to one of these, themselves included."""
        sources: dict[int, list[int]] = {}
        for source, edges in enumerate(self.edges):
            for _, target in edges:
                sources.setdefault(target, []).append(source)
        return set(reached(goals, lambda target: sources.get(target, ())))

    def over(self) -> set[int]:
        """From where play can end."""
        return self.leading(n for n, state in enumerate(self.states) if state.is_end)

    def faulty(self, silent: bool) -> set[int]:
        """From where play can run into a fault; `silent`: also into one that is only that it never stops."""
        return self.leading(s for s, c, _ in self.faults if silent or (s, c) not in self.silent)

    def breakdown(self, silent: bool) -> list[str] | None:
        """A shortest way into a fault; `silent`: also into one that is only that it never stops."""
        hits = ((s, c) for s, c, _ in self.faults if silent or (s, c) not in self.silent)
        return self._by(next(hits, None))

    def endless(self) -> set[int]:
        """From where play can go on for ever."""
        return self.leading(on_cycles(region_of(self), set(range(len(self.edges)))))


def aftermath(starts: Sequence[State], most: int, deadline: Deadline) -> ReachGraph:
    """All that can follow from these states, or as much as fits."""
    found = ReachGraph(states=list(dict.fromkeys(starts)))
    found.roots = len(found.states)
    found.parents = [(-1, -1)] * found.roots
    known = {state: number for number, state in enumerate(found.states)}
    while len(found.edges) < len(found.states):
        if len(found.states) > most or (not len(found.edges) % 64 and deadline.passed):
            return found
        at = len(found.edges)
        state = found.states[at]
        edges = []
        for choice in range(len(state.choices)):
            try:
                after = state.follow(choice)
            except FaultError as fault:
                found.faults.append((at, choice, fault.index))
                if fault.code == "silent_loop":
                    found.silent.add((at, choice))
                edges.append((choice, -1))
                continue
            number = known.setdefault(after, len(found.states))
            if number == len(found.states):
                found.states.append(after)
                found.parents.append((at, choice))
            edges.append((choice, number))
        found.edges.append(edges)
    found.complete = True
    return found
