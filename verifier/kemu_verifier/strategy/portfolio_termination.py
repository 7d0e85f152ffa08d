"""Does every play end, or nearly every one? Ranking functions for a proof; a way back to the same state for a
refutation."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from kemu_engine.kernel import nodes as k

from kemu_verifier.goal.goal import stops
from kemu_verifier.goal.questions import ENDINGS, Question
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.invariants.linear_features import sums_in
from kemu_verifier.methods.termination.almost_sure import Kindness
from kemu_verifier.methods.termination.measures import Measure, StepSamples, numbers, rising
from kemu_verifier.methods.termination.ranking import Ranker, Ranking
from kemu_verifier.strategy.context import Bench
from kemu_verifier.strategy.localization import Sliced
from kemu_verifier.strategy.loops import Loops
from kemu_verifier.strategy.portfolio_safety import Asked
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.terms import TRUE, Lit
from kemu_verifier.symbolic.values import Number, TooLarge

GIVEN = 0.9  # of what time is left, for the author's measure as a whole
LASSO = 0.25  # of what time is left, for loops that no random game went through


class Ending:
    """The questions whether play ends, of one game; what one learns serves the next."""

    def __init__(self, bench: Bench, lits: Sequence[Lit], sliced: Sliced) -> None:
        self.bench = bench
        self.sliced = sliced
        self.lits = lits  # of the claims, whose sums may serve as measures
        self.loops = Loops(bench)
        self.proof: Verdict | None = None  # that every play ends
        self.ranking: Ranking | None = None  # by which that was proved
        self._known: dict[str, Verdict] = {}  # by kind of question, the last verdict
        self._measures: dict[str, list[dict[int, Number]]] = {}  # by question, what the author's consists of

    def read(self, questions: Iterable[Question]) -> None:
        """The author's measures, before searches fill the store of terms."""
        with suppress(TooLarge):
            for question in questions:
                if question.kind in ENDINGS:
                    self._components(question)

    def verdict(self, asked: Asked, deadline: Deadline) -> Verdict:
        """The verdict; on a standard question the one that the author's own claim had."""
        question = asked.question
        known = self._known.get(question.kind)
        if known is not None and question.standard:
            seconds = time.monotonic() - asked.began
            known = replace(known, property=question.name, standard=True, seconds=seconds)
            return replace(known, expected=question.expected, origin=question.origin)
        settle = self.terminates if question.kind == "terminates" else self.almost_surely
        self._known[question.kind] = settle(asked, deadline)
        return self._known[question.kind]

    def terminates(self, asked: Asked, deadline: Deadline) -> Verdict:
        """The verdict on `terminates`."""
        bench = self.bench
        found = self.loops.found(deadline)
        if found is not None:
            return self.loops.endless(asked, found)
        if bench.graph.complete:
            by = f"exhaustive search of {len(bench.graph.states)} states: no way leads back to a state"
            self.proof = asked.unreachable(by)
            return self.proof
        if self.sliced.ending:
            self.proof = asked.unreachable(self.sliced.ending, self.sliced.told())
            return self.proof
        reason = self._unread()
        if reason:
            return asked.verdict("unknown", "", detail=reason)
        try:
            ranking, given = self._rank(asked.question, deadline.part(deadline.left * (1 - LASSO)))
            if ranking.proved:
                self.ranking = ranking
                bench.notes.measures |= dict.fromkeys(measure.words for measure in ranking.measures)
                told = _told(bench, ranking, given, deadline)
                self.proof = asked.unreachable("ranking function " + words_of(bench, ranking), told)
                return self.proof
            depth = self.loops.search(deadline)
        except TooLarge as error:
            return asked.verdict("unknown", "", detail=str(error))
        found = self.loops.found(deadline)
        if found is not None:
            return self.loops.endless(asked, found)
        detail = f"no counter is known to fall on every way round through {_left(bench, ranking)}"
        if depth:
            detail += f"; no play of up to {depth} steps comes back to a state"
        return asked.verdict("unknown", "ranking functions", detail=detail)

    def almost_surely(self, asked: Asked, deadline: Deadline) -> Verdict:
        """The verdict on `ends almost surely`: with probability one, whatever the players do."""
        bench, missed = self.bench, ""
        if asked.question.exprs and not bench.graph.complete and not self._unread():
            try:
                fails = self._unkind(asked.question, deadline.part(deadline.left * GIVEN))
            except TooLarge as error:
                missed = f"; of the measure as given: {error}"
            else:
                if fails is None:
                    by = (
                        "the measure as given, which every choice and, wherever it comes, some outcome lowers"
                    )
                    return asked.unreachable(by, bench.knowledge.told())
                missed = f"; the measure as given is not shown to fall at {bench.program.blocks[fails].name}"
        found = self.loops.found(deadline.part(deadline.left / 3))
        if found is not None and found.loop.kind != "chance":
            return self.loops.endless(asked, found)
        if bench.graph.complete:
            return asked.unreachable(
                f"exhaustive search of {len(bench.graph.states)} states: nowhere can the players go on for"
                " ever whatever chance brings"
            )
        if self.sliced.ending:
            return asked.unreachable(self.sliced.ending, self.sliced.told())
        if self.proof is not None:
            detail = "; ".join(filter(None, ("every play ends", self.proof.detail)))
            return asked.unreachable(self.proof.by, detail)
        reason = self._unread()
        if reason:
            return asked.verdict("unknown", "", detail=reason)
        helped = stops(bench.program, k.Chance)
        try:
            ranking, _ = self._rank(asked.question, deadline, helped)
        except TooLarge as error:
            return asked.verdict("unknown", "", detail=str(error))
        if ranking.proved:
            words = f"ranking function {words_of(bench, ranking)}, which chance lowers with some outcome"
            return asked.unreachable(words, preferred_of(bench, ranking))
        way = f"on every way round through {_left(bench, ranking)}"
        detail = f"no counter is known to fall, with some outcome of chance, {way}{missed}"
        return asked.verdict("unknown", "ranking functions", detail=detail)

    def _unkind(self, question: Question, deadline: Deadline) -> int | None:
        """A stop where the author's measure is not shown to fall if chance is kind."""
        bench = self.bench
        return Kindness(bench.knowledge, self._components(question), deadline).fails(bench.moving)

    def _components(self, question: Question) -> list[dict[int, Number]]:
        """The numbers that the author's measure consists of, by stop."""
        if question.key not in self._measures:
            transitions, blocks = self.bench.transitions, stops(self.bench.program, k.Decide, k.Chance, k.End)
            self._measures[question.key] = [
                {block: transitions.reader.number(expr, transitions.env(block), TRUE) for block in blocks}
                for expr in question.exprs
            ]
        return self._measures[question.key]

    def _given(self, question: Question) -> list[Measure]:
        """The author's measure, component by component."""
        lin, components = self.bench.transitions.reader.numbers.lin, self._components(question)
        found = []
        for number, component in enumerate(components, 1):
            at = {block: lin(value) for block, value in component.items()}
            found.append(Measure("as given" if len(components) == 1 else f"as given, component {number}", at))
        return found

    def _unread(self) -> str:
        """Why there is no symbolic reading to rest on."""
        if self.bench.trouble:
            return self.bench.trouble
        if self.bench.transitions.unclosed:
            return "the rules go round and round between two stops"
        return ""

    def _rank(
        self, question: Question, deadline: Deadline, helped: Collection[int] = ()
    ) -> tuple[Ranking, list[Measure]]:
        bench = self.bench
        given = self._given(question)
        ranker = Ranker(bench.knowledge, StepSamples(bench.transitions, bench.plays), deadline, helped)
        ranker.at_once = self.sliced.kept is None
        if given:
            ranking = ranker.rank(bench.edges, given)
            if ranking.proved:
                return ranking, given
        measures = numbers(bench.transitions, sums_in(bench.transitions, self.lits))
        noted = bench.notes.measures.keys()
        measures.sort(key=lambda measure: noted.isdisjoint((measure.words, rising(measure.words))))
        return ranker.rank(bench.edges, [*given, *measures], combine=True), given


