"""Steps of what is worked out before play: how many there may be, and which definitions take them.

A step is about as much as it takes to evaluate one expression of numbers. Whatever else is done before play
is counted in such steps too, so that the same rules are refused on every machine, fast or slow.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

from kemu_grammar.source.diagnostics import Diagnostic, RulesError
from kemu_grammar.syntax.ast import NOWHERE, Span

STEPS = 5_000_000  # that one instance may take
MOST_TOLD = 3  # definitions that are named
SMALLER = (
    "a function of parameters alone is a table with a row for all that they can be: smaller domains for"
    " them, fewer of them, or less work for each row help; so does an instance with a smaller board"
)


@dataclass(slots=True)
class _Account:
    """What a definition has taken: `own` without what it asked others for. `keys`: of its tables."""

    calls: int = 0
    keys: int = 0
    own: int = 0
    whole: int = 0
    depth: int = 0  # how often it is at work just now

    def told(self) -> str:
        """`10,000 keys, 4.1 million steps`"""
        asked = f"{self.keys:,} keys" if self.keys else f"{self.calls:,} calls" if self.calls > 1 else ""
        taken = f"{self.whole / 1_000_000:.1f} million steps"
        return f"{asked}, {taken}" if asked else taken


class Work:
    __slots__ = ("_accounts", "_open", "here", "most", "steps")

    def __init__(self) -> None:
        self.steps = 0
        self.most = STEPS
        self.here = NOWHERE  # where steps were spent last, for those who do not know
        self._accounts: dict[str, _Account] = {}
        self._open: list[tuple[str, _Account, int, list[int]]] = []  # since which step, and what others took

    def spend(self, number: int, span: Span | None = None) -> None:
        """Counts steps, by default at the same place as before. Raises RulesError if there are too many."""
        self.here = span or self.here
        self.steps += number
        if self.steps > self.most:
            self._refuse(self.here)

    def enter(self, name: str, keys: int = 0) -> None:
        """What is spent from now on is spent by a definition: by a call, or for a table of so many keys."""
        account = self._accounts.get(name)
        if account is None:
            account = self._accounts[name] = _Account()
        if keys:
            account.keys += keys
        else:
            account.calls += 1
        account.depth += 1
        self._open.append((name, account, self.steps, [0]))

    def leave(self) -> None:
        """The definition that was entered last is done."""
        _, account, since, others = self._open.pop()
        spent = self.steps - since
        account.own += spent - others[0]
        account.depth -= 1
        if not account.depth:
            account.whole += spent
        if self._open:
            self._open[-1][3][0] += spent

    @contextmanager
    def of(self, name: str, keys: int = 0) -> Iterator[None]:
        """What is spent within is spent by a definition."""
        self.enter(name, keys)
        try:
            yield
        finally:
            self.leave()

    def _refuse(self, span: Span) -> NoReturn:
        outermost = [name for name, *_ in self._open]
        for _ in outermost:
            self.leave()
        notes = tuple((None, text) for text in self._told(outermost))
        message = f"working out this instance takes more than {self.most:,} steps"
        self._open = [
            (name, _Account(), self.steps, [0]) for name in outermost
        ]  # left once more on the way out
        raise RulesError((Diagnostic("E0703", span, message, notes),))

    def _told(self, open_: list[str]) -> Iterator[str]:
        """The definition with most steps of its own, and those that ask for it: whose tables are made, and
        with which the work began."""
        if not self._accounts:
            return
        dearest = max(self._accounts, key=lambda name: self._accounts[name].own)
        tables = [name for name in open_ if self._accounts[name].keys]
        for name in list(dict.fromkeys([dearest, *tables[:1], *open_[:1]]))[:MOST_TOLD]:
            account = self._accounts[name]
            if account.whole * 10 > self.most:
                yield f"`{name}`: {account.told()}"
        if tables:
            yield SMALLER
