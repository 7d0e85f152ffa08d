"""What the local server answers: a game for each tab that asks for one."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kemu_engine.interp.frame import TooMany
from kemu_engine.play.state import FaultError, IllegalAction
from kemu_engine.support.time_limit import TooSlow
from kemu_grammar.source.diagnostics import RulesError
from starlette.responses import JSONResponse, Response

from kemu.base import save_files
from kemu.base.blame import is_a
from kemu.base.library import BadInput, shown
from kemu.base.timeouts import soon
from kemu.table.session import CannotUndo
from kemu.table.visibility import has_secrets
from kemu.web.games import Shelf
from kemu.web.page import Answer, failed
from kemu.web.position import Seated

if TYPE_CHECKING:
    from kemu.table.hint import Adviser

TABLES = 32  # at once; the one that was used least lately makes room


@dataclass(slots=True)
class Room:
    """All games that go on here, by their secret names."""

    shelf: Shelf
    tables: dict[str, Seated] = field(default_factory=dict)
    adviser: Adviser | None = None

    def do(self, what: str, asked: Answer) -> Answer:
        """Carries out a request. Raises BadInput and what blames the input."""
        if what == "games":
            return {"games": self.shelf.names(), "chosen": self.shelf.extra or ""}
        if what == "about":
            return self.shelf.about(asked.get("game"))
        if what == "table":
            return self.shelf.table(asked)
        if what == "new":
            return self._sat(self.shelf.begun(asked))
        if what == "load":
            return self._sat(self.shelf.loaded(asked.get("saved")))
        name = asked.get("table")
        table = self.tables.pop(name, None) if isinstance(name, str) else None
        if table is None or not isinstance(name, str):
            raise BadInput("this game is not here any more: begin a new one, or load a saved one")
        self.tables[name] = table  # now the one used last
        if what in AT_A_TABLE:
            return AT_A_TABLE[what](self, table, asked)
        raise BadInput(f"nobody here knows how to {shown(what)}")

    def _sat(self, table: Seated) -> Answer:
        while len(self.tables) >= TABLES:
            del self.tables[next(iter(self.tables))]
        name = secrets.token_urlsafe(16)
        self.tables[name] = table
        return {"table": name, **table.message()}

    def prepare(self) -> None:
        """What leads on from the board that was shown last is made ready while it is looked at."""
        for table in list(self.tables.values())[-1:]:
            with suppress(BadInput), soon("what follows"):
                table.session.game.machine.prepare()

    def look(self, table: Seated, asked: Answer) -> Answer:
        return table.message()

    def act(self, table: Seated, asked: Answer) -> Answer:
        text = asked.get("action")
        if not table.session.waits or table.hands_over:
            raise BadInput("it is not for you to decide now")
        if asked.get("step") != len(table.session.steps):
            raise BadInput("the game has gone on meanwhile")
        if not isinstance(text, str):
            raise BadInput("an action is given as a text")
        table.session.apply(text)
        return table.message()

    def go(self, table: Seated, asked: Answer) -> Answer:
        """Chance, and the next step of a bot."""
        for step in table.session.advance():
            if step.actor is not None:
                break
        return table.message()

    def undo(self, table: Seated, asked: Answer) -> Answer:
        table.session.undo()
        return table.message()

    def sit(self, table: Seated, asked: Answer) -> Answer:
        """The player who is to decide has come to the page."""
        if asked.get("player") != table.hands_over or not table.hands_over:
            raise BadInput("nobody is waited for")
        table.viewer = table.hands_over
        return table.message()

    def hint(self, table: Seated, asked: Answer) -> Answer:
        if not table.session.waits or table.hands_over:
            raise BadInput("it is not for you to decide now")
        from kemu.table.hint import Adviser  # searches

        self.adviser = self.adviser or Adviser()
        return {"hints": self.adviser.hints(table.session.position)}

    def why(self, table: Seated, asked: Answer) -> Answer:
        """What the rules say of step `at`, or, without one, of what can be done now."""
        from kemu.web import why  # reads the rules

        session, at = table.session, asked.get("at")
        if at is None:
            if not session.waits or table.hands_over:
                raise BadInput("it is not for you to decide now")
            return why.offered(session.state)
        if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at < len(session.steps):
            raise BadInput("there is no such step")
        return why.behind(session, at, table.sight)

    def save(self, table: Seated, asked: Answer) -> Answer:
        """The whole game, for those who may know it all."""
        session = table.session
        if has_secrets(session.game) and not session.state.is_end:
            raise BadInput(
                "this game has secrets, and a saved game holds them all: it can be saved at its end"
            )
        return {"saved": save_files.text(session.saved(table.rules))}


AT_A_TABLE: dict[str, Callable[[Room, Seated, Answer], Answer]] = {
    "look": Room.look, "act": Room.act, "go": Room.go, "undo": Room.undo, "sit": Room.sit, "hint": Room.hint,
    "save": Room.save, "why": Room.why,
}  # fmt: skip


def answered(room: Room, what: str, asked: Answer) -> Response:
    """What is said to a request: the answer, or the one thing that is wrong with it."""
    try:
        return JSONResponse(room.do(what, asked))
    except Exception as error:
        return refused(error)


BLAMING = FaultError, RulesError, BadInput, IllegalAction, CannotUndo, TooMany, TooSlow, OSError
"""What blames the input; SettingError too, whose module need not be loaded."""


def refused(error: Exception) -> Response:
    """What is said of something that blames the input; all else is raised again."""
    if not isinstance(error, BLAMING) and not is_a(error, "kemu_engine.lower.settings", "SettingError"):
        raise error
    if isinstance(error, FaultError):
        return failed(f"the rules break down: {error.message}")
    if isinstance(error, OSError):
        return failed(f"a file cannot be read: {error.strerror or error}")
    return failed(str(error))
