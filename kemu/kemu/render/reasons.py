"""The lines of the rules that did something: their text, the comment above, the statements that they cite."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from textwrap import dedent

from kemu_engine.kernel import nodes as k
from kemu_engine.play.trace import Change
from kemu_grammar.game import rulebook
from kemu_grammar.game.beside import beside
from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.source.keywords import MARK
from kemu_grammar.syntax import ast as t

from kemu.base.sources import declarations
from kemu.render.refusal import offer
from kemu.render.trace import written

CITING = re.compile(rf"\s+#.*{MARK.pattern}.*$")
"""A comment that cites: what it cites is told beside."""
LONG = 120  # letters of a change, beyond which only is told what changed


@dataclass(frozen=True, slots=True)
class Line:
    """`doc`: the comment above the rule or function that the line is in, without marks; `cites`: what the
    line retells, or the rule if the line says nothing."""

    number: int
    text: str
    doc: str
    cites: tuple[str, ...]


def line_of(program: k.Program, origin: int) -> Line | None:
    """Of something in the rules; None if it has no place there."""
    if origin < 0:
        return None
    where = program.origins[origin]
    source = program.sources.get(where.span.file, "")
    every = source.splitlines()
    if not 0 < where.span.line <= len(every):
        return None
    return _line(program, where.span.file, where.span.line, (every[where.span.line - 1],), where.cites)


def line_of_arm(program: k.Program, arm: k.Arm) -> Line | None:
    """Of an action: what the rules file offers, and asks of it."""
    if arm.origin < 0:
        return None
    number, lines = offer(program, arm)
    where = program.origins[arm.origin]
    return _line(program, where.span.file, number, lines, where.cites) if lines else None


def _line(program: k.Program, file: str, number: int, lines: tuple[str, ...], cites: tuple[str, ...]) -> Line:
    doc, above = _rule(program.sources.get(file, ""), file, number)
    own = [mark.group(1) for line in lines for mark in MARK.finditer(line)]
    found = tuple(dict.fromkeys([*own, *cites])) or above
    text = "\n".join(CITING.sub("", line) for line in dedent("\n".join(lines)).strip().split("\n"))
    return Line(number, text, doc, found)


@lru_cache(maxsize=4096)
def _rule(source: str, file: str, line: int) -> tuple[str, tuple[str, ...]]:
    """The comment above the innermost declaration that a line belongs to, and the statements cited there."""
    for each in _within(declarations(source, file), line):
        if each.doc:
            return " ".join(MARK.sub("", each.doc).split()), each.cites
    return "", ()


def _within(declared: Iterable[t.Declaration], line: int) -> Iterator[t.Declaration]:
    for each in declared:
        if each.span.line <= line <= each.span.end_line:
            if isinstance(each, t.Under):
                yield from _within(each.declarations, line)
            yield each


def effect(change: Change) -> str:
    """`stone[(1, 3)] = red`, `pile changes`."""
    text = written([change])
    return text if len(text) <= LONG else f"{change.where} changes"


def statements(program: k.Program, numbers: Iterable[str]) -> dict[str, str]:
    """The texts of the statements of these numbers that the file beside the rules has, without signs of
    markup and without what only readers of the rules file need."""
    known: dict[str, str] = {}
    for path in dict.fromkeys(map(beside, program.sources)):
        try:
            known |= {each.number: each.text for each in rulebook.load(path).statements} if path else {}
        except (RulesError, OSError):
            continue
    return {number: plain(known[number]) for number in numbers if number in known}


def plain(text: str) -> str:
    return re.sub(r"[*`]", "", text.partition(" *Declared:*")[0])
