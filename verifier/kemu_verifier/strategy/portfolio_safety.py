"""Is a goal ever reached? The methods for `always`, `never`, `possible` and their kin.

A game that is found is replayed and, time permitting, shortened.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from kemu_engine.play.replay import Replay

from kemu_verifier.goal.cti import show
from kemu_verifier.goal.goal import Goal
from kemu_verifier.goal.questions import Question
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.search.explicit_state import Unfinished
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.asked import SHORTEST, Asked
from kemu_verifier.strategy.case import Case
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.method import Answer
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.terms import AND, FALSE, Lit
from kemu_verifier.symbolic.values import TooLarge

RANDOM, CLIMBING = "simulation", "hill climbing"
BOUNDED, WINDOWED = "bounded model checking", "windowed bounded model checking"
FURTHER = "simulation from a game that was found"
DIRECTED = "property-directed reachability, its invariant proved by 1-induction"
CTI = "a step leads there from a state that may be unreachable, but that no known invariant excludes"
UNCLOSED = "the rules go round and round between two stops, beyond what is followed"


class Exhaustive:
    """By the whole graph of states, where it is known."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind == "reach" and case.context.graph.complete

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        context, asked = case.context, case.asked(question)
        by = f"exhaustive search of {len(context.graph.states)} states"
        try:
            steps = searched(context, asked.goal, budget)
        except Unfinished as error:
            return asked.verdict("unknown", by, detail=str(error))
        if steps is None:
            return asked.unreachable(by)
        return asked.reached(context.confirmed(asked.goal, steps), f"{by}{SHORTEST}")


class Witnesses:
    """A game that was found already, perhaps shortened."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind == "reach" and question.key in case.seen

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        asked = case.asked(question)
        found, by = case.seen[question.key]
        if case.context.trouble:
            return asked.seen(found, by)
        return shortened(case.context, asked, found, by, budget)


class Breaches(Witnesses):
    """A random game that breaks a claim, where it may yet be found out by all states."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.bad and super().applies(case, question) and case.context.promising


class LocalizedProofs:
    """What was shown on parts of the state."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind == "reach" and question.key not in case.seen and case.shown(question)

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        words = "invariants of the state before each step, fault by fault"
        by = case.localized.proved.get(question.key, words)
        return case.asked(question).unreachable(by, case.localized.told())


class InductiveProofs:
    """What was shown by induction on the whole state."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.key in case.proved and case.readable

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        return case.asked(question).unreachable(case.proved[question.key], case.context.knowledge.told())


class FaultsBeforeSteps:
    """That no step from a state that the invariants allow does what is asked for."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind == "reach" and case.readable and bool(case.goal(question).steps)

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        faultless = case.localized.faultless
        if not follows_for_steps(case.context, case.goal(question), budget, faultless):
            return None
        words = "invariants of the state before each step"
        known = filter(None, (case.context.knowledge.told(), case.localized.told() if faultless else ""))
        return case.asked(question).unreachable(words, ". ".join(known))


class WitnessSearch:
    """A game that is hoped for: by climbing, by more simulation, by windowed search, in turns."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind == "reach" and question.sought and case.readable

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        context, asked = case.context, case.asked(question)
        context.progress(f"searching: {question.name}")
        games, key, goal = context.games, question.key, asked.goal
        found, by = games.more_simulated(key, goal, budget.part(budget.left / 4)), RANDOM
        if found is None:
            found, by = context.climbed(goal, budget.part(strategy.CLIMB)), CLIMBING
        if found is None:
            found, by = games.more_simulated(key, goal, budget.part(budget.left / 2)), RANDOM
        if found is None:
            found, by = context.windowed(goal, budget), WINDOWED
        if found is None:
            return None
        case.keep(question.key, found, by)
        return shortened(context, asked, found, by, budget)


class WhatPlayShows:
    """Where there is no symbolic reading to rest on: games, and the states explored."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind == "reach" and not case.readable

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        return unread(case.context, case.asked(question), case.context.trouble or UNCLOSED, budget)


class GamesThatGoOn:
    """Random games that go on from one that was found."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind == "reach"

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        found = case.context.games.seen_further(case.goal(question), budget)
        return (
            None if found is None else shortened(case.context, case.asked(question), found, FURTHER, budget)
        )


