"""The games of spec/ and their instances, made once for all tests that play them.

Programs are kept from one command to the next (kemu/base/program_cache.py), and from process to process.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from kemu.base.library import games, library
from kemu.base.opening import Value, Wanted, declared, made, opened, ready
from kemu_engine.lower.settings import choose_settings
from kemu_engine.play.game import Game
from kemu_engine.static.values import text_of
from kemu_grammar.game.game import Game as Rules
from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax.ast import Drawn, Number

from tests.soak import as_far


@cache
def rules(name: str) -> Rules:
    """The checked game that a name or path means. Raises RulesError."""
    return opened(name)


@cache
def instance(name: str, which: str | None = None) -> Game:
    """An instance by its name, or the game as it stands. Raises RulesError."""
    return ready(name, (), None, which, rules(name))


def with_settings(name: str, settings: Mapping[str, Value], players: int) -> Game:
    """The instance of a game with these options; one that is not declared cannot be drawn. Raises RulesError,
    SettingError."""
    asked, low = choose_settings(rules(name), settings), rules(name).players.low
    fewest = low.value if isinstance(low, Number) else len(rules(name).players.names)
    for known in declared(rules(name)):
        if choose_settings(rules(name), known.settings) == asked and (known.players or fewest) == players:
            return instance(name, known.name or None)
    return undrawn(name, tuple((option, text_of(value)) for option, value in asked.items()), players)


@cache
def undrawn(name: str, settings: tuple[tuple[str, str], ...], players: int) -> Game:
    """An instance with boards as text only, which takes less to make. Raises RulesError, SettingError."""
    game = rules(name)
    views = tuple(
        replace(view, items=tuple(item for item in view.items if not isinstance(item, Drawn)))
        for view in game.views
    )
    return made(replace(game, views=views), Wanted(dict(settings), players))


def instances() -> list[tuple[str, str | None]]:
    """Every game as it stands, and every instance of it; of one that cannot be read only the first."""
    found: list[tuple[str, str | None]] = []
    for name in games():
        found.append((name, None))
        try:
            found += [(name, instance) for instance in rules(name).instances]
        except RulesError:
            continue
    return found


def for_proofs(name: str, which: str | None) -> bool:
    """Whether an instance stands in the game's file of proofs: players are not offered it."""
    return which is not None and rules(name).instances[which].span.file == rules(name).proofs


def offered() -> list[tuple[str, str | None]]:
    """What players are offered; in a soak run the instances that are there for proofs, too."""
    known = instances()
    first = [each for each in known if not for_proofs(*each)]
    return as_far(len(first), [*first, *(each for each in known if for_proofs(*each))])


def spread() -> list[tuple[str, str | None]]:
    """The same, but of the variants of a game every third; in a soak run all."""
    every = offered()
    variants = [each for each in every if each[1]]
    rest = [each for each in variants if each not in variants[::3]]
    return as_far(len(every) - len(rest), [*(each for each in every if each not in rest), *rest])


def grouped(names: Iterable[str]) -> list[Any]:
    """Parameters; all tests of the same one run in the same process, where something is kept of it."""
    return [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in names]


def together(name: str, which: str | None, *more: Any) -> Any:
    """An instance as a parameter of a test: all tests of the same instance run in the same process."""
    title = f"{name}-{which or 'as_it_stands'}"
    return pytest.param(name, which, *more, id=title, marks=pytest.mark.xdist_group(title if which else name))


STAND_INS = {"amazons": "five", "quoridor": "small", "reversi": "middling"}
"""Smaller instances of games that take the interpreter seconds a move as they stand."""
each_instance = pytest.mark.parametrize(("game", "which"), [together(*each) for each in instances()])
PUBLISHED = [name for name, path in games().items() if path.parent.parent == library()]
"""Those with a rulebook."""
each_published = pytest.mark.parametrize(("game", "which"), [together(name, None) for name in PUBLISHED])
