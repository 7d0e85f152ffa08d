"""Diagnostics: what is wrong with a rules file, where, and what would mend it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kemu_grammar.source.span import Span

Edit = tuple[Span, str]
"""What is written in place of a stretch of the text."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault. `message` is one line in the author's terms; `notes` show related places (or none: a
    plain remark); `fix` would mend it, together with what `also` changes elsewhere. `code` has an explanation
    in the room `explain`."""

    code: str
    span: Span
    message: str
    notes: tuple[tuple[Span | None, str], ...] = ()
    fix: Edit | None = None
    also: tuple[Edit, ...] = ()

    @property
    def mend(self) -> tuple[Edit, ...]:
        """All that would be changed; nothing if no way to mend it is known."""
        return () if self.fix is None else (self.fix, *self.also)

    def __str__(self) -> str:
        return f"{self.span.file}:{self.span.line}:{self.span.column}: {self.code} {self.message}"


class RulesError(Exception):
    """A rules file cannot be read: one diagnostic a fault, in the order of the text."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        return "\n".join(str(d) for d in self.diagnostics)


def apply(edits: Iterable[Edit], text: str) -> str:
    """The text with the edits carried out; they do not overlap."""
    for span, new in sorted(edits, key=lambda edit: (edit[0].line, edit[0].column), reverse=True):
        start, end = offsets(span, text)
        text = text[:start] + new + text[end:]
    return text


def offsets(span: Span, text: str) -> tuple[int, int]:
    """Where a span begins and ends, counted in characters from the start of the text."""
    return offset(text, span.line, span.column), offset(text, span.end_line, span.end_column)


def offset(text: str, line: int, column: int) -> int:
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
        if start == 0:
            return len(text)
    return min(start + column - 1, len(text))


CUT = "..."  # where a source line goes on
WIDEST = 110  # characters shown of a source line
LONGEST = 400  # and of a message


def render(d: Diagnostic, text: str, what: str = "error") -> str:
    """The diagnostic as lines for a terminal: place, source line, underline, notes, suggestion. `text` is
    the file's; `what` it is, an error or a warning."""
    lines = text.split("\n")
    numbers = [s.line for s in (d.span, *(span for span, _ in d.notes if span)) if s.line] + [0]
    margin = " " * len(str(max(numbers)))
    message = d.message if len(d.message) <= LONGEST else d.message[:LONGEST] + "..."
    out = [f"{what}[{d.code}]: {message}", *_excerpt(d.span, lines, margin, d.span.file, "^")]
    for span, note in d.notes:
        if span is None or span.file != d.span.file:
            where = "" if span is None else f" ({span.file}:{span.line}:{span.column})"
            out.append(f"{margin} = note: {note}{where}")
        else:
            out += [f"{margin} = note: {note}", *_excerpt(span, lines, margin, span.file, "-")]
    if d.fix is not None:
        out.append(f"{margin} = {_suggestion(d, text)}")
    return "\n".join(out)


def _excerpt(span: Span, lines: list[str], margin: str, file: str, mark: str) -> list[str]:
    head = f"{margin}--> {file}:{span.line}:{span.column}" if span.line else f"{margin}--> {file}"
    if not 1 <= span.line <= len(lines):
        return [head]
    line = lines[span.line - 1]
    first = span.column - 1
    last = span.end_column - 1 if span.end_line == span.line else len(line.rstrip())
    shift = max(0, min(first - 20, len(line) - WIDEST)) if last > WIDEST else 0
    cut = CUT if shift else ""
    shown = (
        cut + line[shift : shift + WIDEST].replace("\t", " ") + (CUT if len(line) > shift + WIDEST else "")
    )
    width = max(1, min(last, shift + WIDEST) - first)
    number = str(span.line).rjust(len(margin))
    under = " " * (len(cut) + first - shift) + mark * width
    return [head, f"{margin} |", f"{number} | {shown}", f"{margin} | {under}"]


def _suggestion(d: Diagnostic, whole: str) -> str:
    assert d.fix is not None
    (span, text), lines = d.fix, whole.split("\n")
    if d.also:
        line = apply(d.mend, whole).split("\n")[span.line - 1].strip()
        return "fix the spacing here" if line == lines[span.line - 1].strip() else f"write `{line}`"
    if span.line == span.end_line and 1 <= span.line <= len(lines):
        old = lines[span.line - 1][span.column - 1 : span.end_column - 1]
        if not old:
            return f"add `{text.strip()}` here" if text.strip() else "fix the spacing here"
        if not text.strip():
            return f"remove `{old.strip()}`" if old.strip() else "fix the spacing here"
        if "\n" not in text:
            return f"did you mean `{text.strip()}`?"
    return f"write `{text.strip()}`" if text.strip() else "remove this"
