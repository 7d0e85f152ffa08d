"""What follows from something that a rules file lacks: its players, or the library that has a name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from kemu_grammar.source.diagnostics import Diagnostic
from kemu_grammar.syntax.ast import Module

NAMES = frozenset({"E0301", "E0605"})
UNKNOWN = re.compile(r"unknown function `(\w+)`")
ALONE = re.compile(r"^(?:game|proves)\b", re.MULTILINE)
"""How lines begin that no library has."""


def without_players(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """What is wrong with a file that names no players, without names that may be theirs."""
    return [d for d in found if d.code not in NAMES or d.fix is not None]


def in_a_library(d: Diagnostic, module: Module, library: Path) -> Diagnostic:
    """What is said of a function that nobody knows, if a library has it: to use that."""
    found = UNKNOWN.fullmatch(d.message)
    if found is None or d.fix is not None or d.span.file != module.file:
        return d
    declared = re.compile(rf"^fun {found[1]}\b", re.MULTILINE)
    for folder in sorted(library.iterdir()) if library.is_dir() else ():
        texts = [file.read_text(encoding="utf-8", errors="replace") for file in folder.glob("*.kemu")]
        if any(map(declared.search, texts)) and not any(map(ALONE.search, texts)):
            return replace(d, message=f"{d.message}: write `use {folder.name}`, the library that has it")
    return d
