"""Verdicts: what was found out about a property, by what, with which evidence, and whether that surprises.

Light on purpose: nothing here needs a solver, so that a command can read and print verdicts without loading
one.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from kemu_engine.kernel.nodes import Origin
from kemu_grammar.source.span import NOWHERE

Kind = Literal[
    "proved",
    "refuted",
    "possible",
    "impossible",
    "not inductive",
    "holds to depth",
    "sampled",
    "unknown",
    "not applicable",
]

NO_ORIGIN = Origin(NOWHERE)

EXIT_ORDER = (1, 4, 2, 5, 3)
"""Exit codes, the one that decides first."""

_OPEN: dict[str, int] = {"unknown": 4, "not inductive": 2, "sampled": 5, "holds to depth": 3}


@dataclass(frozen=True, slots=True)
class Verdict:
    """One answer.

    `depth`: decisions and chance outcomes looked ahead, where that means something. `steps`: action and
    outcome texts from the initial state, replayed in the interpreter before the verdict was made.
    `state_json`: for "not inductive", the states of a counterexample to induction, in order; they may be
    unreachable. `start`: of a claim about a rule by itself, where `steps` begin. `assumptions`: in plain
    English, everything that the verdict rests on besides the program. `by`: the method in words.
    """

    property: str
    standard: bool
    form: str
    kind: Kind
    by: str = ""
    depth: int | None = None
    seconds: float = 0.0
    steps: tuple[str, ...] | None = None
    state_json: tuple[Any, ...] | None = None
    assumptions: tuple[str, ...] = ()
    detail: str = ""
    expected: str | None = None
    origin: Origin = NO_ORIGIN
    start: Any | None = None

    @builtins.property
    def wanted(self) -> str:
        """The verdict hoped for: what `expect` says, else what the form asks for; or "any"."""
        if self.expected:
            return "holds to depth" if self.expected == "holds" else self.expected.replace("_", " ")
        return "possible" if self.form == "possible" else "proved"

    @builtins.property
    def surprise(self) -> bool:
        """Whether the verdict is a definite answer and not the one hoped for: refuted, impossible; and proved
        or possible where the opposite was expected (a known hole that is gone wants the `expect` removed).
        That a question does not apply never surprises."""
        return self.exit_code == 1

    @builtins.property
    def open(self) -> bool:
        """Whether there is no definite answer where one was hoped for."""
        return self.exit_code > 1

    @builtins.property
    def vacuous(self) -> str:
        """Whether it is proved only because no state is such that it speaks of: "vacuous", "perhaps vacuous"
        if none was seen, or ""."""
        said = self.detail.removeprefix("perhaps ")
        return f"{'perhaps ' * (said != self.detail)}vacuous" if said.startswith("vacuous") else ""

    @builtins.property
    def exit_code(self) -> int:
        """0 if as expected; 1 for a surprise; of what is open 4 unknown, 2 not inductive, 5 sampled only,
        3 bounded only."""
        if self.wanted in (self.kind, "any") or self.kind == "not applicable":
            return 0
        return _OPEN.get(self.kind, 1)


def exit_code(verdicts: Iterable[Verdict]) -> int:
    """The exit code of a run: that of a surprise if there is one, else of what is open, else 0."""
    codes = {verdict.exit_code for verdict in verdicts}
    return next((code for code in EXIT_ORDER if code in codes), 0)
