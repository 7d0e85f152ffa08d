"""Many games between bots, who change seats from game to game."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from math import log10
from os import PathLike
from typing import Literal

from kemu_engine.kernel.draws import outcome
from kemu_engine.kernel.rng import CHANCE, Stream, mix
from kemu_engine.play import record as records
from kemu_engine.play.record import Record
from kemu_engine.play.state import FaultError
from kemu_engine.support.process_pool import Failed, outcomes

from kemu.api.game import Game
from kemu.api.loading import meant
from kemu.base.words import counted
from kemu.bots.named import bot
from kemu.bots.protocol import Bot
from kemu.bots.searching import MCTS
from kemu.service.statistics import Range, mean, share

LONGEST = 10_000
"""Decisions after which a game is cut off."""


@dataclass(frozen=True, slots=True)
class Played:
    """A game of a match. `seats`: player to the name of who played it; `points`: player to the part of the
    game's point, which those share who are at place 1 (of two players: 1, half or 0); nothing if the game
    did not come to an end; `payoffs`: player to what the end paid, if it did. Of each decision: `menus`, how
    many actions were legal; `values`, what the search that made it thought it worth to its player on the
    average (`Thought.mean`); None of others, and where there was no choice."""

    number: int
    seats: dict[str, str]
    ending: Literal["end", "cut", "fault"]
    points: dict[str, float]
    record: Record
    payoffs: dict[str, int] = field(default_factory=dict)
    menus: tuple[int, ...] = ()
    values: tuple[float | None, ...] = ()

    @property
    def decisions(self) -> int:
        return sum(step.actor is not None for step in self.record.steps)


def play(
    game: Game, bots: Mapping[str, Bot], names: Mapping[str, str], seed: int = 0, number: int = 0
) -> Played:
    """A game, with a bot for each player; chance draws the words that game `number` of the seed has in a
    simulation."""
    chance = Stream(seed, number, CHANCE)
    steps: list[records.Step] = []
    ending: Literal["end", "cut", "fault"] = "end"
    points: dict[str, float] = {}
    payoffs: dict[str, int] = {}
    menus: list[int] = []
    values: list[float | None] = []
    try:
        state = game.initial()
        while not state.is_end:
            if state.is_chance:
                what = state.legal()[outcome(chance, state._position.choices)]
                steps.append(records.Step(state.outcomes()[state.legal().index(what)][0].text))
                state = state.step(what)
                continue
            if len(menus) == LONGEST:
                ending = "cut"
                break
            assert state.actor is not None
            playing = bots[state.actor]
            chosen = playing.choose(state)
            menus.append(len(state.legal()))
            last = playing.thought if isinstance(playing, MCTS) else None
            values.append(None if last is None else last.mean)
            action = game.action(chosen) if isinstance(chosen, int) else chosen
            after = state.apply(action)
            steps.append(records.Step(str(action), state.actor))
            state = after
        if state.result is not None:
            winners = state.result.winners
            points = {player: 1 / len(winners) if player in winners else 0.0 for player in game.players}
            payoffs = state.result.payoffs if state.result.form == "pays" else {}
    except FaultError:
        ending = "fault"
    record = records.record(game._playable, steps)
    return Played(number, dict(names), ending, points, record, payoffs, tuple(menus), tuple(values))


def seating(players: Sequence[str], names: Sequence[str], number: int) -> dict[str, str]:
    """Who sits where in game `number`: everybody moves on by a seat from game to game."""
    return {player: names[(at + number) % len(names)] for at, player in enumerate(players)}


def match(
    game: Game | str | PathLike[str],
    entrants: Mapping[str, Bot | str],
    games: int,
    seed: int = 0,
    jobs: int = 1,
) -> Iterator[Played]:
    """Games 0 up to `games` between bots, by name: bots, or kinds of bots as `kemu match` takes them, at most
    as many as there are players. Each kind is made anew for every game, from the seed and the game's number,
    and thinks on one thread. In so many processes (`jobs`; only where all are given by kind) games come as
    they end. Raises BadInput for a kind that there is not."""
    game = meant(game)
    if games < 1:
        raise ValueError(f"a match has one game or more, not {games}")
    if not 1 <= len(entrants) <= len(game.players):
        most = counted(len(game.players), "player")
        raise ValueError(f"the game is for {most}, so that one to as many bots play, not {len(entrants)}")
    for name, kind in entrants.items():
        if isinstance(kind, str):
            bot(kind)
        elif not callable(getattr(kind, "choose", None)):
            raise TypeError(
                f"{name} is no bot: an object with a method `choose`, or a text, such as mcts:1000"
            )
    return _games(game, entrants, games, seed, jobs)


def _games(
    game: Game, entrants: Mapping[str, Bot | str], games: int, seed: int, jobs: int
) -> Iterator[Played]:
    kinds = {name: kind for name, kind in entrants.items() if isinstance(kind, str)}
    if jobs > 1 and len(kinds) == len(entrants):
        packed = pickle.dumps(game)
        given = ((number,) for number in range(games))
        with closing(outcomes(jobs, _task, given, _begin, (packed, kinds, seed))) as found:
            for number, played in found:
                if isinstance(played, Failed):
                    played = one(game, entrants, number, seed, {})
                yield played
        return
    kept: dict[str, Bot] = {}
    for number in range(games):
        yield one(game, entrants, number, seed, kept)


def one(
    game: Game, entrants: Mapping[str, Bot | str], number: int, seed: int, kept: dict[str, Bot]
) -> Played:
    """Game `number` of a match. `kept`: bots that were made for games before, which are made ready for this
    one."""
    names = seating(game.players, [*entrants], number)
    bots: dict[str, Bot] = {}
    for at, (player, name) in enumerate(names.items()):
        given = entrants[name]
        own = mix(mix(seed & (1 << 64) - 1) + number * len(names) + at & (1 << 64) - 1)
        bots[player] = made(given, own, kept, f"{player}: {given}") if isinstance(given, str) else given
    return play(game, bots, names, seed, number)


def made(kind: str, seed: int, kept: dict[str, Bot], key: str) -> Bot:
    """A bot of a kind; one that searches keeps what it has made of the rules."""
    fresh = bot(kind, seed, threads=1)
    before = kept.get(key)
    if isinstance(fresh, MCTS) and isinstance(before, MCTS):
        fresh.take_over(before)
    kept[key] = fresh
    return fresh


_match: tuple[Game, dict[str, str], int, dict[str, Bot]] | None = None


def _begin(packed: bytes, kinds: dict[str, str], seed: int) -> None:
    global _match
    _match = pickle.loads(packed), kinds, seed, {}


def _task(tell: object, number: int) -> Played:
    assert _match is not None
    game, kinds, seed, kept = _match
    return one(game, kinds, number, seed, kept)


@dataclass(frozen=True, slots=True)
class Score:
    """What a bot has got. `games`: those that ended, once for each player that it was in them; `points` of
    them; `wins`: those with a whole point, `shared` with a part of one."""

    games: int
    points: float
    wins: int
    shared: int

    @property
    def range(self) -> Range:
        """Points a game, with the ends of the range at 95 % (Wilson's, in which a shared point is a game won
        in part: that is a little too wide)."""
        return share(self.points, self.games)


def scores(played: Iterable[Played], names: Iterable[str], player: str | None = None) -> dict[str, Score]:
    """Of all games that ended, by name; of those only as one `player`."""
    found = {}
    for name in names:
        got = [
            point
            for each in played
            for seat, point in each.points.items()
            if each.seats[seat] == name and player in (None, seat)
        ]
        wins = sum(point == 1 for point in got)
        found[name] = Score(len(got), sum(got), wins, sum(0 < point < 1 for point in got))
    return found


def paid(played: Iterable[Played], name: str) -> Range | None:
    """What games paid a bot on the average; None if none paid."""
    got = [each.payoffs[seat] for each in played for seat in each.payoffs if each.seats[seat] == name]
    return mean(sum(got), sum(each * each for each in got), len(got)) if got else None


def elo(part: float) -> float:
    """The difference in Elo's scale (A. Elo, 1978) at which one of two is expected to get that part of the
    points; infinite at 0 and 1."""
    if part in (0.0, 1.0):
        return float("inf") if part else float("-inf")
    return 400 * log10(part / (1 - part))
