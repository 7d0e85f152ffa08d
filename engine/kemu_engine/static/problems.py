"""How instance time says no: a diagnostic with a place, or a fault of the value computed."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from kemu_grammar.source.diagnostics import Diagnostic, RulesError
from kemu_grammar.syntax.ast import Span

NO_FIELD = "no_field"  # the code of a StaticFault: this value, unlike others of its domain, has no such field


MOST_CALLS = 3  # that are told of an error within a function: the innermost ones and the outermost
CALLED = "called here"


class StaticFault(Exception):
    """A computation at instance time went wrong: `code` as in kernel.Fault, in words, and where; `calls`:
    what called the function in which it did."""

    def __init__(self, code: str, message: str, span: Span) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span
        self.calls: tuple[Span, ...] = ()

    def diagnosed(self, code: str) -> RulesError:
        """The same as an error of the rules file."""
        notes = tuple((span, CALLED) for span in self.calls)
        return RulesError((Diagnostic(code, self.span, self.message, notes),))


def called_from(error: StaticFault | RulesError, span: Span) -> None:
    """Notes the call of the function in which an error was met."""
    if isinstance(error, StaticFault):
        error.calls = _with_call(error.calls, error.span, span)
    else:
        error.diagnostics = tuple(_called(d, span) for d in error.diagnostics)


def _called(d: Diagnostic, span: Span) -> Diagnostic:
    calls = tuple(place for place, text in d.notes if text == CALLED and place is not None)
    others = tuple(note for note in d.notes if note[1] != CALLED)
    return replace(d, notes=(*others, *((place, CALLED) for place in _with_call(calls, d.span, span))))


def _with_call(calls: tuple[Span, ...], error: Span, span: Span) -> tuple[Span, ...]:
    if not span.line or any((span.file, span.line) == (one.file, one.line) for one in (error, *calls)):
        return calls
    return (*calls[: MOST_CALLS - 1], span)


KEYS = "a loop through a map goes through its keys, `for k in m`; what belongs to a key is `m[k]`"
"""What to say where the elements of something cannot be split."""


def refuse(code: str, span: Span, message: str, note: str = "") -> NoReturn:
    """Raises the one diagnostic of a fault found at instance time."""
    notes = ((None, note),) if note else ()
    raise RulesError((Diagnostic(code, span, message, notes),))
