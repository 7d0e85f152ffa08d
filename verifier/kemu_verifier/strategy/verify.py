"""`verify`: every question about a game to its verdict, one by one, so that an interrupt keeps what is known.

Which method is tried when stands in strategy.py; this follows that table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import ArgumentError
from dataclasses import dataclass, replace

from kemu_engine.play.game import Game
from kemu_engine.play.replay import replay
from kemu_engine.play.state import FaultError
from kemu_engine.support.time_limit import OutOfTime, within

from kemu_verifier.goal.lemma_cache import LemmaCache
from kemu_verifier.goal.questions import ENDINGS, Question, called, family, questions
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.case import Case
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.extremes import with_extreme
from kemu_verifier.strategy.method import Answer
from kemu_verifier.strategy.methods import METHODS, WORKS
from kemu_verifier.strategy.portfolio_safety import unless_empty
from kemu_verifier.strategy.strategy import STRATEGY, Row
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.facts import Facts
from kemu_verifier.symbolic.values import TooLarge

AT_ONCE = ("witnesses", "localized proofs", "inductive proofs")
"""The methods that tell what is known without further work."""
LAST = "nothing decided"
APART = ("run", "first")  # kinds of questions that are asked of other programs


@dataclass(frozen=True, slots=True)
class Effort:
    """How time is shared out. `shares`: what open questions share has their time, of so many at most;
    `exploring`: seconds that the search of all states has at least; `generous`: an ending with a measure of
    the author's has MEASURED times the time of another question, guessed invariants have time of their own,
    and parts of the state have more. `limit`: seconds of computing for everything, if there is one: what is
    open then is told as such."""

    shares: int = strategy.SHARES
    exploring: float = 0.0
    generous: bool = True
    limit: float | None = None


USUAL = Effort()


def verify(
    game: Game,
    names: Sequence[str] | None = None,
    seconds: float = 60,
    progress: Callable[[str], None] | None = None,
    standard: bool = True,
    symbolic: bool = True,
    notes: LemmaCache | None = None,
    effort: Effort = USUAL,
    shared: dict[str, float] | None = None,
) -> Iterator[Verdict]:
    """Verdicts on the properties of a game and on the standard questions, as they are found. If an alarm
    (`kemu_engine.support.time_limit`) ends the work, what is known by then comes before OutOfTime is raised.

    `names`: only these (a property written `for p in ...` by its name with or without the value; standard
    ones by name, or by what stands before the bracket); lemmas are proved and used all the same. `seconds`:
    of computing for one question, three times as much for an ending with a measure of the author's, and ten
    times as much for all together; for what all share see strategy.py. Not `symbolic`: by random games and
    search of states only. `notes`: of another instance, to which those of this one are added. `effort`: how
    the time is shared out, if not as usual. `shared` takes up what all share, with the seconds on the clock.
    Raises ValueError for a name that no question has.
    """
    asked = chosen(questions(game.program, standard or names is not None), names)
    context = ProofContext(game, seconds, progress or (lambda words: None), notes)
    keys = {question.key for question in asked}
    known = context.notes.proved
    lemmas = [q for q in questions(game.program, False) if (q.lemma or q.key in known) and q.key not in keys]
    lemmas = lemmas if symbolic else []
    run = Run(context, asked, lemmas, symbolic, effort, shared)
    for _, verdict in run.verdicts():
        yield verdict


def chosen(asked: list[Question], names: Sequence[str] | None) -> list[Question]:
    """Those with the names, in their order."""
    if names is None:
        return asked
    for name in names:
        if not any(name in called(q.name) for q in asked):
            known = ", ".join(dict.fromkeys(family(q.name) for q in asked))
            raise ValueError(f"no property is called {name}; there are {known}")
    return [q for q in asked if not set(names).isdisjoint(called(q.name))]


def in_order(game: Game, verdicts: Iterable[Verdict]) -> list[Verdict]:
    """The verdicts as the questions stand in the rules file."""
    every = enumerate(questions(game.program, True))
    place = {(question.name, question.standard): at for at, question in every}
    return sorted(verdicts, key=lambda verdict: place.get((verdict.property, verdict.standard), len(place)))


class Run:
    """One run of the verifier, along the table. `shared`: seconds on the clock of what questions share."""

    def __init__(
        self,
        context: ProofContext,
        asked: Sequence[Question],
        lemmas: Sequence[Question] = (),
        symbolic: bool = True,
        effort: Effort = USUAL,
        shared: dict[str, float] | None = None,
    ) -> None:
        self.context = context
        context.trouble = "" if symbolic else "there was no time for more"
        self.asked = asked
        self.order = sorted(asked, key=lambda question: question.kind not in ENDINGS)
        # lemmas that were not asked for are proved, and used, all the same
        self.case = Case(context, [*lemmas, *asked], symbolic)
        context.shared = context.seconds * max(1, min(len(self.case.questions), effort.shares))
        context.exploring = effort.exploring
        context.generous = effort.generous
        self.shared = {} if shared is None else shared
        self._together = strategy.TOGETHER * context.seconds  # seconds that are left for all questions
        self._limit = None if effort.limit is None else Deadline(effort.limit)
        if effort.limit is not None:
            context.shared = min(context.shared, strategy.SHARED * effort.limit)
            self._together = min(self._together, effort.limit)
        self._sharing = context.shared
        self._used: dict[str, float] = {}  # seconds of computing, by question

    def verdicts(self) -> Iterator[tuple[Question, Verdict]]:
        """Each question with its verdict, as they are found; when an alarm or Ctrl-C ends the work those that
        are known by then."""
        try:
            for row in STRATEGY:
                yield from self._tried(row)
        except (OutOfTime, ArgumentError, KeyboardInterrupt) as end:  # ctypes makes the second of an alarm
            for name in AT_ONCE:
                yield from self._at_once(name)
            if self._limit is None or isinstance(end, KeyboardInterrupt):
                raise
            yield from self._at_once(LAST)

    def _left(self) -> list[Question]:
        return [question for question in self.order if question.key not in self.case.answered]

    def _tried(self, row: Row) -> Iterator[tuple[Question, Verdict]]:
        """What one row of the table finds out."""
        if row.method in WORKS:
            self._work(row)
            return
        method = METHODS[row.method]
        for question in self._left():
            if not method.applies(self.case, question):
                continue
            answer = self._asked(row, question)
            if answer is not None:
                yield question, self._noted(question, answer)

    def _work(self, row: Row) -> None:
        work, left = WORKS[row.method], self._left()
        if left and work.needed(self.case, left):
            with self._limited(), _clocked(self.shared, row.method):
                try:
                    work.work(self.case, left, self._deadline(row, self._sharing))
                except TooLarge as error:
                    self.context.progress(str(error))

    def _asked(self, row: Row, question: Question) -> Answer:
        """What a method has to say, with what comes with the verdict."""
        case, began = self.case, time.process_time()
        budget = self._budget(row, question)
        if not (self.context.graph.complete or self.context.trouble or question.kind in APART):
            self.context.transitions.reader.deadline = budget
        with self._limited(), _clocked(case.spent, question.key):
            try:
                answer = METHODS[row.method].run(case, question, budget)
                answer = None if answer is None else self._finished(question, answer, budget)
            except TooLarge as error:
                case.tried(question).reason = str(error)
                answer = None
        used = time.process_time() - began
        self._used[question.key] = self._used.get(question.key, 0.0) + used
        self._together -= used
        return answer

    def _budget(self, row: Row, question: Question) -> Deadline:
        """The time of a method for a question."""
        most = self.context.seconds
        measured = question.kind in ENDINGS and bool(question.exprs) and self.context.generous
        least = strategy.LEAST if self._together > -strategy.OVERDRAWN else strategy.LEAST / 10
        ahead = sum(map(_weight, self._left()))
        share = max(least, strategy.FAIR * self._together * _weight(question) / ahead)
        if measured:
            most, share = strategy.MEASURED * most, max(share, self._together / 2)
        left = max(least, min(most, share) - self._used.get(question.key, 0.0))
        return self._deadline(row, left)

    def _deadline(self, row: Row, left: float) -> Deadline:
        """The time that a row has of what is left, none beyond the limit for everything."""
        seconds = min(row.most, row.share * left)
        return Deadline(seconds) if self._limit is None else self._limit.part(seconds)

    @contextmanager
    def _limited(self) -> Iterator[None]:
        """Nothing goes on beyond the limit for everything."""
        if self._limit is None:
            yield
        elif self._limit.passed:
            raise OutOfTime
        else:
            with within(self._limit.left):
                yield

    def _at_once(self, name: str) -> Iterator[tuple[Question, Verdict]]:
        """The verdicts that a method has without further work."""
        method = METHODS[name]
        for question in self._left():
            if method.applies(self.case, question):
                answer = method.run(self.case, question, Deadline(0))
                if answer is not None:
                    yield question, self._noted(question, self._faulty(question, answer))

    def _noted(self, question: Question, verdict: Verdict) -> Verdict:
        """The verdict, of which a note is taken if it may serve another instance."""
        self.case.answered.add(question.key)
        if verdict.steps is not None and question.kind == "reach":
            self.context.notes.game(question.key, verdict.steps)
        if verdict.kind == "proved" and question.goal is not None and not question.standard:
            self.context.notes.proved[question.key] = None
        return verdict

    def _finished(self, question: Question, verdict: Verdict, deadline: Deadline) -> Verdict:
        """The verdict with what is told along with it."""
        verdict = unless_empty(self.context, question, verdict)
        if question.kind != "reach":
            return verdict
        verdict = self._faulty(question, verdict)
        return with_extreme(self.context, question, verdict, deadline)

    def _faulty(self, question: Question, verdict: Verdict) -> Verdict:
        """The verdict; a claim refuted because it cannot be worked out says so."""
        if (
            verdict.kind != "refuted"
            or not question.exprs
            or verdict.steps is None
            or question.kind != "reach"
            or not Facts(self.context.game.program).can_fault(question.exprs[0])
        ):
            return verdict
        try:
            replay(self.context.game, verdict.steps).last.evaluate(question.exprs[0])
        except FaultError as error:
            words = f"what is claimed cannot be worked out there: {error.message}"
            return replace(verdict, detail="; ".join(filter(None, (words, verdict.detail))))
        return verdict


def _weight(question: Question) -> int:
    """How many shares of the time a question has."""
    return strategy.LONG if question.kind in ENDINGS else 1


@contextmanager
def _clocked(account: dict[str, float], name: str) -> Iterator[None]:
    """Puts the seconds on the clock that something takes to an account."""
    began = time.monotonic()
    try:
        yield
    finally:
        account[name] = account.get(name, 0.0) + time.monotonic() - began
