"""How long the rules of a game are: the lines that say how it is played, without claims, pictures, data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kemu_grammar.check.scope import assertions
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.walk import names_in

APART = (t.Check, t.Example, t.Property, t.View)
SHARED = (t.Fun, t.Const)  # counted if something that is counted uses them


def rule_lines(module: t.Module) -> tuple[int, ...]:
    """The numbers of the lines of a rules file that are rules.

    Left out are blank lines and lines of comment, examples, claims (properties, lemmas, checks, assertions),
    views, the rows of tables, and those functions and constants that only these use.
    """
    every = tuple(_each(module.declarations))
    used = _used(every)
    counted: set[int] = set()
    for d in every:
        if not isinstance(d, APART) and not (isinstance(d, SHARED) and d.name not in used):
            counted |= _lines(d, module.text)
    for d in every:
        if isinstance(d, t.Rule | t.Rules):
            for a in assertions(d):
                counted -= set(range(a.span.line, a.span.end_line + 1))
    text = module.text.split("\n")
    return tuple(line for line in sorted(counted) if text[line - 1].split("#")[0].strip())


def _each(declarations: Iterable[t.Declaration]) -> Iterator[t.Declaration]:
    """The declarations, those of `under` blocks for themselves."""
    for d in declarations:
        yield d
        if isinstance(d, t.Under):
            yield from _each(d.declarations)


def _used(every: tuple[t.Declaration, ...]) -> set[str]:
    """The names that rules use, and those that these use in turn."""
    bodies: dict[str, list[t.Declaration]] = {}
    waiting: list[str] = []
    for d in every:
        if isinstance(d, SHARED):
            bodies.setdefault(d.name, []).append(d)
        elif not isinstance(d, APART):
            waiting += names_in(d.condition if isinstance(d, t.Under) else d, t.Assert)
    used: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            waiting += [inner for d in bodies.get(name, ()) for inner in names_in(d, t.Assert)]
    return used


def _lines(d: t.Declaration, text: str) -> set[int]:
    """The lines of a declaration; of an `under` block its head, of a table all but the rows."""
    last = d.span.end_line
    match d:
        case t.Under():
            last = d.condition.span.end_line
        case t.Table(rows=rows) if rows:
            row = re.compile(rf"\s*{re.escape(rows[0][0])}\b")
            body = list(enumerate(text.split("\n"), 1))[d.span.line : last]
            last = next((line - 1 for line, content in body if row.match(content)), d.span.line)
    return set(range(d.span.line, last + 1))
