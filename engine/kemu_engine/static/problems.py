"""How instance time says no: a diagnostic with a place, or a fault of the value computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

from kemu_grammar.source.diagnostics import Diagnostic, RulesError
from kemu_grammar.syntax.ast import Span

NO_FIELD = "no_field"  # the code of a StaticFault: this value, unlike others of its domain, has no such field


MOST_CALLS = 3  # that are told of an error within a function: the innermost ones and the outermost
CALLED = "called here"
LONGEST = 60  # characters of a call that are told

Call = tuple[Span, Callable[[], str]]
"""Where a function was called, and what tells the call: `f(2, 1)`, or nothing."""


class StaticFault(Exception):
    """A computation at instance time went wrong: `code` as in kernel.Fault, in words, and where; `calls`:
    the calls of the function in which it did."""

    def __init__(self, code: str, message: str, span: Span) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span
        self.calls: tuple[Call, ...] = ()

    def diagnosed(self, code: str) -> RulesError:
        """The same as an error of the rules file."""
        notes = tuple((span, _told(call())) for span, call in self.calls)
        return RulesError((Diagnostic(code, self.span, self.message, notes),))


def called_from(error: StaticFault | RulesError, span: Span, call: Callable[[], str] = str) -> None:
    """Notes the call of the function in which an error was met."""
    if isinstance(error, StaticFault):
        if _worth_telling([place for place, _ in error.calls], error.span, span):
            error.calls = (*error.calls[: MOST_CALLS - 1], (span, call))
    else:
        error.diagnostics = tuple(_called(d, span, call) for d in error.diagnostics)


def _called(d: Diagnostic, span: Span, call: Callable[[], str]) -> Diagnostic:
    calls = tuple((place, text) for place, text in d.notes if place is not None and text.startswith(CALLED))
    if not _worth_telling([place for place, _ in calls], d.span, span):
        return d
    others = tuple(note for note in d.notes if note not in calls)
    return replace(d, notes=(*others, *calls[: MOST_CALLS - 1], (span, _told(call()))))


def _told(call: str) -> str:
    cut = call if len(call) <= LONGEST else f"{call[: LONGEST - 3]}..."
    return f"{CALLED}: `{cut}`" if call else CALLED


def _worth_telling(calls: list[Span], error: Span, span: Span) -> bool:
    """Whether a call is on a line that is not told yet."""
    return bool(span.line) and not any(
        (span.file, span.line) == (one.file, one.line) for one in (error, *calls)
    )


KEYS = "a loop through a map goes through its keys, `for k in m`; what belongs to a key is `m[k]`"
"""What to say where the elements of something cannot be split."""


def refuse(code: str, span: Span, message: str, note: str = "") -> NoReturn:
    """Raises the one diagnostic of a fault found at instance time."""
    notes = ((None, note),) if note else ()
    raise RulesError((Diagnostic(code, span, message, notes),))
