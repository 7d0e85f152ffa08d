"""Mutants as a table for people, the survivors one by one, and one JSON object per line for machines."""

from __future__ import annotations

import json
from collections.abc import Sequence

from kemu_verifier.mutate.fate import KINDS, Judged, Kind, by_claims, tally
from rich import box
from rich.table import Table

from kemu.render.console import fitted

TITLES: dict[Kind, str] = {
    "rejected": "rejected",
    "check": "check",
    "example": "example",
    "property": "property",
    "fault": "fault",
    "equivalent": "same",
    "survived": "survived",
}
LEGEND = """\
Rejected is what is no rules file any more. Noticed: by a `check`, an example, a property, or because a \
random game runs into a fault. Same: proved to play like the original. Survived: nothing noticed it."""


def table(found: Sequence[Judged]) -> Table:
    """One row per operator, one column per fate, and the totals."""
    sheet = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, collapse_padding=True)
    sheet.add_column("operator", no_wrap=True)
    for title in (*TITLES.values(), "all"):
        sheet.add_column(title, justify="right", no_wrap=True)
    counts = tally(found)
    for number, (operator, row) in enumerate(counts.items(), 1):
        sheet.add_row(operator, *map(_count, cells(row)), end_section=number == len(counts))
    total = {kind: sum(row[kind] for row in counts.values()) for kind in KINDS}
    sheet.add_row("all", *map(_count, cells(total)))
    return sheet


def cells(row: dict[Kind, int]) -> list[int]:
    return [*(row[kind] for kind in TITLES), sum(row.values())]


def _count(number: int) -> str:
    return str(number) if number else ""


def summary(found: Sequence[Judged]) -> str:
    """How many were noticed, or proved to be no change at all; and what that says of the file."""
    settled = sum(one.fate.settled for one in found)
    share = f", {settled / len(found):.1%}" if found else ""
    return f"{settled} of {len(found)} killed or proved equivalent{share}{_meaning(len(found), settled)}"


def claimed(found: Sequence[Judged]) -> str:
    """How many of those that are proved to change something the claims have noticed, without examples."""
    killed, changed = by_claims(found)
    share = f", {killed / changed:.1%}" if changed else ""
    return f"claims notice {killed} of {changed} that are proved to change something{share}"


def _meaning(found: int, settled: int) -> str:
    if settled == found:
        return ""
    if settled == 0:
        return ": no claim and no example of this file depends on what was changed"
    return f": {found - settled} survived, and each wants a claim or an example that would notice it"


def survivor(one: Judged) -> list[str]:
    """Where it is, what was changed, and how the game differs."""
    told = one.fate.detail.endswith(f"({one.fate.instance})")
    where = f" ({one.fate.instance})" if one.fate.instance and not told else ""
    by = f"{one.fate.by}: " if one.fate.by else ""
    return [
        f"line {one.line}, {one.operator}, mutant {one.number}",
        f"    {one.before}",
        f" -> {one.after or '(nothing)'}",
        fitted(f"    {by}{one.fate.detail}{where}", "    "),
    ]


def as_json(game: str, one: Judged) -> str:
    """One mutant as a JSON object on one line."""
    fields = {
        "game": game,
        "mutant": one.number,
        "operator": one.operator,
        "line": one.line,
        "before": one.before,
        "after": one.after,
        "fate": one.fate.kind,
        "by": one.fate.by,
        "instance": one.fate.instance,
        "detail": one.fate.detail,
        "differs": one.fate.differs,
        "seconds": round(one.seconds, 3),
    }
    return json.dumps(fields, ensure_ascii=False)
