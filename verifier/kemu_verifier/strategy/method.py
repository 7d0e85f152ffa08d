"""What a method of proof is: the one protocol that all of them follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kemu_verifier.goal.questions import Question
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.strategy.case import Case
from kemu_verifier.symbolic.deadline import Deadline

Answer = Verdict | None
"""What a method has found out; None if nothing."""


class Method(Protocol):
    """Settles one question, or leaves it to others."""

    def applies(self, case: Case, question: Question) -> bool:
        """Whether it may settle the question, as things stand."""

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        """The verdict, if it finds one in time. Raises TooLarge."""


class Work(Protocol):
    """Finds out what serves several questions, and leaves it in the case."""

    def needed(self, case: Case, left: Sequence[Question]) -> bool:
        """Whether the questions that are left may be served by it."""

    def work(self, case: Case, left: Sequence[Question], budget: Deadline) -> None:
        """Does it, as far as time allows. Raises TooLarge."""
