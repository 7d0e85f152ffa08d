"""How instance time says no: a diagnostic with a place, or a fault of the value computed."""

from __future__ import annotations

from typing import NoReturn

from grammar.diagnostics import Diagnostic, RulesError
from grammar.tree import Span

NO_FIELD = "no_field"  # the code of a StaticFault: this value, unlike others of its domain, has no such field


class StaticFault(Exception):
    """A computation at instance time went wrong: `code` as in kernel.Fault, in words, and where."""

    def __init__(self, code: str, message: str, span: Span) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span


def refuse(code: str, span: Span, message: str, note: str = "") -> NoReturn:
    """Raises the one diagnostic of a fault found at instance time."""
    notes = ((None, note),) if note else ()
    raise RulesError((Diagnostic(code, span, message, notes),))
