"""What the files of a game declare, read again from the texts that a program keeps."""

from __future__ import annotations

from functools import lru_cache

from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax.ast import Declaration


@lru_cache(maxsize=8)
def declarations(text: str, file: str) -> tuple[Declaration, ...]:
    """The declarations of a file; none of one that was read by another Kemu and is not understood."""
    from kemu_grammar.syntax.parser import parse

    try:
        return parse(text, file).declarations
    except RulesError:
        return ()
