"""A question under examination: its goal, the clock, and the verdicts that findings give."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from kemu_engine.play.replay import Replay

from kemu_verifier.goal.goal import Goal
from kemu_verifier.goal.questions import Question
from kemu_verifier.goal.verdict import Kind, Verdict

SHORTEST = ", shortest"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about a goal, with the time when work on it began."""

    question: Question
    goal: Goal
    began: float

    def verdict(self, kind: Kind, by: str, **more: Any) -> Verdict:
        """A verdict on the question, the time taken from the clock."""
        q = self.question
        seconds = time.monotonic() - self.began
        return Verdict(
            q.name,
            q.standard,
            q.form,
            kind,
            by,
            seconds=seconds,
            expected=q.expected,
            origin=q.origin,
            **more,
        )

    def reached(self, found: Replay, by: str, detail: str = "") -> Verdict:
        """The verdict that a game gives."""
        if self.question.bad:
            return self.verdict("refuted", by, depth=len(found.steps), steps=found.steps, detail=detail)
        return self.verdict("possible", by, depth=len(found.steps), steps=found.steps, detail=detail)

    def seen(self, found: Replay, by: str) -> Verdict:
        """The same of a game that was not looked for as the shortest one."""
        return self.reached(found, by + ("" if found.steps else SHORTEST))

    def unreachable(self, by: str, detail: str = "") -> Verdict:
        return self.verdict("proved" if self.question.bad else "impossible", by, detail=detail)
