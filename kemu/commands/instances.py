"""Which instances of a game to look at: those that the file declares, and each option changed alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.instantiate import SettingError, choose_settings, instantiate
from grammar import tree
from kemu.commands.common import Value, Wanted, declared

if TYPE_CHECKING:
    from grammar.game import Game


@dataclass(frozen=True, slots=True)
class Chosen:
    """The instances to look at, each once and with a name; `left_out`: what is not looked at, in words."""

    wants: tuple[Wanted, ...]
    left_out: tuple[str, ...]


def every(rules: Game) -> Chosen:
    """The instances that the file declares, and those with one option of the default changed. Raises
    RulesError.
    """
    found: list[Wanted] = []
    left_out: list[str] = []
    known: set[tuple[object, ...]] = set()
    for want in [*map(named, declared(rules)), *alone(rules)]:
        key = (*choose_settings(rules, dict(want.settings)).items(), want.players)
        if key in known:
            continue
        known.add(key)
        if found:  # the default has to be possible: if it is not, that is to be told
            try:
                instantiate(rules, want.settings, want.players)
            except SettingError:
                left_out.append(f"{want.name}: the rules do not allow it with all else by default")
                continue
        found.append(want)
    left_out += [
        f"{option.name}: numbers, of which only those in declared instances"
        for option in rules.options.values()
        if isinstance(option.values, tree.RangeType)
    ]
    if len(rules.options) > 1:
        left_out.append("options combined in other ways than the declared instances do")
    return Chosen(tuple(found), tuple(left_out))


def named(want: Wanted) -> Wanted:
    return Wanted(want.settings, want.players, want.name or "as it stands")


def alone(rules: Game) -> list[Wanted]:
    """The game by default with one option, edition or reading changed; ranges of numbers are left as they
    are."""
    found = []
    for option in rules.options.values():
        values: tuple[Value, ...] = ()
        if option.values == "bool":
            values = (True, False)
        elif not isinstance(option.values, tree.RangeType):
            values = tuple(option.values)
        found += [Wanted({option.name: value}, None, f"{option.name}={text(value)}") for value in values]
    return found


def text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
