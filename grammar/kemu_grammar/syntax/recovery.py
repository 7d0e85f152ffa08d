"""Going on behind a fault: it is mended as its diagnostic suggests, or its line is left out, and the text is
read again, so that one slip does not hide the next."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import IntEnum

from kemu_grammar.source.diagnostics import Diagnostic, offset, offsets
from kemu_grammar.source.draft import Draft, Original, joined, written
from kemu_grammar.source.keywords import DECLARATIONS
from kemu_grammar.source.span import Span
from kemu_grammar.syntax.chunks import first_fault
from kemu_grammar.syntax.faults import limits
from kemu_grammar.syntax.lexer import Lexer
from kemu_grammar.syntax.stand_ins import without

LAYOUT = frozenset({"E0107", "E0110", "E0207", "E0208", "E0213"})
"""Codes of what is wrong with blocks and brackets."""
MOST = 30
"""Faults of one declaration."""
ACTING = frozenset({"rule", "rules", "fun", "under"})
"""Declarations in which a line that is left out declares nothing for others."""
WORD = re.compile(r"[^\W\d]\w*")


class LeftOut(IntEnum):
    """How much of a text could not be mended: lines of rules, or what others may speak of."""

    NOTHING = 0
    LINES = 1
    DECLARATIONS = 2


@dataclass(frozen=True, slots=True)
class Recovered:
    """What is wrong with the form of a text, in its order; `draft`: the text as it reads once that is mended.
    `left_out`: how much is not in it because nothing mends it, `lost` the words in that."""

    faults: tuple[Diagnostic, ...]
    draft: Draft
    original: Original
    lost: frozenset[str]
    left_out: LeftOut


def recovered(text: str, file: str) -> Recovered:
    """What is wrong with the form of a text that has faults."""
    original = Original(text, file)
    unreadable = limits(text, file)
    if unreadable is not None:
        return Recovered(
            (unreadable,), written(text, 0, len(text)), original, frozenset(), LeftOut.DECLARATIONS
        )
    faults: list[Diagnostic] = []
    drafts: list[Draft] = []
    lost: set[str] = set()
    worst = LeftOut.NOTHING
    spoilt = False  # what was before is left out: what follows it without a keyword is its rest
    chunks = Lexer(text, file).scan().chunks
    for chunk in chunks:
        rest = spoilt and chunk.word not in DECLARATIONS
        piece = _repaired(written(text, chunk.start, chunk.end), file)
        spoilt = rest or piece.gone
        if spoilt or (piece.left_out and chunk.word not in ACTING):
            worst = LeftOut.DECLARATIONS
        elif piece.left_out:
            worst = max(worst, LeftOut.LINES)
        lost |= piece.lost
        if rest:
            lost |= set(WORD.findall(text[chunk.start : chunk.end]))
        else:
            drafts.append(piece.draft)
            faults += [original.diagnostic(d, draft) for d, draft in piece.faults]
    if not chunks:
        faults.append(Diagnostic("E0200", Span(file, 1, 1, 1, 1), "the file is empty: it declares nothing"))
    faults.sort(key=lambda d: (d.span.line, d.span.column))
    return Recovered(tuple(faults), joined(drafts, len(text)), original, frozenset(lost), worst)


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
        edits = fault.mend or without(draft.text, fault.span)
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
