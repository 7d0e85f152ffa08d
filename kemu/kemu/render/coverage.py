"""What of the rules examples and claims do not touch, for people."""

from __future__ import annotations

from collections.abc import Mapping

from kemu.base.words import counted, listed
from kemu.service.coverage import Coverage, Gap


def lines(found: Coverage, sources: Mapping[str, str]) -> list[str]:
    """A summary, and then the lines that are not touched, with their places."""
    kinds = ("statement", "action", "function")
    totals = [
        each
        for each in zip((found.statements, found.actions, found.functions), kinds, strict=True)
        if each[0][1]
    ]
    told = [f"{touched:,} of {counted(all_, kind)}" for (touched, all_), kind in totals]
    head = f"examples and claims touch {listed(told)}" + ("; not these:" if found.gaps else "")
    return [head, *(line for gap in found.gaps for line in ("", *_gap(gap, sources)))]


def _gap(gap: Gap, sources: Mapping[str, str]) -> list[str]:
    """As diagnostics show a place, with all its lines."""
    first, last = gap.first, gap.last
    text = sources[first.file].splitlines()[first.line - 1 : last.end_line]
    while text and not text[-1].strip():
        text.pop()
    margin = " " * len(str(first.line + len(text)))
    numbered = [f"{str(at).rjust(len(margin))} | {line}".rstrip() for at, line in enumerate(text, first.line)]
    return [gap.where, f"{margin}--> {first.file}:{first.line}:{first.column}", f"{margin} |", *numbered]