class HillClimbing:
    """Random games that climb to the goal."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind == "reach"

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        case.context.progress(f"searching: {question.name}")
        found = case.context.climbed(case.goal(question), budget)
        return (
            None if found is None else shortened(case.context, case.asked(question), found, CLIMBING, budget)
        )


@dataclass(frozen=True, slots=True)
class WindowedSearch:
    """Bounded model checking with few, guessed options open at each step. `hoped`: only of what is hoped
    for."""

    hoped: bool

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind == "reach" and (question.sought or not self.hoped)

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        found = case.context.windowed(case.goal(question), budget)
        if found is None:
            return None
        return case.asked(question).reached(found, WINDOWED)


class MoreSimulation:
    """More random games, where one is hoped for."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind == "reach" and not question.bad and question.expected != "impossible"

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        found = case.context.games.more_simulated(question.key, case.goal(question), budget)
        found = found or case.context.games.lucky(case.goal(question), budget)
        return None if found is None else shortened(case.context, case.asked(question), found, RANDOM, budget)


@dataclass(frozen=True, slots=True)
class KInduction:
    """Induction over windows of states. `hoped`: of what is hoped to be reached, or of all else."""

    hoped: bool | None
    longer: bool = False

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind == "reach" and case.readable and self.hoped in (None, question.sought)

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        for length in (strategy.LONGER,) if self.longer else strategy.LENGTHS:
            part = budget if self.longer else budget.part(budget.left / 2)
            found = self._inducted(case, question, length, part, budget)
            if found is not None:
                return found
        return None

    def _inducted(
        self, case: Case, question: Question, length: int, deadline: Deadline, until: Deadline
    ) -> Answer:
        """By windows of this length; until when the first steps of a game may be looked at."""
        context, asked = case.context, case.asked(question)
        outcome, window = context.induct(asked.goal, length, deadline)
        if window is not None and not self.longer:
            case.tried(question).window = window  # the last of them tells why induction fails
        base = context.base(asked.goal, length, until) if outcome == "unsat" else None
        if base is True:
            return asked.unreachable(f"k-induction, k = {length + 1}", context.knowledge.told())
        return asked.reached(base, f"{BOUNDED}{SHORTEST}") if base else None


