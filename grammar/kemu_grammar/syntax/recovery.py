"""Going on behind a fault: it is mended as its diagnostic suggests, or its line is left out, and the text is
read again, so that one slip does not hide the next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal

from kemu_grammar.source.diagnostics import Diagnostic, Edit, apply, offset, offsets
from kemu_grammar.source.draft import Draft, Original, joined, written
from kemu_grammar.source.keywords import DECLARATIONS
from kemu_grammar.source.span import Span
from kemu_grammar.syntax.chunks import first_fault, reach_of
from kemu_grammar.syntax.faults import limits
from kemu_grammar.syntax.lexer import Lexer
from kemu_grammar.syntax.syntax_hints import Reach

EMPTY = "E0208"
"""The code of a block that is missing: so is one whose lines are left out."""
MOST = 50
"""Faults of one declaration."""
ACTING = frozenset({"rule", "rules", "fun", "under"})
"""Declarations in which a line that is left out declares nothing for others."""
TEXT_OR_COMMENT = re.compile(r'"[^"]*"|#.*')
HARMLESS = ("pass", "if true:", "nothing:", "choose:", "each nothing in Player:")  # the third as an arm
HEADS = {
    "rule": "rule nothing:", "fun": "rule nothing:", "rules": "rules:", "state": "state:",
    "view": "view nothing:", "example": 'example "nothing":', "under": "under true:",
}  # fmt: skip
"""How declarations with a block begin; to see what else is wrong in it, a rule is as good as a fun."""
WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Recovered:
    """What is wrong with the form of a text, in its order; `draft`: the text as it reads once that is mended.
    `left_out`: what could not be mended and is not in it, `lost` the words in that."""

    faults: tuple[Diagnostic, ...]
    draft: Draft
    original: Original
    lost: frozenset[str]
    left_out: Literal["nothing", "lines", "declarations"]


def recovered(text: str, file: str) -> Recovered:
    """What is wrong with the form of a text that has faults."""
    original = Original(text, file)
    unreadable = limits(text, file)
    if unreadable is not None:
        return Recovered((unreadable,), written(text, 0, len(text)), original, frozenset(), "declarations")
    faults: list[Diagnostic] = []
    drafts: list[Draft] = []
    lost: set[str] = set()
    worst = 0
    spoilt = False  # what was before is left out: what follows it without a keyword is its rest
    chunks = Lexer(text, file).scan().chunks
    for chunk in chunks:
        rest = spoilt and chunk.word not in DECLARATIONS
        piece = _repaired(written(text, chunk.start, chunk.end), file)
        spoilt = rest or piece.gone
        worst = max(worst, 2 if spoilt or (piece.left_out and chunk.word not in ACTING) else piece.left_out)
        lost |= piece.lost
        if rest:
            lost |= set(WORD.findall(text[chunk.start : chunk.end]))
        else:
            drafts.append(piece.draft)
            faults += [original.diagnostic(d, draft) for d, draft in piece.faults]
    if not chunks:
        faults.append(Diagnostic("E0200", Span(file, 1, 1, 1, 1), "the file is empty: it declares nothing"))
    faults.sort(key=lambda d: (d.span.line, d.span.column))
    left_out: Literal["nothing", "lines", "declarations"] = ("nothing", "lines", "declarations")[worst]
    return Recovered(tuple(faults), joined(drafts, len(text)), original, frozenset(lost), left_out)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A declaration as it reads once it is mended, with each fault and the draft that it was found in.
    `gone`: nothing could be saved."""

    draft: Draft
    faults: tuple[tuple[Diagnostic, Draft], ...]
    lost: frozenset[str] = frozenset()
    left_out: bool = False
    gone: bool = False


