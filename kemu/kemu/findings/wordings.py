"""How the gaps of a rulebook would be closed, as its editor would want to hear it: the section of `rules.md`
with that heading.

It opens with what the reader of this game's chapter has to know. Then comes an entry for each place that is
worth a sentence in print, those first that an editor should care for most:

    ### May a warrior go on a half field held three to none?

    (K5; the master game, *volle stamtegel*)

    "Full" may mean a whole square, or a tile that is worth a whole point.

    - K5 = whole: he may
    - K5 = squares: he may not

    *Print:* "A warrior takes the place of a tile that is worth a whole point."

In brackets stand the gaps, the one whose game is shown first, and the place in the rulebook; in the list the
answers that a reading has, in words. All other gaps are rows `| K7 | M1 | wording |`: the gap, the statements
that leave it open, and a sentence that would close it; or `*Not a hole:*`, `*Assumed:*` and why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from kemu_grammar.game.rulebook import Statement

HEADING = "## How the gaps would be closed"
NUMBER = r"[A-Z]{1,3}\d+\w?"
ROW = re.compile(r"\|([^|]*)\|([^|]*)\|([^|]*)\|\s*")
PLACE = re.compile(rf"\(({NUMBER}(?:, {NUMBER})*); (.*)\)")
ANSWER = re.compile(rf"- ({NUMBER}) = (\w+): (.*)")
PRINT = "*Print:*"

Kind = Literal["small", "denied", "assumed"]
MARKS: dict[str, Kind] = {"*Not a hole:*": "denied", "*Assumed:*": "assumed"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A question that is worth a sentence: the gaps it is about, the place in the rulebook, why one may
    doubt; the answers by reading and value; what to print."""

    question: str
    numbers: tuple[str, ...]
    place: str
    doubt: str
    answers: Mapping[tuple[str, str], str]
    words: str


@dataclass(frozen=True, slots=True)
class Wording:
    """`passages`: the numbers of the statements that leave a gap open; `words` would close it, or say why it
    is none, or what was assumed."""

    passages: tuple[str, ...]
    words: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Closing:
    """The whole section: what it opens with, the entries in their order, the other gaps by number."""

    opening: str
    entries: tuple[Entry, ...]
    rows: Mapping[str, Wording]

    @property
    def numbers(self) -> list[str]:
        """All gaps that it speaks of, in its order."""
        return [*(number for entry in self.entries for number in entry.numbers), *self.rows]


def closing(text: str) -> Closing:
    """What the statements' file says of closing its gaps."""
    _, _, after = text.partition(f"\n{HEADING}\n")
    section = re.split(r"(?m)^## ", after)[0]
    opening, *parts = re.split(r"(?m)^### ", section)
    entries = tuple(each for part in parts if (each := entry(part)) is not None)
    return Closing(opening.strip(), entries, dict(rows(section)))


def entry(part: str) -> Entry | None:
    """The text below a heading; None if it is not about a gap."""
    question, *lines = part.strip().splitlines()
    found = [(at, match) for at, line in enumerate(lines) if (match := PLACE.fullmatch(line.strip()))]
    if not found:
        return None
    at, place = found[0]
    answers = {(m[1], m[2]): m[3] for line in lines if (m := ANSWER.fullmatch(line.strip()))}
    told = "\n".join(line for line in lines[at + 1 :] if not ANSWER.fullmatch(line.strip()))
    doubt, _, words = told.partition(f"\n{PRINT}")
    return Entry(question, tuple(place[1].split(", ")), place[2], doubt.strip(), answers, words.strip())


def rows(text: str) -> Iterator[tuple[str, Wording]]:
    """The gaps that stand in a table."""
    for line in text.splitlines():
        row = ROW.fullmatch(line)
        if row and re.fullmatch(NUMBER, number := row[1].strip()):
            words = row[3].strip()
            mark = next((mark for mark in MARKS if words.startswith(mark)), "")
            passages = tuple(re.findall(NUMBER, row[2]))
            yield number, Wording(passages, words.removeprefix(mark).strip(), MARKS.get(mark, "small"))


def strange(found: Closing, statements: tuple[Statement, ...]) -> list[str]:
    """The numbers in it that no statement has."""
    known = {statement.number for statement in statements}
    cited = [number for row in found.rows.values() for number in row.passages]
    return [number for number in (*found.numbers, *cited) if number not in known]
