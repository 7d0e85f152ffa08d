"""What a rules file says of a name: the lines that define it, and the word of comment beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kemu_grammar.source.keywords import MARK
from kemu_grammar.syntax import ast as t

from kemu.base.sources import declarations

LONGEST = 6  # lines of a definition that are shown


@dataclass(frozen=True, slots=True)
class Definition:
    """`lines` are those of the file, from the `##` comment above on; `line` is the number of the first."""

    name: str
    line: int
    lines: tuple[str, ...]

    @property
    def gloss(self) -> str:
        """What the comment behind its only line says, without marks: `the hollows`."""
        _, sign, comment = self.lines[-1].partition("#")
        return " ".join(MARK.sub("", comment).split()) if sign and len(self.lines) == 1 else ""


def definitions(sources: Mapping[str, str], text: str) -> list[Definition]:
    """What the names in a text of the rules stand for, in their order: those of functions, constants, domains
    and parts of the state. If several files define one, what the first says."""
    known: dict[str, list[Definition]] = {}
    for file, source in sources.items():
        here: dict[str, list[Definition]] = {}
        for each in defined(source, file):
            here.setdefault(each.name, []).append(each)
        known = here | known
    names = dict.fromkeys(re.findall(r"[^\W\d]\w*", text))
    return [each for name in names for each in known.get(name, ())]


def defined(source: str, file: str) -> tuple[Definition, ...]:
    lines = source.split("\n")
    found = inside(declarations(source, file))
    return tuple(definition(each, lines) for each in found if hasattr(each, "name"))


def inside(declared: tuple[t.Declaration, ...]) -> Iterator[t.Declaration]:
    """Declarations that give something a name, those within others too."""
    for each in declared:
        match each:
            case t.Under(declarations=inner):
                yield from inside(inner)
            case t.State(variables=variables):
                yield from variables
            case t.Fun() | t.Const() | t.Domain() | t.Enum() | t.Table():
                yield each


def definition(each: t.Declaration, lines: list[str]) -> Definition:
    first = each.span.line - (each.doc.count("\n") + 1 if each.doc else 0)
    shown = lines[first - 1 : each.span.end_line]
    if not shown[-1].strip():
        shown.pop()
    cut = shown[:LONGEST] + (["    ..."] if len(shown) > LONGEST else [])
    return Definition(each.name, first, tuple(cut))  # type: ignore[attr-defined]
