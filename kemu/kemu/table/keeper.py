"""Keeps the game that is played in a file: when that is asked for, and when it is left in haste."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

import click

from kemu.base import save_files
from kemu.base.library import BadInput
from kemu.table.autosave import aside, here
from kemu.table.prompt import say
from kemu.table.session import Session


@dataclass(slots=True)
class Keeper:
    """`file`: where the game is saved, if that has been said; `kept`: how many steps it already holds."""

    session: Session
    rules: str
    file: Path | None = None
    kept: int = -1

    @property
    def free(self) -> Path:
        """Where the game would be saved here."""
        return here(self._stem())

    def keep(self) -> bool:
        """Writes what has happened to the game's file, if it has one and lacks something; whether it could.
        If not, that is said, and the game has no file any more."""
        if self.file is not None and self.kept != len(self.session.steps):
            try:
                self.keep_in(self.file)
            except BadInput as error:
                say(f"Not saved: {error}. `save FILE` saves the game elsewhere.")
                self.file = None
                return False
        return True

    def keep_in(self, path: Path) -> None:
        """Writes the game to a file, which is the game's file from then on. Raises BadInput."""
        save_files.save(self.session.saved(self.rules), path)
        self.file, self.kept = path, len(self.session.steps)

    def resume(self) -> str:
        return f"To continue: kemu play --resume {quote(str(self.file or Path()))}"

    def replay(self) -> str:
        return f"It is saved in {self.file}: kemu replay {quote(str(self.file))}"

    def leave_in_haste(self, code: int, watched: bool) -> int:
        """Nobody can be asked any more, perhaps nobody reads any more either: first keeps the game, if a
        person has played in a terminal aside if need be, then says how to go on."""
        told = ""
        try:
            if self.file is None and self.session.begun and watched:
                self.file = aside(self._stem())
            if self.file is not None:
                self.keep_in(self.file)
                told = f"The game is saved.\n{self.resume()}"
            elif self.session.begun:
                told = "The game was not saved; --save FILE would have saved it."
        except BadInput as error:
            told = f"Not saved: {error}."
        with suppress(OSError):  # the terminal may be gone
            click.echo()
            if told:
                click.echo(told)
        return code

    def _stem(self) -> str:
        return Path(self.rules).stem or "game"
