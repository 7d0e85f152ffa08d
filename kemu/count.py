"""Counting what a game can become: every reachable position, and every way to play it to an end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.state import FaultError, State


@dataclass(slots=True)
class Count:
    """Distinct positions, by what happens in them, and complete games: sequences of actions and outcomes
    that reach an end.

    `games` is None if it is not a number: some position can come back, or the counting stopped before it was
    done.
    """

    decisions: int = 0
    chances: int = 0
    ends: int = 0
    faults: int = 0  # actions or outcomes after which the rules break down
    longest: int = 0  # actions and outcomes in the longest game; known when `games` is
    games: int | None = None
    loop: bool = False
    complete: bool = False

    @property
    def positions(self) -> int:
        return self.decisions + self.chances + self.ends


@dataclass(slots=True)
class Visit:
    """A position on the path that is being explored, and what is known of the games that go on from it."""

    state: State
    left: list[State]
    games: int = 0
    longest: int = 0


def count(start: State, budget: int, progress: Callable[[Count], None], into: Count) -> None:
    """Explores depth first from `start`, up to `budget` positions; `into` holds what is known at any time."""
    done: dict[State, tuple[int, int]] = {}  # games and longest game from there
    on_path: set[State] = set()
    path: list[Visit] = []

    def enter(state: State) -> None:
        if state.is_end:
            into.ends += 1
            done[state] = (1, 0)
        else:
            on_path.add(state)
            path.append(Visit(state, successors(state, into)))
        if into.positions % 1000 == 0:
            progress(into)

    enter(start)
    while path:
        visit = path[-1]
        if not visit.left:
            path.pop()
            on_path.discard(visit.state)
            done[visit.state] = (visit.games, visit.longest)
            continue
        state = visit.left[-1]
        if state in on_path:
            into.loop = True
            visit.left.pop()
        elif state in done:
            games, longest = done[state]
            visit.games += games
            visit.longest = max(visit.longest, longest + 1)
            visit.left.pop()
        elif into.positions >= budget:
            return
        else:
            enter(state)
    into.complete = True
    if not into.loop:
        into.games, into.longest = done[start]


def successors(state: State, into: Count) -> list[State]:
    """The positions one action or outcome later, in reverse order; equal ones as often as there are ways to
    them."""
    if state.is_chance:
        into.chances += 1
    else:
        into.decisions += 1
    after = []
    for index in reversed(range(len(state.choices))):
        try:
            after.append(state.follow(index))
        except FaultError:
            into.faults += 1
    return after
