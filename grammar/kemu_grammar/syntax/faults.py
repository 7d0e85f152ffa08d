"""Faults of the text itself: characters, quotes, brackets, sizes."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import takewhile

from lark import Token

from kemu_grammar.source.diagnostics import Diagnostic, Edit, offsets
from kemu_grammar.source.keywords import CLOSER, CONTROL, LONGEST_LINE, LONGEST_TEXT
from kemu_grammar.syntax.ast import Span
from kemu_grammar.syntax.foreign_comments import before, starred

SLIPS = {"!": "not ", "^": "**"}
SIGNS = {"≤": "<=", "≥": ">=", "≠": "!=", "×": "*", "−": "-", "∧": "and", "∨": "or", "¬": "not ", "∈": "in"}
_QUOTED = re.compile(r"'([^'\"\n]*)'")


class Fault(Exception):
    """Text that is no token; `resume` is where it stands."""

    def __init__(self, diagnostic: Diagnostic, resume: int) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic, self.resume = diagnostic, resume


def span_of(token: Token, file: str) -> Span:
    """Where a token stands."""
    line, column = token.line or 1, token.column or 1
    return Span(file, line, column, token.end_line or line, token.end_column or column)


def limits(text: str, file: str) -> Diagnostic | None:
    """What keeps a text from being read at all: its size, or what is no text."""
    if len(text) > LONGEST_TEXT:
        message = f"the file is longer than {LONGEST_TEXT:,} characters"
        return Diagnostic("E0104", Span(file, 1, 1, 1, 1), message)
    found = CONTROL.search(text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        column = found.start() - text.rfind("\n", 0, found.start())
        span = Span(file, line, column, line, column + 1)
        character = f"character U+{ord(found.group()):04X}"
        return Diagnostic("E0102", span, f"this is not text: a rules file cannot contain the {character}")
    for number, line_text in enumerate(text.split("\n"), 1):
        if len(line_text) > LONGEST_LINE:
            span = Span(file, number, LONGEST_LINE + 1, number, LONGEST_LINE + 2)
            return Diagnostic("E0103", span, f"the line is longer than {LONGEST_LINE:,} characters")
    return None


def tabbed(
    text: str, position: int, indents: list[int], opens: bool, span_at: Callable[[int, int], Span]
) -> Diagnostic:
    """A tab in the indentation of the line at `position`, which belongs into a block that opens there, or
    into the one above that it comes nearest to. A declaration that is indented by tabs is mended whole."""
    lines = text[position:].split("\n")
    indent = _indent(lines[0])
    depth = indents[-1] + 4
    if not opens:
        fitting = [d for d in indents if d >= _deepest_behind(lines)] or indents
        depth = min(fitting, key=lambda d: abs(d - len(indent.expandtabs(4))))
    tab = position + indent.index("\t")
    fix, also = (span_at(position, position + len(indent)), " " * depth), list[Edit]()
    if indents == [0]:
        block = takewhile(lambda line: not line or line[0] in " \t#", lines[1:])
        for number, line in enumerate(block, fix[0].line + 1):
            if "\t" in _indent(line):
                span = Span(fix[0].file, number, 1, number, len(_indent(line)) + 1)
                also.append((span, _indent(line).expandtabs(4)))
    message = "a tab in the indentation; indent with spaces"
    return Diagnostic("E0101", span_at(tab, tab + 1), message, fix=fix, also=tuple(also))


def _deepest_behind(lines: list[str]) -> int:
    """How deep a line must be at least, by the next one: that goes deeper only behind a `:`."""
    below = next((line for line in lines[1:] if line.strip() and not line.strip().startswith("#")), "")
    return 0 if _code(lines[0]).endswith(":") or "\t" in _indent(below) else len(_indent(below))


def unlevel(depth: int, indents: list[int]) -> str:
    """What is said of a line that is indented otherwise than the blocks that it may belong to."""
    *some, last = [str(known) for known in indents[1:]]
    fitting = f"{', '.join(some)} or {last}" if some else last
    return f"this indentation of {depth} matches no block above; {fitting} would"


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def strange(text: str, position: int, line_start: int, span_at: Callable[[int, int], Span]) -> Fault:
    """A character that begins no token."""
    comment = before(text, line_start, position, span_at) or starred(text, position, span_at)
    if comment is not None:
        return Fault(comment, max(position, offsets(comment.span, text)[1]))
    rest = text[position : position + 2]
    span = span_at(position, position + 1)
    line_end = text.find("\n", position)
    line_end = len(text) if line_end < 0 else line_end
    fix: tuple[Span, str] | None = None
    code = "E0106"
    if text.startswith('"""', position):
        code, span, message = "E0105", span_at(position, line_end), 'this text has no closing `"""`'
    elif rest[0] == '"':
        code, span, message = "E0105", span_at(position, line_end), 'this text has no closing `"`'
    elif rest[0] == "'":
        found = _QUOTED.match(text, position)
        span = span_at(position, found.end() if found else line_end)
        fix = (span, f'"{found.group(1)}"') if found else None
        code, message = "E0105", 'a text is written in double quotes, `"..."`'
    elif rest == "/=":
        code, span, message = "E0111", span_at(position, position + 2), "there is no `/=`; write `x = x // n`"
    elif rest[0] == "/":
        code, fix = "E0111", (span, "//")
        message = "there is no `/`, since all numbers are whole; `//` divides and rounds down"
    elif rest[0] == "\t":
        message, fix = "a tab in the line; write a space", (span, " ")
    elif rest[0] in SIGNS:
        own = SIGNS[rest[0]]
        code, message, fix = "E0205", f"`{rest[0]}` is written `{own.strip()}`", (span, own)
    elif rest[0] in SLIPS:
        message, fix = (
            f"`{rest[0]}` is not used here; write `{SLIPS[rest[0]].strip()}`",
            (span, SLIPS[rest[0]]),
        )
    else:
        message, fix = f"the character `{rest[0]}` has no meaning here", (span, "")
    return Fault(Diagnostic(code, span, message, fix=fix), position)


def unclosed(text: str, opener: Token, file: str, position: int) -> Fault:
    """A bracket that the declaration does not close: from it to where it should have been closed, the end of
    its line or of the lines below that are indented further."""
    start, wanted = span_of(opener, file), CLOSER[opener.type]
    lines = text.split("\n")
    code = _code(lines[start.line - 1])
    last = start.line
    if not code.endswith(":"):
        for number in range(start.line + 1, len(lines) + 1):
            below = _code(lines[number - 1])
            if below.strip() and _margin(below) <= _margin(code):
                break
            last = number if below.strip() else last
    end = _code(lines[last - 1])
    column = len(end) + 1 - end.endswith(":")
    here = Span(file, last, column, last, column)
    span = Span(file, start.line, start.column, last, column)
    notes = ((here, f"the `{wanted}` must come no later than here"),) if last > start.line else ()
    message = f"this `{opener}` is never closed"
    return Fault(Diagnostic("E0107", span, message, notes, (here, wanted)), position)


def _code(line: str) -> str:
    """A line without the comment at its end."""
    return re.sub(r"[ ]*(#.*)?$", "", line)


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
