"""The public functions: which games there are, one made ready to be played, what can be proved of it."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath
from typing import TYPE_CHECKING

from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_grammar.game.game import read

from kemu.base.library import find, library
from kemu.base.library import games as found

if TYPE_CHECKING:
    from kemu_verifier.goal.verdict import Verdict


def games() -> list[str]:
    """The names of the games that came with Kemu, as `load` takes them."""
    return list(found())


def load(game: str | PathLike[str], players: int | None = None, **options: str | int | bool) -> Game:
    """The game of that name, or in the rules file at that path, as an instance: with these options (edition
    and readings among them), and this number of players; what is not said is as the rules file has it by
    default.

    Raises BadInput if there is no such game (or file), RulesError if its rules cannot be read or made into
    this instance, and SettingError for an option, a value or a number of players that the game does not have.
    """
    return Game(instantiate(read(find(fspath(game)), library()), options, players))


def verify(
    game: Game, names: list[str] | None = None, seconds: float = 60, standard: bool = True
) -> Iterator[Verdict]:
    """The verdict on each property (or on those named), as they are found; `seconds` is the time for each.

    `standard` asks what is asked of every game as well: no fault, never stuck, it ends, and so on.
    """
    from kemu_verifier.strategy.verify import verify as look

    return look(game, names, seconds, None, standard)
