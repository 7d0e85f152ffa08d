"""Writes what stands behind the answers of one run: each proof once, after those that it uses."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from kemu_engine.kernel import nodes as k
from kemu_engine.play.replay import replay

from kemu_verifier.evidence import answers as a
from kemu_verifier.evidence.arrivals import arrivals
from kemu_verifier.evidence.comparisons import compared
from kemu_verifier.evidence.inductions import Base, induction
from kemu_verifier.evidence.keeping_up import kept_up_since
from kemu_verifier.evidence.proof import Cut as Looped
from kemu_verifier.evidence.proof import Induction, Opened, Proof, Ranking, Strategy
from kemu_verifier.evidence.pruning import needed
from kemu_verifier.evidence.rankings import ranking, together
from kemu_verifier.evidence.rankings import strategy as led
from kemu_verifier.evidence.runs import broken_run
from kemu_verifier.goal.goal import stops
from kemu_verifier.goal.questions import ENDINGS, SECRETS, Question
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.invariants.invariants import Fact, Knowledge
from kemu_verifier.methods.termination.measures import StepSamples
from kemu_verifier.methods.termination.ranking import Ranker
from kemu_verifier.methods.termination.ranking import Ranking as Falling
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.conservation import lap_by_lap
from kemu_verifier.strategy.context import RunProof
from kemu_verifier.strategy.localization import Shown
from kemu_verifier.strategy.noninterference import BY_TWO_STATES
from kemu_verifier.strategy.verify import Run
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.laps import Cut
from kemu_verifier.symbolic.terms import FALSE

PROVED = ("proved", "impossible")
SHOWN = ("refuted", "possible")
WHOLE = "whole"
SEVERAL = re.compile(r"k-induction, k = (?P<k>[2-9]|\d\d+)|.* after at most (?P<depth>\d+) steps$")
OVER = re.compile(r".*, (?P<depth>\d+) steps: all runs are over by then$")


class Writing:
    """Writes the proofs of one run."""

    def __init__(self, run: Run, found: Sequence[tuple[Question, Verdict]]) -> None:
        self.case = run.case
        self.context = run.context
        self.game = run.context.game
        self.found = found
        self.asked = {question.key: question for question in self.case.questions}
        self.proofs: dict[str, Proof] = {}
        self.written: dict[str, Base] = {}

    # ------------------------------------------------------------------------------------------ answers

    def evidence(self, question: Question, verdict: Verdict) -> a.Evidence:
        """What stands behind a verdict."""
        if verdict.kind not in (*PROVED, *SHOWN):
            return a.Nothing("nothing is claimed")
        if question.run is not None:
            return self._run(question, verdict)
        if question.kind == "first":
            return self._at_first(question, verdict)
        if question.kind in SECRETS:
            return compared(self.context, question.key, verdict, lambda: self._with_used(self.whole))
        if verdict.kind in SHOWN and question.kind != "almost surely":
            return self._played(question, verdict)
        if self.context.graph.complete:
            return a.AllStates(self._greatest(question, verdict) if question.kind == "maximize" else None)
        if verdict.kind in SHOWN:
            return self._played(question, verdict)
        return self._proof(question, verdict)

    def shown(self, question: Question, verdict: Verdict) -> Verdict:
        """The verdict whose play is written down: of a claim that forgets functions that with any of them."""
        return self.context.abstract.get(question.key, verdict)

    def _played(self, question: Question, verdict: Verdict) -> a.Evidence:
        if question.kind == "always possible" and self.context.graph.complete:
            return a.AllStates()
        if verdict.steps is None:
            return a.Nothing(a.NO_PLAY)
        if question.kind == "always possible":  # all that can follow is among the states that are known
            return a.Play(verdict.steps, None, max(strategy.NEAR, len(self.context.graph.states)))
        if question.kind not in ENDINGS:
            return a.Play(verdict.steps)
        states = replay(self.game, verdict.steps).states
        loop = next((at for at, state in enumerate(states[:-1]) if state == states[-1]), None)
        if question.kind != "almost surely":
            return a.Play(verdict.steps, loop)
        found = kept_up_since(self.context, states)
        if found is None:
            return a.Nothing("of the states around the loop too many have to be looked at")
        since, around = found
        return a.Play(verdict.steps, loop, around, since=None if since == len(states) - 1 else since)

    def _greatest(self, question: Question, verdict: Verdict) -> int | None:
        """The value that a play ends with."""
        if verdict.steps is None:
            return None
        return int(replay(self.game, verdict.steps).last.evaluate(question.exprs[0]))

    def _proof(self, question: Question, verdict: Verdict) -> a.Evidence:
        """The evidence of what is shown without looking at all states."""
        lapped = self._by_laps(question)
        if lapped is not None:
            return lapped
        if not self._codes(question).isdisjoint(self.faults_by_laps):
            return a.Nothing(f"this kind of proof is not written down: {verdict.by}")
        found = self._on_parts(question) if question.kind == "reach" else None
        if found is not None:
            return a.Excluded(tuple(dict.fromkeys((*found, *self._of_arrival(question)))))
        if question.kind in ENDINGS:
            return self._ranked(question, verdict)
        if question.kind == "maximize":
            number = self._greatest(question, verdict)
            if number is None or verdict.steps is None:
                return a.Nothing(a.NO_PLAY)
            return a.Value(number, verdict.steps, self._with_used(self.whole))
        chosen = self.context.led.get(question.key)
        if question.kind == "always possible" and chosen is not None:
            name, uses = f"strategy-{len(self.proofs) + 1}", self._with_used(self.whole)
            return self._falling(led(name, self.context.transitions, chosen, uses, False))
        if question.kind != "reach" or not self.case.readable:
            return a.Nothing(f"this kind of proof is not written down: {verdict.by}")
        several = SEVERAL.match(verdict.by)
        if several is not None:
            induction = several["k"] is not None
            steps = self._in_a_row(question, int(several["k"])) if induction else int(several["depth"])
            return a.Steps(self._with_used(self.whole) if induction else (), max(steps, 1))
        return a.Excluded(self._of_arrival(question) or self._with_used(self.whole))

    @cached_property
    def faults_by_laps(self) -> set[int]:
        """The faults that were excluded where loops are cut."""
        return {fault for shown in self.lapped.values() for fault in shown.faults}

    @cached_property
    def lapped(self) -> dict[str, Shown]:
        """What was shown where loops are cut, by the names of its proofs."""
        found = self.case.localized.laps
        return {} if found is None else {f"laps-{n}": shown for n, shown in enumerate(found.parts, 1)}

    def _by_laps(self, question: Question) -> a.Laps | None:
        """The evidence of what was shown where loops are cut, all of it."""
        found, goal = self.case.localized.laps, self.case.goals.get(question.key)
        codes = self._codes(question)
        here = [name for name, shown in self.lapped.items() if question.key in shown.proved]
        if codes and self.case.shown(question):
            shown_here = [name for name, shown in self.lapped.items() if codes & shown.faults]
            whole = codes == {each for name in shown_here for each in codes & self.lapped[name].faults}
            here = shown_here if whole else []
        if found is None or not here:
            return None
        endless = goal is not None and goal.faults is not None and goal.faults(-1)
        if endless and found.ending is None:
            return None
        last = list(self.lapped)[-1]
        names = [*here, *([last] if endless else [])]
        uses = tuple(dict.fromkeys(used for name in names for used in self._with_used(name)))
        if codes:
            uses = (*uses, *self._arriving(names[-1], "laps-arrivals", uses))
        if endless and found.ending is not None:
            transitions = self.lapped[last].context.transitions
            falling = ranking("laps-ending", transitions, found.ending.rounds, uses)
            self.proofs[falling.name] = where_cut(falling, found.cut)
        heads = tuple(sorted(found.cut.heads))
        return a.Laps(found.cut.opened, heads, uses, "laps-ending" if endless else None)

    def _in_a_row(self, question: Question, length: int) -> int:
        """The steps that lead from the first of so many states to what is excluded: the last of them, or a
        step from there."""
        goal = self.case.goals.get(question.key)
        return length if goal is not None and goal.steps else length - 1

    def _of_arrival(self, question: Question) -> tuple[str, ...]:
        """What says that play can go on at the stops that it comes to, if the question is about faults."""
        goal = self.case.goals.get(question.key)
        if goal is None or goal.faults is None or not self.case.readable:
            return ()
        return (*self._with_used(self.whole), *self._met_nowhere(self._codes(question)), *self.arriving)

    def _codes(self, question: Question) -> set[int]:
        """The faults that the question is about."""
        goal, every = self.case.goals.get(question.key), range(len(self.context.program.faults))
        return set() if goal is None or goal.faults is None else set(filter(goal.faults, every))

    def _met_nowhere(self, codes: set[int]) -> tuple[str, ...]:
        """The proofs of parts of the state that show that some of these faults are never met."""
        some = [name for name, shown in self.parts.items() if codes & shown.faults]
        return tuple(dict.fromkeys(used for name in some for used in self._with_used(name)))

    def _on_parts(self, question: Question) -> tuple[str, ...] | None:
        """The proofs of what was shown on parts of the state."""
        parts = self.parts
        for name, shown in parts.items():
            if question.key in shown.proved and question.form != "assert":
                return self._with_used(name)
        codes = self._codes(question)
        return self._met_nowhere(codes) if codes and self.case.shown(question) else None

    def _ranked(self, question: Question, verdict: Verdict) -> a.Evidence:
        """The evidence that every play ends, or nearly every one."""
        ending, localized, context = self.case.ending, self.case.localized, self.context
        if localized.ranking is not None and verdict.by == localized.ending:
            found, shown = localized.ranking
            uses = self._with_used(next(part for part, each in self.parts.items() if each is shown))
            return self._falling(ranking("ending", shown.context.transitions, found.rounds, uses))
        if not self.case.readable:
            return a.Nothing(f"this kind of proof is not written down: {verdict.by}")
        if ending.proof is not None and ending.ranking is not None:
            alone = self._by_itself(ending.ranking)
            rounds = ending.ranking.rounds if alone is None else alone.rounds
            uses = self._with_used(self.whole) if alone is None else ()
            return self._falling(ranking("ending", context.transitions, rounds, uses))
        if question.kind == "almost surely" and ending.kind:
            uses = self._with_used(self.whole)
            return self._falling(together("ending-almost-surely", context.program, ending.kind, uses))
        if question.kind == "almost surely" and ending.led is not None:
            uses = self._with_used(self.whole)
            return self._falling(led("ending-if-lucky", context.transitions, ending.led, uses, True))
        return a.Nothing(f"this kind of proof is not written down: {verdict.by}")

    def _by_itself(self, found: Falling) -> Falling | None:
        """The measures once more, if they fall whatever is known."""
        context = self.context
        samples = StepSamples(context.transitions, context.plays)
        ranker = Ranker(Knowledge(context.transitions), samples, Deadline(context.seconds))
        alone = ranker.rank(context.edges, found.measures)
        return alone if alone.proved else None

    def _falling(self, proof: Ranking | Strategy) -> a.Ranked:
        self.proofs[proof.name] = proof
        return a.Ranked(proof.uses, proof.name)

    def _run(self, question: Question, verdict: Verdict) -> a.Evidence:
        """The evidence on a claim about a rule by itself."""
        if verdict.kind == "refuted":
            return broken_run(question, self.shown(question, verdict))
        if verdict.by.startswith("exhaustive search"):
            return a.AllStates()
        over = OVER.match(verdict.by)
        if over is not None:
            return a.Steps((), max(int(over["depth"]), 1))
        found = self.context.runs.get(question.key)
        if found is None:
            return a.Nothing(f"this kind of proof is not written down: {verdict.by}")
        name, known = f"run-{len(self.proofs) + 1}", known_of(found)
        every = frozenset(range(len(known.transitions.program.vars)))
        self.proofs[name] = induction(name, Base(known, found.edges, every), (), {})
        if found.ranking is None:
            return a.Excluded((name,))
        transitions, falling = found.knowledge.transitions, found.ranking
        if question.form == "can_return":
            return self._falling(led(f"{name}-strategy", transitions, falling, (name,), False))
        return self._falling(ranking(f"{name}-ending", transitions, falling.rounds, (name,)))

    def _at_first(self, question: Question, verdict: Verdict) -> a.Evidence:
        """The evidence on what holds when play first comes to some stops: of the game up to there."""
        if verdict.kind == "refuted":
            return a.Nothing(a.NO_PLAY) if verdict.steps is None else a.Play(verdict.steps)
        if verdict.by.startswith("exhaustive search"):
            return a.AllStates()
        found = self.context.beginnings.get(question.key)
        if found is None:
            return a.Nothing(f"this kind of proof is not written down: {verdict.by}")
        name, every = f"beginning-{len(self.proofs) + 1}", frozenset(range(len(found.program.vars)))
        self.proofs[name] = induction(name, Base(found.knowledge, found.edges, every), (), {})
        return a.Excluded((name,))

    # ------------------------------------------------------------------------------------------ inductions

    @cached_property
    def parts(self) -> dict[str, Shown]:
        """The parts of the state that showed something, by the names of their proofs."""
        asked, time = list(self.asked.values()), strategy.AGAIN * self.context.seconds
        kept = [
            again
            for shown in self.case.localized.kept or ()
            for again in lap_by_lap(self.context, asked, shown, Deadline(time))
        ]
        return {f"part-{number}": shown for number, shown in enumerate(kept, 1)}

    @cached_property
    def whole(self) -> str:
        """The name of what is known of the whole state."""
        given = {key: self.asked[key] for key in self.case.taken_over if key in self.asked}
        every = frozenset(range(len(self.context.program.vars)))
        self._write(WHOLE, Shown(self.context, every, "the whole state", given, {}, frozenset()))
        return WHOLE

    @cached_property
    def arriving(self) -> tuple[str, ...]:
        """The name of what is known of arriving at a stop, if anything has to be said of that."""
        return self._arriving(self.whole, "arrivals", self._with_used(self.whole))

    def _arriving(self, base: str, name: str, uses: tuple[str, ...]) -> tuple[str, ...]:
        """The same on the reading that a proof is about."""
        if name not in self.proofs:
            found = arrivals(name, self.written[base], uses, Deadline(self.context.seconds))
            if found is None:
                return ()
            self.proofs[name] = where_cut(found, self._cut_of(base))
        return (name,)

    def _cut_of(self, name: str) -> Cut | None:
        """Where loops are cut in what a proof is about."""
        shown = (self.parts | self.lapped).get(name)
        return None if shown is None else shown.cut

    def _asked_of_the_whole(self) -> Collection[str] | None:
        """The questions that the whole state answers; None if it is not known of all on which facts their
        answers rest."""
        if any(verdict.by == BY_TWO_STATES for _, verdict in self.found):
            return None
        proved = [question for question, verdict in self.found if verdict.kind in PROVED]
        proved = [q for q in proved if q.kind not in ("run", "first", *SECRETS) and not self._on_parts(q)]
        return {q.key for q in proved} if all(map(self._by_known_facts, proved)) else None

    def _by_known_facts(self, question: Question) -> bool:
        """Whether it is known on which facts the answer rests: those that make up the claim, or those that
        questions about states and steps rested on."""
        goal = self.case.goals.get(question.key)
        if question.kind in ENDINGS or (question.kind == "reach" and goal is not None and not goal.states):
            return True
        known = {fact.words for facts in self.context.knowledge.facts.values() for fact in facts}
        return question.kind == "reach" and not known.isdisjoint((question.key, f"not {question.key}"))

    def _with_used(self, name: str) -> tuple[str, ...]:
        """A proof, and those that it uses. (One that adds no invariant may exclude something by what it
        forgets.)"""
        if name not in self.proofs:
            self._write(name, (self.parts | self.lapped)[name])
        return (*self.proofs[name].uses, name)

    def _write(self, name: str, shown: Shown) -> None:
        """Writes what is known on a reading, and before it what that rests on."""
        facts = {fact.words for each in shown.context.knowledge.facts.values() for fact in each}
        uses = [part for key in shown.given if key in facts for part in self._showing(key, name)]
        context, given = shown.context, shown.given.keys()
        base = Base(context.knowledge, context.edges, shown.seen, given, shown.copies)
        answered = self._asked_of_the_whole() if name == WHOLE else shown.proved
        if answered is not None:
            context.progress(f"what is needed of the invariants, {shown.words}")
            left = Deadline(self.context.seconds)
            base = replace(base, needed=needed(base, self.asked, answered, left))
        self.written[name] = base
        self.proofs[name] = where_cut(induction(name, base, uses, self.asked), shown.cut)

    def _showing(self, key: str, before: str) -> tuple[str, ...]:
        """The proof of a claim that was taken for granted."""
        for name, shown in (self.parts | self.lapped).items():
            if name != before and key in shown.proved:
                return self._with_used(name)
        return ()

    def used(self, evidence: Iterable[a.Evidence]) -> list[Proof]:
        """The proofs that evidence names."""
        named: set[str] = set()
        for each in evidence:
            match each:
                case a.Excluded(proofs) | a.Steps(proofs, _) | a.Value(_, _, proofs) | a.TwoStates(proofs):
                    named |= set(proofs)
                case a.Ranked(proofs, name):
                    named |= {*proofs, name}
                case a.Laps(_, _, proofs, name):
                    named |= {*proofs, *([] if name is None else [name])}
        return [proof for name, proof in self.proofs.items() if name in named]


def where_cut(proof: Induction | Ranking, cut: Cut | None) -> Proof:
    """The proof, about the program with its loops cut, if they are."""
    if cut is None:
        return proof
    opened = tuple(Opened(block, at) for block, at in cut.opened)
    return Looped(opened, tuple(sorted(cut.heads)), proof)


def known_of(proof: RunProof) -> Knowledge:
    """What a proof about a rule by itself knows, and where no step leads. Nothing is known at the stop where
    it begins: it may be in any state there."""
    transitions, entered = proof.knowledge.transitions, {edge.target for edge in proof.edges}
    program = transitions.program
    entry = program.blocks[program.entry].exit
    known = Knowledge(transitions)
    for block, facts in proof.knowledge.facts.items():
        known.add(facts if k.Goto(block) != entry else ())
    others = [at for at in stops(program, k.Decide, k.Chance) if at not in entered and k.Goto(at) != entry]
    known.add(Fact(block, FALSE, "no step leads there") for block in others)
    return known
