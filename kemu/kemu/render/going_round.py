"""What is said of a game that goes round: that its rules file knows, and which options decide about it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kemu_engine.kernel import nodes as k

from kemu.base.words import listed
from kemu.render.refusal import cited
from kemu.service.going_round import admitted, deciding


def may_go_on(program: k.Program) -> list[str]:
    """Sentences: the claims that say so, and the options that they cite."""
    out = []
    for each in admitted(program):
        origin = program.origins[each.origin]
        marks = f" {cited(origin.cites)}" if origin.cites else ""
        rules, file = next(iter(program.sources)), origin.span.file
        place = f"line {origin.span.line}" + (f" of {Path(file).name}" if file != rules else "")
        out.append(f"`{each.name}`, {place}, says that it may go on for ever{marks}.")
    for option in deciding(program):
        others = listed([f"`--set {option.name}={value}`" for value in option.others], "or")
        out.append(f"{option.name}, which is cited there, is {option.value} here; there is {others}.")
    return out


def ending(others: Sequence[tuple[str, str]]) -> list[str]:
    """The options that let random games end."""
    if not others:
        return []
    sets = listed([f"`--set {name}={value}`" for name, value in others], "or")
    return [f"With {sets}, random games end."]
