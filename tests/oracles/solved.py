"""What positions are worth, by looking at all that can follow; nothing is shared with the search.

For games of two, one of whom gets what the other does not, in which play does not go round in circles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from kemu_engine.kernel.stop import Stop
from kemu_engine.play.game import Game
from kemu_engine.play.state import State, result_of, stop_of
from kemu_engine.support.stack import deep

LOST, DRAWN, WON = Fraction(0), Fraction(1, 2), Fraction(1)
KEPT = 500_000
"""Positions of which it is kept what they are worth."""


class TooMuch(Exception):
    """More positions can follow than may be looked at."""


@dataclass(frozen=True, slots=True)
class Solved:
    """A decision, and what each choice is worth to the player who makes it: 1 won, 1/2 drawn, 0 lost; what
    is to be expected, where chance is still at work."""

    state: State
    worths: tuple[Fraction, ...]

    @property
    def best(self) -> Fraction:
        return max(self.worths)

    def lost(self, at: int) -> Fraction:
        """How much the choice of that number gives away."""
        return self.best - self.worths[at]

    def thrown_away(self, at: int) -> bool:
        """Whether it gives away what was sure: from won to less, from a chance (or a draw) to lost."""
        sure = self.best in (DRAWN, WON) and {*self.worths} <= {LOST, DRAWN, WON}
        return bool(self.lost(at)) and (sure or self.best == WON or self.worths[at] == LOST)


class Solver:
    """Of one game. `most`: how many positions that are not known yet are looked at for a decision."""

    def __init__(self, game: Game, most: int) -> None:
        self._game, self._most, self._left = game, most, most
        self._known: dict[object, Fraction] = {}

    def worths(self, state: State) -> tuple[Fraction, ...]:
        """What each choice is worth to the player who makes it. Raises TooMuch."""
        self._left = self._most
        if len(self._known) > KEPT:
            self._known.clear()
        here = stop_of(state)
        with deep():
            values = [self._worth(self._game.machine.follow(here, choice)) for choice in here.choices]
        return tuple(WON - value if here.actor == 1 else value for value in values)

    def _worth(self, stop: Stop) -> Fraction:
        """To the first player."""
        key = stop.block, stop.vars, stop.locals
        found = self._known.get(key)
        if found is None:
            if not self._left:
                raise TooMuch
            self._left -= 1
            found = self._known[key] = self._looked_at(stop) if stop.choices else self._ended(stop)
        return found

    def _looked_at(self, stop: Stop) -> Fraction:
        follow = self._game.machine.follow
        if stop.actor < 0:
            whole = sum(choice.weight for choice in stop.choices)
            values = (choice.weight * self._worth(follow(stop, choice)) for choice in stop.choices)
            return sum(values, LOST) / whole
        better, best, enough = (max, LOST, WON) if stop.actor == 0 else (min, WON, LOST)
        for choice in stop.choices:
            best = better(best, self._worth(follow(stop, choice)))
            if best == enough:
                break
        return best

    def _ended(self, stop: Stop) -> Fraction:
        program = self._game.program
        keys = stop.vars[program.result]
        assert isinstance(keys, tuple)
        result = result_of(program, stop.block, keys)
        assert result.form != "pays"
        return Fraction(1 + result.payoffs[program.players[0]], 2)


def decisions(game: Game, random: Random) -> list[State]:
    """Those of a random game at which there is a choice."""
    state, found = game.initial(), list[State]()
    while not state.is_end:
        if state.is_decision and len(state.choices) > 1:
            found.append(state)
        weights = [choice.weight for choice in state.choices]
        state = state.follow(random.choices(range(len(weights)), weights)[0])
    return found


def positions(game: Game, count: int, most: int, seed: int = 0) -> Iterator[Solved]:
    """So many different decisions at which not all choices are worth the same, or fewer if there are not
    enough: of each random game one, of those from which on it could be solved."""
    solver, met = Solver(game, most), set[State]()
    for number in range(20 * count):
        random, found = Random(f"{seed} {number}"), list[Solved]()
        for state in reversed(decisions(game, random)):
            try:
                solved = Solved(state, solver.worths(state))
            except TooMuch:
                break
            if min(solved.worths) < solved.best and state not in met:
                found.append(solved)
        if found:
            chosen = random.choice(found)
            met.add(chosen.state)
            yield chosen
            if len(met) == count:
                return
