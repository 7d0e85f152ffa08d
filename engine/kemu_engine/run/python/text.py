"""Pieces of Python text: expressions with their precedence, statements with their indentation, names."""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath
from textwrap import wrap

from kemu_engine.kernel import nodes as k

TERNARY, OR, AND, NOT, COMPARE, UNION, XOR, INTER, SHIFT, SUM, PRODUCT, UNARY, ATOM = range(1, 14)

PYTHON = frozenset([*dir(builtins), *keyword.kwlist, *keyword.softkwlist])
"""Names that mean something in Python itself."""

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
            continue
        waiting += [(inner, depth + 1) for inner in reversed(item)]
        if all(isinstance(inner, str) and inner.startswith("#") for inner in item):
            waiting.insert(len(waiting) - len(item), ("pass", depth + 1))
    return lines


class Names:
    """Gives out Python names, each once, close to the names that things have in the game. `around`: the names
    of the module, for those within a function; of these none is all in capitals, as constants are."""

    def __init__(self, taken: Iterable[str] = (), around: Names | None = None) -> None:
        self.taken: set[str] = around.taken.copy() if around is not None else {*taken, *PYTHON}
        self._within = around is not None
        self._numbers: dict[str, int] = {}

    def give(self, *wanted: str) -> str:
        """The first of the wanted names that is free, or the last one with a number."""
        last = ""
        for name in map(identifier, wanted):
            last = name.lower() if self._within and name.isupper() else name
            if last not in self.taken:
                self.taken.add(last)
                return last
        number = self._numbers.get(last, 2)
        while f"{last}_{number}" in self.taken:
            number += 1
        self._numbers[last] = number
        self.taken.add(f"{last}_{number}")
        return f"{last}_{number}"

    def free(self, name: str) -> None:
        """Gives a name back."""
        self.taken.discard(name)
        self._numbers.clear()


def listed(start: str, items: Iterable[str], end: str) -> Block:
    """Items with their commas; a long list on lines of its own, indented."""
    text = " ".join(items)
    if len(start) + len(text) + len(end) <= 100:
        return [start + text + end]
    return [start, list[str | Block](wrap(text, 96, break_long_words=False)), end]


def zeroed(names: Iterable[str]) -> Block:
    """Gives names the value 0."""
    return [f"{' = '.join(line.split())} = 0" for line in wrap(" ".join(names), 70, break_long_words=False)]


def quoted(said: str) -> str:
    """Words that may stand between triple quotes."""
    return said.replace("\\", "\\\\").replace('"', "'")


def place_of(program: k.Program, origin: int) -> str:
    """A place in a rules file, and the statements cited there; nothing for -1."""
    if origin < 0:
        return ""
    span, cites = program.origins[origin].span, program.origins[origin].cites
    name = "".join(sign if sign.isprintable() else "?" for sign in PurePath(span.file).name)
    shown = f" [{', '.join(cites)}]" if cites else ""
    return f"{name}:{span.line}{shown}"


def identifier(name: str) -> str:
    """A Python identifier in ASCII that is like the name."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    plain = re.sub(r"\W+", "_", plain).strip("_") or "it"
    return f"_{plain}" if plain[0].isdigit() else plain
