"""Going on behind a fault: it is mended as its diagnostic suggests, or its line is left out, and the text is read
again, so that one slip does not hide the next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from kemu_grammar.source.diagnostics import Diagnostic, Edit, apply, offset, offsets
from kemu_grammar.source.draft import Draft, Original, joined, written
from kemu_grammar.source.keywords import DECLARATIONS
from kemu_grammar.source.span import Span
from kemu_grammar.syntax.chunks import first_fault, reach_of
from kemu_grammar.syntax.lexer import Lexer
from kemu_grammar.syntax.syntax_hints import Reach

MOST = 50
"""Faults of one declaration."""
ACTING = frozenset({"rule", "rules", "fun", "under"})
"""Declarations in which a line that is left out declares nothing for others."""
HEADS = {
    "rule": "rule nothing:", "fun": "rule nothing:", "rules": "rules:", "state": "state:", "view": "view nothing:",
    "example": 'example "nothing":', "under": "under true:",
}  # fmt: skip
"""How declarations with a block begin; to see what else is wrong in it, a rule is as good as a fun."""
WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Recovered:
    """What is wrong with the form of a text, in its order, and the text as it reads once that is mended.
    `left_out`: what could not be mended and is not in it, `lost` the words in that."""

    faults: tuple[Diagnostic, ...]
    draft: Draft
    original: Original
    lost: frozenset[str]
    left_out: Literal["nothing", "lines", "declarations"]


def recovered(text: str, file: str) -> Recovered:
    """What is wrong with the form of a text that has faults."""
    original = Original(text, file)
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
    left_out: Draft | None = None  # and the draft from which something was left out last
    while (fault := first_fault(draft.text, file)) is not None:
        if faults and not fault.mend and _caused(fault, draft, *faults[-1]):
            last, before = faults.pop()
            if left_out is before:
                return _gone(draft, [*faults, (last, before)], lost)
            fault, draft = replace(last, fix=None, also=()), before
        faults.append((fault, draft))
        edits = fault.mend or _left_out(draft.text, fault, file)
        if not edits or len(faults) >= MOST:
            return _gone(draft, faults, lost)
        if not fault.mend:
            left_out = draft
            lost |= {word for span, _ in edits for word in WORD.findall(draft.text.split("\n")[span.line - 1])}
        draft = draft.edited(edits)
    return _Piece(draft, tuple(faults), frozenset(lost), left_out is not None)


def _gone(draft: Draft, faults: list[tuple[Diagnostic, Draft]], lost: set[str]) -> _Piece:
    """Nothing of a declaration but what is wrong with it."""
    words = frozenset(lost | set(WORD.findall(draft.text)))
    return _Piece(Draft("", draft.origin[-1:]), tuple(faults), words, gone=True)


def _caused(fault: Diagnostic, draft: Draft, last: Diagnostic, before: Draft) -> bool:
    """Whether a fault that nothing mends stands where the one before was mended, which then was no mend, or next
    to the line that was left out for it."""
    here = draft.origin[offsets(fault.span, draft.text)[0]]
    if last.mend:
        places = [offsets(span, before.text) for span, _ in last.mend]
    else:
        line = last.span.line
        places = [(offset(before.text, max(1, line - 1), 1), offset(before.text, line + 2, 1) - 1)]
    return any(before.origin[start] <= here <= before.origin[end] for start, end in places)


def _left_out(text: str, fault: Diagnostic, file: str) -> tuple[Edit, ...]:
    """What makes the line of a fault harmless, so that the text can be read further; nothing if nothing does."""
    end = text.find("\n", offset(text, fault.span.line, fault.span.column))
    found: tuple[Edit, ...] = ()
    best = Reach(reach_of(text).stage, len(text) - end if end >= 0 else 0)
    for edit in _instead(text, fault.span.line, file):
        reach = reach_of(apply((edit,), text))
        if reach.beyond(best):
            best, found = reach, (edit,)
    return found


def _instead(text: str, number: int, file: str) -> Iterator[Edit]:
    """What could stand in place of a line: a statement that does nothing, with a block or without, or nothing
    at all."""
    lines = text.split("\n")
    line = lines[number - 1]
    margin = len(line) - len(line.lstrip(" "))
    inside = Span(file, number, margin + 1, number, len(line) + 1)
    for harmless in ("pass", "if true:", "nothing:") if margin else [HEADS.get(line.partition(" ")[0], "")]:
        yield inside, harmless
    if margin:
        yield Span(file, number, 1, number + 1, 1), ""
