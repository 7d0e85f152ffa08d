"""A table to which people come over a network, and what each who sits or watches there is told."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from kemu.findings.phrases import Phrases
from kemu.render.scene.scene import Scenes
from kemu.table.session import Session
from kemu.web.changes import Change, Known, changes
from kemu.web.position import Seated

WITHOUT = ["undo", "hint", "link"]  # what the page cannot do at such a table
Logs = dict[str | None, list[dict[str, Any]]]
"""What has happened, as each may know it who has such eyes (Sight.viewer)."""


@dataclass(slots=True)
class Place(Seated):
    """What one of them sees; `viewer` is "" for those who watch. `count`: how often it has changed."""

    logs: Logs = field(default_factory=dict)
    now: dict[str, Any] | None = None
    change: Change | None = None
    count: int = 0

    def __post_init__(self) -> None:
        """He stays who he is."""

    @property
    def hands_over(self) -> str:
        return ""

    @property
    def decides(self) -> bool:
        return self.session.waits and self.session.state.actor == self.viewer

    def renewed(self, people: dict[str, str], trouble: str, known: Known) -> None:
        """Takes note of what has changed; `known`: changes for others. Raises FaultError."""
        new = {
            **self.message(),
            "together": True,
            "without": WITHOUT,
            "you": self.viewer,
            "people": people,
            "trouble": trouble,
        }
        change = changes(self.now, new, known) if self.now is not None else {}
        if change is not None:
            self.now, self.change, self.count = new, change, self.count + 1

    def _log(self) -> list[dict[str, Any]]:
        """Entries stay as they are, but for those that were chosen together with the last one. Who may know
        the same is told the same."""
        session, told = self.session, self.logs.get(self.sight.viewer, [])
        known = len(told)
        if known < len(session.steps):
            first = known
            if known and session.states[known - 1].told_together:
                first = session.together(known - 1).start
            fresh = [self._entry(at, session.opened(at)) for at in range(first, len(session.steps))]
            told = self.logs[self.sight.viewer] = told[:first] + fresh
        return told


@dataclass(slots=True, eq=False)
class Stream:
    """Somebody who is connected."""

    player: str
    news: asyncio.Event = field(default_factory=asyncio.Event)
    closed: bool = False


@dataclass(slots=True)
class Table:
    """`invited`: seats that nobody has taken yet. `name`, `sets`: the game on the shelf, and its options as
    `--set` has them; `trouble`: why the game does not go on. `version` counts what has happened; `lock` is
    held while something happens, until it is written down."""

    number: int
    session: Session
    rules: str
    phrases: Phrases
    invited: set[str]
    streams: list[Stream] = field(default_factory=list)
    places: dict[str, Place] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    scenes: dict[str | None, Scenes] = field(default_factory=dict)
    logs: Logs = field(default_factory=dict)
    known: Known = field(default_factory=dict)
    name: str = ""
    sets: tuple[str, ...] = ()
    trouble: str = ""
    version: int = 1
    gone: bool = False
    used: float = field(default_factory=time.monotonic)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def watchers(self) -> int:
        return sum(not stream.player for stream in self.streams)

    def changed(self) -> None:
        """All who are connected are told."""
        self._anew()
        self.tell()

    def tell(self) -> None:
        for stream in self.streams:
            stream.news.set()

    def prepare(self) -> None:
        """What those who are connected will be told, while it is still written down."""
        self._anew()
        for player in {stream.player for stream in self.streams}:
            with suppress(Exception):  # whatever it is, they will hear of it
                self.place(player)

    def _anew(self) -> None:
        self.version += 1
        self.known.clear()

    @property
    def people(self) -> dict[str, str]:
        """Who is there, of those who are people."""
        here = {stream.player for stream in self.streams}
        return {
            player: "here" if player in here else "invited" if player in self.invited else "away"
            for player in self.session.people
        }

    def place(self, player: str) -> Place:
        """What a player is told now; not to be asked while something happens. Raises FaultError."""
        place = self.places.get(player)
        if place is None:
            place = Place(self.session, self.rules, self.phrases, player, scenes=self.scenes, logs=self.logs)
            self.places[player] = place
        if self.versions.get(player) != self.version:
            place.renewed(self.people, self.trouble, self.known)
            self.versions[player] = self.version
        return place
