"""The table of verdicts, row by row as they are found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from kemu_verifier.goal.questions import Question
from kemu_verifier.goal.verdict import Verdict
from rich import box
from rich.table import Table
from rich.text import Text

from kemu.render.console import console
from kemu.render.verdicts import BY, ROOMY, cells, folded, narrowed

TITLES = ("property", "verdict", "expected", "by", "found", "seconds")
FACTOR = 4  # times the time that was given may give an answer
MOST_INSTANCES = 6  # that are named
NAMES = 3  # of the width, names have one part in so many at most
WORDS = ("impossible", "NO: proved")  # what is hardly exceeded by verdict, expected; else they take two lines


class Sheet:
    """Rows for the verdicts on some questions. Of those asked of every game many of one kind, with the
    verdict hoped for, come as one row, once they are all there; unless it is to be `full`."""

    def __init__(self, questions: Sequence[Question], width: int, full: bool = False) -> None:
        self.width = width
        self.full = full
        self.found = 0
        self.total = len(questions)
        self._waiting: dict[str, list[Verdict]] = {}
        families = [question.name.split("(")[0] for question in questions if _of_many(question)]
        self._many = {} if full else {name: families.count(name) for name in families}
        expected = max((len(question.expected or "") for question in questions), default=0)
        self._widths = [
            min(max([8, *map(len, self._names(questions))]), width // NAMES),
            len(WORDS[0]),
            max(len(WORDS[1]), expected + len("yes: ")),
            max(len("found"), 2 * len(str(self.total)) + 1),
            len("seconds"),
        ]

    def head(self) -> list[str]:
        """The titles."""
        return self._lines(TITLES)[:2]

    def rows(self, verdict: Verdict) -> list[str]:
        """What is to be shown now that a verdict is found."""
        self.found += 1
        family = verdict.property.split("(")[0]
        if not verdict.standard or "(" not in verdict.property or self._many.get(family, 1) == 1:
            return self._row(verdict)
        known = self._waiting.setdefault(family, [])
        known.append(verdict)
        return self._told(family) if len(known) == self._many[family] else []

    def rest(self) -> list[str]:
        """What is left to be shown, if not all was found."""
        return [line for family in list(self._waiting) for line in self._told(family)]

    def shared(self, seconds: dict[str, float]) -> list[str]:
        """What the questions share, in a line of its own."""
        if not seconds:
            return []
        return self._lines(["(shared)", "", "", ", ".join(seconds), "", f"{sum(seconds.values()):.2f}"])[2:]

    def _told(self, family: str) -> list[str]:
        verdicts = self._waiting.pop(family)
        return [line for verdict in folded(verdicts) for line in self._row(verdict)]

    def _names(self, questions: Sequence[Question]) -> list[str]:
        names = [q.name for q in questions if self.full or not _of_many(q)]
        return [*names, *(f"{name}(...), {count} of them" for name, count in self._many.items() if count > 1)]

    def _row(self, verdict: Verdict) -> list[str]:
        *row, seconds = cells(verdict)
        return self._lines([*row, f"{self.found}/{max(self.found, self.total)}", seconds])[2:]

    def _lines(self, row: Sequence[str | Text]) -> list[str]:
        """The titles, a rule, and a row of cells; where room is scarce, what a verdict was found by stands
        below the property's name."""
        texts = [cell if isinstance(cell, Text) else Text(cell) for cell in row]
        titles, widths = list(TITLES), [*self._widths[:BY], None, *self._widths[BY:]]
        if self.width < ROOMY:
            widths = [None, *self._widths[1:]]
            titles.remove("by")
        sheet = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, expand=True)
        for title, width in zip(titles, widths, strict=True):
            sheet.add_column(
                title,
                width=width,
                ratio=1 if width is None else None,
                overflow="fold",
                no_wrap=title in ("found", "seconds"),
                justify="right" if title in ("found", "seconds") else "left",
            )
        sheet.add_row(*(narrowed(texts) if self.width < ROOMY else texts))
        paper = console()
        paper.width = self.width
        with paper.capture() as text:
            paper.print(sheet)
        return [line.rstrip() for line in text.get().splitlines()]


def _of_many(question: Question) -> bool:
    return question.standard and "(" in question.name


def closing(verdicts: Sequence[Verdict], subject: str = "The game") -> str:
    """What all this comes to, in a sentence about the game, or about what of it was asked."""
    surprises = [verdict for verdict in verdicts if verdict.surprise]
    open_ = [verdict for verdict in verdicts if verdict.open]
    fine = [verdict for verdict in verdicts if not verdict.exit_code and verdict.kind != "not applicable"]
    kinds = Counter(v.kind for v in fine)
    undecided = kinds.total() - sum(kinds[kind] for kind in ("proved", "possible", "refuted", "impossible"))
    parts = [
        _many(kinds["proved"], "proved"),
        _many(kinds["possible"], "shown to be possible"),
        _many(kinds["refuted"], "refuted, as expected"),
        _many(kinds["impossible"], "impossible, as expected"),
        _many(undecided, "undecided, as expected"),
        f"{len(open_)} open" if open_ else "nothing open",
    ]
    said = "; ".join(filter(None, parts))
    if surprises:
        names = ", ".join(name for name, _ in groupby(verdict.property for verdict in surprises))
        return f"{subject} does not hold: {names} not as claimed; {said}"
    if open_:
        return f"{subject} is not shown to hold: {said}"
    return f"{subject} holds: {said}"


MEASURE = (
    "Whether play ends is easier to prove with a number that falls with every decision, if you know one:"
    " `property ends: terminates by ...` (docs/tutorial-proofs.md)."
)


def further(
    seconds: float, minutes: float | None, instances: Sequence[str], found: Sequence[Verdict] = ()
) -> str:
    """What may answer a question that is open: a measure, more time, or another instance."""
    each = f"`--seconds {FACTOR * seconds:g}` for each question"
    every = f"`--minutes {FACTOR * minutes:g}` for all together" if minutes else "`--minutes` bounds them all"
    told = f"More time may answer what is open: {each}; {every}"
    named = f" ({', '.join(instances[:MOST_INSTANCES])})" if instances else ""
    ending = any(
        verdict.open and verdict.form == "terminates" and verdict.expected != "refuted" for verdict in found
    )
    return f"{MEASURE + ' ' if ending else ''}{told}. So may a smaller instance{named}."


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count else ""
