"""A run of the verifier whose proofs are kept, and what is to be written of each verdict for others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kemu_engine.play.game import Game

from kemu_verifier.evidence import answers as a
from kemu_verifier.evidence.proof import Proof
from kemu_verifier.evidence.writing import Writing
from kemu_verifier.goal.questions import Question, questions
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.verify import USUAL, Effort, Run, chosen


@dataclass(frozen=True, slots=True)
class Answered:
    """A question's key, its verdict, what stands behind it, and the verdict whose play that is."""

    key: str
    verdict: Verdict
    evidence: a.Evidence
    shown: Verdict


@dataclass(frozen=True, slots=True)
class Found:
    """All that is to be written of a run: `answers` in the order of the verdicts, and the proofs that they
    rest on, each after those that it uses."""

    answers: list[Answered]
    proofs: list[Proof]
    invariants: dict[str, list[str]]  # of the whole state, by stop, in words


class Examination:
    """A run of the verifier; once it is over, its proofs can be written."""

    def __init__(
        self,
        game: Game,
        names: Sequence[str] | None,
        seconds: float,
        progress: Callable[[str], None],
        standard: bool,
        effort: Effort = USUAL,
        shared: dict[str, float] | None = None,
    ) -> None:
        asked = chosen(questions(game.program, standard or names is not None), names)
        keys = {question.key for question in asked}
        lemmas = [q for q in questions(game.program, False) if q.lemma and q.key not in keys]
        self.game = game
        self.context = ProofContext(game, seconds, progress)
        self.run = Run(self.context, asked, lemmas, True, effort, shared)
        self.run.case.localized.kept = []
        self.found: list[tuple[Question, Verdict]] = []

    def verdicts(self) -> Iterator[Verdict]:
        """The verdicts, as they are found."""
        for question, verdict in self.run.verdicts():
            self.found.append((question, verdict))
            yield verdict

    def proofs(self) -> Found:
        """What others can check of the verdicts found so far."""
        writing = Writing(self.run, self.found)
        answers = [Answered(q.key, v, writing.evidence(q, v), writing.shown(q, v)) for q, v in self.found]
        return Found(answers, writing.used(each.evidence for each in answers), self._told())

    def _told(self) -> dict[str, list[str]]:
        """What is known at each stop, in words."""
        context = self.context
        if context.graph.complete or context.trouble:
            return {}
        facts = context.knowledge.facts
        return {context.program.blocks[block].name: [fact.words for fact in facts[block]] for block in facts}
