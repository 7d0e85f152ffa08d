"""The verdicts on many instances in one table: a row a question, and where its answer is not the usual."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kemu_verifier.goal.verdict import Verdict
from rich import box
from rich.table import Table
from rich.text import Text

from kemu.base.words import counted
from kemu.render.verdicts import BAD, GOOD, WEAK, answer, mark, some, summary
from kemu.service.survey import Surveyed

SAME = ("proved", "refuted", "possible", "impossible", "not applicable")


@dataclass(frozen=True, slots=True)
class Line:
    """A question, or all of one kind (`branch_possible(...)`): each answer, in how many instances it was
    given, and in which if they are not most of them."""

    question: str
    answers: tuple[tuple[str, int, tuple[str, ...]], ...]
    wanted: str
    worst: int  # exit code


def lines(found: Sequence[Surveyed]) -> list[Line]:
    """A line a question: the author's first, in the order in which they stand in the rules file."""
    rows: dict[tuple[bool, str], list[tuple[str, Verdict]]] = {}
    for one in found:
        for verdict in one.verdicts:
            title = f"{verdict.property.split('(')[0]}(...)" if verdict.standard else verdict.property
            name = title if verdict.standard and "(" in verdict.property else verdict.property
            rows.setdefault((verdict.standard, name), []).append((one.want.name, verdict))
    return [_line(name, rows[standard, name]) for standard, name in sorted(rows, key=lambda key: key[0])]


def _line(question: str, given: list[tuple[str, Verdict]]) -> Line:
    names: dict[str, dict[str, None]] = {}
    for instance, verdict in given:
        names.setdefault(_kind(verdict), {})[instance] = None
    most = sorted(names, key=lambda kind: -len(names[kind]))
    answers = [(kind, len(names[kind]), tuple(names[kind]) if kind != most[0] else ()) for kind in most]
    wanted = {verdict.wanted for _, verdict in given}
    worst = 1 if any(v.surprise for _, v in given) else max(v.exit_code for _, v in given)
    return Line(question, tuple(answers), " or ".join(sorted(wanted)), worst)


def _kind(verdict: Verdict) -> str:
    """The answer; a surprise says so."""
    return f"{_whole(verdict)} ({mark(verdict)})" if verdict.surprise else _whole(verdict)


def _whole(verdict: Verdict) -> str:
    """The answer, and whether it is one only because no state is such."""
    return f"{answer(verdict)} ({verdict.vacuous})" if verdict.vacuous else answer(verdict)


def said(line: Line) -> str:
    return "; ".join(
        f"{kind} {count}" + (f": {some(names, 6)}" if names else "") for kind, count, names in line.answers
    )


def table(found: Sequence[Surveyed]) -> Table:
    sheet = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    sheet.add_column("question", overflow="fold")
    sheet.add_column("verdicts, by number of instances", overflow="fold")
    for line in lines(found):
        style = {0: GOOD, 1: BAD}.get(line.worst, WEAK)
        sheet.add_row(Text(line.question), Text(said(line), style=style))
    return sheet


def told(one: Surveyed) -> str:
    """One instance in one line."""
    name = one.want.name
    if one.error and not one.verdicts:
        return f"{name}: {one.error}"
    if one.like:
        return f"{name}: nothing differs from {one.like}"
    kinds = Counter(
        f"{verdict.kind} ({verdict.vacuous})" if verdict.vacuous else verdict.kind for verdict in one.verdicts
    )
    parts = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    said = f"{name}: {parts}; {summary(one.verdicts)}; {one.seconds:.0f} s"
    return f"{said}; {one.error}" if one.error else said


def markdown(title: str, found: Sequence[Surveyed], left_out: Sequence[str]) -> str:
    """The survey as a page."""
    seconds = sum(one.seconds for one in found)
    out = [f"# {title}: every question, every instance", ""]
    out += [f"{counted(len(found), 'instance')}, {seconds:.0f} seconds of work.", ""]
    out += ["| question | verdicts, by number of instances | hoped for |", "| --- | --- | --- |"]
    out += [f"| `{line.question}` | {said(line)} | {line.wanted} |" for line in lines(found)]
    out += ["", "## The instances", ""]
    out += [f"- {told(one)}" for one in found]
    out += ["", "## Not checked", "", *(f"- {words}" for words in left_out)] if left_out else []
    assumed = sorted({text for one in found for verdict in one.verdicts for text in verdict.assumptions})
    out += ["", "## Assumed", "", *(f"- {text}" for text in assumed)] if assumed else []
    return "\n".join(out)
