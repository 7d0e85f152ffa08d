"""Comments in the manner of other languages: `// ...`, `-- ...`, `/* ... */`, a text alone on its lines."""

from __future__ import annotations

import re
from collections.abc import Callable

from kemu_grammar.source.diagnostics import Diagnostic
from kemu_grammar.source.span import Span

MARKED = re.compile(r"//|--(?!-*\d)")
TEXT = re.compile(r'("""|\'\'\')((?:(?!\1).)*)\1[ ]*(?=\n|$)', re.DOTALL)
STARRED = re.compile(r"/\*(.*?)(?:\*/|\Z)", re.DOTALL)
OPERATORS = r"(?!(?:and|or|not|in|is|if|else|implies|for)\b)"
PROSE = re.compile(rf"//[^\n]*?(?:\w'\w|\b{OPERATORS}[^\W\d]\w* +{OPERATORS}[^\W\d]\w*)")
SpanAt = Callable[[int, int], Span]


def at_a_line_start(text: str, position: int, span_at: SpanAt) -> Diagnostic | None:
    """A comment with which a line begins."""
    found = MARKED.match(text, position)
    if found is not None:
        return _marked(found.group(), position, span_at)
    block = TEXT.match(text, position)
    if block is None:
        return None
    return _block(block.group(1), block.group(2), text, (position, block.end(2) + 3), span_at)


def before(text: str, line_start: int, position: int, span_at: SpanAt) -> Diagnostic | None:
    """A comment in which something stands that is no token."""
    end = text.find("\n", position)
    line = text[line_start : end if end >= 0 else len(text)]
    found = PROSE.search(line)
    if found is None or line_start + found.start() > position:
        return None
    return _marked("//", line_start + found.start(), span_at)


def starred(text: str, position: int, span_at: SpanAt) -> Diagnostic | None:
    """A comment `/* ... */`."""
    found = STARRED.match(text, position)
    return None if found is None else _block("/*", found.group(1), text, found.span(), span_at)


def _marked(mark: str, position: int, span_at: SpanAt) -> Diagnostic:
    span = span_at(position, position + 2)
    return Diagnostic("E0234", span, f"a comment begins with `#`, not `{mark}`", fix=(span, "#"))


def _block(mark: str, body: str, text: str, place: tuple[int, int], span_at: SpanAt) -> Diagnostic:
    """What stands between two marks: comments from line to line, or nothing if the line goes on behind it."""
    start, end = place
    margin = text[text.rfind("\n", 0, start) + 1 : start]
    line_end = text.find("\n", end)
    goes_on = text[end : line_end if line_end >= 0 else len(text)].strip()
    lines = [line.strip().lstrip("*").strip() for line in body.split("\n")]
    beside = " " * (len(margin) - len(margin.lstrip(" ")))
    new = "" if goes_on else f"\n{beside}".join(f"# {line}" for line in lines if line)
    message = f"a comment begins with `#`, not `{mark}`"
    if mark == "/*":
        message = "a comment begins with `#` and ends with its line; there is no `/* */`"
    span = span_at(start, end + (bool(goes_on) and text[end] == " "))
    return Diagnostic("E0234", span, message, fix=(span, new))
