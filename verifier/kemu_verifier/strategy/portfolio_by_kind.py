"""The methods for all that is no question whether a goal is ever reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kemu_verifier.goal.questions import ENDINGS, SECRETS, Kind, Question
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.strategy.asked import Asked
from kemu_verifier.strategy.case import Case
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.method import Answer
from kemu_verifier.strategy.noninterference import nothing_hidden
from kemu_verifier.symbolic.deadline import Deadline


class GivenMeasure:
    """The author's measure, as an ending's ranking function."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind in ENDINGS and not case.context.graph.complete

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        return case.ending.by_measure(case.asked(question), budget)


class LoopSearch:
    """A play that comes back to a state, near the beginning or in a random game."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind in ENDINGS and not case.context.graph.complete

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        return case.ending.by_loop(case.asked(question), budget)


class EndingProofs:
    """Loops, ranking functions."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind in ENDINGS

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        return case.ending.verdict(case.asked(question), budget)


class LocalizedEndings(EndingProofs):
    """A ranking that was found on a part of the state, or on a coarse reading."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind == "terminates" and bool(case.localized.ending)


class NothingHidden:
    """Secrets that nobody has."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind in SECRETS and nothing_hidden(case.context.program)

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        return case.asked(question).unreachable("nothing is hidden")


class NotApplicable:
    """What the instance has nothing of."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind == "not applicable"

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        return case.asked(question).verdict("not applicable", "", detail=question.note)


@dataclass(frozen=True, slots=True)
class ByKind:
    """All that is done for questions of a kind."""

    kind: Kind
    settle: Callable[[ProofContext, Asked, Deadline], Verdict]

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind == self.kind

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        return self.settle(case.context, case.asked(question), budget)
