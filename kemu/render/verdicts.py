"""Verdicts as a table for people, and as one JSON object a line for machines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from engine.game import Game
from kemu.render.words import counted
from verifier.verdict import Verdict, exit_code

GOOD, BAD, WEAK = "green", "bold red", "yellow"


def table(verdicts: Sequence[Verdict]) -> Table:
    """A row a property: the author's first, then the questions asked of every game."""
    sheet = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    sheet.add_column("property", overflow="fold")
    sheet.add_column("verdict")
    sheet.add_column("expected")
    sheet.add_column("by", overflow="fold")
    sheet.add_column("seconds", justify="right", no_wrap=True)
    own = [verdict for verdict in verdicts if not verdict.standard]
    asked = [verdict for verdict in verdicts if verdict.standard]
    for verdict in [*own, *asked]:
        sheet.add_row(*row(verdict), end_section=bool(asked) and bool(own) and verdict is own[-1])
    return sheet


def row(verdict: Verdict) -> tuple[Text, Text, Text, Text, Text]:
    style = colour_of(verdict)
    return (
        Text(verdict.property),
        Text(answer(verdict), style=style),
        Text(mark(verdict), style=style if verdict.surprise else ""),
        Text(verdict.by),
        Text(f"{verdict.seconds:.2f}"),
    )


def answer(verdict: Verdict) -> str:
    if verdict.kind == "holds to depth" and verdict.depth is not None:
        return f"{verdict.kind} {verdict.depth}"
    return verdict.kind


def mark(verdict: Verdict) -> str:
    """Whether the verdict is the one hoped for, and which that would have been."""
    if verdict.kind == "not applicable":
        return "-"
    if verdict.surprise:
        return f"NO: {verdict.wanted}"
    return f"yes: {verdict.wanted}" if verdict.expected else "yes"


def colour_of(verdict: Verdict) -> str:
    if verdict.kind == "not applicable":
        return "dim"
    if not verdict.surprise:
        return GOOD
    return BAD if verdict.exit_code == 1 else WEAK


def summary(verdicts: Sequence[Verdict]) -> str:
    """One line: how many verdicts are as expected, and the exit code that follows."""
    surprises = [verdict for verdict in verdicts if verdict.surprise]
    if not verdicts:
        return "no property was looked at"
    if not surprises:
        return f"{counted(len(verdicts), 'verdict')}, all as expected"
    names = ", ".join(f"{verdict.property} ({answer(verdict)})" for verdict in surprises)
    count = f"{counted(len(verdicts), 'verdict')}, {len(surprises)} not as expected"
    return f"{count}: {names}; exit code {exit_code(verdicts)}"


def assumptions(verdicts: Iterable[Verdict]) -> list[str]:
    """Everything that some verdict rests on besides the rules, once each, with the properties that rest on
    it."""
    resting: dict[str, list[str]] = {}
    for verdict in verdicts:
        for assumption in verdict.assumptions:
            resting.setdefault(assumption, []).append(verdict.property)
    return [f"{assumption} ({some(properties)})" for assumption, properties in resting.items()]


def some(names: Sequence[str], most: int = 4) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def instance(game: Game) -> str:
    """`level=basic, players=2`: the settings that a verdict is about."""
    settings = [f"{name}={value}" for name, value in game.settings.items()]
    return ", ".join([*settings, f"players={len(game.players)}"])


def as_json(game: Game, verdict: Verdict) -> str:
    """One line of JSON. `expected` is the verdict hoped for, `surprise` whether it is another; `trace` holds
    the texts of actions and outcomes from the initial state, `states` those of a counterexample to
    induction."""
    place = verdict.origin.span
    found = {
        "game": game.title,
        "instance": {**game.settings, "players": len(game.players)},
        "program": game.hash,
        "property": verdict.property,
        "standard": verdict.standard,
        "form": verdict.form,
        "verdict": verdict.kind,
        "depth": verdict.depth,
        "expected": verdict.wanted,
        "surprise": verdict.surprise,
        "by": verdict.by,
        "seconds": round(verdict.seconds, 3),
        "assumptions": verdict.assumptions,
        "detail": verdict.detail,
        "cites": verdict.origin.cites,
        "place": f"{place.file}:{place.line}" if place.line else None,
        "trace": verdict.steps,
        "states": verdict.state_json,
    }
    return json.dumps(found)
