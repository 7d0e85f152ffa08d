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

LAYOUT = frozenset({"E0107", "E0110", "E0207", "E0208", "E0213"})
"""Codes of what is wrong with blocks and brackets."""
MOST = 30
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
    steps = 0
    left_out: tuple[Diagnostic, Draft] | None = None  # the last fault for which something was
    while (fault := first_fault(draft.text, file)) is not None:
        steps += 1
        if not fault.mend and faults and faults[-1][0].mend and _there(fault, draft, *faults[-1]):
            last, before = faults.pop()  # which was not mended so
            fault, draft = replace(last, fix=None, also=()), before
        if left_out is None or not _follows(fault, draft, *left_out):
            faults.append((fault, draft))
        edits = fault.mend or _left_out(draft.text, fault, file)
        if not edits or steps == MOST:
            words = frozenset(lost | set(WORD.findall(draft.text)))
            return _Piece(Draft("", draft.origin[-1:]), tuple(faults), words, gone=True)
        if not fault.mend:
            left_out = fault, draft
            lines = draft.text.split("\n")
            lost |= {word for span, _ in edits for word in WORD.findall(lines[span.line - 1])}
        draft = draft.edited(edits)
    return _Piece(draft, tuple(faults), frozenset(lost), left_out is not None)


def _there(fault: Diagnostic, draft: Draft, last: Diagnostic, before: Draft) -> bool:
    """Whether a fault stands where the one before was mended."""
    here = draft.origin[offsets(fault.span, draft.text)[0]]
    places = [offsets(span, before.text) for span, _ in last.mend]
    return any(before.origin[start] <= here <= before.origin[end] for start, end in places)


def _follows(fault: Diagnostic, draft: Draft, last: Diagnostic, before: Draft) -> bool:
    """Whether a fault only follows from what was left out: it is in what stands there instead, or a block is
    missing, or has no beginning."""
    here = draft.origin[offsets(fault.span, draft.text)[0]]

    def between(first: int, end: int) -> bool:
        places = offset(before.text, max(1, first), 1), offset(before.text, end, 1)
        return before.origin[places[0]] <= here <= before.origin[places[1]]

    line = last.span.line
    if fault.code in LAYOUT:
        return fault.code == "E0208" or between(line - 1, line + 2)
    return not fault.mend and between(line, line + 1)


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
