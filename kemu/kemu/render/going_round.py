"""What is said of a game that goes round: that its rules file knows, and which options decide about it."""

from __future__ import annotations

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
        out.append(f"`{each.name}`, line {origin.span.line}, says so too{marks}.")
    for option in deciding(program):
        others = listed([f"`--set {option.name}={value}`" for value in option.others], "or")
        out.append(f"{option.name} decides about it: it is {option.value} here; there is {others}.")
    return out
