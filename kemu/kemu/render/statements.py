"""The statements of a rulebook with what encodes them: as a table for people, one by one, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from textwrap import wrap

from kemu_grammar.game.rule_lines import rule_lines
from kemu_grammar.game.rulebook import Citation, Kind, Statement, Tracing
from kemu_grammar.syntax.ast import Module
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from kemu.base.words import counted

KINDS: dict[Kind, str] = {
    "rules": "cyan",
    "option": "cyan",
    "claim": "magenta",
    "example": "green",
    "view": "",
}
ROOMY = 90  # columns from which on the citations stand beside the statements
SHORTEST = 2  # so many lines of a statement are shown at least


def sections(found: Tracing, width: int) -> Iterator[tuple[str, Table]]:
    """The headings of the statements, each with a table of those below it."""
    cites = {s.number: cited(found.by_number[s.number]) for s in found.account.statements}
    number = max((len(s.number) for s in found.account.statements), default=0)
    roomy = width >= ROOMY
    longest = max((cell_len(line) for lines in cites.values() for line, _ in lines), default=0)
    beside = min(longest, (width - number) // 2 - 2) if roomy else 0
    text = width - number - 2 - (beside + 2 if roomy else 0)
    for section, below in groupby(found.account.statements, lambda s: s.section):
        sheet = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0), width=width)
        sheet.add_column(width=number, no_wrap=True, style="bold")
        sheet.add_column(width=text, overflow="fold")
        if roomy:
            sheet.add_column(width=beside, overflow="ellipsis", no_wrap=True)
        for s in below:
            by = Text("\n").join(Text(line, style) for line, style in (cites[s.number] or [state(s)]))
            room = max(SHORTEST, len(cites[s.number])) if roomy else SHORTEST
            told = Text("\n".join(shortened(s.text, text, room)), "dim" if s.is_note else "")
            sheet.add_row(s.number, *([told, by] if roomy else [Text("\n").join([told, by])]))
        yield section, sheet


def state(s: Statement) -> tuple[str, str]:
    """What is said of a statement that nothing cites."""
    return ("note", "dim") if s.is_note else ("cited by nothing", "bold red")


def shortened(text: str, width: int, most: int) -> list[str]:
    lines = wrap(text, width, break_on_hyphens=False)
    if len(lines) > most:
        lines = lines[:most]
        lines[-1] = wrap(lines[-1], width - 4, break_on_hyphens=False)[0] + " ..."
    return lines


def cited(by: Iterable[Citation]) -> list[tuple[str, str]]:
    """What cites a statement, a line for each declaration, `x.kemu:61, 64 rule claim`, and its style."""
    groups: dict[tuple[str, Kind], list[Citation]] = {}
    for each in by:
        groups.setdefault((each.name, each.kind), []).append(each)
    out = []
    for (name, kind), group in groups.items():
        lines = ", ".join(dict.fromkeys(str(each.first) for each in group))
        out.append((f"{Path(group[0].span.file).name}:{lines} {name}".rstrip(), KINDS[kind]))
    return out


def summary(found: Tracing, module: Module) -> str:
    """`83 statements: 40 cited by rules, 12 by examples, 9 by claims; 20 notes; no errors; 61 rule lines`."""
    by = [{c.kind for c in each} for each in found.by_number.values()]
    rules = sum(bool(kinds & {"rules", "option", "view"}) for kinds in by)
    examples, claims = (sum(kind in kinds for kinds in by) for kind in ("example", "claim"))
    notes = sum(s.is_note for s in found.account.statements)
    return (
        f"{counted(len(found.account.statements), 'statement')}: {rules} cited by rules, "
        f"{examples} by examples, {claims} by claims; {counted(notes, 'note')}; "
        f"{counted(len(found.faults), 'error')}; "
        f"{counted(len(rule_lines(module)), 'rule line')}"
    )


def one(s: Statement, by: Sequence[Citation], sources: Mapping[str, str], width: int) -> list[str]:
    """A statement in full, and the text of what cites it, from these files."""
    tags = f"  ({'; '.join(s.tags)})" if s.tags else ""
    out = [
        f"[{s.number}]{tags}  {s.section}".rstrip(),
        f"{s.span.file}:{s.span.line}",
        "",
        *wrap(s.text, width, break_on_hyphens=False),
    ]
    shown = dict.fromkeys((c.span.file, c.name, c.first, c.last) for c in by)
    for file, name, first, last in shown:
        text = sources[file].split("\n")
        out += ["", f"{file}:{first}  {name}".rstrip()]
        margin = len(str(last))
        out += [f"  {line:>{margin}} | {text[line - 1]}".rstrip() for line in range(first, last + 1)]
    return out if by else [*out, "", state(s)[0]]


def as_json(found: Tracing, module: Module) -> Iterator[str]:
    """A line for each statement, for each fault, and for the whole."""
    for s in found.account.statements:
        by = found.by_number[s.number]
        cites = [
            {"kind": c.kind, "name": c.name, "file": c.span.file, "first": c.first, "last": c.last}
            for c in by
        ]
        place = f"{s.span.file}:{s.span.line}"
        yield _line(
            {"statement": s.number, "tags": s.tags, "section": s.section, "text": s.text, "place": place}
            | {"cited": cites}
        )
    for d in found.faults:
        place = f"{d.span.file}:{d.span.line}:{d.span.column}"
        yield _line({"fault": d.code, "message": d.message, "place": place})
    yield _line(
        {"statements": len(found.account.statements), "faults": len(found.faults)}
        | {"rule_lines": len(rule_lines(module))}
    )


def _line(fields: Mapping[str, object]) -> str:
    return json.dumps(fields, ensure_ascii=False)
