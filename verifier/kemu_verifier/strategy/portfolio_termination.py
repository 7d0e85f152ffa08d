"""Does every play end, or nearly every one? Ranking functions for a proof; a way back to the same state for a
refutation."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.text import stop_in_words

from kemu_verifier.goal.goal import stops
from kemu_verifier.goal.questions import ENDINGS, Question
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.invariants.linear_features import sums_in
from kemu_verifier.methods.termination.almost_sure import AlmostSureDecrease
from kemu_verifier.methods.termination.measures import Measure, StepSamples, numbers, rising
from kemu_verifier.methods.termination.positions import positions
from kemu_verifier.methods.termination.ranking import Ranker, Ranking
from kemu_verifier.methods.termination.tried import step_that_breaks
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.asked import Asked
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.localization import Localized
from kemu_verifier.strategy.loops import Loops
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.terms import TRUE, Lit
from kemu_verifier.symbolic.values import Number, TooLarge


class Ending:
    """The questions whether play ends, of one game; what one learns serves the next."""

    def __init__(self, context: ProofContext, lits: Sequence[Lit], localized: Localized) -> None:
        self.context = context
        self.localized = localized
        self.lits = lits  # of the claims, whose sums may serve as measures
        self.loops = Loops(context)
        self.proof: Verdict | None = None  # that every play ends
        self.ranking: Ranking | None = None  # by which that was proved
        self.led: Ranking | None = None  # one that chance lowers with some outcome
        self.kind: tuple[k.Expr, ...] = ()  # a measure of the author's that falls if chance is kind
        self._wrong: dict[str, str] = {}  # by question, how a random game breaks the author's measure
        self._missed = ""  # where the author's measure is not shown to fall
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

    def by_loop(self, asked: Asked, deadline: Deadline) -> Verdict | None:
        """Refuted by a loop, if one is near."""
        kind = asked.question.kind
        known = self._known.get(kind)
        if known is not None and known.kind == "refuted" and asked.question.standard:
            return self.verdict(asked, deadline)
        found = self.loops.found(deadline)
        if found is None or (kind == "almost surely" and found.loop.kind == "chance"):
            return None
        self._known[kind] = self.loops.endless(asked, found)
        return self._known[kind]

    def by_measure(self, asked: Asked, deadline: Deadline) -> Verdict | None:
        """The verdict, if the author's measure gives it, or one on a question of the kind gave it before."""
        known = self._known.get(asked.question.kind)
        if known is not None and asked.question.standard and not known.open:
            return self.verdict(asked, deadline)
        if (
            not asked.question.exprs
            or self.context.graph.complete
            or self._unread()
            or self.wrong(asked.question)
        ):
            return None
        settle = self._falls if asked.question.kind == "terminates" else self._falls_if_kind
        found = settle(asked, deadline)
        if found is not None:
            self._known[asked.question.kind] = found
        return found

    def wrong(self, question: Question) -> str:
        """How a random game breaks the author's measure, as far as that is soon found out."""
        if question.kind != "terminates" or not question.exprs or self.context.graph.complete:
            return ""
        if question.key not in self._wrong:
            looking = Deadline(strategy.MEASURING)
            words = step_that_breaks(self.context.plays, question.exprs, looking)
            self._wrong[question.key] = words
            if words:
                self.context.progress(words)
        return self._wrong[question.key]

    def _falls(self, asked: Asked, deadline: Deadline) -> Verdict | None:
        """That every step lowers the author's measure."""
        ranker = self._ranker(deadline, ())
        given = self._given(asked.question)
        ranking = ranker.rank(self.context.edges, given)
        return self._ranked(asked, ranking, given, deadline) if ranking.proved else None

    def _falls_if_kind(self, asked: Asked, deadline: Deadline) -> Verdict | None:
        """That it falls if chance is kind."""
        self._missed = ""
        try:
            fails = self._unkind(asked.question, deadline)
        except TooLarge as error:
            self._missed = f"; of the author's measure: {error}"
            return None
        if fails is None:
            self.kind = asked.question.exprs
            by = "ranking function of the author, lowered by every choice and some outcome of chance"
            return asked.unreachable(by, self.context.knowledge.told())
        where = stop_in_words(self.context.program, fails)
        self._missed = f"; the author's measure is not shown to fall at {where}"
        return None

    def _ranked(self, asked: Asked, ranking: Ranking, given: list[Measure], deadline: Deadline) -> Verdict:
        """Proved by a ranking."""
        self.ranking = ranking
        self.context.notes.measures |= dict.fromkeys(measure.words for measure in ranking.measures)
        told = "; ".join(
            filter(None, (self.wrong(asked.question), _told(self.context, ranking, given, deadline)))
        )
        self.proof = asked.unreachable("ranking function " + words_of(self.context, ranking), told)
        return self.proof

    def terminates(self, asked: Asked, deadline: Deadline) -> Verdict:
        """The verdict on `terminates`."""
        context = self.context
        found = self.loops.found(deadline)
        if found is not None:
            return self.loops.endless(asked, found)
        if context.graph.complete:
            by = f"exhaustive search of {len(context.graph.states)} states: no way leads back to a state"
            self.proof = asked.unreachable(by)
            return self.proof
        if self.localized.ending:
            self.proof = asked.unreachable(self.localized.ending, self.localized.told())
            return self.proof
        reason, wrong = self._unread(), self.wrong(asked.question)
        if reason:
            return asked.verdict("unknown", "", detail="; ".join(filter(None, (wrong, reason))))
        try:
            ranking, given = self._rank(asked.question, deadline.part(deadline.left * (1 - strategy.LASSO)))
            if ranking.proved:
                return self._ranked(asked, ranking, given, deadline)
            depth = self.loops.search(deadline)
        except TooLarge as error:
            return asked.verdict("unknown", "", detail=str(error))
        found = self.loops.found(deadline)
        if found is not None:
            return self.loops.endless(asked, found)
        detail = f"no counter is known to fall on every way round through {_left(context, ranking)}"
        if depth:
            detail += f"; no play of up to {depth} steps comes back to a state"
        detail = "; ".join(filter(None, (wrong, detail)))
        return asked.verdict("unknown", "ranking functions", detail=detail)

    def almost_surely(self, asked: Asked, deadline: Deadline) -> Verdict:
        """The verdict on `ends almost surely`: with probability one, whatever the players do."""
        context = self.context
        if asked.question.exprs and not context.graph.complete and not self._unread():
            given = self._falls_if_kind(asked, deadline.part(deadline.left * strategy.GIVEN))
            if given is not None:
                return given
        found = self.loops.found(deadline.part(deadline.left / 3))
        if found is not None and found.loop.kind != "chance":
            return self.loops.endless(asked, found)
        if context.graph.complete:
            return asked.unreachable(
                f"exhaustive search of {len(context.graph.states)} states: nowhere can the players go on for"
                " ever whatever chance brings"
            )
        if self.localized.ending:
            return asked.unreachable(self.localized.ending, self.localized.told())
        if self.proof is not None:
            detail = "; ".join(filter(None, ("every play ends", self.proof.detail)))
            return asked.unreachable(self.proof.by, detail)
        reason = self._unread()
        if reason:
            return asked.verdict("unknown", "", detail=reason)
        helped = stops(context.program, k.Chance)
        try:
            ranking, _ = self._rank(asked.question, deadline, helped)
        except TooLarge as error:
            return asked.verdict("unknown", "", detail=str(error))
        if ranking.proved:
            self.led = ranking
            words = f"ranking function {words_of(context, ranking)}, which chance lowers with some outcome"
            return asked.unreachable(words, preferred_of(context, ranking))
        way = f"on every way round through {_left(context, ranking)}"
        detail = f"no counter is known to fall, with some outcome of chance, {way}{self._missed}"
        return asked.verdict("unknown", "ranking functions", detail=detail)

    def _unkind(self, question: Question, deadline: Deadline) -> int | None:
        """A stop where the author's measure is not shown to fall if chance is kind."""
        context = self.context
        return AlmostSureDecrease(context.knowledge, self._components(question), deadline).fails(
            context.moving
        )

    def _components(self, question: Question) -> list[dict[int, Number]]:
        """The numbers that the author's measure consists of, by stop."""
        if question.key not in self._measures:
            transitions, blocks = (
                self.context.transitions,
                stops(self.context.program, k.Decide, k.Chance, k.End),
            )
            self._measures[question.key] = [
                {block: transitions.reader.number(expr, transitions.env(block), TRUE) for block in blocks}
                for expr in question.exprs
            ]
        return self._measures[question.key]

    def _given(self, question: Question) -> list[Measure]:
        """The author's measure, component by component."""
        lin, components = self.context.transitions.reader.numbers.lin, self._components(question)
        found = []
        for number, component in enumerate(components, 1):
            at = {block: lin(value) for block, value in component.items()}
            words = "of the author" if len(components) == 1 else f"of the author, component {number}"
            found.append(Measure(words, at, expr=question.exprs[number - 1]))
        return found

    def _unread(self) -> str:
        """Why there is no symbolic reading to rest on."""
        if self.context.trouble:
            return self.context.trouble
        if self.context.transitions.unclosed:
            return "the rules go round and round between two stops"
        return ""

    def _ranker(self, deadline: Deadline, helped: Collection[int]) -> Ranker:
        context = self.context
        ranker = Ranker(context.knowledge, StepSamples(context.transitions, context.plays), deadline, helped)
        ranker.at_once = self.localized.kept is None
        return ranker

    def _rank(
        self, question: Question, deadline: Deadline, helped: Collection[int] = ()
    ) -> tuple[Ranking, list[Measure]]:
        context = self.context
        given = self._given(question)
        ranker = self._ranker(deadline, helped)
        if given and not self.wrong(question):
            ranking = ranker.rank(context.edges, given)
            if ranking.proved:
                return ranking, given
        transitions = context.transitions
        measures = numbers(transitions, [*sums_in(transitions, self.lits), *positions(transitions)])
        noted = context.notes.measures.keys()
        measures.sort(key=lambda measure: noted.isdisjoint((measure.words, rising(measure.words))))
        return ranker.rank(context.edges, [*given, *measures], combine=True), given


