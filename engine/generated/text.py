"""Pieces of Python text: expressions with their precedence, statements with their indentation, names."""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

TERNARY, OR, AND, NOT, COMPARE, UNION, XOR, INTER, SHIFT, SUM, PRODUCT, UNARY, ATOM = range(1, 14)

Block = list["str | Block"]
"""Lines; a list within is indented."""


@dataclass(frozen=True, slots=True)
class Text:
    """A Python expression. `fragile`: it may fault, or gives a name to a value, so that it must not change
    places with other code. `depth`: how deep its parentheses nest, at most."""

    text: str
    level: int = ATOM
    fragile: bool = False
    depth: int = 0

    def at(self, level: int) -> str:
        """The text, in parentheses if it binds less than `level`."""
        return self.text if self.level >= level else f"({self.text})"

    @property
    def plain(self) -> bool:
        """Whether it is a name or a number."""
        return self.text.isidentifier() or self.text.lstrip("-").isdecimal()


def joined(template: str, level: int, *parts: tuple[Text, int]) -> Text:
    """A Text made of others, each at its level; the template has a `{}` for each."""
    return Text(
        template.format(*(part.at(at) for part, at in parts)),
        level,
        any(part.fragile for part, _ in parts),
        1 + max((part.depth for part, _ in parts), default=0),
    )


def rendered(block: Block, indent: int = 0) -> list[str]:
    """The lines of a block."""
    lines: list[str] = []
    waiting: list[tuple[str | Block, int]] = [(item, indent) for item in reversed(block)]
    while waiting:
        item, depth = waiting.pop()
        if isinstance(item, str):
            lines.append("    " * depth + item if item else "")
        elif item:
            waiting += [(inner, depth + 1) for inner in reversed(item)]
        else:
            lines.append("    " * (depth + 1) + "pass")
    return lines


class Names:
    """Gives out Python names, each once, close to the names that things have in the game."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = set(taken) | set(dir(builtins)) | set(keyword.kwlist) | set(keyword.softkwlist)

    def give(self, *wanted: str) -> str:
        """The first of the wanted names that is free, or the last one with a number."""
        for name in map(identifier, wanted):
            if name not in self.taken:
                self.taken.add(name)
                return name
        number, last = 2, identifier(wanted[-1])
        while f"{last}_{number}" in self.taken:
            number += 1
        self.taken.add(f"{last}_{number}")
        return f"{last}_{number}"


def identifier(name: str) -> str:
    """A Python identifier in ASCII that is like the name."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    plain = re.sub(r"\W+", "_", plain).strip("_") or "it"
    return f"_{plain}" if plain[0].isdigit() else plain