class PropertyDirected:
    """An invariant that z3's Spacer finds, proved by induction."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind == "reach" and case.readable and not question.sought

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        context, goal = case.context, case.goal(question)
        if not context.learning.property_directed(goal, budget):
            return None
        if goal.steps and not follows_for_steps(context, goal, budget):
            return None
        return case.asked(question).unreachable(DIRECTED, context.knowledge.told())


class BoundedModelChecking:
    """All plays of a length at once, as far as time allows."""

    def applies(self, case: Case, question: Question) -> bool:
        return question.kind == "reach" and case.readable

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        asked = case.asked(question)
        found, depth, complete = case.context.deepen(asked.goal, budget)
        case.tried(question).depth = depth
        if found is not None:
            return asked.reached(found, f"{BOUNDED}{SHORTEST}")
        if complete:
            by = f"{BOUNDED} to the end of every game, after at most {depth} steps"
            return asked.unreachable(by)
        return None


class Undecided:
    """The most that can be said when nothing decided."""

    def applies(self, case: Case, question: Question) -> bool:
        return True

    def run(self, case: Case, question: Question, budget: Deadline) -> Answer:
        asked, tried = case.asked(question), case.tried(question)
        if question.kind != "reach":
            return asked.verdict("unknown", "", detail=tried.reason or "out of time")
        games = case.context.games.sampled(asked.goal)
        sampled = f"; {games}" if games else ""
        reason, depth = tried.reason, tried.depth
        if Deadline.crowded:
            reason = reason or "the search has taken too much memory"
        if not question.bad:
            looked = f"no game with up to {depth} steps reaches it" if depth >= 0 else "no game was found"
            detail = reason or f"{looked}, no proof that there is none{sampled}"
            by = f"{BOUNDED}, {RANDOM}"
            return asked.verdict("unknown", by, depth=max(depth, 0), detail=detail)
        if tried.window is not None:
            detail = CTI
            more = f"; no violation within {depth} steps{sampled}" if depth >= 0 else sampled
            states = show(case.context.game, case.context.transitions, tried.window)
            by, depth = "k-induction fails", max(depth, 0)
            return asked.verdict("not inductive", by, depth=depth, state_json=states, detail=detail + more)
        if depth > 0 or (depth == 0 and not games):
            detail = (reason + sampled).lstrip("; ")
            return asked.verdict("holds to depth", BOUNDED, depth=depth, detail=detail)
        if games:
            detail = "; ".join(filter(None, (games, reason)))
            return asked.verdict("sampled", RANDOM, detail=detail)
        return asked.verdict("unknown", "", detail=reason or "out of time")


# ------------------------------------------------------------------------------------------ what they share


def unless_empty(context: ProofContext, question: Question, verdict: Verdict) -> Verdict:
    """The verdict; a claim proved of states that nobody has seen says so."""
    if verdict.kind != "proved" or question.standard or question.form == "assert":
        return verdict
    if question.kind not in ("reach", "first"):
        return verdict
    here = frozenset(question.blocks)
    if any(state.block in here for state in context.graph.states):
        return verdict
    if context.graph.complete:
        words = "vacuous: no state that it speaks of is reachable"
    elif any(state.block in here for play in context.plays for state in play.states):
        return verdict
    else:
        words = "perhaps vacuous: no state that it speaks of was ever seen"
    return replace(verdict, detail="; ".join(filter(None, (words, verdict.detail))))


def unread(context: ProofContext, asked: Asked, reason: str, deadline: Deadline) -> Verdict:
    """Where there is no symbolic reading to rest on: only what play shows."""
    climbing = deadline.part(min(2 * strategy.CLIMB, deadline.left / 8))
    if (climbed := context.climbed(asked.goal, climbing)) is not None:
        return asked.seen(climbed, CLIMBING)
    lucky = _lucky(context, asked, deadline)
    if lucky is not None:
        return asked.seen(lucky, RANDOM)
    graph = context.graph
    try:
        steps, seen = searched(context, asked.goal, deadline), f"the first {len(graph.states)} states"
    except Unfinished:
        steps, seen = None, "some states"
    if steps is not None:
        return asked.reached(context.confirmed(asked.goal, steps), f"search of {seen}")
    sampled = context.games.sampled(asked.goal)
    if asked.question.bad and sampled:
        detail = f"{sampled}; nor has one of {seen}; {reason}"
        return asked.verdict("sampled", RANDOM, detail=detail)
    return asked.verdict("unknown", f"{RANDOM}, search of {seen}", detail=reason)


def _lucky(context: ProofContext, asked: Asked, deadline: Deadline) -> Replay | None:
    """A random game that reaches the goal, if that is what is hoped for."""
    if asked.question.bad or asked.question.expected == "impossible":
        return None
    part = deadline.part(deadline.left / 2)
    games, goal = context.games, asked.goal
    return games.more_simulated(asked.question.key, goal, part) or games.lucky(goal, part)


def follows_for_steps(
    context: ProofContext, goal: Goal, deadline: Deadline, faultless: Collection[int] = ()
) -> bool:
    """Whether no step from a state that the invariants allow does what the goal asks for. `faultless`: faults
    that are known to be met by no step."""
    if context.transitions.unclosed:
        return False
    for block, lit in goal.steps.items():
        known = context.excluded.setdefault(block, {FALSE})
        left, size = [way for way in _ways(context, goal, block, lit, faultless) if way not in known], 1
        while left:
            some = left[:size]
            hard = strategy.STEP if size == 1 else min(strategy.STEP, deadline.left * strategy.SEVERAL)
            if context.solver(block).excludes_all(some, deadline.part(hard)):
                known.update(some)
                left, size = left[size:], min(2 * size, strategy.AT_ONCE)
            elif size > 1:
                size = max(1, size // 4)
            else:
                return False
    return True


def _ways(
    context: ProofContext, goal: Goal, block: int, lit: Lit, faultless: Collection[int]
) -> Sequence[Lit]:
    """Literals of which one holds if a step does what is asked for, one of these faults left out."""
    if goal.faults is not None:
        step = context.transitions.begin() if block < 0 else context.transitions.step(block)
        met = {lit for lit, fault in step.faults if goal.faults(fault) and fault not in faultless}
        return sorted(met)
    terms = context.transitions.terms
    return [-part for part in terms.data[-lit]] if lit < 0 and terms.kind[-lit] == AND else [lit]


def searched(context: ProofContext, goal: Goal, deadline: Deadline) -> list[str] | None:
    """A shortest way to the goal in the graph of states, as far as it is known. Raises Unfinished."""
    graph = context.graph
    if goal.holds is not None:
        number = graph.first(goal.looking(), deadline)
        return None if number is None else graph.path(number)
    return graph.line_path(goal.lines) if goal.faults is None else graph.fault_path(goal.faults)


def shortened(context: ProofContext, asked: Asked, seen: Replay, by: str, deadline: Deadline) -> Verdict:
    """The game that was seen, or a shorter one that bounded model checking finds soon."""
    long = len(seen.steps) > strategy.FAR
    if deadline.passed:
        return asked.seen(seen, by)
    if not seen.steps or context.trouble or context.transitions.unclosed or (long and by == RANDOM):
        return asked.seen(seen, by)
    part = deadline.part(strategy.SHORTEN_LONG if long else strategy.SHORTEN)
    best, method = seen, by
    try:
        for depth, found in context.bounded.search(asked.goal, 0, len(seen.steps) - 1, part):
            if found is not None:
                best, method = found, f"{BOUNDED}{SHORTEST}"
            elif depth >= len(seen.steps) - 1:
                method = f"{by}{SHORTEST}"
    except TooLarge:
        pass
    return asked.reached(best, method)