# ---------------------------------------------------------------------------------------------- told


def words_of(bench: Bench, ranking: Ranking) -> str:
    """The measures in their order."""
    return ", then ".join(m.words for m in ranking.measures) or "not needed: no stop leads back to itself"


def preferred_of(bench: Bench, ranking: Ranking) -> str:
    """What is chosen, or comes, at the stops where some choice suffices."""
    parts = []
    for block, preference in sorted(ranking.preferred.items()):
        exit = bench.program.blocks[block].exit
        options = bench.transitions.step(block).options
        if isinstance(exit, k.Chance):
            texts = bench.program.domains[exit.domain].texts
            words = " or ".join(texts[options[at].values[0]] for at in sorted(preference))
        else:
            assert isinstance(exit, k.Decide)
            words = " or ".join(dict.fromkeys(exit.arms[options[at].arm].name for at in sorted(preference)))
        parts.append(f"{words} at {bench.program.blocks[block].name}")
    return f"with {', '.join(parts)}" if parts else ""


def _left(bench: Bench, ranking: Ranking) -> str:
    return ", ".join(sorted({bench.program.blocks[edge.source].name for edge in ranking.left}))


def _told(bench: Bench, ranking: Ranking, given: list[Measure], deadline: Deadline) -> str:
    parts = []
    if given and not any(measure in given for measure in ranking.measures):
        parts.append("the measure as given does not fall on every way round, others do")
    bound = _bound(bench, ranking, deadline)
    if bound is not None:
        parts.append(f"no game has more than {bound} decisions")
    return "; ".join(parts)


def _bound(bench: Bench, ranking: Ranking, deadline: Deadline) -> int | None:
    """How many decisions a game has at most: the first measure, if every decision lowers it from the first
    on."""
    known = bench.longest if bench.bound is None else bench.bound
    if not ranking.measures:
        return known
    measure, terms = ranking.measures[0], bench.transitions.terms
    ranker = Ranker(bench.knowledge, StepSamples(bench.transitions, bench.plays), deadline)
    for edge in bench.edges:
        decides = edge.source >= 0 and isinstance(bench.program.blocks[edge.source].exit, k.Decide)
        if edge.target not in measure.at:
            return known
        if edge.source >= 0 and (
            edge.source not in measure.at or ranker.steps.falls(edge, measure) < int(decides)
        ):
            return known
    ends = [terms.range(value) for value in measure.at.values()]
    lowest = min(low if measure.sign > 0 else -high for low, high in ends)
    starts = []
    for edge in bench.transitions.begin().edges:
        low, high = terms.range(bench.knowledge.after(edge).lin(measure.at[edge.target]))
        starts.append(high if measure.sign > 0 else -low)
    bench.bound = min([max(starts) - lowest, *(n for n in (known, bench.bound) if n is not None)])
    return bench.bound
