"""The games that the page offers, and what is chosen before one begins."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kemu_engine.play import record
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError

from kemu.base import save_files
from kemu.base.choices import choices
from kemu.base.library import BadInput, find, games, shown
from kemu.base.opening import name_of, ready, remade
from kemu.findings.phrases import Phrases, moves_in_words
from kemu.table.session import Session, Step
from kemu.web.position import Seated

KINDS = ("human", "random", "mcts:100", "mcts:1000", "mcts:10000", "mcts:1s", "mcts:5s")
"""Who can sit at the page's table."""
KEPT = 8
"""Instances that are kept ready."""


class Shelf:
    """The library, and the rules file that the command named, if it did: a page names no other file."""

    def __init__(self, extra: str | None = None) -> None:
        self.extra = extra
        self.made: dict[int, Game] = {}  # by program, so that what was prepared to play them is there again

    def names(self) -> list[str]:
        """What may be played; first what the command named."""
        return list(dict.fromkeys([*([self.extra] if self.extra else []), *games()]))

    def checked(self, name: object) -> str:
        """Raises BadInput if the page has no business with it."""
        if not isinstance(name, str) or name not in self.names():
            raise BadInput(f"there is no game {shown(str(name))} on this table")
        return name

    def about(self, name: object) -> dict[str, Any]:
        """What can be chosen before the game begins. Raises BadInput, RulesError."""
        return {**choices(self.checked(name)), "kinds": KINDS}

    def table(self, asked: Mapping[str, object]) -> dict[str, Any]:
        """The players of the instance that is asked for, and who can sit there."""
        return {"players": list(self._game(asked).players), "kinds": list(KINDS)}

    def begun(self, asked: Mapping[str, object]) -> Seated:
        """A new game. Raises BadInput, RulesError, SettingError."""
        game = self._game(asked)
        seats = sitting(game, asked.get("seats"))
        seed = asked.get("seed")
        if seed is None:
            seed = secrets.randbelow(2**32)
        if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**63:
            raise BadInput("a seed is a whole number from 0")
        try:
            session = Session.new(game, seats, seed)
        except FaultError as fault:
            raise BadInput(f"{game.title} cannot begin: {fault.message}") from None
        return Seated(session, name_of(str(asked["game"])), self.phrases(asked["game"]))

    def _game(self, asked: Mapping[str, object]) -> Game:
        return self._kept(ready(self.checked(asked.get("game")), sets(asked), None, None))

    def _kept(self, found: Game) -> Game:
        """The same instance, prepared already if it was played not long ago."""
        game = self.made.pop(id(found.program), found)
        while len(self.made) >= KEPT:
            del self.made[next(iter(self.made))]
        self.made[id(game.program)] = game
        return game

    def phrases(self, name: object) -> Phrases:
        """What is said of moves beside the rules file."""
        return moves_in_words(str(find(self.checked(name))))

    def loaded(self, text: object) -> Seated:
        """A saved game goes on. Raises BadInput."""
        if not isinstance(text, str):
            raise BadInput("this is no saved game")
        with TemporaryDirectory() as folder:
            path = Path(folder) / "the saved game"
            path.write_text(text, "utf-8", errors="replace")
            try:
                kept = save_files.load(path)
            except BadInput as error:
                raise BadInput(
                    str(error).replace(repr(str(path)), "this file").replace(str(path), "this file")
                ) from None
        own = name_of(self.extra) if self.extra else None
        rules = self.extra if kept.rules == own and self.extra else self.checked(kept.rules)
        here = next((each for each in self.made.values() if each.hash == kept.program), None)
        game = self._kept(here or remade(kept, rules))
        try:
            states = record.replay(game, kept)
        except record.RecordError as error:
            raise BadInput(f"this saved game cannot be resumed: {error}") from None
        except FaultError as fault:
            raise BadInput(f"the rules break down in this saved game: {fault.message}") from None
        steps = [Step(each.actor, each.text) for each in kept.steps]
        seats = sitting(game, kept.seats or None)
        return Seated(Session(game, seats, kept.seed, states, steps), kept.rules, self.phrases(rules))


def sets(asked: Mapping[str, object]) -> tuple[str, ...]:
    """The options that are asked for, as `--set` has them. Raises BadInput."""
    settings = asked.get("settings") or {}
    if not isinstance(settings, dict) or not all(isinstance(each, str) for each in settings.values()):
        raise BadInput("options are given as texts, by their names")
    return tuple(f"{name}={value}" for name, value in sorted(settings.items()))


def sitting(game: Game, asked: object) -> dict[str, str]:
    """Who plays whom; unless said, a person has the first seat and the others play at random. Raises
    BadInput."""
    seats = dict.fromkeys(game.players, "random") | {game.players[0]: "human"}
    if asked is None:
        return seats
    if not isinstance(asked, dict) or set(asked) != set(seats):
        raise BadInput(f"each player has a seat: {', '.join(seats)}")
    for kind in asked.values():
        if kind not in KINDS:
            raise BadInput(f"nobody of the kind {shown(str(kind))} sits at this table")
    return {player: asked[player] for player in seats}