def _repaired(draft: Draft, file: str) -> _Piece:
    faults: list[tuple[Diagnostic, Draft]] = []
    lost: set[str] = set()
    left_out = False
    while (fault := first_fault(draft.text, file)) is not None:
        if faults and not fault.mend:
            last, before = faults[-1]
            if last.mend and _there(fault, draft, [span for span, _ in last.mend], before):
                faults.pop()  # it was no mend
                fault, draft = replace(last, fix=None, also=()), before
            elif left_out and (fault.code == EMPTY or _there(fault, draft, [_around(last.span)], before)):
                return _gone(draft, faults, lost)
        faults.append((fault, draft))
        edits = fault.mend or _left_out(draft.text, fault, file)
        if not edits or len(faults) >= MOST:
            return _gone(draft, faults, lost)
        if not fault.mend:
            left_out = True
            lines = draft.text.split("\n")
            lost |= {word for span, _ in edits for word in WORD.findall(lines[span.line - 1])}
        draft = draft.edited(edits)
    return _Piece(draft, tuple(faults), frozenset(lost), left_out)


def _gone(draft: Draft, faults: list[tuple[Diagnostic, Draft]], lost: set[str]) -> _Piece:
    """Nothing of a declaration but what is wrong with it."""
    words = frozenset(lost | set(WORD.findall(draft.text)))
    return _Piece(Draft("", draft.origin[-1:]), tuple(faults), words, gone=True)


def _there(fault: Diagnostic, draft: Draft, spans: list[Span], before: Draft) -> bool:
    """Whether a fault stands in one of these stretches of an earlier draft."""
    here = draft.origin[offsets(fault.span, draft.text)[0]]
    places = [offsets(span, before.text) for span in spans]
    return any(before.origin[start] <= here <= before.origin[end] for start, end in places)


def _around(span: Span) -> Span:
    """The line of a span with the line before and the one behind."""
    return Span(span.file, max(1, span.line - 1), 1, span.line + 2, 0)


def _left_out(text: str, fault: Diagnostic, file: str) -> tuple[Edit, ...]:
    """What makes the line of a fault harmless, so that the text can be read further: the first thing with
    which the next line can be read, too, else that with which most can; nothing if nothing helps."""
    at = offset(text, fault.span.line, fault.span.column)
    end = text.find("\n", at)
    next_end = text.find("\n", end + 1)
    found: tuple[Edit, ...] = ()
    best = Reach(reach_of(text).stage, len(text) - end if end >= 0 else 0)
    enough = Reach(1, len(text) - next_end if next_end >= 0 else 0)
    for edit in _instead(text, fault.span.line, file):
        reach = reach_of(apply((edit,), text))
        if reach.beyond(best):
            best, found = reach, (edit,)
            if reach.beyond(enough):
                break
    return found


def _instead(text: str, number: int, file: str) -> Iterator[Edit]:
    """What could stand in place of a line, or of all lines of the brackets in it: a statement that does
    nothing, with a block or without; or nothing at all, nor in place of the block below."""
    lines = text.split("\n")
    for first, last in dict.fromkeys([(number, number), _bracketed(lines, number)]):
        line, width = lines[first - 1], len(lines[last - 1])
        margin = _margin(line)
        inside = Span(file, first, margin + 1, last, width + 1)
        for harmless in HARMLESS if margin else [HEADS.get(line.partition(" ")[0], "")]:
            yield inside, harmless
        if margin:
            yield Span(file, first, 1, last + 1, 1), ""
            yield Span(file, first, 1, last + 1 + _deeper(lines[last:], margin), 1), ""


def _deeper(lines: list[str], margin: int) -> int:
    """How many lines belong to a block within this indentation."""
    return len(list(takewhile(lambda line: not line.strip() or _margin(line) > margin, lines)))


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _bracketed(lines: list[str], number: int) -> tuple[int, int]:
    """The first and the last of the lines that brackets join to one, as far as these can be counted."""
    depth, first = 0, 1
    for at, line in enumerate(lines, 1):
        first = at if depth <= 0 else first
        code = TEXT_OR_COMMENT.sub("", line)
        depth = (
            max(depth, 0) + sum(code.count(sign) for sign in "([{") - sum(code.count(sign) for sign in ")]}")
        )
        if at >= number and depth <= 0:
            return first, at
    return first, len(lines)
