"""The names of a rules file: who is declared where, with what kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from kemu_grammar.check.builtins import FUNCTIONS, RESULTS, STANDARD
from kemu_grammar.source.diagnostics import Diagnostic, offsets
from kemu_grammar.source.did_you_mean import closest
from kemu_grammar.source.kinds import PLAYER, Kind
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Span

UNDEFINED = frozenset({"E0301", "E0310", "E0605"})  # one fault, wherever the name stands
MOST = 100  # diagnostics of one check


@dataclass(slots=True)
class Report:
    """Gathers diagnostics; of several at one place the first."""

    sources: dict[str, str]
    proofs: str = ""
    found: list[Diagnostic] = field(default_factory=list)
    seen: set[tuple[str, int, int]] = field(default_factory=set)
    undefined: set[tuple[str, str]] = field(default_factory=set)
    lines: dict[str, list[str]] = field(default_factory=dict)

    def add(
        self,
        code: str,
        span: Span,
        message: str,
        notes: tuple[tuple[Span | None, str], ...] = (),
        fix: tuple[Span, str] | None = None,
    ) -> None:
        place = (span.file, span.line, span.column)
        if place not in self.seen and len(self.found) < MOST:
            self.seen.add(place)
            self.found.append(Diagnostic(code, span, message, notes, fix))

    def unknown(
        self, code: str, what: str, name: str, span: Span, known: Iterable[str], note: str = ""
    ) -> None:
        """A name that nobody knows, once however often it stands there."""
        key = "" if code in UNDEFINED else code
        if (key, name) in self.undefined or len(self.found) >= MOST:
            return
        self.undefined.add((key, name))
        near = closest(name, known)
        notes = ((None, note),) if note else ()
        self.add(code, span, f"{what} `{name}`", notes, None if near is None else (span, near))

    def locate(self, span: Span, word: str, last: bool = False) -> Span:
        """Where a word stands within a stretch of the text: its first or last occurrence; the stretch if
        nowhere."""
        lines = self.lines.get(span.file)
        if lines is None:
            lines = self.lines[span.file] = self.sources.get(span.file, "").split("\n")
        pattern = re.compile(rf"(?<![\w]){re.escape(word)}(?![\w])")
        places: list[Span] = []
        for number in range(span.line, min(span.end_line, len(lines)) + 1):
            start = span.column - 1 if number == span.line else 0
            end = span.end_column - 1 if number == span.end_line else len(lines[number - 1])
            for found in pattern.finditer(lines[number - 1], start, max(start, end)):
                here = Span(span.file, number, found.start() + 1, number, found.end() + 1)
                if not last:
                    return here
                places.append(here)
        return places[-1] if places else span

    def written(self, span: Span) -> str:
        """What stands in a stretch of the text."""
        text = self.sources.get(span.file, "")
        start, end = offsets(span, text)
        return text[start:end]

    def between(self, left: Span, right: Span, word: str) -> Span:
        """Where a sign stands between two expressions."""
        gap = Span(left.file, left.end_line, left.end_column, right.line, right.column)
        lines = self.sources.get(left.file, "").split("\n")
        column = lines[gap.line - 1].find(word, gap.column - 1) + 1 if gap.line <= len(lines) else 0
        return Span(gap.file, gap.line, column, gap.line, column + len(word)) if column else gap


Role = Literal[
    "domain",
    "enum",
    "record",
    "table",
    "const",
    "fun",
    "rule",
    "state variable",
    "option",
    "player",
    "member",
    "row",
]


@dataclass(frozen=True, slots=True)
class Symbol:
    """What a global name stands for. `owner`: the enum or table of a member or row."""

    role: Role
    name: str
    declaration: t.Declaration
    owner: str = ""


ROLES: tuple[tuple[type[t.Declaration], Role], ...] = (
    (t.Domain, "domain"), (t.Enum, "enum"), (t.Record, "record"), (t.Table, "table"), (t.Const, "const"),
    (t.Fun, "fun"), (t.Rule, "rule"),
)  # fmt: skip


@dataclass(slots=True)
class Symbols:
    """All global names. `words`: words that are values of options. `unclear`: names of two things, so that
    nothing is known of what is called so."""

    table: dict[str, Symbol] = field(default_factory=dict)
    options: dict[str, t.Option] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    unclear: set[str] = field(default_factory=set)

    def near(self) -> list[str]:
        return [*self.table, *FUNCTIONS, "Player", "true", "false", "none"]


def collect(declarations: tuple[t.Declaration, ...], report: Report) -> Symbols:
    """The global names of all files; reports what is declared twice."""
    symbols = Symbols()
    for d in declarations:
        for symbol in symbols_of(d):
            first = symbols.table.get(symbol.name)
            if built_in(symbol):
                span = report.locate(symbol.declaration.span, symbol.name)
                report.add("E0302", span, f"`{symbol.name}` is built in; choose another name")
                symbols.unclear.add(symbol.name)
            if first is None:
                symbols.table[symbol.name] = symbol
            else:
                _twice(symbol, first, report)
                symbols.unclear |= {symbol.name} if symbol.role != first.role else set()
        if isinstance(d, t.Option):
            symbols.options[d.name] = d
            if isinstance(d.values, tuple):
                symbols.words |= {w for w in d.values if isinstance(w, str)}
    for d in declarations:
        if isinstance(d, t.Under):
            for inner in d.declarations:
                for symbol in symbols_of(inner):
                    symbols.table.setdefault(symbol.name, symbol)
    properties = [d for d in declarations if isinstance(d, t.Property)]
    _unique([*properties, *assertions(declarations)], "a property or an assertion", report)
    _standard([*properties, *assertions(declarations)], report)
    _unique([d for d in declarations if isinstance(d, t.Instance)], "an instance", report)
    _unique([d for d in declarations if isinstance(d, t.View)], "a view", report)
    return symbols


def built_in(symbol: Symbol) -> bool:
    """Whether the language has given the name a meaning that would go before this one."""
    named: tuple[type[t.Declaration], ...] = (t.Fun, t.Rule, t.Const, t.Domain)
    return (
        symbol.name == PLAYER.name
        or (symbol.name in RESULTS and isinstance(symbol.declaration, t.Const))
        or (symbol.name in FUNCTIONS and isinstance(symbol.declaration, named))
    )


def assertions(value: Any) -> Iterator[t.Assert]:
    """The assertions in a declaration, a statement, or several of them, in the order of the text."""
    if isinstance(value, t.Assert):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from assertions(item)
    elif isinstance(value, t.Under):
        yield from assertions(value.declarations)
    elif isinstance(value, t.Rule | t.Rules | t.For | t.While | t.Repeat | t.Path | t.Arm):
        yield from assertions(value.body)
    elif isinstance(value, t.If):
        yield from assertions((value.branches, value.other))
    elif isinstance(value, t.Choose):
        yield from assertions((value.arms, value.other))


def symbols_of(d: t.Declaration) -> list[Symbol]:
    """What a declaration gives names to."""
    for type_, role in ROLES:
        if isinstance(d, type_):
            own = Symbol(role, d.name, d)  # type: ignore[attr-defined]
            if isinstance(d, t.Enum):
                return [own, *(Symbol("member", m, d, d.name) for m in d.members)]
            if isinstance(d, t.Table):
                return [own, *(Symbol("row", name, d, d.name) for name, _ in d.rows)]
            return [own]
    if isinstance(d, t.State):
        return [Symbol("state variable", v.name, v) for v in d.variables]
    if isinstance(d, t.Option):
        return [Symbol("option", d.name, d)]
    if isinstance(d, t.Players):
        return [Symbol("player", name, d, "Player") for name in d.names]
    return []


def _twice(symbol: Symbol, first: Symbol, report: Report) -> None:
    same = symbol.declaration is first.declaration
    span = _place(symbol, report, last=same)
    where = _place(first, report)
    library = {span.file, where.file} <= report.sources.keys() - {report.proofs}
    if span.file != where.file and library:
        message = (
            f"`{symbol.name}` is declared in a library that this file uses and needs; choose another name"
        )
        report.add("E0302", where, message, ((span, "the library declares it here"),))
        return
    roles = f": {article(symbol.role)} cannot be called like {article(first.role)}"
    message = f"`{symbol.name}` is declared twice{roles if symbol.role != first.role else ''}"
    report.add("E0302", span, message, ((where, "the first one is here"),))


def _place(symbol: Symbol, report: Report, last: bool = False) -> Span:
    """Where a name is declared: its first or last place in the declaration, or in a table's file."""
    d = symbol.declaration
    if isinstance(d, t.Table) and d.places and symbol.role == "row":
        found = [place for (name, _), place in zip(d.rows, d.places, strict=True) if name == symbol.name]
        return found[-1 if last else 0]
    return report.locate(d.span, symbol.name, last=last)


