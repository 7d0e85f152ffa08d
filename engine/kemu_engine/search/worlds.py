"""Plays that fit what a player knows: what he does not see may be so.

A particle filter (N. Gordon, D. Salmond, A. Smith, 1993): all plays begin with the game and go on glimpse by
glimpse; where he was not told what was done, anything may have been done that gives the next glimpse. Plays
that do not fit die out, those left are copied, and copies are moved away from each other by Metropolis' steps
(W. Gilks, C. Berzuini, 2001): one hidden choice anew, or two exchanged, and all that followed again.

Outcomes of chance are as likely as their weights say, hidden decisions all equally; from what others chose to
do nothing is concluded but what it says. The true play is no argument here: only what is known of it.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import exp, inf, log
from random import Random

from kemu_engine.kernel.rng import Stream
from kemu_engine.kernel.sight import written
from kemu_engine.kernel.text import UNSEEN
from kemu_engine.play.game import Game
from kemu_engine.play.information import Glimpse, glimpse
from kemu_engine.play.state import FaultError, State, stop_of

SIZE = 64
"""Plays that are kept at once."""
MOVES = 4
"""Steps by which a copy is moved away."""
AGAIN = 12
"""How often all are moved when none of them fits."""


@dataclass(slots=True)
class World:
    """A play: its states, the last one where play waits, and the choices that were made in those before."""

    states: list[State]
    made: list[int]

    @property
    def state(self) -> State:
        return self.states[-1]

    def copy(self) -> World:
        return World([*self.states], [*self.made])


class Worlds:
    """The plays that one player holds possible, kept along the play. What they are follows from the seed and
    from what he knows, however often it was asked for before."""

    def __init__(self, game: Game, seer: int, seed: int, size: int = SIZE) -> None:
        self._game, self._seer, self._seed, self._size = game, seer, seed, size
        self._known: tuple[Glimpse, ...] = ()
        self._worlds: list[World] = []
        self._logs: list[float] = []

    def fitting(self, known: tuple[Glimpse, ...]) -> tuple[list[State], list[float]]:
        """States where play may stand if this is what the player knows, and how much each of them counts;
        none if no play was found that fits."""
        begun = len(self._known)
        if not begun or known[: begun - 1] != self._known[:-1] or not waited(known, self._known[-1], begun):
            start = self._game.initial()
            self._worlds = [World([start], []) for _ in range(self._size)]
            self._logs = [0.0] * self._size
            begun = 1
        words = told_in_the_end(known)
        for at in range(begun, len(known)):
            if not self._go_on(known, words, at):
                self._known = ()
                return [], []
        self._known = known
        most = max(self._logs)
        return [world.state for world in self._worlds], [exp(each - most) for each in self._logs]

    def _go_on(self, known: Sequence[Glimpse], words: Sequence[str | None], at: int) -> bool:
        """All of them on to a glimpse, from the one before; whether any fits."""
        random = Random(Stream(self._seed, at, 3 + self._seer).key)
        for _ in range(AGAIN):
            found = self._grown(words[at - 1], known[at], random)
            if any(world is not None for world, _ in found):
                break
            for number, world in enumerate(self._worlds):
                self._worlds[number] = self._moved(world, known, words, random)
        else:
            return False
        alive = [
            (world, before + mass)
            for (world, mass), before in zip(found, self._logs, strict=True)
            if world is not None
        ]
        most = max(each for _, each in alive)
        weights = [exp(each - most) for _, each in alive]
        if sum(weights) ** 2 / sum(each * each for each in weights) >= self._size / 2:
            self._worlds = [world for world, _ in alive]
            self._logs = [each - most for _, each in alive]
            return True
        self._worlds = []
        self._logs = [0.0] * self._size
        for number, count in enumerate(counts(weights, self._size, random)):
            world = alive[number][0]
            for copy in range(count):
                copied = world if not copy else self._moved(world.copy(), known[: at + 1], words, random)
                self._worlds.append(copied)
        return True

    def _grown(self, word: str | None, wanted: Glimpse, random: Random) -> list[tuple[World | None, float]]:
        """Each of them with one choice more and how likely what was seen is then (its logarithm); None where
        nothing fits. The plays themselves are changed only if any fits."""
        if word is None:
            tried = [
                random.choices(range(len(world.state.choices)), masses(world.state))[0]
                for world in self._worlds
            ]
            came = [
                self._after(world.state, at, wanted) for world, at in zip(self._worlds, tried, strict=True)
            ]
            if all(each is not None for each in came):
                return [
                    (on(world, at, state), 0.0)
                    for world, at, state in zip(self._worlds, tried, came, strict=True)
                    if state is not None
                ]
        found: list[tuple[World | None, float]] = []
        for world in self._worlds:
            state = world.state
            fits = [
                (at, after, mass(state, at, word))
                for at in range(len(state.choices))
                if (word is None or text(state, at) == word)
                and (after := self._after(state, at, wanted)) is not None
            ]
            if not fits:
                found.append((None, -inf))
                continue
            at, chosen, _ = random.choices(fits, [each for _, _, each in fits])[0]
            found.append((on(world, at, chosen), log(sum(each for _, _, each in fits))))
        return found

    def _after(self, state: State, at: int, wanted: Glimpse) -> State | None:
        """The state after a choice, if it looks as wanted."""
        try:
            after = state.follow(at)
        except FaultError:
            return None
        seen = glimpse(after.machine, after.past, stop_of(after), self._seer, None)
        same = (seen.at, seen.actor, seen.menu, seen.heard, seen.sees) == (
            wanted.at, wanted.actor, wanted.menu, wanted.heard, wanted.sees,
        )  # fmt: skip
        return after if same else None

    # ---------------------------------------------------------------------------------------- moved away

    def _moved(
        self, world: World, known: Sequence[Glimpse], words: Sequence[str | None], random: Random
    ) -> World:
        """The play after some steps of Metropolis, each of which is taken or not."""
        hidden = [at for at in range(len(world.made)) if words[at] is None]
        for _ in range(MOVES if hidden else 0):
            one = random.choice(hidden)
            other = random.choice([at for at in hidden if known[at].at == known[one].at])
            if one == other or random.random() < 0.25:
                state = world.states[one]
                (anew,) = random.choices(range(len(state.choices)), masses(state))
                changed, first, free = {one: text(state, anew)}, one, one
            else:
                texts = {at: text(world.states[at], world.made[at]) for at in (one, other)}
                changed, first, free = {one: texts[other], other: texts[one]}, min(one, other), -1
            if any(text(world.states[at], world.made[at]) != new for at, new in changed.items()):
                world = self._replayed(world, known, words, changed, first, free, random)
        return world

    def _replayed(
        self,
        world: World,
        known: Sequence[Glimpse],
        words: Sequence[str | None],
        changed: dict[int, str],
        first: int,
        free: int,
        random: Random,
    ) -> World:
        """The play with other hidden choices, or as it was. `free`: the choice that was drawn as likely as it
        is."""
        state, states, made, ratio = world.states[first], world.states[: first + 1], world.made[:first], 0.0
        for at in range(first, len(world.made)):
            before, word = world.states[at], words[at]
            wanted = changed.get(at) or word or text(before, world.made[at])
            index = next((n for n in range(len(state.choices)) if text(state, n) == wanted), None)
            after = None if index is None else self._after(state, index, known[at + 1])
            if index is None or after is None:
                return world
            if at != free:
                ratio += log(mass(state, index, word) / mass(before, world.made[at], word))
            made.append(index)
            states.append(after)
            state = after
        return World(states, made) if ratio >= 0 or random.random() < exp(ratio) else world


def waited(known: Sequence[Glimpse], last: Glimpse, begun: int) -> bool:
    """Whether the glimpse of that number is that of where play waited, whatever was done there since."""
    return len(known) >= begun and replace(known[begun - 1], done=None) == last


def told_in_the_end(known: Sequence[Glimpse]) -> list[str | None]:
    """What a player was told of each thing done, at once or when all had chosen; None if he never was."""
    found: list[str | None] = []
    for at, each in enumerate(known):
        word = None if each.done == UNSEEN else each.done
        if each.done == UNSEEN and each.actor is not None:
            for later in known[at + 1 :]:
                if later.heard:
                    word = dict(later.heard).get(each.actor)
                if later.heard or later.actor == each.actor:
                    break
        found.append(word)
    return found


def on(world: World, at: int, state: State) -> World:
    """A play with one choice more."""
    world.made.append(at)
    world.states.append(state)
    return world


def text(state: State, at: int) -> str:
    """The text of a choice."""
    return written(state.program, stop_of(state), state.choices[at])


def masses(state: State) -> list[float]:
    """How likely each choice is: of chance by its weight, of a player as any other."""
    whole = sum(choice.weight for choice in state.choices)
    return [choice.weight / whole for choice in state.choices]


def mass(state: State, at: int, word: str | None) -> float:
    """How likely a choice is; one that a player was told to have made is just what he chose."""
    if word is not None and state.is_decision:
        return 1.0
    return state.choices[at].weight / sum(choice.weight for choice in state.choices)


def counts(weights: Sequence[float], size: int, random: Random) -> list[int]:
    """How many copies of each, so many in all (systematic resampling)."""
    sums = list(accumulate(weights))
    start, found = random.random(), [0] * len(weights)
    for number in range(size):
        found[min(len(weights) - 1, bisect(sums, (start + number) / size * sums[-1]))] += 1
    return found
