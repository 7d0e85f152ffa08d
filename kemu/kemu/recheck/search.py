"""Exhaustive search, done again: every reachable state, and what it says about each claim."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence

from kemu_engine.kernel.stop import Choice
from kemu_engine.kernel.values import plain
from kemu_engine.play.game import Game
from kemu_engine.play.state import State
from kemu_engine.play.steps import Steps

from kemu.recheck.claims import Claim
from kemu.recheck.plays import Wrong, lines_met
from kemu.recheck.secrets import SECRETS, compared


class TooMany(Exception):
    """There are more states than are looked at, or it takes too long."""


class Space:
    """All reachable states of a game: `edges[i]` are the numbers of the states to which the choices in state
    i lead, -1 for a fault. Raises TooMany."""

    def __init__(self, game: Game, most: int, seconds: float) -> None:
        self.game = game
        self.states: list[State] = []
        self.edges: list[list[int]] = []
        self.faults: set[int] = set()
        self.lines: set[tuple[str, int]] = set()
        end, steps, met = time.monotonic() + seconds, Steps(game), 0
        known: dict[State, int] = {}

        def number(taken: tuple[State | None, int, int]) -> int:
            nonlocal met
            state, fault, lines = taken
            met |= lines
            if state is None:
                self.faults.add(fault)
                return -1
            if state not in known:
                known[state] = len(self.states)
                self.states.append(state)
            return known[state]

        number(steps.begin())
        while len(self.edges) < len(self.states):
            if len(self.states) > most:
                raise TooMany(f"there are more than {most} states")
            if time.monotonic() > end:
                raise TooMany(f"not all states were seen in {seconds:g} seconds")
            state = self.states[len(self.edges)]
            self.edges.append([number(steps.follow(state, at)) for at in range(len(state.choices))])
        self.lines = lines_met(game, steps, met)

    def digest(self) -> str:
        """SHA-256 over the states' texts, one a line, sorted (docs/evidence.md)."""
        lines = sorted(
            " ".join(map(str, (s.block, *map(plain, s.vars), *map(int, s.locals)))) for s in self.states
        )
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def confirms(self, claim: Claim, detail: str) -> None:
        """Raises Wrong unless the claim holds of all states (a possibility: of none)."""
        if claim.whole:
            self._whole(claim, detail)
        elif claim.fault is not None:
            if any(claim.fault(fault) for fault in self.faults):
                raise Wrong("a step runs into such a fault")
        elif claim.line is not None:
            if claim.line in self.lines:
                raise Wrong("a step runs through that line")
        else:
            assert claim.state is not None
            bad = next((at for at, state in enumerate(self.states) if claim.state(state)), None)
            if bad is not None:
                raise Wrong(f"state {bad} is one that the verdict excludes")

    def _whole(self, claim: Claim, detail: str) -> None:
        if claim.whole == "terminates":
            if self._left(lambda state: True):
                raise Wrong("a path leads back to an earlier state")
        elif claim.whole == "ends_almost_surely":
            if self._left(lambda state: not state.is_chance):
                raise Wrong("players can go on forever, whatever chance brings")
        elif claim.whole == "always_possible":
            assert claim.state is not None
            good = [at for at, state in enumerate(self.states) if claim.state(state)]
            if len(self._before(good)) < len(self.states):
                raise Wrong("from some state it cannot be reached any more")
        elif claim.whole == "maximize":
            assert claim.number is not None
            values = [value for value in map(claim.number, self.states) if value is not None]
            if f"the greatest value is {max(values)}" not in detail:
                raise Wrong(f"the greatest value is {max(values)}")
        elif claim.whole in SECRETS and not compared(self.game, claim.whole == "no_leak"):
            raise TooMany("there are too many plays to compare")

    def _left(self, some: Callable[[State], bool]) -> set[int]:
        """The states from which play can go on for ever: at those for which `some` says so by some choice,
        at the others whatever is chosen."""
        inside = {at for at, edges in enumerate(self.edges) if edges}
        while True:
            keep = {
                at
                for at in inside
                if (any if some(self.states[at]) else all)(target in inside for target in self.edges[at])
            }
            if keep == inside:
                return inside
            inside = keep

    def _before(self, good: list[int]) -> set[int]:
        """The states from which one of these can be reached."""
        sources: dict[int, list[int]] = {}
        for source, edges in enumerate(self.edges):
            for target in edges:
                sources.setdefault(target, []).append(source)
        found, waiting = set(good), list(good)
        while waiting:
            for source in sources.get(waiting.pop(), ()):
                if source not in found:
                    found.add(source)
                    waiting.append(source)
        return found


def region(game: Game, loop: Sequence[State], most: int) -> tuple[int, bool]:
    """(among how many states the players can stay for ever from the loop on, whatever chance brings, as far
    as at most so many states around it show that; whether all were seen to which play can get from there)"""
    steps, numbers = Steps(game), dict[State, int]()
    for state in loop:
        numbers.setdefault(state, len(numbers))
    waiting, edges = list(numbers), list[list[int]]()
    for state in waiting:  # which grows
        led = [steps.follow(state, at)[0] for at, choice in enumerate(state.choices) if may(state, choice)]
        for after in led:
            if after is not None and after not in numbers and len(numbers) < most:
                numbers[after] = len(numbers)
                waiting.append(after)
        edges.append([-1 if after is None else numbers.get(after, -1) for after in led])
    inside = {at for at, targets in enumerate(edges) if targets}
    while True:
        keep = {
            at
            for at in inside
            if (all if waiting[at].is_chance else any)(target in inside for target in edges[at])
        }
        if keep == inside:
            return (len(inside) if numbers[loop[0]] in inside else 0), len(numbers) < most
        inside = keep


def may(state: State, choice: Choice) -> bool:
    """Whether a choice can come about."""
    return not state.is_chance or choice.weight > 0
