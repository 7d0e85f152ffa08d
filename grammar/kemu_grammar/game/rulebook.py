"""The statements of a rulebook in our words (`rules.md`), the marks in a rules file that cite them, and where
the two disagree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from kemu_grammar.check.scope import assertions
from kemu_grammar.game.beside import FILE
from kemu_grammar.source.diagnostics import Diagnostic, RulesError
from kemu_grammar.source.did_you_mean import closest
from kemu_grammar.source.keywords import MARK
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Span

NOTE, EXAMPLE = "note", "example"  # tags with a meaning: nothing to be seen in play; a worked example

Kind = Literal["rules", "option", "claim", "example", "view"]
CLAIMS: tuple[Kind, ...] = ("claim", "example")  # what tries whether a statement is true

ENTRY = re.compile(rf"- \*\*{MARK.pattern}\*\*(?: \(([^()]*)\))?+ (\S.*)")
LIKE_ENTRY = re.compile(
    r"\s*[-*+]\s*(?:(?:\*\*|__)(?:\[|[A-Z]{1,3}\d+\w?\b)|\[\s*[A-Za-z]{0,3}\s*\d+\w?\s*\](?!\())"
)
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
HEADING = re.compile(r"##+\s+(.*?)\s*#*\s*")


@dataclass(frozen=True, slots=True)
class Statement:
    """One entry, `- **[C3]** (tag; tag) text`. `section`: the heading above it; `span`: its number."""

    number: str
    tags: tuple[str, ...]
    text: str
    section: str
    span: Span

    @property
    def is_note(self) -> bool:
        return NOTE in self.tags

    @property
    def is_example(self) -> bool:
        return EXAMPLE in self.tags


@dataclass(frozen=True, slots=True)
class Account:
    """A file of statements, in their order; `malformed`: the lines that look like entries and are none."""

    file: str
    statements: tuple[Statement, ...]
    malformed: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """A mark `[C3]`, or the name of a reading. It stands for the lines `first` to `last` of `name`, such as
    `rule claim`: for the declaration, or for one line of it. `span`: the number itself."""

    number: str
    kind: Kind
    name: str
    first: int
    last: int
    span: Span


@dataclass(frozen=True, slots=True)
class Tracing:
    """Both sides. `by_number`: for every statement what cites it, in the order of the rules file. `faults`:
    where they disagree, first in the statements, then in the rules file."""

    account: Account
    citations: tuple[Citation, ...]
    by_number: dict[str, tuple[Citation, ...]]
    faults: tuple[Diagnostic, ...]


def load(path: Path) -> Account:
    """The statements in a file. Raises RulesError if it is no text, OSError."""
    try:
        return account(path.read_text("utf-8-sig"), str(path))
    except UnicodeDecodeError:
        span = Span(str(path), 1, 1, 1, 2)
        message = f"this is not text: {FILE} must be in UTF-8"
        raise RulesError((Diagnostic("E0102", span, message),)) from None


# ------------------------------------------------------------------------------------------- the statements


def account(text: str, file: str) -> Account:
    """The statements in a text. Indented lines below an entry belong to it; all else is free text."""
    found: list[Statement] = []
    malformed: list[Diagnostic] = []
    section = ""
    open_entry = False  # the line above belongs to the last statement
    for line, content in enumerate(text.split("\n"), 1):
        entry = ENTRY.fullmatch(content.rstrip())
        heading = HEADING.fullmatch(content)
        if entry is not None:
            number, tags, words = entry.groups()
            names = tuple(tag.strip() for tag in (tags or "").split(";") if tag.strip())
            span = Span(file, line, entry.start(1) + 1, line, entry.end(1) + 1)
            found.append(Statement(number, names, words, section, span))
        elif LIKE_ENTRY.match(content):
            start = len(content) - len(content.lstrip()) + 1
            span = Span(file, line, start, line, max(len(content.rstrip()), start) + 1)
            message = "this looks like a statement, which is written `- **[C3]** (tags) text`"
            malformed.append(Diagnostic("E0805", span, message))
        elif heading is not None:
            section = heading.group(1)
        elif open_entry and content.startswith(" ") and content.strip():
            last = found[-1]
            joined = f"{last.text} {content.strip()}"
            found[-1] = Statement(last.number, last.tags, joined, last.section, last.span)
            continue
        open_entry = entry is not None
    return Account(file, tuple(found), tuple(malformed))


# -------------------------------------------------------------------------------------------- the citations


@dataclass(frozen=True, slots=True)
class _Place:
    """Something of a rules file that can be named: where it stands, and what it counts as."""

    kind: Kind
    name: str
    first: int
    last: int
    node: t.Declaration | t.Assert


def citations(module: t.Module) -> tuple[Citation, ...]:
    """What a rules file cites, in the order of its text."""
    found: list[Citation] = []
    lines = module.text.split("\n")
    places = [p for d in module.declarations for p in _places(d)]
    for place in places:
        if isinstance(place.node, t.Declaration):
            for line in _above(place.node):
                found += _marks(lines, line, place, place.first, place.last)
            if isinstance(place.node, t.Option) and place.node.kind == "reading":
                found += _reading(lines, place.node, place)
    for line in module.citations:
        if not lines[line - 1].lstrip().startswith("#"):
            inside = [p for p in places if p.first <= line <= p.last]
            at = max(inside, key=lambda p: (p.first, -p.last)) if inside else None
            at = at or _Place("rules", "", line, line, module.declarations[0])
            whole = at.kind in CLAIMS and line == at.first
            found += _marks(lines, line, at, line, at.last if whole else line)
    return tuple(sorted(found, key=lambda c: (c.span.line, c.span.column)))


def strays(module: t.Module) -> tuple[Diagnostic, ...]:
    """Marks in comments that stand above no declaration and at the end of no line: they cite nothing."""
    lines = module.text.split("\n")
    places = [p for d in module.declarations for p in _places(d)]
    told = {line for p in places if isinstance(p.node, t.Declaration) for line in _above(p.node)}
    return tuple(
        Diagnostic("E0806", _span(module.file, line, mark), f"`[{mark.group(1)}]` cites nothing here")
        for line, content in enumerate(lines, 1)
        if content.lstrip().startswith("#") and line not in told
        for mark in MARK.finditer(content)
    )


def _places(d: t.Declaration) -> Iterator[_Place]:
    """A declaration, and what stands in it that can be cited for itself."""
    yield _Place(_kind(d), _name(d), d.span.line, d.span.end_line, d)
    inner: tuple[t.Declaration, ...] = ()
    match d:
        case t.Under(declarations=declarations):
            inner = declarations
        case t.State(variables=variables):
            inner = variables
        case t.Rule() | t.Rules():
            for a in assertions(d):
                yield _Place("claim", f"assert {a.name}", a.span.line, a.span.end_line, a)
    for each in inner:
        yield from _places(each)


def _kind(d: t.Declaration) -> Kind:
    match d:
        case t.Option() | t.Instance():
            return "option"
        case t.Property() | t.Check():
            return "claim"
        case t.Example():
            return "example"
        case t.View():
            return "view"
    return "rules"


def _name(d: t.Declaration) -> str:
    """How a declaration is spoken of: `rule claim`, `reading K2`, `example "the first move"`."""
    match d:
        case t.Example(title=title):
            return f'example "{title}"'
        case t.Property(lemma=lemma, name=name):
            return f"{'lemma' if lemma else 'property'} {name}"
        case t.Option(kind="edition"):
            return "edition"
        case t.Option(kind=kind, name=name):
            return f"{kind} {name}"
        case t.StateVariable(name=name):
            return f"state {name}"
        case t.Use(module=module):
            return f"use {module}"
        case t.Title():
            return "game"
        case t.Language():
            return "language"
        case t.Proves():
            return "proves"
    name = getattr(d, "name", "")
    return f"{type(d).__name__.lower()} {name}".rstrip()


def _above(d: t.Declaration) -> range:
    """The lines of a declaration's `##` comment."""
    return range(d.span.line - (d.doc.count("\n") + 1 if d.doc else 0), d.span.line)


