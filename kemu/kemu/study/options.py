"""Which options change who wins: the game with one option changed, compared to the game as it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import sqrt

from kemu_engine.lower.settings import SettingError
from kemu_engine.play import game as engine
from kemu_engine.static.values import text_of
from kemu_grammar.game.game import Game
from kemu_grammar.syntax.ast import RangeType
from kemu_verifier.diff.readings import values

from kemu.api.game import Game as Api
from kemu.base.opening import Value, Wanted, made
from kemu.bots.matches import match, scores
from kemu.service.simulation import Games, simulate
from kemu.service.statistics import Range, Tally, share
from kemu.study.study import LONGEST, Plan

FEW = 10
"""Games of which no share is compared: the range is rough there, and says "sure" too soon."""


@dataclass(frozen=True, slots=True)
class Change:
    """An option with another value, and by how much more of the games the first player wins alone then: at
    random, and in strong play; None where too few games came to an end."""

    option: str
    value: Value
    random: Range | None
    strong: Range | None


@dataclass(frozen=True, slots=True)
class Won:
    """How many of the games the first player has won alone: at random, in strong play; (0, 0) if too few were
    to be played."""

    random: tuple[int, int]
    strong: tuple[int, int]


def others(rules: Game, game: engine.Game, given: Mapping[str, Value]) -> Iterator[tuple[str, str]]:
    """Options of the rules file with the values that they do not have, as texts. Options of numbers in a
    range, and those of the file of proofs, are left out."""
    for option in rules.options.values():
        if option.name in given or option.span.file == rules.proofs or isinstance(option.values, RangeType):
            continue
        now = text_of(game.settings[option.name])
        yield from ((option.name, text) for text in map(text_of, values(option)) if text != now)


def changes(
    rules: Game, game: engine.Game, want: Wanted, plan: Plan, tell: Callable[[int], None] = lambda done: None
) -> list[Change]:
    """One option after the other. Those that make no other game, or none at all, are left out. `tell` is told
    how many have been looked at."""
    usual, found = won(game, plan), list[Change]()
    for number, (option, value) in enumerate(others(rules, game, want.settings)):
        tell(number)
        try:
            other = made(rules, Wanted({**want.settings, option: value}, len(game.players)))
        except SettingError:
            continue
        if other.hash == game.hash:
            continue
        its = won(other, plan)
        found.append(Change(option, value, apart(its.random, usual.random), apart(its.strong, usual.strong)))
    return found


def won(game: engine.Game, plan: Plan) -> Won:
    tally = Tally()
    for each in simulate(Games(game.program, plan.seed, LONGEST), plan.random):
        tally.merge(each)
    if plan.games < FEW:
        return Won((tally.wins[0], tally.ended), (0, 0))
    kind = plan.kinds[1]
    played = [*match(Api(game), {kind: kind}, plan.games, plan.seed, plan.jobs)]
    score = scores(played, [kind], game.players[0])[kind]
    return Won((tally.wins[0], tally.ended), (score.wins, score.games))


def apart(one: tuple[int, int], other: tuple[int, int]) -> Range | None:
    """The difference of two shares with its range (R. Newcombe, Interval estimation for the difference
    between independent proportions, 1998, method 10); None of few games."""
    if min(one[1], other[1]) < FEW:
        return None
    first, second = share(*one), share(*other)
    value = first.value - second.value
    low = sqrt((first.value - first.low) ** 2 + (second.high - second.value) ** 2)
    high = sqrt((first.high - first.value) ** 2 + (second.value - second.low) ** 2)
    return Range(value, value - low, value + high)
