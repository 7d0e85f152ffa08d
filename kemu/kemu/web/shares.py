"""What each address from which tables were opened holds of the journal, and what it may hold when that is
nearly full."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Held:
    """A table in the journal: a digest of the address it was opened from; about how many bytes it takes."""

    opener: bytes
    size: int


class Shares:
    """By who opened them: how many tables there are, and how much they hold."""

    def __init__(self, tables: dict[int, Held]) -> None:
        self.sizes = {number: table.size for number, table in tables.items()}
        self.tables = Counter(table.opener for table in tables.values())
        self.held: Counter[bytes] = Counter()
        for table in tables.values():
            self.held[table.opener] += table.size

    def opened(self, number: int, who: bytes, size: int) -> None:
        self.tables[who] += 1
        self.sizes[number] = size
        self.held[who] += size

    def grown(self, number: int, who: bytes, size: int) -> None:
        self.sizes[number] += size
        self.held[who] += size

    def forgotten(self, number: int, who: bytes) -> None:
        self.held[who] -= self.sizes.pop(number)
        self.tables[who] -= 1
        if not self.tables[who]:
            del self.tables[who], self.held[who]

    def exceeded(self, who: bytes, used: float, part: float) -> bool:
        """Whether somebody holds more than so much of an equal part of the whole journal, of which so much is
        `used`."""
        people = len(self.tables) + (who not in self.tables)
        return self.held[who] * people * used > part * self.held.total()
