"""What questions share: states, a reading of the program, random games, invariants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kemu_verifier.goal.goal import Goal
from kemu_verifier.goal.questions import Question
from kemu_verifier.methods.invariants.invariants import Fact
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.actions import kept_by_actions
from kemu_verifier.strategy.case import Case
from kemu_verifier.strategy.conservation import conserved
from kemu_verifier.strategy.learning import Guesses
from kemu_verifier.strategy.localization import prove_on_parts
from kemu_verifier.strategy.loop_laps import kept_by_laps
from kemu_verifier.strategy.portfolio_safety import RANDOM
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.values import TooLarge

ELSEWHERE = "a game of another instance"


def of_the_game(questions: Sequence[Question]) -> bool:
    """Whether some question is about play itself, and not about a rule by itself."""
    return any(question.kind not in ("run", "first") for question in questions)


class Exploration:
    """All states, if they are a few thousand."""

    def needed(self, case: Case, left: Sequence[Question]) -> bool:
        return of_the_game(left)

    def work(self, case: Case, left: Sequence[Question], budget: Deadline) -> None:
        case.context.graph  # noqa: B018 (made in a time of its own)


class FullExploration:
    """All states, if they are not too many."""

    def needed(self, case: Case, left: Sequence[Question]) -> bool:
        return of_the_game(left) and case.context.promising

    def work(self, case: Case, left: Sequence[Question], budget: Deadline) -> None:
        case.context.explore()


class SymbolicReading:
    """The goals, and all steps: only then is it known whether paths were cut off."""

    def needed(self, case: Case, left: Sequence[Question]) -> bool:
        return of_the_game(left)

    def work(self, case: Case, left: Sequence[Question], budget: Deadline) -> None:
        context = case.context
        if not (context.graph.complete or context.trouble):
            try:
                self._read(case, budget)
            except TooLarge as error:
                context.trouble = str(error)
        for question in case.questions:
            if question.goal is not None and (context.graph.complete or context.trouble):
                case.goals[question.key] = question.goal(None)

    def _read(self, case: Case, budget: Deadline) -> None:
        case.context.transitions.reader.deadline = budget
        for question in case.questions:
            if question.goal is not None:
                case.goals[question.key] = question.goal(case.context.transitions)
        case.context.edges  # noqa: B018
        case.size = len(case.context.transitions.terms.kind)


class Simulating:
    """Random games, and games of other instances."""

    def needed(self, case: Case, left: Sequence[Question]) -> bool:
        return of_the_game(left) and not case.context.graph.complete

    def work(self, case: Case, left: Sequence[Question], budget: Deadline) -> None:
        context = case.context
        context.games.simulate(case.goals, budget)
        context.plays  # noqa: B018 (made in a time of their own)
        together = Deadline(strategy.LOOKING * context.seconds)
        with_goal = [question for question in case.questions if question.key in case.goals]
        for at, question in enumerate(with_goal):
            goal = case.goals[question.key]
            looking = together.part(strategy.FAIR * together.left / (len(with_goal) - at))
            found, by = context.games.simulated(question.key, goal), RANDOM
            if found is None and not context.games.watched(question.key, goal):
                found = context.games.seen(goal, looking)
            if found is None:
                found, by = context.games.remembered(goal, question.key, together), ELSEWHERE
            if found is not None:
                case.keep(question.key, found, by)


@dataclass(frozen=True, slots=True)
class Sampling:
    """Random games by the million, for what nothing else has decided. `readable`: where there is a symbolic
    reading of the whole program."""

    readable: bool

    def needed(self, case: Case, left: Sequence[Question]) -> bool:
        if not of_the_game(left) or case.context.graph.complete or self.readable != case.readable:
            return False
        return bool(self._goals(case, left))

    def work(self, case: Case, left: Sequence[Question], budget: Deadline) -> None:
        goals, games = self._goals(case, left), case.context.games
        games.sample(goals, budget)
        for key, goal in goals.items():
            found = games.simulated(key, goal)
            if found is not None:
                case.keep(key, found, RANDOM)

    def _goals(self, case: Case, left: Sequence[Question]) -> dict[str, Goal]:
        asked = (q.key for q in left if q.kind == "reach" and q.bad and q.key not in case.seen)
        return {key: goal for key in asked if (goal := case.goals.get(key)) is not None and goal.watch}


class Actions:
    """Claims that each action keeps by itself, in games too large to be read as a whole."""

    def needed(self, case: Case, left: Sequence[Question]) -> bool:
        return case.symbolic and of_the_game(left) and _unread(case)

    def work(self, case: Case, left: Sequence[Question], budget: Deadline) -> None:
        kept_by_actions(case.context, _open(case), case.localized, budget, case.seen)


class Laps:
    """Claims that each lap of a loop keeps, in games too large to be read as a whole."""

    def needed(self, case: Case, left: Sequence[Question]) -> bool:
        return case.symbolic and of_the_game(left) and _unread(case)

    def work(self, case: Case, left: Sequence[Question], budget: Deadline) -> None:
        kept_by_laps(case.context, _open(case), case.localized, budget, case.seen)


class Conservation:
    """Claims that nothing is lost, in games too large to be read as a whole."""

    def needed(self, case: Case, left: Sequence[Question]) -> bool:
        return case.symbolic and of_the_game(left) and _unread(case)

    def work(self, case: Case, left: Sequence[Question], budget: Deadline) -> None:
        conserved(case.context, _open(case), case.localized, budget, case.seen)


@dataclass(frozen=True, slots=True)
class Localization:
    """Parts of the state. `large`: where the whole cannot be read, or is large to begin with."""

    large: bool

    def needed(self, case: Case, left: Sequence[Question]) -> bool:
        if not case.symbolic or not of_the_game(left) or case.context.graph.complete:
            return False
        if self.large or _large(case):
            return self.large and _large(case)
        return not case.context.transitions.unclosed or _large(case)

    def work(self, case: Case, left: Sequence[Question], budget: Deadline) -> None:
        context = case.context
        time = budget if context.generous or context.trouble else budget.part(budget.left / 2)
        prove_on_parts(context, _open(case), case.localized, time, case.seen)


class InductionOfClaims:
    """What the author says, by 1-induction: lemmas, then the other claims; with what proofs in other
    instances rested on."""

    def needed(self, case: Case, left: Sequence[Question]) -> bool:
        return of_the_game(left) and case.readable

    def work(self, case: Case, left: Sequence[Question], budget: Deadline) -> None:
        _take_over(case)
        context, claims = case.context, _claims(case)
        context.shared = min(context.shared, context.seconds * max(1, len(claims)))
        context.transitions.reader.deadline = budget
        case.ending.read(case.questions)
        time = budget.part(context.shared)
        context.learning.learn_plainly(claims, case.proved, time)
        case.guessing = context.learning.guessing(time.left)


class InductionBeforeExploration(InductionOfClaims):
    """The same, where it may yet be found out by all states."""

    def needed(self, case: Case, left: Sequence[Question]) -> bool:
        return super().needed(case, left) and case.context.promising


@dataclass(frozen=True, slots=True)
class InductionWithGuesses:
    """The same, of what is left, together with guessed invariants."""

    kind: Guesses

    def needed(self, case: Case, left: Sequence[Question]) -> bool:
        return of_the_game(left) and case.readable

    def work(self, case: Case, left: Sequence[Question], budget: Deadline) -> None:
        _take_over(case)
        time = Deadline(case.guessing)
        case.context.learning.learn_by_guesses(self.kind, _claims(case), case.proved, time)
        case.guessing = time.left


class InductionByCases:
    """The same, of what is hoped for and left, faults among it, case by case."""

    def needed(self, case: Case, left: Sequence[Question]) -> bool:
        return of_the_game(left) and case.readable and bool(self._plain(case) or self._faults(case, left))

    def work(self, case: Case, left: Sequence[Question], budget: Deadline) -> None:
        _take_over(case)
        context, faults = case.context, self._faults(case, left)
        context.transitions.reader.deadline = budget
        context.learning.learn_by_cases(self._plain(case), faults, case.proved, budget)

    def _plain(self, case: Case) -> list[Candidate]:
        return [claim for claim in _claims(case) if claim.rank < 2]

    def _faults(self, case: Case, left: Sequence[Question]) -> list[Goal]:
        """Those that are to be met nowhere, if no game met one."""
        hoped = [q for q in left if q.bad and not q.sought and q.key not in case.seen]
        goals = [(q, case.goals.get(q.key)) for q in hoped]
        return [
            replace(goal, name=q.key) for q, goal in goals if goal is not None and goal.faults is not None
        ]


def _unread(case: Case) -> bool:
    return bool(case.context.trouble) and not case.context.graph.complete


def _large(case: Case) -> bool:
    """Whether the whole cannot be read, or has very many terms."""
    return _unread(case) or case.size > strategy.SMALL


def _open(case: Case) -> list[Question]:
    """The questions without an answer, lemmas that were not asked for among them."""
    return [question for question in case.questions if question.key not in case.answered]


def _claims(case: Case) -> list[Candidate]:
    """What may be proved by induction."""
    claims = []
    for question in _open(case):
        goal = case.goals.get(question.key)
        if goal is None or not goal.states or question.key in case.seen:
            continue
        if question.key not in case.proved and question.key not in case.localized.proved:
            lits = {block: -lit for block, lit in goal.states.items()}
            rank = 0 if question.lemma else 2 if question.sought else 1
            claims.append(
                Candidate(question.key, lits, True, rank, question.before_chance(case.context.transitions))
            )
    return claims


def _take_over(case: Case) -> None:
    """What parts of the state have shown becomes known of the whole."""
    for question in case.questions:
        goal = case.goals.get(question.key)
        if goal is not None and question.key in case.localized.proved.keys() - case.taken_over:
            case.taken_over.add(question.key)
            facts = [Fact(block, -lit, question.key) for block, lit in goal.states.items()]
            case.context.knowledge.add(facts)
