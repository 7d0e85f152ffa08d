"""A text under repair: how it reads now, and where each of its characters stood at first."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace

from kemu_grammar.source.diagnostics import Diagnostic, Edit, offsets
from kemu_grammar.source.span import Span


@dataclass(frozen=True, slots=True)
class Draft:
    """`origin`: of each character, and of the end, its place in the text as it was written; a character that
    is new stands where the first one stood that is read in its place."""

    text: str
    origin: tuple[int, ...]

    def edited(self, edits: Iterable[Edit]) -> Draft:
        """With edits that do not overlap, and whose spans are of the text as it reads now."""
        text, origin = self.text, self.origin
        places = [(*offsets(span, self.text), new) for span, new in edits]
        for start, end, new in sorted(places, reverse=True):
            start, end, new = _trimmed(text, start, end, new)
            text = text[:start] + new + text[end:]
            origin = origin[:start] + (origin[start],) * len(new) + origin[end:]
        return Draft(text, origin)


def written(text: str, start: int, end: int) -> Draft:
    """A stretch of a text, as it was written."""
    return Draft(text[start:end], tuple(range(start, end + 1)))


def joined(drafts: Iterable[Draft], end: int) -> Draft:
    """One draft after the other; the text as it was written had `end` characters."""
    parts = list(drafts)
    origin = [place for part in parts for place in part.origin[:-1]]
    return Draft("".join(part.text for part in parts), (*origin, end))


class Original:
    """The text as it was written, with what is said of a draft of it put into its own places."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.starts = [0, *(at + 1 for at, sign in enumerate(text) if sign == "\n")]

    def diagnostic(self, d: Diagnostic, draft: Draft) -> Diagnostic:
        """What was said of the draft, said of the text."""

        def here(span: Span) -> Span:
            return self.span(span, draft) if span.file == self.file and span.line else span

        return replace(
            d,
            span=here(d.span),
            notes=tuple((span and here(span), note) for span, note in d.notes),
            fix=d.fix and (here(d.fix[0]), d.fix[1]),
            also=tuple((here(span), new) for span, new in d.also),
        )

    def span(self, span: Span, draft: Draft) -> Span:
        start, end = offsets(span, draft.text)
        line, column = self._place(draft.origin[start])
        if end == start:
            return Span(self.file, line, column, line, column)
        last_line, last_column = self._place(max(draft.origin[start], draft.origin[end - 1]))
        return Span(self.file, line, column, last_line, last_column + 1)

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1


def _trimmed(text: str, start: int, end: int, new: str) -> tuple[int, int, str]:
    """An edit without what it leaves as it was, at its beginning and its end."""
    while start < end and new and text[start] == new[0]:
        start, new = start + 1, new[1:]
    while start < end and new and text[end - 1] == new[-1]:
        end, new = end - 1, new[:-1]
    return start, end, new
