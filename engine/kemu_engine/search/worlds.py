"""Plays that fit what a player knows: what he does not see may be so.

A particle filter (N. Gordon, D. Salmond, A. Smith, 1993): all plays begin with the game and go on glimpse by
glimpse; where he was not told what was done, anything may have been done that gives the next glimpse. Plays
that do not fit die out, those left are copied, and copies are moved away from each other by Metropolis' steps
(W. Gilks, C. Berzuini, 2001): one hidden choice anew, or two exchanged, and all that followed again.

Outcomes of chance are as likely as their weights say, hidden decisions all equally; from what others chose to
do nothing is concluded but what it says. The true play is no argument here: only what is known of it.
"""

from __future__ import annotations

import time
from bisect import bisect
from collections import Counter
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
from kemu_engine.search.sample import Sample

SIZE = 64
"""Plays that are kept at once."""
MOVES = 4
"""Steps by which a copy is moved away, at most."""
STEPS = 4_000
"""So many choices are made again, at most, to move the copies of one glimpse away."""
AGREED = 4
"""Where the same choice alone fits so many of them, it is tried first in the others."""
RARELY = 0.05
"""A hidden choice of what is told to have been chosen later is tried that much less often, at the least."""
AGAIN = 12
"""How often all are moved when none of them fits."""


@dataclass(slots=True)
class World:
    """A play: its states, the last one where play waits, and the choices that were made in those before.
    `owed`: how much likelier each of them is than it was to be drawn (its logarithm)."""

    states: list[State]
    made: list[int]
    owed: list[float]

    @property
    def state(self) -> State:
        return self.states[-1]

    def copy(self) -> World:
        return World([*self.states], [*self.made], [*self.owed])


class Worlds:
    """The plays that one player holds possible, kept along the play. What they are follows from the seed and
    from what he knows, however often it was asked for before."""

    def __init__(self, game: Game, seer: int, seed: int, size: int = SIZE) -> None:
        self._game, self._seer, self._seed, self._size = game, seer, seed, size
        self._known: tuple[Glimpse, ...] = ()
        self._later: list[Later] = []
        self._worlds: list[World] = []
        self._logs: list[float] = []
        self._others: list[Worlds] = []
        self.sample: Sample | None = None  # from which a search began last

    def another(self, number: int) -> Worlds:
        """Others of the same player, drawn independently, as many; the first of them are these."""
        while len(self._others) < number:
            seed = Stream(self._seed, len(self._others), 8).key
            self._others.append(Worlds(self._game, self._seer, seed, self._size))
        return self._others[number - 1] if number else self

    def every(
        self, known: tuple[Glimpse, ...], most: int, until: float
    ) -> tuple[list[State], list[float]] | None:
        """Where all plays stand that fit what the player knows, and how likely each is; None if there are too
        many, none at all, or time is up."""
        plays = [(self._game.initial(), 1.0)]
        for word, wanted in zip(told_in_the_end(known), known[1:], strict=False):
            following: list[tuple[State, float]] = []
            for state, likely in plays:
                fits = self._fits(state, word, wanted, word)
                following += [(after, likely * part) for _, after, part in fits]
                if len(following) > most or time.monotonic() > until:
                    return None
            plays = following
        return ([state for state, _ in plays], [likely for _, likely in plays]) if plays else None

    def fitting(self, known: tuple[Glimpse, ...]) -> tuple[list[State], list[float]]:
        """States where play may stand if this is what the player knows, and how much each of them counts;
        none if no play was found that fits."""
        begun = len(self._known)
        if not begun or known[: begun - 1] != self._known[:-1] or not waited(known, self._known[-1], begun):
            start = self._game.initial()
            self._worlds = [World([start], [], []) for _ in range(self._size)]
            self._logs = [0.0] * self._size
            begun = 1
        words = told_in_the_end(known)
        self._later = named_later(known, words, self._game.players[self._seer])
        for at in range(begun, len(known)):
            if not self._go_on(known, words, at):
                self._known = ()
                return [], []
        self._known = known
        logs = [each + sum(world.owed) for each, world in zip(self._logs, self._worlds, strict=True)]
        most = max(logs)
        return [world.state for world in self._worlds], [exp(each - most) for each in logs]

    def _go_on(self, known: Sequence[Glimpse], words: Sequence[str | None], at: int) -> bool:
        """All of them on to a glimpse, from the one before; whether any fits."""
        random = Random(Stream(self._seed, at, 3 + self._seer).key)
        for _ in range(AGAIN):
            found = self._grown(words[at - 1], self._later[at - 1], known[at], random)
            if any(world is not None for world, _ in found):
                break
            moves = self._moves(self._size, at)
            for number, world in enumerate(self._worlds):
                self._worlds[number] = self._moved(world, known, words, random, moves)
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
        shares = counts(weights, self._size, random)
        moves = self._moves(sum(max(0, count - 1) for count in shares), at)
        self._worlds = []
        self._logs = [0.0] * self._size
        for number, count in enumerate(shares):
            world = alive[number][0]
            for copy in range(count):
                copied = (
                    world if not copy else self._moved(world.copy(), known[: at + 1], words, random, moves)
                )
                self._worlds.append(copied)
        return True

    def _moves(self, copies: int, long: int) -> int:
        """By how many steps each of some copies of plays that long is moved away."""
        return min(MOVES, max(1, STEPS // max(1, copies * long)))

    def _grown(
        self, word: str | None, later: Later, wanted: Glimpse, random: Random
    ) -> list[tuple[World | None, float]]:
        """Each of them with one choice more and how likely what was seen is then (its logarithm); None where
        nothing fits. The plays themselves are changed only if any fits."""
        if word is None:
            tried = [drawn(world, later, random) for world in self._worlds]
            came = [
                self._after(world.state, at, wanted)
                for world, (at, _) in zip(self._worlds, tried, strict=True)
            ]
            if all(each is not None for each in came):
                return [
                    (on(world, at, state, more), 0.0)
                    for world, (at, more), state in zip(self._worlds, tried, came, strict=True)
                    if state is not None
                ]
        found: list[tuple[World | None, float]] = []
        alone = Counter[str]()  # texts that were the only ones that fit
        for world in self._worlds:
            state = world.state
            only = word
            if only is None and len(alone) == 1 and alone.total() >= AGREED:
                only = next(iter(alone))
            fits = self._fits(state, only, wanted, word)
            if not fits and only != word:
                fits = self._fits(state, word, wanted, word)
            alone.update({text(state, at) for at, _, _ in fits})
            if not fits:
                found.append((None, -inf))
                continue
            at, chosen, _ = random.choices(fits, [each for _, _, each in fits])[0]
            found.append((on(world, at, chosen), log(sum(each for _, _, each in fits))))
        return found

    def _fits(
        self, state: State, only: str | None, wanted: Glimpse, word: str | None
    ) -> list[tuple[int, State, float]]:
        """The choices after which it looks as wanted, of those with a text if one is given."""
        return [
            (at, after, mass(state, at, word))
            for at in range(len(state.choices))
            if (only is None or text(state, at) == only)
            and (after := self._after(state, at, wanted)) is not None
        ]

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
        self,
        world: World,
        known: Sequence[Glimpse],
        words: Sequence[str | None],
        random: Random,
        moves: int,
    ) -> World:
        """The play after some steps of Metropolis, each of which is taken or not."""
        hidden = [at for at in range(len(world.made)) if words[at] is None]
        for _ in range(moves if hidden else 0):
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
        owed = [*world.owed]
        for at in range(first, len(world.made)):
            before, word = world.states[at], words[at]
            wanted = changed.get(at) or word or text(before, world.made[at])
            index = next((n for n in range(len(state.choices)) if text(state, n) == wanted), None)
            after = None if index is None else self._after(state, index, known[at + 1])
            if index is None or after is None:
                return world
            if at != free:
                ratio += log(mass(state, index, word) / mass(before, world.made[at], word))
            if at in changed and owed[at]:
                owed[at] = likelier(state, index, rather(state, self._later[at]))
            made.append(index)
            states.append(after)
            state = after
        return World(states, made, owed) if ratio >= 0 or random.random() < exp(ratio) else world


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


class Later:
    """What the player is told, or may see, of what is done later at one place: by its texts, how often."""

    def __init__(self, words: Counter[str], seen: Sequence[tuple[str, str]]) -> None:
        self._words, self._seen = words, seen  # `seen`: what a variable was, and what it is then
        self._found: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self._words or self._seen)

    def often(self, text: str) -> int:
        found = self._found.get(text)
        if found is None:
            found = self._words[text] + sum(text in now and text not in before for before, now in self._seen)
            self._found[text] = found
        return found


