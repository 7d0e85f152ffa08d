"""Which games there are, and how one is made ready to be played."""

from __future__ import annotations

from os import PathLike

from kemu.api.game import Game
from kemu.base import library, opening


def games() -> list[str]:
    """The names of the games that came with Kemu, as `load` takes them."""
    return list(library.games())


def load(game: str | PathLike[str], players: int | None = None, **options: str | int | bool) -> Game:
    """The game of that name, or in the rules file at that path, with these options (edition and readings
    among them) and this number of players. What is not given is as the rules file has it by default.

    Raises BadInput if there is no such game or file, RulesError if its rules cannot be read or made into
    this instance, and SettingError for an option, a value or a number of players that the game does not have.
    """
    return Game(opening.load(game, players, **options))


def meant(game: Game | str | PathLike[str]) -> Game:
    """The game itself, or the one of that name or path, as it stands. Raises TypeError, and what `load`
    raises."""
    if isinstance(game, Game):
        return game
    if isinstance(game, str | PathLike):
        return load(game)
    raise TypeError(f"expected a game (from kemu.load), the name of one or a path, not {game!r}")
