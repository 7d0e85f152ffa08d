"""What is said of a game that has faults: of its form and of what it means, with suggestions that help."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from kemu_grammar.source.diagnostics import Diagnostic, Edit, RulesError, apply
from kemu_grammar.source.keywords import words
from kemu_grammar.syntax.ast import Module
from kemu_grammar.syntax.parser import parse
from kemu_grammar.syntax.recovery import LeftOut, Recovered

Examine = Callable[[Module], list[Diagnostic]]
WORD = re.compile(r"\w+")
FOLLOWING = words("E0302 E0504 E0506 E0507 E0509 E0511 E0601 E0602 E0603")
"""Codes of what may follow from a line that is left out."""
UNKNOWN = words("E0301 E0303 E0310 E0311 E0604 E0605")
"""Codes of names that nobody knows."""
MOST_TRIED = 3  # suggestions that are tried out one by one


def told(module: Module, found: Recovered, examine: Examine) -> tuple[Diagnostic, ...]:
    """The faults of form, and what else is wrong with the text once these are mended. What may only follow
    from lines that were left out is not said."""
    further = [d for d in examine(module) if not _follows(d, found)]
    backward = (found.original.diagnostic(d, found.draft) for d in proven(further, module, examine))
    every = [*found.faults, *backward]
    return tuple(sorted(every, key=lambda d: (d.span.file != module.file, d.span.line, d.span.column)))


def _follows(d: Diagnostic, found: Recovered) -> bool:
    """Whether a fault may come from what was left out: it speaks of the same names, or of what was around."""
    if found.left_out is LeftOut.NOTHING:
        return False
    if d.code < "E03":  # of form; E0220 misses a declaration
        return d.code == "E0220"
    unknown = found.left_out is LeftOut.DECLARATIONS and d.code in UNKNOWN
    unknown |= d.code == "E0312" and "path" in found.lost  # how much an action may be asked of
    return unknown or d.code in FOLLOWING or not found.lost.isdisjoint(WORD.findall(d.message))


def proven(faults: list[Diagnostic], module: Module, examine: Examine) -> Iterator[Diagnostic]:
    """Keeps the suggestions that mend what they are made for: all of them, if together they leave nothing
    but what has none. One that mends only this place of several becomes a note; of the later ones of many
    nothing is known, and they are notes as well."""
    every = [edit for d in faults for edit in d.mend if edit[0].file == module.file]
    rest = {d.message for d in faults if not d.mend}
    if len(faults) > 1 and every and _left(every, module, examine) <= rest:
        yield from faults
        return
    tried = 0
    for d in faults:
        if d.fix is None:
            yield d
            continue
        left = None
        if tried < MOST_TRIED and d.fix[0].file == module.file:
            tried += 1
            left = _left(d.mend, module, examine)
        others = {x.message for x in faults if x is not d}
        if left is not None and left <= others:
            yield d
        elif left is None or left <= others | {d.message}:
            note = (None, f"did you mean `{d.fix[1].strip()}`?")
            yield replace(d, fix=None, also=(), notes=(*d.notes, note))
        else:
            yield replace(d, fix=None, also=())


def _left(edits: Iterable[Edit], module: Module, examine: Examine) -> set[str]:
    """What is still wrong after suggestions."""
    try:
        return {d.message for d in examine(parse(apply(edits, module.text), module.file))}
    except RulesError as error:
        return {d.message for d in error.diagnostics}
