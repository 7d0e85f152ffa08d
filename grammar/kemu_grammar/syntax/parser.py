"""Parsing: text -> Module. A fault is mended as its diagnostic suggests, and what is behind it is read on."""

from __future__ import annotations

from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax.ast import Module, Span
from kemu_grammar.syntax.chunks import declarations
from kemu_grammar.syntax.lexer import Lexer
from kemu_grammar.syntax.recovery import Recovered, recovered


def parse(text: str, file: str) -> Module:
    """The syntax tree of a rules file. Raises RulesError with what is wrong with its form."""
    module, found = read(text, file)
    if found is not None:
        raise RulesError(found.faults)
    assert module is not None
    return module


def read(text: str, file: str) -> tuple[Module | None, Recovered | None]:
    """The syntax tree; of a text that has faults, that of the text as it reads once they are mended, if they
    can be, with what was found."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    module = _module(text, file)
    if module is not None:
        return module, None
    found = recovered(text, file)
    return _module(found.draft.text, file), found


def _module(text: str, file: str) -> Module | None:
    scan = Lexer(text, file).scan()
    found = declarations(scan, text, file)
    if not found:
        return None
    lines = text.count("\n") + 1
    whole = Span(file, 1, 1, lines, len(text) - text.rfind("\n"))
    return Module(file, text, found, scan.citations, span=whole)
