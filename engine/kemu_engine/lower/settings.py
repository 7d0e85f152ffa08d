"""The options of a game: the value of each, from what is given and what is the default."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.walk import names_in

from kemu_engine.static import tables
from kemu_engine.static.eval import Evaluator
from kemu_engine.static.problems import StaticFault, refuse
from kemu_engine.static.values import Atom, Domain, Value, atoms, text_of

if TYPE_CHECKING:
    from kemu_grammar.game.game import Game


class SettingError(ValueError):
    """An option, value or number of players that the game does not have; says so in one sentence."""


def choose_settings(
    game: Game, given: Mapping[str, str | int | bool], players: int | None = None
) -> dict[str, str | int | bool]:
    """The value of every option, in order of declaration, for so many players. Raises SettingError for what
    the game does not have.
    """
    for name in given:
        if name not in game.options:
            near = difflib.get_close_matches(name, game.options, 1)
            mend = f"; did you mean `{near[0]}`?" if near else f"; it has {', '.join(game.options) or 'none'}"
            raise SettingError(f"{game.title} has no option `{name}`{mend}")
    chosen: dict[str, str | int | bool] = {}
    known = words(game)
    evaluator = Evaluator({}, known, {})
    for option in game.options.values():
        asked = given.get(option.name)
        if asked is None:
            known |= _sizes(game, option, evaluator, players)
        value = _default(option, evaluator) if asked is None else _setting(option, asked)
        chosen[option.name] = value
        known[option.name] = known[value] if isinstance(value, str) else value
    return chosen


def _sizes(game: Game, option: t.Option, evaluator: Evaluator, players: int | None) -> dict[str, Value]:
    """The players, enums and tables of which a default asks how many there are."""
    found: dict[str, Value] = {}
    for name in names_in(option.default) - evaluator.known.keys():
        declared = game.names.get(name)
        if name == "Player":
            found[name] = Domain.of(name, seats(game, evaluator, players)[0])
        elif isinstance(declared, t.Enum):
            found[name] = Domain.of(name, atoms(name, declared.members, 0))
        elif isinstance(declared, t.Table):
            found[name] = Domain.of(name, tables.members(declared, 0))
    return found


def seats(game: Game, evaluator: Evaluator, players: int | None) -> tuple[tuple[Atom, ...], range]:
    """So many players, the fewest if it is not said how many, and how many there may be. Raises
    SettingError."""
    declared = game.players
    low = high = len(declared.names)
    if declared.low is not None and declared.high is not None:
        low, high = evaluator.number(declared.low, {}), evaluator.number(declared.high, {})
        if not 1 <= low <= high <= len(declared.names):
            message = f"{low}..{high} players need as many names; there are {len(declared.names)}"
            refuse("E0754", declared.span, message)
    number = low if players is None else players
    if not low <= number <= high:
        some = f"{low} to {high}" if low < high else str(low)
        raise SettingError(f"{game.title} is for {some} players, not {number}")
    return atoms("Player", declared.names[:number], 1), range(low, high + 1)


def of_models(
    game: Game, chosen: Mapping[str, str | int | bool], players: int | None = None
) -> dict[str, bool]:
    """The options of the file of proofs, and whether each is something else than by default."""
    beside = [option.name for option in game.options.values() if option.span.file == game.proofs]
    rest = {name: value for name, value in chosen.items() if name not in beside}
    usual = choose_settings(game, rest, players) if beside else {}
    return {name: chosen[name] != usual[name] for name in beside}


def words(game: Game) -> dict[str, Value]:
    """The words that are values of options."""
    found: dict[str, Value] = {}
    for option in game.options.values():
        for place, word in enumerate(option.values if isinstance(option.values, tuple) else ()):
            if isinstance(word, str):
                found.setdefault(word, Atom("option", word, (0, place)))
    return found


def _default(option: t.Option, evaluator: Evaluator) -> str | int | bool:
    """The default of an option, which may depend on the options before it."""
    if isinstance(option.default, str | int):
        return option.default
    try:
        value = evaluator.eval(option.default, {})
        if option.values == "bool" and not isinstance(value, bool):
            raise SettingError(f"`{option.name}` is true or false")
        return _setting(option, text_of(value))
    except StaticFault as fault:
        raise fault.diagnosed("E0709") from None
    except SettingError as error:
        refuse("E0781", option.default.span, f"the default is {text_of(value)} here, but {error}")


def _setting(option: t.Option, value: str | int | bool) -> str | int | bool:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if option.values == "bool":
        if text in ("true", "yes", "on", "false", "no", "off"):
            return text in ("true", "yes", "on")
        raise SettingError(f"`{option.name}` is true or false, not `{text}`")
    if isinstance(option.values, tuple):
        for known in option.values:
            if str(known) == text:
                return known
        words = [str(v) for v in option.values]
        near = difflib.get_close_matches(text, words, 1)
        mend = f"; did you mean `{near[0]}`?" if near else ""
        raise SettingError(f"`{option.name}` is one of {', '.join(words)}, not `{text}`{mend}")
    kind = option.values
    assert (
        isinstance(kind, t.RangeType) and isinstance(kind.low, t.Number) and isinstance(kind.high, t.Number)
    )
    if not re.fullmatch("-?[0-9]{1,18}", text) or not kind.low.value <= int(text) <= kind.high.value:
        raise SettingError(
            f"`{option.name}` is a number from {kind.low.value} to {kind.high.value}, not `{text}`"
        )
    return int(text)