def _unique(
    declarations: Iterable[t.Property | t.Assert | t.Instance | t.View], what: str, report: Report
) -> None:
    seen: dict[str, t.Property | t.Assert | t.Instance | t.View] = {}
    for d in declarations:
        if d.name in seen:
            where = report.locate(seen[d.name].span, d.name)
            message = f"there is already {what} called `{d.name}`"
            report.add("E0302", report.locate(d.span, d.name), message, ((where, "the first one is here"),))
        seen.setdefault(d.name, d)


def _standard(claims: Iterable[t.Property | t.Assert], report: Report) -> None:
    """No claim has the name of a question that is asked of every game, unless it asks the same."""
    for d in claims:
        form = d.form if isinstance(d, t.Property) else "assert"
        if d.name in STANDARD and form not in ("standard", d.name):
            message = f"`{d.name}` is asked of every game; a claim of yours needs another name"
            report.add("E0302", report.locate(d.span, d.name), message)


def article(role: str) -> str:
    """The role of a symbol with its article: "an enum", "a fun"."""
    return f"an {role}" if role[0] in "aeio" else f"a {role}"


@dataclass(slots=True)
class Local:
    """A name inside a rule, fun or comprehension; `gone`: it is of a rule, and has no value here."""

    kind: Kind
    role: Literal["local", "parameter", "inout", "loop", "arm", "gone"] = "local"
    span: Span = t.NOWHERE
    read: bool = False
