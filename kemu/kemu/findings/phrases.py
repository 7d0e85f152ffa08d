"""Moves in words, by the table in `rules.md` under the heading below.

A row is `| place(SPOT) | lays a stone on SPOT |`. A word in capitals stands for whatever is there, in braces
for all members of a set. How that is written may have rows of its own, `| BEACH: (NAME, 0) | beach A of NAME |`;
without one it stands as it is, and `NAME` with capitals. An outcome of chance is told by the label of its
place: `| roll: DIE | a DIE is thrown |`. The first row that fits counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kemu_engine.play.action import Action

from kemu.base.words import listed

HEADING = "## Moves in words"
ROW = re.compile(r"\| *([^|]*?) *\| *([^|]*?) *\|\s*")
VARIABLE = re.compile(r"[A-Z]{2,}")
NAME = "NAME"

Bound = dict[str, list[str]]
"""What stands for each variable: one text, or those of a set."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """The rows in their order, each a pattern and what is said of it."""

    rows: tuple[tuple[str, str], ...] = ()

    def move(self, label: str, text: str) -> str:
        """What a player does; with a label, what chance brings there."""
        said = self._said(f"{label}: " if label else "", text)
        return text.replace("_", " ") if said is None else said

    def _said(self, head: str, text: str) -> str | None:
        for pattern, words in self.rows:
            bound: Bound = {}
            if pattern.startswith(head) and fits(pattern.removeprefix(head), text, bound):
                return VARIABLE.sub(lambda each: self._written(each[0], bound.get(each[0], [])), words)
        return None

    def _written(self, variable: str, texts: list[str]) -> str:
        return listed([self._value(variable, text) for text in texts])

    def _value(self, variable: str, text: str) -> str:
        said = self._said(f"{variable}: ", text)
        plain = text.replace("_", " ")
        return said if said is not None else plain.title() if variable == NAME and plain.replace(" ", "").isalpha() else plain


def phrases(text: str) -> Phrases:
    """What the statements' file says of moves."""
    _, _, after = text.partition(f"\n{HEADING}\n")
    found = [row.groups() for line in re.split(r"(?m)^## ", after)[0].splitlines() if (row := ROW.fullmatch(line))]
    return Phrases(tuple((pattern, words) for pattern, words in found[2:]))


def fits(pattern: str, text: str, bound: Bound) -> bool:
    """Whether a text has the form of a pattern; `bound` gets what stands for its variables."""
    if VARIABLE.fullmatch(pattern):
        bound[pattern] = [text]
        return True
    if VARIABLE.fullmatch(pattern[1:-1]) and (pattern[0], pattern[-1], text[0], text[-1]) == ("{", "}", "{", "}"):
        bound[pattern[1:-1]] = list(parts(text))
        return True
    mine, theirs = Action.parse(named(pattern)), Action.parse(named(text))
    return (mine.name, len(mine.args)) == (theirs.name, len(theirs.args)) and all(
        fits(one, other, bound) for one, other in zip(mine.args, theirs.args, strict=True)
    )


def named(text: str) -> str:
    """A pair in the form of an action."""
    return f"_{text}" if text.startswith("(") else text


def parts(text: str) -> tuple[str, ...]:
    """The members of a set."""
    return Action.parse(f"_({text[1:-1]})").args
