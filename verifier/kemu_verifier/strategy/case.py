"""One game under examination, with what is known of its questions so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kemu_engine.play.replay import Replay

from kemu_verifier.goal.goal import Goal
from kemu_verifier.goal.questions import EXTREMES, Question
from kemu_verifier.strategy.asked import Asked
from kemu_verifier.strategy.context import ProofContext, Window
from kemu_verifier.strategy.localization import Localized
from kemu_verifier.strategy.portfolio_termination import Ending
from kemu_verifier.symbolic.terms import Lit


@dataclass(slots=True)
class Attempts:
    """What was tried at one question in vain: to which depth no game reaches the goal, the last
    counterexample to induction, and why there is no more."""

    depth: int = -1
    window: Window | None = None
    reason: str = ""


def plain(question: Question) -> bool:
    """Whether all that is asked is if something is ever reached."""
    return question.kind == "reach" and question.form not in EXTREMES


class Case:
    """`questions`: those that are asked, behind lemmas that are proved and used all the same."""

    def __init__(self, context: ProofContext, questions: Sequence[Question], symbolic: bool) -> None:
        self.context = context
        self.questions = list(questions)
        self.symbolic = symbolic
        self.goals: dict[str, Goal] = {}
        self.seen: dict[str, tuple[Replay, str]] = {}  # games that were found, and by what
        self.proved: dict[str, str] = {}  # claims proved by induction on the whole state, and how
        self.guessing = 0.0  # seconds that are left for guessed invariants
        self.size = 0  # terms of the reading of the whole program
        self.answered: set[str] = set()  # the questions that have a verdict
        self.taken_over: set[str] = set()  # what was shown on parts of the state, and is known of the whole
        self.localized = Localized()  # what was shown on parts of the state
        self.attempts: dict[str, Attempts] = {}
        self.spent: dict[str, float] = {}  # seconds on the clock for each question
        self._ending: Ending | None = None

    @property
    def readable(self) -> bool:
        """Whether there is a symbolic reading of the whole program to rest on."""
        return not (self.context.graph.complete or self.context.trouble or self.context.transitions.unclosed)

    @property
    def ending(self) -> Ending:
        """What is known of whether play ends."""
        if self._ending is None:
            self._ending = Ending(self.context, self.lits(), self.localized)
        return self._ending

    def lits(self) -> list[Lit]:
        """What the goals say of states."""
        return [lit for goal in self.goals.values() for lit in goal.states.values()]

    def goal(self, question: Question) -> Goal:
        """The goal of a question; one that is never reached for those that have none."""
        return self.goals.get(question.key, Goal(question.name, lambda found: False))

    def asked(self, question: Question) -> Asked:
        """The question, with what was spent on it so far."""
        began = time.monotonic() - self.spent.get(question.key, 0.0)
        return Asked(question, self.goal(question), began)

    def tried(self, question: Question) -> Attempts:
        """What was tried at the question in vain."""
        return self.attempts.setdefault(question.key, Attempts())

    def keep(self, key: str, found: Replay, by: str) -> None:
        """Of a question, a game that answers it; other instances may try it."""
        self.seen[key] = found, by
        self.context.notes.game(key, found.steps)

    def shown(self, question: Question) -> bool:
        """Whether parts of the state have shown that nothing breaks it."""
        goal = self.goals.get(question.key)
        faults = None if goal is None else goal.faults
        return question.key in self.localized.proved or (faults is not None and self._faultless(faults))

    def _faultless(self, wanted: Callable[[int], bool]) -> bool:
        """Whether parts of the state show that none of these faults is met; a loop without a stop may be one,
        too."""
        codes = {at for at in range(len(self.context.program.faults)) if wanted(at)}
        return codes <= self.localized.faultless and (self.localized.closed or not wanted(-1))