def _marks(lines: list[str], line: int, place: _Place, first: int, last: int) -> Iterator[Citation]:
    """The marks in the comment of a line."""
    content = lines[line - 1]
    for mark in MARK.finditer(content, _comment(content)):
        span = _span(place.node.span.file, line, mark)
        yield Citation(mark.group(1), place.kind, place.name, first, last, span)


def _comment(line: str) -> int:
    """Where the comment of a line begins: at the first `#` that stands in no text."""
    at = STRING.sub(lambda text: " " * len(text[0]), line).find("#")
    return at if at >= 0 else len(line)


def _reading(lines: list[str], d: t.Option, place: _Place) -> Iterator[Citation]:
    """The name of a reading, if it has the form of a number."""
    name = re.search(rf"\b{re.escape(d.name)}\b", lines[d.span.line - 1])
    if MARK.fullmatch(f"[{d.name}]") and name is not None:
        column = name.start() + 1
        span = Span(d.span.file, d.span.line, column, d.span.line, column + len(d.name))
        yield Citation(d.name, "option", place.name, place.first, place.last, span)


def _span(file: str, line: int, mark: re.Match[str]) -> Span:
    return Span(file, line, mark.start(1) + 1, line, mark.end(1) + 1)


# ------------------------------------------------------------------------------------------------ together


