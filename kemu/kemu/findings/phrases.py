"""Moves in words, by the table in `rules.md` under the heading below.

A row is `| place(SPOT) | lays a stone on SPOT |`. A word in capitals stands for whatever is there, in braces
for all members of a set. How it is written may have rows of its own, `| BEACH: (NAME, 0) | NAME A |`; without
one it stands as it is, and `NAME` with capitals. An outcome of chance is told by the label of its
place: `| roll: DIE | a DIE is thrown |`. The first row that fits counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kemu_engine.play.action import Action
from kemu_grammar.game.beside import beside

from kemu.base.words import listed

HEADING = "## Moves in words"
ROW = re.compile(r"\| *([^|]*?) *\| *([^|]*?) *\|\s*")
VARIABLE = re.compile(r"[A-Z]{2,}")
NAME = "NAME"

Bound = Mapping[str, Sequence[str]]
"""What stands for each variable: one text, or those of a set."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """The rows in their order, each a pattern and what is said of it."""

    rows: tuple[tuple[str, str], ...] = ()

    def move(self, label: str, text: str) -> str:
        """What a player does; with a label, what chance brings there."""
        return self.said(label, text) or text.replace("_", " ")

    def said(self, label: str, text: str) -> str:
        """The same, if there is a row for it; else ""."""
        return self._said(f"{label}: " if label else "", text) or ""

    def _said(self, head: str, text: str) -> str | None:
        for pattern, words in self.rows:
            bound = bind(pattern.removeprefix(head), text) if pattern.startswith(head) else None
            if bound is not None:
                return self._filled(words, bound)
        return None

    def _filled(self, words: str, bound: Bound) -> str:
        def written(variable: re.Match[str]) -> str:
            return listed([self._value(variable[0], text) for text in bound[variable[0]]])

        return VARIABLE.sub(written, words)

    def _value(self, variable: str, text: str) -> str:
        said = self._said(f"{variable}: ", text)
        if said is not None:
            return said
        plain = text.replace("_", " ")
        return plain.title() if variable == NAME and plain.replace(" ", "").isalpha() else plain


def phrases(text: str) -> Phrases:
    """What the statements' file says of moves."""
    _, _, after = text.partition(f"\n{HEADING}\n")
    lines = re.split(r"(?m)^## ", after)[0].splitlines()
    found = [(row[1], row[2]) for line in lines if (row := ROW.fullmatch(line))]
    return Phrases(tuple(found[2:]))  # below the heads and the rule


def moves_in_words(file: str) -> Phrases:
    """What the file of statements beside a rules file says of its moves."""
    path = beside(file)
    try:
        return phrases(path.read_text("utf-8")) if path else Phrases()
    except (OSError, UnicodeDecodeError):
        return Phrases()


def bind(pattern: str, text: str) -> Bound | None:
    """What stands for the variables of a pattern in a text; None if the text has not its form."""
    if VARIABLE.fullmatch(pattern):
        return {pattern: [text]}
    if VARIABLE.fullmatch(pattern[1:-1]) and pattern[0] == "{":
        return {pattern[1:-1]: Action.parse(f"set({text[1:-1]})").args} if text[0] == "{" else None
    mine, theirs = _form(pattern), _form(text)
    if (mine.name, len(mine.args)) != (theirs.name, len(theirs.args)):
        return None
    found: dict[str, Sequence[str]] = {}
    for one, other in zip(mine.args, theirs.args, strict=True):
        part = bind(one, other)
        if part is None:
            return None
        found.update(part)
    return found


@lru_cache(1 << 12)
def _form(text: str) -> Action:
    return Action.parse(named(text))


def named(text: str) -> str:
    """A pair in the form of an action."""
    return f"pair{text}" if text.startswith("(") else text
