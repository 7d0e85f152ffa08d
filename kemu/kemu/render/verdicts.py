"""Verdicts as a table for people, and as one JSON object a line for machines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from kemu_engine.play.game import Game
from kemu_verifier.goal.verdict import Verdict, exit_code
from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kemu.base.words import counted

ROOMY = 90  # columns from which on there is room to say what a verdict was found by in a column of its own
BY = 3  # the place of that column
GOOD, BAD, WEAK = "green", "bold red", "yellow"


def table(verdicts: Sequence[Verdict], width: int, full: bool = False) -> Table:
    """A row a property: the author's first, then the questions asked of every game; of these, unless `full`,
    many of one kind with the verdict hoped for in one row."""
    roomy = width >= ROOMY
    sheet = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    sheet.add_column("property", overflow="fold")
    sheet.add_column("verdict", no_wrap=True)
    sheet.add_column("expected", no_wrap=True)
    if roomy:
        sheet.add_column("by", overflow="fold")
    sheet.add_column("seconds", justify="right", no_wrap=True)
    own = [verdict for verdict in verdicts if not verdict.standard]
    asked = [verdict for verdict in verdicts if verdict.standard]
    for verdict in [*own, *(asked if full else folded(asked))]:
        row = cells(verdict)
        sheet.add_row(
            *(row if roomy else narrowed(row)), end_section=bool(asked) and bool(own) and verdict is own[-1]
        )
    return sheet


def folded(asked: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts with one in place of many: those that answer `branch_possible(...)`, say, all in the same
    way.
    """
    groups: dict[tuple[object, ...], list[Verdict]] = {}
    for number, verdict in enumerate(asked):
        alike = "(" in verdict.property and not verdict.surprise
        kind = (verdict.property.split("(")[0], answer(verdict)) if alike else (number,)
        groups.setdefault(kind, []).append(verdict)
    return [one_for_all(group) if len(group) > 1 else group[0] for group in groups.values()]


def one_for_all(group: Sequence[Verdict]) -> Verdict:
    ways = list(dict.fromkeys(part for verdict in group for part in verdict.by.split("; ")))
    return replace(
        group[0],
        property=f"{group[0].property.split('(')[0]}(...), {len(group)} of them",
        by="; ".join(ways[:2]) + ("; ..." if len(ways) > 2 else ""),
        seconds=sum(verdict.seconds for verdict in group),
    )


def cells(verdict: Verdict) -> list[Text]:
    """Property, verdict, expected, by, seconds."""
    style = colour_of(verdict)
    return [
        Text(verdict.property),
        Text(answer(verdict), style=style),
        Text(mark(verdict), style=style if verdict.exit_code else ""),
        Text(verdict.by),
        Text(f"{verdict.seconds:.2f}"),
    ]


def narrowed(row: Sequence[Text]) -> list[RenderableType]:
    """The cells where room is scarce: what a verdict was found by stands below the property's name."""
    name, by = row[0], row[BY]
    both = Group(name, Padding.indent(by, 2)) if by.plain else name
    return [both, *row[1:BY], *row[BY + 1 :]]


def answer(verdict: Verdict) -> str:
    if verdict.kind == "holds to depth" and verdict.depth is not None:
        return f"{verdict.kind} {verdict.depth}"
    return verdict.kind


def mark(verdict: Verdict) -> str:
    """Whether the verdict is the one hoped for, and which that would have been."""
    if verdict.kind == "not applicable":
        return "-"
    if verdict.exit_code:
        return f"{'NO' if verdict.surprise else 'open'}: {verdict.wanted}"
    return f"yes: {verdict.wanted}" if verdict.expected else "yes"


def colour_of(verdict: Verdict) -> str:
    if verdict.kind == "not applicable":
        return "dim"
    if not verdict.exit_code:
        return GOOD
    return BAD if verdict.surprise else WEAK


def summary(verdicts: Sequence[Verdict]) -> str:
    """One line: what is not as expected, how many questions are open, and the exit code that follows."""
    surprises = Counter(f"{verdict.property} ({answer(verdict)})" for verdict in verdicts if verdict.surprise)
    open_ = Counter(verdict.kind for verdict in verdicts if verdict.open)
    if not verdicts:
        return "no verdict"
    parts = []
    if surprises:
        named = [f"{one} in {count} instances" if count > 1 else one for one, count in surprises.items()]
        parts.append(f"{surprises.total()} not as expected: {', '.join(named)}")
    if open_:
        kinds = ", ".join(f"{count} {kind}" for kind, count in open_.most_common())
        parts.append(f"{open_.total()} open: {kinds}")
    code = exit_code(verdicts)
    told = "; ".join([*parts, f"exit code {code}"]) if code else "all as expected"
    return f"{counted(len(verdicts), 'verdict')}, {told}"


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


def shared_as_json(game: Game, instance: str, seconds: dict[str, float]) -> str:
    """One line of JSON: what the questions share, with the seconds that each took."""
    took = {name: round(each, 3) for name, each in seconds.items()}
    found = {"game": game.title, "instance": instance or None, "shared": took}
    return json.dumps({**found, "seconds": round(sum(seconds.values()), 3)}, ensure_ascii=False)


def as_json(game: Game, instance: str, verdict: Verdict) -> str:
    """One line of JSON. `instance` is the name that the rules file has for these settings. `expected` is the
    verdict hoped for, `surprise` whether it is another, `open` whether there is no definite one; `trace`
    holds the texts of actions and outcomes from the initial state, or from `start`, `states` those of a
    counterexample to induction."""
    place = verdict.origin.span
    found = {
        "game": game.title,
        "instance": instance or None,
        "settings": {**game.settings, "players": len(game.players)},
        "program": game.hash,
        "property": verdict.property,
        "standard": verdict.standard,
        "form": verdict.form,
        "verdict": verdict.kind,
        "depth": verdict.depth,
        "expected": verdict.wanted,
        "surprise": verdict.surprise,
        "open": verdict.open,
        "by": verdict.by,
        "seconds": round(verdict.seconds, 3),
        "assumptions": verdict.assumptions,
        "detail": verdict.detail,
        "cites": verdict.origin.cites,
        "place": f"{place.file}:{place.line}" if place.line else None,
        "start": verdict.start,
        "trace": verdict.steps,
        "states": verdict.state_json,
    }
    return json.dumps(found, ensure_ascii=False)