def compared(account: Account, *modules: t.Module) -> Tracing:
    """The statements with what cites them in the rules file and in what stands beside it, and where they
    disagree."""
    cited = tuple(c for module in modules for c in citations(module))
    known: dict[str, Statement] = {}
    faults = list(account.malformed)
    for s in account.statements:
        if s.number in known:
            note = ((known[s.number].span, "the first one is here"),)
            faults.append(Diagnostic("E0804", s.span, f"there are two statements [{s.number}]", note))
        known.setdefault(s.number, s)
    by_number = {number: tuple(c for c in cited if c.number == number) for number in known}
    wanting = [fault for s in known.values() for fault in _uncited(s, by_number[s.number])]
    faults += wanting if cited else _of_another(account, wanting)
    faults.sort(key=lambda d: d.span.line)
    own = [_unknown(c, known) for c in cited if c.number not in known]
    own += [stray for module in modules for stray in strays(module)]
    order = [module.file for module in modules]
    own.sort(key=lambda d: (order.index(d.span.file), d.span.line, d.span.column))
    return Tracing(account, cited, by_number, (*faults, *own))


def _uncited(s: Statement, by: tuple[Citation, ...]) -> Iterator[Diagnostic]:
    """What is missing: a citation, or for a worked example something that tries it."""
    if s.is_note:
        return
    if s.is_example and not any(c.kind in CLAIMS for c in by):
        yield Diagnostic("E0802", s.span, f"no example or claim in the rules file tries [{s.number}]")
    elif not by:
        yield Diagnostic("E0801", s.span, f"nothing in the rules file cites [{s.number}]")


def _of_another(account: Account, wanting: list[Diagnostic]) -> Iterator[Diagnostic]:
    """In place of all that is missing, if a rules file cites nothing."""
    count = len(account.statements)
    if len(wanting) < 2:
        yield from wanting
        return
    message = (
        f"nothing in the rules file cites any of the {count} statements here: is this {FILE} that of another "
        "game? Each game has a folder of its own"
    )
    yield Diagnostic("E0801", wanting[0].span, message)


def _unknown(c: Citation, known: dict[str, Any]) -> Diagnostic:
    near = closest(c.number, list(known))
    fix = (c.span, near) if near else None
    return Diagnostic("E0803", c.span, f"{FILE} has no statement [{c.number}]", fix=fix)
