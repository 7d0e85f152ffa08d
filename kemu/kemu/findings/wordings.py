"""How the gaps of a rulebook would be closed: the last table of `rules.md`.

A row is `| K2 | D3 | wording |`: the gap, the statements that it is a gap of, and a sentence that would close
it, or `*Not a hole:*` and why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kemu_grammar.game.rulebook import Statement

HEADING = "## How the gaps would be closed"
ROW = re.compile(r"\|([^|]*)\|([^|]*)\|([^|]*)\|\s*")
NUMBER = re.compile(r"[A-Z]{1,3}\d+\w?")
DENIAL = "*Not a hole:*"


@dataclass(frozen=True, slots=True)
class Wording:
    """`passages`: the numbers of the statements that leave it open; `words` would close it, or say why it is
    none if it is `denied`."""

    passages: tuple[str, ...]
    words: str
    denied: bool


def wordings(text: str) -> dict[str, Wording]:
    """By number of a gap what the statements' file says of closing it."""
    found: dict[str, Wording] = {}
    _, _, section = text.partition(f"\n{HEADING}\n")
    for line in section.split("\n## ")[0].splitlines():
        row = ROW.fullmatch(line)
        number = row.group(1).strip() if row else ""
        if row and NUMBER.fullmatch(number):
            words = row.group(3).strip()
            passages = tuple(NUMBER.findall(row.group(2)))
            denied = words.startswith(DENIAL)
            found[number] = Wording(passages, words.removeprefix(DENIAL).strip(), denied)
    return found


def strange(found: dict[str, Wording], statements: tuple[Statement, ...]) -> list[str]:
    """The numbers in it that no statement has."""
    known = {statement.number for statement in statements}
    return [n for gap, wording in found.items() for n in (gap, *wording.passages) if n not in known]