# ---------------------------------------------------------------------------------------------- told


def words_of(context: ProofContext, ranking: Ranking) -> str:
    """The measures in their order."""
    return ", then ".join(m.words for m in ranking.measures) or "not needed: no stop leads back to itself"


def preferred_of(context: ProofContext, ranking: Ranking) -> str:
    """What is chosen, or comes, at the stops where some choice suffices."""
    parts = []
    for block, preference in sorted(ranking.preferred.items()):
        exit = context.program.blocks[block].exit
        options = context.transitions.step(block).options
        if isinstance(exit, k.Chance):
            texts = context.program.domains[exit.domain].texts
            words = " or ".join(texts[options[at].values[0]] for at in sorted(preference))
        else:
            assert isinstance(exit, k.Decide)
            words = " or ".join(dict.fromkeys(exit.arms[options[at].arm].name for at in sorted(preference)))
        parts.append(f"{words} at {stop_in_words(context.program, block)}")
    return f"with {', '.join(parts)}" if parts else ""


def _left(context: ProofContext, ranking: Ranking) -> str:
    return ", ".join(sorted({stop_in_words(context.program, edge.source) for edge in ranking.left}))


def _told(context: ProofContext, ranking: Ranking, given: list[Measure], deadline: Deadline) -> str:
    parts = []
    if given and not any(measure in given for measure in ranking.measures):
        parts.append("the author's measure does not fall on every way round, others do")
    bound = _bound(context, ranking, deadline)
    if bound is not None:
        parts.append(f"no game has more than {bound} decisions")
    return "; ".join(parts)


def _bound(context: ProofContext, ranking: Ranking, deadline: Deadline) -> int | None:
    """How many decisions a game has at most: the first measure, if every decision lowers it from the first
    on."""
    known = context.longest if context.bound is None else context.bound
    if not ranking.measures:
        return known
    measure, terms = ranking.measures[0], context.transitions.terms
    ranker = Ranker(context.knowledge, StepSamples(context.transitions, context.plays), deadline)
    for edge in context.edges:
        decides = edge.source >= 0 and isinstance(context.program.blocks[edge.source].exit, k.Decide)
        if edge.target not in measure.at:
            return known
        if edge.source >= 0 and (
            edge.source not in measure.at or ranker.steps.falls(edge, measure) < int(decides)
        ):
            return known
    ends = [terms.range(value) for value in measure.at.values()]
    lowest = min(low if measure.sign > 0 else -high for low, high in ends)
    starts = []
    for edge in context.transitions.begin().edges:
        low, high = terms.range(context.knowledge.after(edge).lin(measure.at[edge.target]))
        starts.append(high if measure.sign > 0 else -low)
    context.bound = min([max(starts) - lowest, *(n for n in (known, context.bound) if n is not None)])
    return context.bound
