"""Claims about `winner` and `winners` that the first position settles: before the end all are first."""

from __future__ import annotations

from dataclasses import replace

from kemu_grammar.source.diagnostics import Diagnostic

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import within
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State

SETTLES = {"possible": True, "never": True, "always": False}
"""By form of a claim, the truth value that settles it wherever it is met."""


def early(game: Game) -> tuple[Diagnostic, ...]:
    """One diagnostic for each such property of the instance."""
    try:
        start = game.initial()
    except FaultError:
        return ()
    asked = [p for p in game.program.properties if p.run is None and not start.is_end]
    told = {p.origin: _told(game.program, p) for p in asked if _settled(game.program, p, start)}
    return tuple(told.values())


def _settled(program: k.Program, claim: k.Property, start: State) -> bool:
    if claim.form not in SETTLES or (claim.blocks and start.block not in claim.blocks):
        return False
    (expr,) = claim.exprs
    if not any(isinstance(part, k.Load | k.At) and part.var == program.result for part in within(expr)):
        return False
    try:
        return bool(start.evaluate(expr)) == SETTLES[claim.form]
    except FaultError:
        return False


def _told(program: k.Program, claim: k.Property) -> Diagnostic:
    span = program.origins[claim.origin].span
    line = program.sources[span.file].split("\n")[span.line - 1]
    head = replace(span, end_line=span.line, end_column=len(line.split("#")[0].rstrip()) + 1)
    message = "the first position settles this: until the end all are `winners`, and `winner` is none"
    note = "say what is true only at the end as well, or use `at_end`"
    return Diagnostic("E0769", head, message, ((None, note),))
