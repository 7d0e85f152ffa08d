"""Exhaustive search: the whole graph of reachable states of a small instance.

Breadth first, so that the path to a state is a shortest one. The oracle for all other engines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kemu_engine.play.replay import text_of
from kemu_engine.play.state import State
from kemu_engine.play.steps import Steps, Taken

from kemu_verifier.symbolic.deadline import Deadline

WORTH = 2_500  # states that are always worth their time
GROWTH = 4  # from one distance to the next, beyond which many states are too many
TELLING = 500  # states, after which it is told how many there are
OFTEN = 64  # states, after which the time is looked at


class Unfinished(Exception):
    """Not all states could be looked at; the message says how many were."""


@dataclass(slots=True)
class Graph:
    """Reachable states by number, 0 the initial one. `edges[i]`: (index of the choice, number of the state it
    leads to, or -1 for a fault). `complete`: there are no others."""

    states: list[State] = field(default_factory=list)
    edges: list[list[tuple[int, int]]] = field(default_factory=list)
    parents: list[tuple[int, int]] = field(default_factory=list)  # (state, index of the choice)
    # (state, choice, fault); state -1: the set-up
    faults: list[tuple[int, int, int]] = field(default_factory=list)
    lines: list[tuple[int, int, int]] = field(default_factory=list)  # (state, choice, mask) of new lines met
    complete: bool = False

    def path(self, number: int) -> list[str]:
        """The texts of a shortest way to a state."""
        texts: list[str] = []
        while number > 0:
            number, choice = self.parents[number]
            texts.append(text_of(self.states[number], choice))
        return texts[::-1]

    def first(self, test: Callable[[State], bool], deadline: Deadline) -> int | None:
        """The first state, nearest to the initial one, that passes; raises Unfinished."""
        for number, state in enumerate(self.states):
            if test(state):
                return number
            if not number % OFTEN and deadline.passed:
                raise Unfinished(f"out of time after {number} of {len(self.states)} states")
        return None

    def fault_path(self, wanted: Callable[[int], bool]) -> list[str] | None:
        """A shortest way into such a fault."""
        hits = ((state, choice) for state, choice, fault in self.faults if wanted(fault))
        return self._by(next(hits, None))

    def line_path(self, lines: int) -> list[str] | None:
        """A shortest way whose last step meets one of the lines."""
        hits = ((state, choice) for state, choice, met in self.lines if met & lines)
        return self._by(next(hits, None))

    def _by(self, step: tuple[int, int] | None) -> list[str] | None:
        if step is None:
            return None
        state, choice = step
        return [] if state < 0 else [*self.path(state), text_of(self.states[state], choice)]


def explore(
    steps: Steps, most: int, deadline: Deadline, progress: Callable[[str], None] | None = None
) -> Graph:
    """All reachable states, or as many as fit; `progress` is told how many there are so far."""
    graph = Graph()
    known: dict[State, int] = {}
    met = 0

    def note(taken: Taken, parent: int, choice: int) -> int:
        """The number of the state that a step leads to; -1 for a fault."""
        nonlocal met
        state, fault, lines = taken
        if lines & ~met:
            graph.lines.append((parent, choice, lines & ~met))
            met |= lines
        if state is None:
            graph.faults.append((parent, choice, fault))
            return -1
        number = known.setdefault(state, len(graph.states))
        if number == len(graph.states):
            graph.states.append(state)
            graph.parents.append((parent, choice))
        return number

    note(steps.begin(), -1, -1)
    layers = [0, len(graph.states)]  # where the states of each distance begin
    while len(graph.edges) < len(graph.states):
        if len(graph.edges) == layers[-1]:
            layers.append(len(graph.states))
        if len(graph.states) > most or deadline.passed or hopeless(layers, len(graph.states)):
            return graph
        at = len(graph.edges)
        if progress is not None and not at % TELLING:
            progress(f"exhaustive search: {len(graph.states):,} states, of {most:,} at most")
        state = graph.states[at]
        choices = range(len(state.choices))
        graph.edges.append([(choice, note(steps.follow(state, choice), at, choice)) for choice in choices])
    graph.complete = True
    return graph


def hopeless(layers: list[int], count: int) -> bool:
    """Whether the states so far multiply too fast for an end to be in sight."""
    last = layers[-1] - layers[-2]
    return count > WORTH and count - layers[-1] > GROWTH * last
