"""`verify`: every question about a game to its verdict, one by one, so that an interrupt keeps what is known.

The portfolio per form: reachability (`always`, `never`, `at_end`, `everywhere`, `possible`, `at_most`,
`at_least`, faults, actions, branches) in reach.py, termination in termination.py, secrets in secrets.py,
`always possible` in wider.py, `maximize` and the extremes behind bounds in extremes.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from ctypes import ArgumentError
from dataclasses import dataclass, replace

from kemu_engine.play.game import Game
from kemu_engine.play.replay import Replay, replay
from kemu_engine.play.state import FaultError
from kemu_engine.support.time_limit import OutOfTime

from kemu_verifier.goal.goal import Goal
from kemu_verifier.goal.lemma_cache import Notes
from kemu_verifier.goal.questions import ENDINGS, EXTREMES, Question, called, family, questions
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.invariants.invariants import Fact
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.strategy.conservation import conserved
from kemu_verifier.strategy.context import Bench
from kemu_verifier.strategy.contracts import settle_run
from kemu_verifier.strategy.extremes import settle_maximize, with_extreme
from kemu_verifier.strategy.localization import Sliced, sliced
from kemu_verifier.strategy.noninterference import settle_leak
from kemu_verifier.strategy.portfolio_ag_ef import settle_always_possible
from kemu_verifier.strategy.portfolio_safety import (
    CLIMB,
    CLIMBING,
    QUICK,
    Asked,
    exhaustive,
    settle,
    unless_empty,
    unread,
)
from kemu_verifier.strategy.portfolio_termination import Ending
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.terms import Lit
from kemu_verifier.symbolic.values import TooLarge

READING = 20.0  # seconds for reading the program symbolically
TOGETHER = 10  # times the time of one question: for all of them
FAIR, LEAST = 3, 0.5  # a question has so many times its share of what is left, and at least so many seconds
LONG = 6  # a question about an ending has so many shares, and comes first
MEASURED = 3  # times the time of another question, for one of these with a measure of the author's
OVERDRAWN = 15.0  # seconds beyond that, after which it has hardly any
LOOKING = 2  # times the time of one question: for looking through random games for all goals
RANDOM, ELSEWHERE = "random games", "a game of another instance"
FURTHER = "random games that go on from one found"


@dataclass(frozen=True, slots=True)
class Effort:
    """How time is shared out. `shares`: what open questions share has their time, of so many at most;
    `exploring`: seconds that the search of all states has at least; `generous`: an ending with a measure of
    the author's has MEASURED times the time of another question, guessed invariants have time of their own,
    and parts of the state have more."""

    shares: int = 4
    exploring: float = 0.0
    generous: bool = True


USUAL = Effort()


def verify(
    game: Game,
    names: Sequence[str] | None = None,
    seconds: float = 60,
    progress: Callable[[str], None] | None = None,
    standard: bool = True,
    symbolic: bool = True,
    notes: Notes | None = None,
    effort: Effort = USUAL,
) -> Iterator[Verdict]:
    """Verdicts on the properties of a game and on the standard questions, as they are found: first what parts
    of the state show, then endings, then the others. If an alarm (`engine.alarm`) ends the work, what is
    known by then comes before OutOfTime is raised.

    `names`: only these (a property written `for p in ...` by its name with or without the value; standard
    ones by name, or by what stands before the bracket); lemmas are proved and used all the same. `seconds`:
    of computing for one question, three times as much for an ending with a measure of the author's, and ten
    times as much for all together; what all share (random games, invariants) has that much as well, up to
    four times as much if there are several, half as much again for invariants that are guessed, and twice as
    much for parts of the state. Not `symbolic`: by random games and search of states only. `notes`: of
    another instance, to which those of this one are added. `effort`: how the time is shared out, if not as
    usual.
    Raises ValueError for a name that no question has.
    """
    asked = chosen(questions(game.program, standard or names is not None), names)
    bench = Bench(game, seconds, progress or (lambda words: None), notes)
    keys = {question.key for question in asked}
    known = bench.notes.proved
    lemmas = [q for q in questions(game.program, False) if (q.lemma or q.key in known) and q.key not in keys]
    lemmas = lemmas if symbolic else []
    for _, verdict in Run(bench, asked, lemmas, symbolic, effort).verdicts():
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


def _weight(question: Question) -> int:
    """How many shares of the time a question has."""
    return LONG if question.kind in ENDINGS else 1


def _plain(question: Question) -> bool:
    """Whether all that is asked is if something is ever reached."""
    return question.kind == "reach" and question.form not in EXTREMES


class Run:
    """One run of the verifier."""

    def __init__(
        self,
        bench: Bench,
        asked: Sequence[Question],
        lemmas: Sequence[Question] = (),
        symbolic: bool = True,
        effort: Effort = USUAL,
    ) -> None:
        self.bench = bench
        self.symbolic = symbolic
        bench.trouble = "" if symbolic else "there was no time for more"
        self.asked = asked
        self.order = sorted(asked, key=lambda question: question.kind not in ENDINGS)
        # lemmas that were not asked for are proved, and used, all the same
        self.questions = [*lemmas, *asked]
        bench.shared = bench.seconds * max(1, min(len(self.questions), effort.shares))
        bench.exploring = effort.exploring
        bench.generous = effort.generous
        self.goals: dict[str, Goal] = {}
        self.seen: dict[str, tuple[Replay, str]] = {}  # games that were found, and by what
        self.proved: dict[str, str] = {}
        self.ending: Ending | None = None  # what is known of whether play ends
        self.sliced = Sliced()  # what was shown on parts of the state

    def verdicts(self) -> Iterator[tuple[Question, Verdict]]:
        """Each question with its verdict, as they are found; when an alarm or Ctrl-C ends the work those that
        are known by then."""
        told = set[str]()
        try:
            for question, verdict in self._in_full():
                told.add(question.key)
                yield question, verdict
        except (OutOfTime, ArgumentError, KeyboardInterrupt):  # ctypes may make the second of an alarm
            left = [question for question in self.order if question.key not in told]
            for question in sorted(left, key=lambda question: question.key not in self.seen):
                if self._known(question):
                    yield question, self._at_once(question)
            raise

    def _in_full(self) -> Iterator[tuple[Question, Verdict]]:
        began = time.monotonic()
        if any(question.run is None for question in self.asked):
            self._look()
            for question in filter(self._early, self.order):
                yield question, self._noted(question, began, Deadline(self.bench.seconds))
                began = time.monotonic()
        left = [question for question in self.order if not self._early(question)]
        if any(question.run is None for question in left) and not self.bench.graph.complete:
            self._prepare()
        together = Deadline(TOGETHER * self.bench.seconds)
        for at, question in enumerate(left):
            least = LEAST if together.left > -OVERDRAWN else LEAST / 10
            ahead = sum(_weight(other) for other in left[at:])
            share = max(least, FAIR * together.left * _weight(question) / ahead)
            measured = question.kind in ENDINGS and question.exprs and self.bench.generous
            most = self.bench.seconds
            if measured:
                most, share = MEASURED * most, max(share, together.left / 2)
            yield question, self._noted(question, began, Deadline(min(most, share)))
            began = time.monotonic()

    def _known(self, question: Question) -> bool:
        """Whether there is a verdict without further work."""
        learnt = question.key in self.proved and not self.bench.transitions.unclosed
        return _plain(question) and (learnt or question.key in self.seen or self._shown(question))

    def _at_once(self, question: Question) -> Verdict:
        """The verdict on such a question."""
        began = time.monotonic()
        if question.key not in self.seen:
            return self._one(question, began, Deadline(self.bench.seconds))
        found, by = self.seen[question.key]
        asked = Asked(question, self.goals[question.key], began)
        return self._faulty(question, asked.seen(found, by), found)

    def _early(self, question: Question) -> bool:
        """Whether parts of the state have shown it, and nothing else is asked with it."""
        return _plain(question) and self._shown(question)

    def _shown(self, question: Question) -> bool:
        """Whether parts of the state have shown that nothing breaks it."""
        goal = self.goals.get(question.key)
        faults = None if goal is None else goal.faults
        return question.key in self.sliced.proved or (faults is not None and self._faultless(faults))

    def _noted(self, question: Question, began: float, deadline: Deadline) -> Verdict:
        """The verdict, of which a note is taken if it may serve another instance."""
        verdict = self._one(question, began, deadline)
        if verdict.steps is not None and question.kind == "reach":
            self.bench.notes.game(question.key, verdict.steps)
        if verdict.kind == "proved" and question.goal is not None and not question.standard:
            self.bench.notes.proved[question.key] = None
        return verdict

    def _look(self) -> None:
        """What the questions about the whole game share: random games, parts of the state."""
        if not self.bench.graph.complete and not self.bench.trouble:
            try:
                self._read()
            except TooLarge as error:
                self.bench.trouble = str(error)
        for question in self.questions:
            if question.goal is not None and (self.bench.graph.complete or self.bench.trouble):
                self.goals[question.key] = question.goal(None)
        if self.bench.graph.complete:
            return
        self._play()
        if self.symbolic:
            if self.bench.trouble:
                conserved(self.bench, self.questions, self.sliced, self.seen)
            sliced(self.bench, self.questions, self.sliced, self.seen)

    def _play(self) -> None:
        """What random games show, and games of other instances."""
        self.bench.plays  # noqa: B018 (made in a time of their own)
        together = Deadline(LOOKING * self.bench.seconds)
        with_goal = [question for question in self.questions if question.key in self.goals]
        for at, question in enumerate(with_goal):
            goal = self.goals[question.key]
            looking = together.part(FAIR * together.left / (len(with_goal) - at))
            found, by = self.bench.seen(goal, looking), RANDOM
            if found is None:
                found, by = self.bench.remembered(goal, question.key, together), ELSEWHERE
            if found is not None:
                self._keep(question.key, found, by)

    def _keep(self, key: str, found: Replay, by: str) -> None:
        """Of a question, a game that answers it; other instances may try it."""
        self.seen[key] = found, by
        self.bench.notes.game(key, found.steps)

    def _read(self) -> None:
        """The goals, and all steps (only then is it known whether paths were cut off). Raises TooLarge."""
        self.bench.transitions.reader.deadline = Deadline(min(READING, self.bench.shared))
        for question in self.questions:
            if question.goal is not None:
                self.goals[question.key] = question.goal(self.bench.transitions)
        self.bench.edges  # noqa: B018

    def _prepare(self) -> None:
        """What all questions share: invariants."""
        claims = []
        for question in self.questions:
            goal = self.goals.get(question.key)
            if goal is None or not goal.states or question.key in self.seen:
                continue
            lits = {block: -lit for block, lit in goal.states.items()}
            if question.key in self.sliced.proved:
                self.bench.knowledge.add([Fact(block, lit, question.key) for block, lit in lits.items()])
            else:
                rank = 0 if question.lemma else 1 if question.bad else 2
                claims.append(Candidate(question.key, lits, True, rank))
        if not self.bench.trouble:
            self.bench.shared = min(self.bench.shared, self.bench.seconds * max(1, len(claims)))
            reading = self.bench.shared * (2 if self.bench.generous else 1)
            self.bench.transitions.reader.deadline = Deadline(reading)
            self.ending = Ending(self.bench, self._lits(), self.sliced)
            self.ending.read(self.questions)
            try:
                self.bench.learn(claims, self._search, self.proved)
            except TooLarge as error:
                self.bench.progress(str(error))

    def _search(self, name: str) -> bool:
        """Looks for a game that one hopes to find; whether it was found."""
        question = next(q for q in self.questions if q.key == name)
        if not question.sought:
            return False
        self.bench.progress(f"searching: {name}")
        deadline = Deadline(min(QUICK, self.bench.seconds / 4))
        try:
            found, by = self.bench.climbed(self.goals[name], deadline.part(CLIMB)), CLIMBING
            if found is None:
                found, by = self.bench.lucky(self.goals[name], deadline.part(CLIMB)), RANDOM
            if found is None:
                found, by = self.bench.directed(self.goals[name], deadline), "directed search"
        except TooLarge:
            return False
        if found is None:
            return False
        self._keep(name, found, by)
        return True

    def _one(self, question: Question, began: float, deadline: Deadline) -> Verdict:
        self.bench.progress(question.name)
        goal = self.goals.get(question.key, Goal(question.name, lambda found: False))
        asked = Asked(question, goal, began)
        try:
            return self._answered(asked, deadline)
        except TooLarge as error:
            return asked.verdict("unknown", "", detail=str(error))

    def _answered(self, asked: Asked, deadline: Deadline) -> Verdict:
        bench, question = self.bench, asked.question
        if question.run is not None:
            return settle_run(question, asked, deadline)
        if not (bench.graph.complete or bench.trouble):
            bench.transitions.reader.deadline = deadline
        if question.kind == "not applicable":
            return asked.verdict("not applicable", "", detail=question.note)
        if question.kind in ENDINGS:
            self.ending = self.ending or Ending(bench, self._lits(), self.sliced)
            return self.ending.verdict(asked, deadline)
        if question.kind == "leak":
            return settle_leak(bench, asked, deadline)
        if question.kind == "always possible":
            return settle_always_possible(bench, asked, deadline)
        if question.kind == "maximize":
            return settle_maximize(bench, asked, deadline)
        verdict = self._faulty(question, unless_empty(bench, question, self._reached(asked, deadline)))
        return with_extreme(bench, question, verdict, deadline)

    def _faulty(self, question: Question, verdict: Verdict, found: Replay | None = None) -> Verdict:
        """The verdict; a claim refuted because it cannot be worked out says so. `found`: the game of it."""
        if verdict.kind != "refuted" or not question.exprs or verdict.steps is None:
            return verdict
        try:
            found = found or replay(self.bench.game, verdict.steps)
            found.last.evaluate(question.exprs[0])
        except FaultError as error:
            words = f"what is claimed cannot be worked out there: {error.fault.message}"
            return replace(verdict, detail="; ".join(filter(None, (words, verdict.detail))))
        return verdict

    def _reached(self, asked: Asked, deadline: Deadline) -> Verdict:
        bench, key, shown = self.bench, asked.question.key, self._shown(asked.question)
        seen, by = self.seen.get(key, (None, RANDOM))
        if bench.graph.complete:
            return exhaustive(bench, asked, deadline)
        if seen is None and key not in self.proved and not shown:
            seen = bench.seen_further(asked.goal, deadline)
            by = by if seen is None else FURTHER
        if shown and seen is None:
            words = "invariants of the state before each step, fault by fault"
            return asked.unreachable(self.sliced.proved.get(key, words), self.sliced.told())
        if bench.trouble:  # bounded search would find nothing for want of a symbolic goal
            if seen is not None:
                return asked.seen(seen, by)
            return unread(bench, asked, bench.trouble, deadline)
        return settle(bench, asked, self.proved, seen, by, deadline)

    def _faultless(self, wanted: Callable[[int], bool]) -> bool:
        """Whether parts of the state show that none of these faults is met. Where there is none, a loop
        without a stop may be one all the same."""
        codes = {at for at in range(len(self.bench.program.faults)) if wanted(at)}
        return codes <= self.sliced.faultless and (bool(codes) or not wanted(-1))

    def _lits(self) -> list[Lit]:
        return [lit for goal in self.goals.values() for lit in goal.states.values()]
