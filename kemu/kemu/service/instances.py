"""Which instances of a game to look at: those that the file declares, and each option changed alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kemu_engine.lower.instantiate import player_counts
from kemu_engine.lower.settings import SettingError, choose_settings
from kemu_engine.static.values import text_of
from kemu_grammar.syntax import ast
from kemu_verifier.diff.readings import values

from kemu.base.opening import Value, Wanted, declared, made
from kemu.base.words import listed

if TYPE_CHECKING:
    from kemu_engine.play.game import Game as Playable
    from kemu_grammar.game.game import Game


@dataclass(frozen=True, slots=True)
class Chosen:
    """The instances to look at, each once and with a name; `left_out`: what is not looked at, in words."""

    instances: tuple[tuple[Wanted, Playable], ...]
    left_out: tuple[str, ...]


def every(rules: Game) -> Chosen:
    """The instances that the file declares, and those with one option of the default changed. Raises
    RulesError.
    """
    found: list[tuple[Wanted, Playable]] = []
    left_out: list[str] = []
    for want in distinct(rules):
        try:
            found.append((want, made(rules, want)))
        except SettingError:
            if not found:  # the default has to be possible: if it is not, that is to be told
                raise
            left_out.append(f"{want.name}: not allowed while all other options keep their defaults")
    looked = {len(playable.players) for _, playable in found}
    if unseen := [str(count) for count in player_counts(rules) if count not in looked]:
        left_out.append(f"games with {listed(unseen)} players")
    left_out += [
        f"{option.name}: numbers that no declared instance has"
        for option in rules.options.values()
        if isinstance(option.values, ast.RangeType)
    ]
    if len(rules.options) > 1:
        left_out.append("combinations of options that no declared instance has")
    return Chosen(tuple(found), tuple(left_out))


def distinct(rules: Game) -> list[Wanted]:
    """What `every` looks at, not made yet: the rules may still not allow it. Raises SettingError."""
    found: dict[tuple[object, ...], Wanted] = {}
    for want in [*map(named, declared(rules)), *alone(rules)]:
        key = (*choose_settings(rules, dict(want.settings), want.players).items(), want.players)
        found.setdefault(key, want)
    return list(found.values())


def named(want: Wanted) -> Wanted:
    return Wanted(want.settings, want.players, want.name or "as it stands")


def alone(rules: Game) -> list[Wanted]:
    """The game by default with one option, edition or reading changed."""
    return [
        Wanted({option.name: value}, None, f"{option.name}={text_of(value)}")
        for option in rules.options.values()
        for value in alternatives(rules, option)
    ]


def alternatives(rules: Game, option: ast.Option) -> list[Value]:
    """The values of an option besides that of the game by default; of a range of numbers none."""
    if isinstance(option.values, ast.RangeType):
        return []
    default = choose_settings(rules, {})[option.name]
    return [value for value in values(option) if value != default]