def named_later(known: Sequence[Glimpse], words: Sequence[str | None], seer: str) -> list[Later]:
    """Of each thing done what is known of what is done later at the same place, until the player decides
    again: so it is the same whenever he is asked."""
    values, changed = dict[str, str](), list[list[tuple[str, str]]]()
    for each in known:
        changed.append([(values.get(name, ""), now) for name, now in each.sees])
        values.update(each.sees)
    found: list[Later] = []
    told: dict[str, Counter[str]] = {}
    seen: dict[str, list[tuple[str, str]]] = {}
    for at in range(len(known) - 1, -1, -1):
        place, word = known[at].at, words[at]
        found.append(Later(told.get(place, Counter()), seen.get(place, [])))
        if known[at].actor == seer:
            told, seen = {}, {}
        elif word is not None:
            told[place] = told.get(place, Counter()) + Counter((word,))
        elif at + 1 < len(known):
            seen[place] = [*seen.get(place, []), *changed[at + 1]]
    return found[::-1]


def drawn(world: World, later: Later, random: Random) -> tuple[int, float]:
    """A hidden choice; where things are dealt, rather one of which nothing is known `later`: it cannot be
    dealt twice. And how much likelier it is than it was to be drawn (its logarithm)."""
    state = world.state
    if not later or not state.is_chance or not dealt(world):
        natural = masses(state)
        return random.choices(range(len(natural)), natural)[0], 0.0
    tried = rather(state, later)
    (at,) = random.choices(range(len(tried)), tried)
    return at, likelier(state, at, tried)


def rather(state: State, later: Later) -> list[float]:
    """How often each choice is tried: less often what is dealt later."""
    return [
        each * max(RARELY, 1 - later.often(text(state, at)) / max(1, state.choices[at].weight))
        for at, each in enumerate(masses(state))
    ]


def likelier(state: State, at: int, tried: Sequence[float]) -> float:
    """How much likelier a choice is than it was to be tried so often (its logarithm)."""
    return log(mass(state, at, None) / tried[at] * sum(tried))


def dealt(world: World) -> bool:
    """Whether what is drawn where it stands is not there to be drawn again: so it was the last time."""
    here = stop_of(world.state).block
    for state, made in zip(world.states[-2::-1], world.made[::-1], strict=True):
        if stop_of(state).block == here:
            word, before = text(state, made), state.choices[made].weight
            return all(
                each.weight < before
                for at, each in enumerate(world.state.choices)
                if text(world.state, at) == word
            )
    return False


def on(world: World, at: int, state: State, owed: float = 0.0) -> World:
    """A play with one choice more."""
    world.made.append(at)
    world.owed.append(owed)
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
