"""Which options matter: every other value of each, compared with the instance as it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kemu_engine.lower.instantiate import instantiate
from kemu_engine.lower.settings import SettingError, choose_settings
from kemu_engine.play.game import Game as Playable
from kemu_grammar.game.game import Game
from kemu_grammar.syntax import ast as t

MANY = 8  # values of a range, beyond which only the least and the greatest are looked at

Value = str | int | bool


@dataclass(frozen=True, slots=True)
class Other:
    """The instance with one option changed: `was` there, `value` here. `game` is None if the rules do not
    allow it; `why` says why."""

    option: t.Option
    was: Value
    value: Value
    game: Playable | None
    why: str = ""


def others(
    rules: Game,
    settings: Mapping[str, Value],
    players: int | None = None,
    names: Sequence[str] = (),
) -> Iterator[Other]:
    """Every instance that has one option (of those named, if any are) other than these settings have it, in
    the order of declaration. Raises SettingError for wrong settings, RulesError for faults of the rules."""
    chosen = choose_settings(rules, settings, players)
    for name, option in rules.options.items():
        if names and name not in names:
            continue
        for value in values(option):
            if value != chosen[name]:
                try:
                    game = Playable(instantiate(rules, {**settings, name: value}, players))
                except SettingError as error:
                    yield Other(option, chosen[name], value, None, str(error))
                else:
                    yield Other(option, chosen[name], value, game)


def left_out(option: t.Option, was: Value) -> int:
    """How many of its values are not looked at, if it has this one."""
    if option.values == "bool" or isinstance(option.values, tuple):
        return 0
    low, high = option.values.low, option.values.high
    assert isinstance(low, t.Number) and isinstance(high, t.Number)
    return high.value - low.value + 1 - len({was, *values(option)})


def values(option: t.Option) -> tuple[Value, ...]:
    """What the option can be; of a long range the ends only."""
    if option.values == "bool":
        return (False, True)
    if isinstance(option.values, tuple):
        return option.values
    low, high = option.values.low, option.values.high
    assert isinstance(low, t.Number) and isinstance(high, t.Number)
    every = range(low.value, high.value + 1)
    return tuple(every) if len(every) <= MANY else (low.value, high.value)
