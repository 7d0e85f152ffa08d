"""Bots at the tables of a server: whose turn it is to think, and what becomes of what they choose."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from kemu.table.chance import pick
from kemu.table.session import Session
from kemu.table.visibility import has_secrets
from kemu.web.limits import Limits
from kemu.web.place import Table
from kemu.web.thinking import Question, Thinkers

LOG = logging.getLogger("uvicorn.error")
AGAIN = 10.0  # seconds until a bot tries again what could not be written down


class House(Protocol):
    """Where the tables are (tables.py); `numbers`: who opened each."""

    limits: Limits
    tables: dict[int, Table]

    @property
    def numbers(self) -> Mapping[int, bytes]: ...

    def held(self, number: int) -> AbstractAsyncContextManager[Table]: ...

    async def stepped(self, table: Table, step: int, text: str) -> None: ...


def thinking(session: Session) -> str:
    """Of which kind the bot is that is to think now; "" if none is."""
    state = session.state
    kind = session.seats[state.actor or ""] if state.is_decision else "human"
    return "" if kind in ("human", "random") else kind


class Bots:
    """`tasks`: what goes on for tables at which one thinks."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.thinkers = Thinkers(house.limits)
        self.tasks: dict[int, asyncio.Task[None]] = {}

    def close(self) -> None:
        for task in self.tasks.values():
            task.cancel()
        self.thinkers.close()

    def think(self, table: Table) -> None:
        """If it is for a bot to decide, it begins to think."""
        if thinking(table.session) and table.number not in self.tasks:
            self.tasks[table.number] = asyncio.create_task(self._thinks(table))

    def rest(self, number: int) -> None:
        """Nobody thinks any more about a table that is put away."""
        if number in self.tasks:
            self.tasks.pop(number).cancel()

    async def _thinks(self, table: Table) -> None:
        """What bots choose, one after another, until it is for somebody else."""
        number, session = table.number, table.session
        try:
            while (kind := thinking(session)) and not table.gone:
                step = len(session.steps)
                text = await self._chosen(table, kind)
                async with self.house.held(number) as now:
                    if now is table:
                        await self.house.stepped(table, step, text)
        except Exception as error:  # whatever it is, those at the table hear of it
            LOG.warning("a bot cannot go on: %s", error)
            if table.gone:  # it could not be written down
                await asyncio.sleep(AGAIN)
            else:
                told = not has_secrets(session.game)  # what is wrong may be about what nobody may know
                table.trouble = str(error) if told else "the rules break down at what a bot does"
                table.changed()
        finally:
            if self.tasks.get(number) is asyncio.current_task():
                del self.tasks[number]
        if table.gone and number in self.house.tables:
            self.think(self.house.tables[number])

    async def _chosen(self, table: Table, kind: str) -> str:
        """What a bot chooses; at random, if it has no answer in time, or its search breaks down."""
        session = table.session
        asked = Question(
            table.number, table.name, table.sets, tuple(session.seats.items()),
            tuple(step.text for step in session.steps), kind, has_secrets(session.game),
        )  # fmt: skip
        try:
            return await self.thinkers.chosen(self.house.numbers.get(table.number, b""), asked)
        except Exception as error:  # whatever it is, the others are not to wait for ever
            LOG.warning("a bot of the kind %s has no answer, and plays at random: %r", kind, error)
            return pick(session.state, secrets.randbits(63), len(session.steps))
