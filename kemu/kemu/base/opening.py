"""A game by name and options, opened and made ready to be played."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kemu_engine.kernel.nodes import Program
from kemu_engine.play.game import Game as Playable

from kemu.base import program_cache
from kemu.base.library import BadInput, shown
from kemu.base.program_cache import Asked
from kemu.base.save_files import Saved

if TYPE_CHECKING:
    from kemu_grammar.game.game import Game
    from kemu_grammar.syntax.ast import Declaration

Value = str | int | bool
Declared = TypeVar("Declared", bound="Declaration")


@dataclass(frozen=True, slots=True)
class Wanted:
    """An instance as it was asked for: options by name, the number of players (None: as the rules file says),
    and the name that the rules file gives to just that."""

    settings: dict[str, Value]
    players: int | None = None
    name: str = ""


def load(game: str | PathLike[str], players: int | None = None, **options: Value) -> Playable:
    """The instance of a game by name or path with these options, ready to be played; its program is kept for
    the next time. Raises BadInput, RulesError, SettingError."""
    from kemu_engine.lower.instantiate import instantiate
    from kemu_grammar.game.game import read

    from kemu.base.library import find, library

    path, shelf = find(fspath(game)), library()
    texts = tuple(sorted(f"{name}={value!r}" for name, value in options.items()))
    asked = Asked(path, shelf, texts, players, None)
    return kept(asked, lambda: read(path, shelf), lambda rules: instantiate(rules, options, players))


def opened(name: str) -> Game:
    """The checked game that a name or path means. Raises BadInput, RulesError, OSError."""
    from kemu_grammar.game.game import read

    from kemu.base.library import find, library

    return read(nearest(find(name)), nearest(library()))


def nearest(path: Path) -> Path:
    """The path as seen from the current folder, if it lies in there: shorter in what is said about it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def offered(game: Game, declared: Iterable[Declared]) -> list[Declared]:
    """Those of the options or instances that a player may want: what is there for proofs only is left out."""
    return [each for each in declared if each.span.file != game.proofs]


def name_of(game: str) -> str:
    """How a saved game refers to its rules: a name as it is, a path so that it holds from everywhere."""
    return str(Path(game).resolve()) if Path(game).exists() else game


def wanted(game: Game, sets: tuple[str, ...], players: int | None, instance: str | None) -> Wanted:
    """The instance that the options ask for: that of --instance, changed by --set and --players. Raises
    BadInput."""
    settings: dict[str, Value] = {}
    if instance is not None:
        if instance not in game.instances:
            known = [each.name for each in offered(game, game.instances.values())]
            near = choice(instance, list(game.instances), known)
            raise BadInput(f"{game.title} has no instance {shown(instance)}{near}")
        settings.update(game.instances[instance].settings)
    for text in sets:
        name, sign, value = text.partition("=")
        if not sign:
            raise BadInput(f"an option is set as OPTION=VALUE, not as {shown(text)}")
        settings[name.strip()] = value.strip()
    count = settings.pop("players", None)
    name = "" if sets or players is not None else instance or ""
    return Wanted(settings, players if players is not None else number(count), name)


def number(count: Value | None) -> int | None:
    if count is None or (isinstance(count, int) and not isinstance(count, bool)):
        return count
    if isinstance(count, str) and count.isdecimal():
        return int(count)
    raise BadInput(f"the number of players must be a number, not {shown(str(count))}")


def made(game: Game, want: Wanted) -> Playable:
    """The instance, ready to be played. Raises RulesError, SettingError."""
    from kemu_engine.lower.instantiate import instantiate

    return Playable(instantiate(game, want.settings, want.players))


def ready(
    name: str, sets: tuple[str, ...], players: int | None, instance: str | None, rules: Game | None = None
) -> Playable:
    """The instance of a game that the options ask for; its program is kept for the next command. `rules`: its
    rules, if they were opened already. Raises BadInput, RulesError, SettingError, OSError."""
    from kemu.base.library import find, library

    asked = Asked(nearest(find(name)), nearest(library()), sets, players, instance)
    return kept(
        asked,
        lambda: rules or opened(name),
        lambda game: made(game, wanted(game, sets, players, instance)).program,
    )


def kept(asked: Asked, rules: Callable[[], Game], make: Callable[[Game], Program]) -> Playable:
    """The program that was kept of what is asked for, or is made now of its rules and kept."""
    from kemu_engine.support.gc_pause import undisturbed

    with undisturbed():
        program = program_cache.get(asked)
        if program is None:
            game = rules()
            program = make(game)
            program_cache.put(asked, game, program)
    return Playable(program, keep=partial(program_cache.following, asked, program, "beginning"))


def remade(kept: Saved, game: str | None) -> Playable:
    """The instance that a saved game was played in, from its own rules file or that of `game`."""
    rules = opened(game or kept.rules)
    if rules.title != kept.game:
        raise BadInput(f"this is a record of {kept.game}, but these are the rules of {rules.title}")
    texts = tuple(f"{name}={value}" for name, value in kept.settings.items())
    return made(rules, wanted(rules, texts, len(kept.players), None))


def declared(game: Game) -> list[Wanted]:
    """Every instance that the file speaks of: the one by default, then those with a name."""
    return [Wanted({}), *(wanted(game, (), None, name) for name in game.instances)]


def choice(text: str, known: list[str], offered: list[str] | None = None) -> str:
    """How to go on after a name that is none of those known; all that are `offered` are told."""
    from difflib import get_close_matches

    near = get_close_matches(text, known, n=1)
    if near:
        return f": did you mean {near[0]}?"
    known = known if offered is None else offered
    plain = [name for name in known if "(" not in name] or known
    return (
        f"; there {'is' if len(plain) == 1 else 'are'} {', '.join(plain)}" if plain else "; it declares none"
    )
