"""Is a goal ever reached? The portfolio for `always`, `never`, `possible` and their kin, cheap methods first.

Exhaustive search alone if the instance is small. Else random games; induction (done beforehand for all claims
at once) and what follows from its invariants; k-induction; property-directed reachability; bounded search;
directed search. A game that is found is replayed and, time permitting, shortened.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

from kemu_engine.play.replay import Replay

from kemu_verifier.goal.cti import show
from kemu_verifier.goal.goal import Goal
from kemu_verifier.goal.questions import Question
from kemu_verifier.goal.verdict import Kind, Verdict
from kemu_verifier.methods.search.explicit_state import Unfinished
from kemu_verifier.strategy.context import Bench, Window
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.terms import AND, Lit, Terms
from kemu_verifier.symbolic.values import TooLarge

SHORTEN = 2.0  # seconds for making a game that was found shorter
STEP = 6.0  # seconds for asking whether a step may do what is asked for, in one of several ways
FAR = 30  # steps, beyond which a shortest game is hardly found
CLIMB, CLIMBED = 4.0, 0.125  # seconds for random games that climb; of the time that is left, at most
LUCK = 0.5  # of the time that is left: for random games that show what is hoped for
QUICK = 12.0  # seconds for a first directed search
LENGTHS = (1, 2, 3)  # of windows for k-induction
FINDING = 3.0  # seconds for Spacer at least, if that is no more than a quarter of what is left
CLIMBING = "random games that climb"
DIRECTED = "property-directed reachability, whose invariant is proved by 1-induction"
SHORTER, SHORTEST = "; shorter games may exist", ": no shorter one exists"


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
        return self.reached(found, f"{by}, replayed{SHORTER if found.steps else SHORTEST}")

    def unreachable(self, by: str, detail: str = "") -> Verdict:
        return self.verdict("proved" if self.question.bad else "impossible", by, detail=detail)


def settle(
    bench: Bench, asked: Asked, proved: dict[str, str], seen: Replay | None, by: str, deadline: Deadline
) -> Verdict:
    """The verdict on one question; `proved` are the methods by which induction proved claims, `seen` a game
    already found `by` a method."""
    if seen is not None:
        return shortened(bench, asked, seen, by, deadline)
    if bench.transitions.unclosed:
        words = "the rules go round and round between two stops, beyond what is followed"
        return unread(bench, asked, words, deadline)
    if asked.question.key in proved:
        return asked.unreachable(proved[asked.question.key], bench.knowledge.told())
    if asked.goal.steps and follows_for_steps(bench, asked.goal, deadline):
        return asked.unreachable("invariants of the state before each step", bench.knowledge.told())
    return hard(bench, asked, deadline)


def unless_empty(bench: Bench, question: Question, verdict: Verdict) -> Verdict:
    """The verdict; a claim proved of states that nobody has seen says so."""
    if verdict.kind != "proved" or question.standard or question.kind != "reach" or question.form == "assert":
        return verdict
    here = frozenset(question.blocks)
    if any(state.block in here for state in bench.graph.states):
        return verdict
    if bench.graph.complete:
        words = "vacuous: no state that it speaks of is reachable"
    elif any(state.block in here for play in bench.plays for state in play.states):
        return verdict
    else:
        words = "perhaps vacuous: no state that it speaks of was ever seen"
    return replace(verdict, detail="; ".join(filter(None, (words, verdict.detail))))


def unread(bench: Bench, asked: Asked, reason: str, deadline: Deadline) -> Verdict:
    """Where there is no symbolic reading to rest on: only what play shows."""
    if (climbed := bench.climbed(asked.goal, deadline.part(min(CLIMB, CLIMBED * deadline.left)))) is not None:
        return asked.seen(climbed, CLIMBING)
    lucky = _lucky(bench, asked, deadline)
    if lucky is not None:
        return asked.seen(lucky, "random games")
    graph = bench.graph
    try:
        steps, seen = searched(bench, asked.goal, deadline), f"the first {len(graph.states)} states"
    except Unfinished:
        steps, seen = None, "some states"
    if steps is not None:
        return asked.reached(bench.confirmed(asked.goal, steps), f"search of {seen}, replayed")
    sampled = bench.sampled(asked.goal)
    if asked.question.bad and sampled:
        detail = f"{sampled}; nor has one of {seen}; {reason}"
        return asked.verdict("sampled", "random games", detail=detail)
    return asked.verdict("unknown", f"random games, search of {seen}", detail=reason)


def _lucky(bench: Bench, asked: Asked, deadline: Deadline) -> Replay | None:
    """A random game that reaches the goal, if that is what is hoped for."""
    if asked.question.bad or asked.question.expected == "impossible":
        return None
    return bench.lucky(asked.goal, deadline.part(LUCK * deadline.left))


def shortened(bench: Bench, asked: Asked, seen: Replay, by: str, deadline: Deadline) -> Verdict:
    """The game that was seen, or a shorter one that bounded search finds soon."""
    part = deadline.part(SHORTEN if len(seen.steps) <= FAR else SHORTEN / 4)
    if not seen.steps or bench.transitions.unclosed:
        return asked.seen(seen, by)
    best, method = seen, f"{by}, replayed{SHORTER}"
    try:
        for depth, found in bench.bounded.search(asked.goal, 0, len(seen.steps) - 1, part):
            if found is not None:
                best, method = found, f"bounded search, replayed{SHORTEST}"
            elif depth >= len(seen.steps) - 1:
                method = f"{by}, replayed; bounded search{SHORTEST}"
    except TooLarge:
        pass
    return asked.reached(best, method)


def follows_for_steps(bench: Bench, goal: Goal, deadline: Deadline) -> bool:
    """Whether no step from a state that the invariants allow does what the goal asks for."""
    for block, lit in goal.steps.items():
        for way in _ways(bench.transitions.terms, lit):  # one by one: together they are a long question
            if not bench.solver(block).excludes(way, deadline.part(STEP)):
                return False
    return True


def _ways(terms: Terms, lit: Lit) -> list[Lit]:
    """Literals of which one holds just if this one does."""
    return [-part for part in terms.data[-lit]] if lit < 0 and terms.kind[-lit] == AND else [lit]


def exhaustive(bench: Bench, asked: Asked, deadline: Deadline) -> Verdict:
    """By the whole graph of states."""
    by = f"exhaustive search of {len(bench.graph.states)} states"
    try:
        steps = searched(bench, asked.goal, deadline)
    except Unfinished as error:
        return asked.verdict("unknown", by, detail=str(error))
    if steps is None:
        return asked.unreachable(by)
    return asked.reached(bench.confirmed(asked.goal, steps), f"{by}, replayed{SHORTEST}")


def searched(bench: Bench, goal: Goal, deadline: Deadline) -> list[str] | None:
    """A shortest way to the goal in the graph of states, as far as it is known. Raises Unfinished."""
    graph = bench.graph
    if goal.holds is not None:
        number = graph.first(goal.looking(), deadline)
        return None if number is None else graph.path(number)
    return graph.line_path(goal.lines) if goal.faults is None else graph.fault_path(goal.faults)


def hard(bench: Bench, asked: Asked, deadline: Deadline) -> Verdict:
    """Where neither random games nor induction decide. What one hopes to prove is tried first, what one hopes
    to find is looked for first."""
    bench.progress(f"searching: {asked.question.name}")
    reason, depth = "", -1
    windows: list[Window] = []  # the last of them tells why induction fails
    if (climbed := bench.climbed(asked.goal, deadline.part(min(CLIMB, CLIMBED * deadline.left)))) is not None:
        return shortened(bench, asked, climbed, CLIMBING, deadline)
    try:
        for prove in (False, True) if asked.question.sought else (True, False):
            tried = _proved(bench, asked, windows, deadline) if prove else _found(bench, asked, deadline)
            if tried is not None:
                return tried
        found, depth, complete = bench.deepen(asked.goal, deadline.part(deadline.left / 5))
        if found is not None:
            return asked.reached(found, f"bounded search, replayed{SHORTEST}")
        if complete:
            return asked.unreachable(f"bounded search to the end of every game, after at most {depth} steps")
        found = bench.directed(asked.goal, deadline.part(deadline.left * 0.8))
        if found is not None:
            return asked.reached(found, "directed search, replayed; shorter ones may exist")
        verdict = _inducted(bench, asked, LENGTHS[-1], [], deadline, deadline)
        if verdict is not None:
            return verdict
    except TooLarge as error:
        reason = str(error)
    return undecided(bench, asked, windows[-1] if windows else None, depth, reason)


def _found(bench: Bench, asked: Asked, deadline: Deadline) -> Verdict | None:
    """By directed search, or by chance."""
    found = bench.directed(asked.goal, deadline.part(QUICK))
    if found is not None:
        return asked.reached(found, "directed search, replayed; shorter ones may exist")
    found = _lucky(bench, asked, deadline)
    return None if found is None else shortened(bench, asked, found, "random games", deadline)


def _proved(bench: Bench, asked: Asked, windows: list[Window], deadline: Deadline) -> Verdict | None:
    """By k-induction, or with an invariant that Spacer finds."""
    for length in LENGTHS[:-1]:
        part = deadline.part(deadline.left / 8)
        verdict = _inducted(bench, asked, length, windows, part, deadline)
        if verdict is not None:
            return verdict
    part = deadline.part(min(max(FINDING, deadline.left / 8), deadline.left / 4))
    if asked.question.sought or not bench.property_directed(asked.goal, part):
        return None
    if asked.goal.steps and not follows_for_steps(bench, asked.goal, deadline):
        return None
    return asked.unreachable(DIRECTED, bench.knowledge.told())


def _inducted(
    bench: Bench, asked: Asked, length: int, windows: list[Window], deadline: Deadline, until: Deadline
) -> Verdict | None:
    """By k-induction over windows of this length, if the solver decides within the deadline; until when the
    first steps of a game may be looked at."""
    outcome, window = bench.induct(asked.goal, length, deadline)
    if window is not None:
        windows.append(window)
    base = bench.base(asked.goal, length, until) if outcome == "unsat" else None
    if base is True:
        return asked.unreachable(f"{length + 1}-induction with invariants", bench.knowledge.told())
    return asked.reached(base, f"bounded search, replayed{SHORTEST}") if base else None


def undecided(bench: Bench, asked: Asked, window: Window | None, depth: int, reason: str) -> Verdict:
    """The most that can be said when nothing decided."""
    games = bench.sampled(asked.goal)
    sampled = f"; {games}" if games else ""
    if Deadline.crowded:
        reason = reason or "the search has taken too much memory"
    if not asked.question.bad:
        detail = reason or f"no game with up to {depth} steps reaches it, no proof that none does{sampled}"
        return asked.verdict("unknown", "bounded and directed search", depth=max(depth, 0), detail=detail)
    if window is not None:
        detail = (
            "a step leads there from a state that may be unreachable, but that no known invariant excludes"
        )
        more = f"; no violation within {depth} steps{sampled}" if depth >= 0 else sampled
        states = show(bench.game, bench.transitions, window)
        by = "k-induction fails"
        return asked.verdict(
            "not inductive", by, depth=max(depth, 0), state_json=states, detail=detail + more
        )
    if depth > 0 or (depth == 0 and not games):
        return asked.verdict(
            "holds to depth", "bounded search", depth=depth, detail=(reason + sampled).lstrip("; ")
        )
    if games:
        detail = "; ".join(filter(None, (games, reason)))
        return asked.verdict("sampled", "random games", detail=detail)
    return asked.verdict("unknown", "", detail=reason or "out of time")
