"""Two readings played side by side by the same random players: where they part, and who wins then.

Players and chance draw a number for each thing that they may do, and do the one with the least. The number
belongs to the actor, the words of the action and how often he was offered it: so every action is equally
likely, and after the two games have parted, the same decision is still taken alike on both sides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Literal

from kemu_engine.kernel import nodes as k
from kemu_engine.play.action import Action
from kemu_engine.play.game import Game
from kemu_engine.play.replay import Replay
from kemu_engine.play.state import FaultError, State
from kemu_engine.play.view import view
from kemu_verifier.diff.games import common, position
from kemu_verifier.diff.observe import Difference, Pair, Sight, follow, opening
from kemu_verifier.goal.questions import Question
from kemu_verifier.symbolic.deadline import Deadline

from kemu.findings.data import Cost, Effect

WORD = 2**64 - 1
GAMES = 400  # random games of which is told how often something happens
LONGEST = 1_500  # steps that a game is followed
MORE = 4_000  # games that are played as long as who wins has not become different


class Draws:
    """What the random players and chance do in the game with this number."""

    def __init__(self, number: int, last: dict[tuple[str, str], int] | None = None) -> None:
        self._number = number
        self._last = dict(last or {})  # numbers drawn, by actor and words

    def again(self) -> Draws:
        """The same from here on."""
        return Draws(self._number, self._last)

    def pick(self, state: State) -> int:
        """The index of what is done in a state that is no end."""
        who = state.actor or state.label
        drawn = [self._draw((who, words)) for words in offers(state)]
        if not state.is_chance:
            return drawn.index(min(drawn))
        weighed = [
            -math.log((number + 1) / (2**56 + 1)) / choice.weight
            for number, choice in zip(drawn, state.choices, strict=True)
        ]
        return weighed.index(min(weighed))

    def _draw(self, key: tuple[str, str]) -> int:
        """The next number of a key: a linear congruential generator for each, its bits mixed."""
        last = self._last.get(key)
        if last is None:
            seed = f"{self._number} {key[0]} {key[1]}".encode()
            last = int.from_bytes(blake2b(seed, digest_size=8).digest())
        at = self._last[key] = (last * 6364136223846793005 + 1442695040888963407) & WORD
        return ((at ^ at >> 31) * 0xBF58476D1CE4E5B9 & WORD) >> 8


def offers(state: State) -> list[str]:
    """What can come next, in words; outcomes of chance as the program has them, which is quicker."""
    stop = state.stop
    if isinstance(stop, k.Chance):
        texts = state.program.domains[stop.domain].texts
        return [texts[choice.values[0]] for choice in state.choices]
    return [move.text for move in state.moves()]


def said(state: State, at: int) -> str:
    """What was done, as records have it."""
    words = offers(state)[at]
    return Action.parse(words).text if state.is_chance else words


@dataclass(frozen=True, slots=True)
class Parting:
    """A game that both sides allow: after step `fork` their boards look different, after the last step they
    are `unlike` (None: only the boards are)."""

    effect: Effect
    steps: tuple[str, ...]
    fork: int
    unlike: Difference | None


Ending = tuple[str, ...] | Literal["too long", "broken"]
"""Who has won a game; or it is not over after so many steps, or it broke down."""


@dataclass(slots=True)
class Tally:
    """What so many games have come to."""

    games: int = 0
    up: int = 0
    met: int = 0
    winner: int = 0
    ends: list[tuple[Ending, Ending]] = field(default_factory=list)

    @property
    def cost(self) -> Cost:
        long, broken = self.so_many("too long"), self.so_many("broken")
        return Cost(self.games, self.up, self.winner, long, broken, self.met)

    def so_many(self, how: Ending) -> tuple[int, int]:
        """On each side the games that ended so."""
        left, right = (sum(each[side] == how for each in self.ends) for side in (0, 1))
        return left, right


class Sides:
    """Two instances with the same players, played side by side."""

    def __init__(self, left: Game, right: Game) -> None:
        self.sight = Sight(left.program, right.program)
        self.start = opening(left, right) if left.players == right.players else None
        self.tally = Tally()
        self._common = common(left.program, right.program)

    def replayed(self, begun: Sequence[Sequence[str]]) -> Iterator[Parting]:
        """Games that begin as these and go on at random, in which something becomes different."""
        if isinstance(self.start, tuple):
            yield from filter(None, (self._game(self.start, at, steps) for at, steps in enumerate(begun)))

    def play(self, deadline: Deadline) -> Iterator[Parting]:
        """Random games in which something becomes different, until time is up. All are counted."""
        while isinstance(self.start, tuple) and self.tally.games < MORE and not deadline.passed:
            parting = self._game(self.start, self.tally.games, (), self.tally)
            if parting is not None:
                yield parting

    def _game(
        self, pair: Pair, number: int, begun: Sequence[str], tally: Tally | None = None
    ) -> Parting | None:
        draws, steps, fork, parted, broken = Draws(number), list[str](), -1, False, -1
        unlike = self.sight.unlike(*pair)
        while unlike is None and not pair[0].is_end and len(steps) < LONGEST:
            at = position(pair[0], begun[len(steps)]) if len(steps) < len(begun) else draws.pick(pair[0])
            if at is None:
                return None
            steps.append(said(pair[0], at))
            after = follow(self.sight, pair, at)
            if not isinstance(after, tuple):
                unlike, broken = after, at
                break
            pair = after
            parted = parted or any(
                pair[0].vars[mine] != pair[1].vars[theirs] for mine, theirs in self._common
            )
            if parted and fork < 0 and pictured(pair[0]) != pictured(pair[1]):
                fork = len(steps)
            unlike = self.sight.unlike(*pair)
        effect = effect_of(unlike, pair)
        met = matters(unlike, pair)
        parted = parted or met
        if tally is not None:
            tally.met += met
            self._count(tally, pair, draws, parted, len(steps), broken)
        if unlike is None and fork < 0:
            return None
        fork = len(steps) if fork < 0 else fork
        return Parting(effect, tuple(steps[: fork if effect == "board" else None]), fork, unlike)

    def _count(self, tally: Tally, pair: Pair, draws: Draws, parted: bool, length: int, broken: int) -> None:
        """`broken`: what was done on the left after which not both sides went on (-1: they did)."""
        firsts = (broken, self.sight.twin(pair[0], broken, pair[1])) if broken >= 0 else (None, None)
        left, right = (
            finished(state, draws.again(), LONGEST - length, first)
            for state, first in zip(pair, firsts, strict=True)
        )
        tally.games += 1
        tally.up += parted
        tally.ends.append((left, right if parted else left))
        tally.winner += parted and isinstance(left, tuple) and isinstance(right, tuple) and left != right


def pictured(state: State) -> list[dict[tuple[int, int], str]] | None:
    """The glyphs that the players see of a state; None if the picture itself breaks down."""
    try:
        return [{(mark.x, mark.y): mark.glyph for mark in each.marks} for each in view(state)]
    except FaultError:
        return None


def effect_of(unlike: Difference | None, pair: Pair) -> Effect:
    """What the difference comes to."""
    if unlike is None:
        return "board"
    if unlike.kind == "result":
        mine, theirs = (state.result for state in pair)
        assert mine is not None and theirs is not None
        return "winner" if mine.winners != theirs.winners else "score"
    return "winner" if unlike.kind == "over" else "course"


def matters(unlike: Difference | None, pair: Pair) -> bool:
    """Whether it is a difference in what may be done, in who is to act, or in who comes where; scores alone,
    and what is only remembered, are none."""
    if unlike is None or unlike.kind != "result":
        return unlike is not None
    mine, theirs = (state.result for state in pair)
    return mine is not None and theirs is not None and mine.places != theirs.places


def at_once(steps: tuple[str, ...], unlike: Difference | None) -> Parting | None:
    """A difference that is known where no pair of states shows it: not both sides have an opening."""
    if unlike is None:
        return None
    won = unlike.kind in ("over", "result") and unlike.left[:1] != unlike.right[:1]
    effect: Effect = "winner" if won else "score" if unlike.kind == "result" else "course"
    return Parting(effect, steps, len(steps), unlike)


def finished(state: State, draws: Draws, most: int, first: int | None = None) -> Ending:
    """How it ends if it is played on at random, after the `first` step if that is given, for so many steps at
    most."""
    try:
        if first is not None:
            state = state.follow(first)
        while not state.is_end:
            if most <= 0:
                return "too long"
            state, most = state.follow(draws.pick(state)), most - 1
    except FaultError:
        return "broken"
    return state.result.winners if state.result is not None else ()


def happening(game: Game, question: Question, deadline: Deadline) -> Cost | None:
    """In how many random games a claim's goal is reached."""
    if question.goal is None:
        return None
    goal = question.goal(None)
    games = up = 0
    while games < GAMES and not deadline.passed:
        games, up = games + 1, up + any(map(goal.reached, stepwise(game, Draws(games))))
    return Cost(games, up) if games else None


def stepwise(game: Game, draws: Draws) -> Iterator[Replay]:
    """The steps of a random game, until it ends or breaks down."""
    state = game.initial()
    for _ in range(LONGEST):
        if state.is_end:
            return
        at = draws.pick(state)
        steps = (said(state, at),)
        try:
            after = state.follow(at)
        except FaultError as error:
            yield Replay(steps, (state,), error.index)
            return
        yield Replay(steps, (state, after), None)
        state = after
