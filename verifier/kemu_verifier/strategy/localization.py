"""Proofs on a part of the state: claims that speak of few variables, where the others are hidden.

Most claims about a large game are kept by a few variables among themselves: that no shell is lost, that a
card lies in one place. The claims are parted by what they are about (variable_clusters.py) and proved by
induction on a reading in which all else is hidden (symbolic/havoc.py): first small parts, then all claims
that hang together. What is proved there is proved of the program; what is not may need what is hidden.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kemu_engine.kernel import nodes as k
from kemu_engine.support.time_limit import postponed

from kemu_verifier.goal.lemma_cache import names
from kemu_verifier.goal.questions import ENDINGS, Question
from kemu_verifier.methods.invariants.equal_locals import Copies
from kemu_verifier.methods.invariants.invariants import Fact
from kemu_verifier.methods.invariants.k_induction import Houdini, proved_facts
from kemu_verifier.methods.invariants.linear_features import Feature, sums_in
from kemu_verifier.methods.invariants.solvers import Reading, Ties
from kemu_verifier.methods.invariants.templates import Candidate, relating
from kemu_verifier.methods.termination.measures import StepSamples, numbers
from kemu_verifier.methods.termination.ranking import Ranker, Ranking
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.learning import method
from kemu_verifier.strategy.variable_clusters import Group, about, groups, is_claim, wide
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.facts import Facts
from kemu_verifier.symbolic.laps import Cut
from kemu_verifier.symbolic.solve import Translator
from kemu_verifier.symbolic.terms import FALSE, Lit
from kemu_verifier.symbolic.transition import Transitions
from kemu_verifier.symbolic.values import TooLarge

A_PART = "a part of "  # begins what is said of a claim of which not all was proved


@dataclass(frozen=True, slots=True)
class Shown:
    """One part that showed something: its context, the variables looked at, also in words; by key the
    claims that were `given` as proved before, and those that it `proved`; the faults that it excluded;
    `copies`: locals that are known to hold the same; `cut`: where loops are cut, if the context is of such a
    program."""

    context: ProofContext
    seen: frozenset[int]
    words: str
    given: dict[str, Question]
    proved: dict[str, Question]
    faults: frozenset[int]
    copies: Copies = field(default_factory=dict)
    cut: Cut | None = None


@dataclass(frozen=True, slots=True)
class Lapped:
    """What was shown where loops are cut, in one part or more; `ending`: why each loop ends, found on the
    last of them, if it was."""

    cut: Cut
    parts: tuple[Shown, ...]
    ending: Ranking | None


@dataclass(slots=True)
class Localized:
    """What parts have shown: the method by which a claim was proved, the faults that no step meets, and by
    the variables looked at the invariants that all this rests on. `kept`: the parts themselves in their
    order, if somebody wants them. `ending`: the method by which every play was shown to end, if it was, and
    `ranking` how, with the part on which it was found. `closed`: whether every loop without a stop
    was seen to end. `laps`: what was shown where loops are cut, if somebody wants the parts."""

    proved: dict[str, str] = field(default_factory=dict)
    faultless: set[int] = field(default_factory=set)
    known: dict[str, str] = field(default_factory=dict)
    kept: list[Shown] | None = None
    ending: str = ""
    ranking: tuple[Ranking, Shown] | None = None
    closed: bool = False
    laps: Lapped | None = None

    def told(self) -> str:
        """The invariants in words, those that are looked at together in one part."""
        return ". ".join(f"{words}: {invariants}" for words, invariants in self.known.items())


def prove_on_parts(
    context: ProofContext,
    questions: Sequence[Question],
    found: Localized,
    deadline: Deadline,
    broken: Collection[str] = (),
) -> None:
    """Tries every part, as far as there is time; first those that are noted, for what they proved in another
    instance. A claim is asked in small parts that have what it speaks of, up to one that has all that it is
    about, then where all is looked at that hangs together; only then, if there is time, in the others.
    `broken`: claims that are known not to hold."""
    unmet = None if context.trouble else _unmet(context)
    if unmet is not None:
        found.faultless |= unmet
        found.closed = True
    asking = _Asking(context, questions, found, deadline, broken)
    asking.noted()
    asking.every()
    for q in questions:
        codes = {at for at, fault in enumerate(context.program.faults) if fault.name == q.name}
        if q.form == "assert" and codes <= found.faultless:
            found.proved[q.key] = "invariants of the state before each step, other variables hidden"


class _Asking:
    """Which claims are asked in which part, and for how long."""

    def __init__(
        self,
        context: ProofContext,
        questions: Sequence[Question],
        found: Localized,
        deadline: Deadline,
        broken: Collection[str],
    ) -> None:
        self.context, self.found, self.deadline, self.broken = context, found, deadline, broken
        facts, hidden = Facts(context.program), wide(context.program)
        self.claims = {q.key: q for q in questions if is_claim(q)}
        self.topics = {key: about(context.program, facts, q, hidden) for key, q in self.claims.items()}
        self.plan = groups(context.program, self.claims, self.topics)
        endings = [q for q in questions if q.kind in ENDINGS]
        self.ends = {bool(q.exprs) or q.expected == "refuted" for q in endings} == {False}

    def noted(self) -> None:
        """What was proved in another instance, in the same part."""
        for one in self.plan:
            keys = self.context.notes.parts.get(names(self.context.program, one.seen))
            if keys is not None:
                self._ask(one, keys, strategy.MOST if one.last else strategy.NOTED)

    def every(self) -> None:
        """All claims, in their order."""
        related, tried = self.deadline.left * strategy.RELATED, set[str]()
        later: list[tuple[Group, set[str]]] = []
        for one in self.plan:
            if one.faults:
                self._ask(one, (), strategy.SOME)
                continue
            if one.related:
                left = self.deadline.left
                self._ask(one, self.claims, min(1, related / left) if left > 0 else 0)
                related -= left - self.deadline.left
                continue
            own = {key for key, topic in self.topics.items() if topic.whole_in(one)}
            skipped = set() if one.last else own & tried
            share = 1 if one.last and one is self.plan[-1] else strategy.MOST if one.last else strategy.SOME
            if self._ask(one, self.claims.keys() - ([] if one.last else tried), share):
                tried |= own
                later += [(one, skipped)] if skipped else []
        for one, skipped in later:
            if skipped - self.found.proved.keys():
                self._ask(one, self.claims, strategy.SOME)

    def _ask(self, one: Group, keys: Collection[str], share: float) -> bool:
        """Asks these claims there, which those that are proved serve, for a share of the time that is left.
        Whether that makes sense again."""
        found, deadline = self.found, self.deadline.part(self.deadline.left * share)
        mine = [
            self.claims[key]
            for key, topic in self.topics.items()
            if topic.said_in(one) and (key in keys or key in found.proved) and key not in self.broken
        ]
        faulty = one.last and len(found.faultless) < len(self.context.program.faults)
        if deadline.passed or not (faulty or any(q.key not in found.proved for q in mine)):
            return True
        try:
            return Slice(self.context, one, deadline, found, self.ends and not found.ending).run(mine)
        except TooLarge as error:
            self.context.progress(str(error))
            return False


def _unmet(context: ProofContext) -> set[int] | None:
    """The faults of which the reading of the whole program has none, whatever is known; nothing if there is
    no such reading."""
    transitions = context.transitions
    try:
        steps = [transitions.begin(), *map(transitions.step, context.moving)]
    except TooLarge:
        return None
    met = {fault for step in steps for _, fault in step.faults}
    return None if transitions.unclosed else set(range(len(context.program.faults))) - met


def posed(
    context: ProofContext, questions: Iterable[Question], found: Localized
) -> tuple[list[Candidate], list[Candidate]]:
    """The claims as they read on a context: those that are open, those that are proved."""
    left: list[Candidate] = []
    known: list[Candidate] = []
    for q in questions:
        assert q.goal is not None
        lits = {block: -lit for block, lit in q.goal(context.transitions).states.items()}
        claim = Candidate(q.key, lits, True, 0 if q.lemma else 1, q.before_chance(context.transitions))
        (known if q.key in found.proved else left).append(claim)
    return left, known


def named(program: k.Program, seen: frozenset[int]) -> str:
    """What is looked at, in words."""
    names = [program.vars[at].name for at in sorted(seen) if not program.vars[at].local]
    return f"looking at {', '.join(names)} only"


class Slice:
    """One part: a context on a reading in which variables are hidden."""

    def __init__(
        self, context: ProofContext, group: Group, deadline: Deadline, found: Localized, ends: bool
    ) -> None:
        self.program = context.program
        self.ends = ends  # whether to look for a ranking
        self.last, self.related = group.last, group.related
        self.ranking: Ranking | None = None
        self.cut: Cut | None = None  # where the program's loops are cut
        self.found = found
        self.deadline = deadline
        self.context = ProofContext(context.game, context.seconds, context.progress, context.notes)
        self.context.noted = context.noted
        hidden = frozenset(range(len(self.program.vars))) - group.seen
        transitions = Transitions(self.program, hidden=hidden, integers=True)
        transitions.reader.deadline = deadline
        transitions.reader.hiding.opaque = group.opaque
        self.transitions = self.context.transitions = transitions
        if not context.trouble:
            whole = len(context.transitions.terms.kind)
            transitions.reader.most = (
                whole // strategy.LESS if whole <= strategy.SMALL else int(whole * strategy.NEARLY)
            )
        self.context.plays = context.plays
        self.seen, self.words = group.seen, named(self.program, group.seen)
        self._readings: dict[tuple[int, int, bool], Reading] = {}  # by stop, facts, whether exact
        # by stop and literal that was not excluded: how many facts, and claims proved, it takes to ask again
        self._again: dict[tuple[int, Lit], tuple[int, int]] = {}

    def run(self, questions: Sequence[Question]) -> bool:
        """Adds what it shows to what was found; whether the program could be read."""
        self.context.progress(f"reading the program, {self.words}")
        given, faults = {q.key: q for q in questions if q.key in self.found.proved}, set(self.found.faultless)
        ending = self.found.ending
        claims, known = posed(self.context, questions, self.found)
        self.context.edges  # noqa: B018
        if self.transitions.unclosed:
            return False
        self.found.closed = True
        try:
            self._prove(claims, known)
        finally:
            with postponed():  # what was shown needs the part that it was shown on
                self._note(questions, given, faults, ending)
        return True

    def _note(
        self, questions: Sequence[Question], given: dict[str, Question], faults: Collection[int], ending: str
    ) -> None:
        """Keeps the part, if it showed something; before it the rest was known."""
        proved = {q.key: q for q in questions if q.key in self.found.proved and q.key not in given}
        new = frozenset(self.found.faultless.difference(faults))
        if proved or new or self.found.ending != ending:
            noted = self.context.notes.parts.setdefault(names(self.program, self.seen), {})
            noted |= dict.fromkeys(proved)
            told = [self.found.known.get(self.words, ""), self.context.knowledge.told()]
            self.found.known[self.words] = "; ".join(dict.fromkeys(filter(None, told)))
        shown = Shown(self.context, self.seen, self.words, given, proved, new, cut=self.cut)
        if self.found.kept is not None and (proved or new or self.ranking is not None):
            self.found.kept.append(shown)
        if self.ranking is not None:
            self.found.ranking = self.ranking, shown

    def _prove(self, claims: Sequence[Candidate], known: Sequence[Candidate]) -> None:
        """Proves what it can of the claims; what is known of long sums it uses for the last only."""
        longest = {claim: self._longest(claim) for claim in (*claims, *known)}
        if self.related:
            if any(longest[claim] > strategy.MANY for claim in claims):
                self.context.knowledge.add(proved_facts(known))
                self._relate(claims, longest)
                if self.ends:
                    self._rank(claims)
            return
        short = {claim for claim in longest if longest[claim] <= strategy.LONG_SUM}
        self.context.knowledge.add(proved_facts(claim for claim in known if claim in short))
        self._learn([claim for claim in claims if longest[claim] == 0])
        self._learn([claim for claim in claims if longest[claim] > 0 and claim in short])
        self.context.knowledge.add(proved_facts(claim for claim in known if claim not in short))
        if self.last:
            self._exclude()
            left = [claim for claim in claims if claim.words not in self.found.proved]
            before = self.context.knowledge.size
            for long in (False, True):
                self._guess([claim for claim in left if (claim not in short) == long])
            if self.context.knowledge.size > before:
                self._exclude()

    def _relate(self, claims: Sequence[Candidate], longest: Mapping[Candidate, int]) -> None:
        """Proves what it can of the claims, with linear relations that are guessed; of long sums last."""
        guesses = relating(self.transitions, self.context.samples, self._sums(claims), self.deadline)
        guesses = [replace(guess, claim=True) for guess in guesses]  # few, and each worth some time
        long = [claim for claim in claims if longest[claim] > strategy.MANY]
        self._hold_together([claim for claim in claims if claim not in long] + guesses, guesses)
        follow = self.context.learning.follow(long, self.deadline.part(self.deadline.left * strategy.PART))
        self.found.proved |= {c.words: f"counters and invariants, {self.words}" for c in follow}
        self._hold_together([claim for claim in long if claim not in follow], ())

    def _rank(self, claims: Sequence[Candidate]) -> None:
        """Looks for numbers that fall from stop to stop: every play is a play of this reading too. What is
        unknown is no number to go by: after a step it is another one."""
        self.context.progress(f"ranking functions, {self.words}")
        unknowns = self.transitions.reader.unknowns
        measures = [
            measure
            for measure in numbers(self.transitions, self._sums(claims))
            if not any(unknowns.of(term for _, term in value.terms) for value in measure.at.values())
        ]
        ranker = Ranker(
            self.context.knowledge, StepSamples(self.transitions, self.context.plays), self.deadline
        )
        ranking = ranker.rank(self.context.edges, measures, combine=True)
        if ranking.proved:
            words = ", then ".join(measure.words for measure in ranking.measures)
            self.found.ending = f"ranking function {words}, {self.words}"
            self.ranking = ranking

    def _sums(self, claims: Iterable[Candidate]) -> list[Feature]:
        return [one for claim in claims for one in sums_in(self.transitions, list(claim.lits.values()))]

    def _hold_together(self, claims: Sequence[Candidate], guesses: Collection[Candidate]) -> None:
        """Adds those that hold by mutual induction to what is known."""
        if claims:
            self.context.progress(f"induction for {len(claims)} claims and linear relations")
            before = ", under invariants proved before" if any(self.context.knowledge.facts.values()) else ""
            houdini = Houdini(
                self.context.knowledge, claims, self.deadline.part(self.deadline.left * strategy.PART)
            )
            alive = houdini.run(self.context.edges)
            self.context.knowledge.add(proved_facts(alive))
            for claim in alive:
                if claim not in guesses:
                    by = method(houdini.support(claim))
                    self.found.proved[claim.words] = f"{by}{before}, {self.words}"

    def _exclude(self) -> None:
        """Excludes what faults it can: those that are asked for by name, then all."""
        asserted = [{at} for at, fault in enumerate(self.program.faults) if fault.name]
        for codes in [*asserted, set(range(len(self.program.faults)))]:
            part = self.deadline.part(self.deadline.left * (1 - strategy.PART))
            self.found.faultless |= self._faultless(codes, part)

    def _longest(self, claim: Candidate) -> int:
        """How many literals the longest sum has of which the claim speaks."""
        data = self.transitions.terms.data
        sums = self.context.knowledge.sums(list(claim.lits.values()))
        return max((len(data[node]) for node in sums), default=0)

    def _learn(self, claims: Sequence[Candidate]) -> None:
        """Proves what it can of the claims by themselves, part by part: first of the lemmas."""
        for some in ([claim for claim in claims if claim.rank == 0], claims):
            left = {claim: self._parts(claim) for claim in some if claim.words not in self.found.proved}
            if not left:
                continue
            self.context.progress(f"induction for {len(left)} claims")
            deadline = self.deadline.part(self.deadline.left * strategy.PART)
            parts = [part for those in left.values() for part in those]
            houdini = Houdini(self.context.knowledge, parts, deadline)
            alive = set(houdini.run(self.context.edges))
            before = any(self.context.knowledge.facts.values())
            facts, shown = list[Fact](), dict[str, str]()
            for claim, those in left.items():
                kept = [part for part in those if part in alive]
                whole = len(kept) == len(those)
                if whole:
                    others = {words for part in those for words in houdini.support(part)} - {claim.words}
                    by = method(sorted(others)) + (", under invariants proved before" if before else "")
                    shown[claim.words] = f"{by}, {self.words}"
                words = claim.words if whole else f"{A_PART}{claim.words}"
                facts += (replace(fact, words=words) for fact in proved_facts(kept))
            self.context.knowledge.add(facts)
            self.found.proved |= shown

    def _parts(self, claim: Candidate) -> list[Candidate]:
        """What the claim says one by one, if that is not too much."""
        terms = self.transitions.terms
        lits: dict[Lit, dict[int, Lit]] = {}
        for block, lit in claim.lits.items():
            for part in sorted(terms.parts(lit)):
                lits.setdefault(part, {})[block] = part
        if not 1 < len(lits) <= strategy.PARTS:
            return [claim]
        return [Candidate(claim.words, blocks, True, claim.rank) for blocks in lits.values()]

    def _guess(self, claims: Sequence[Candidate]) -> None:
        """Proves what it can of the claims, together with invariants that are guessed."""
        if claims:
            seconds = self.context.seconds * strategy.UNSURE_MOST
            self.context.shared = min(self.deadline.left * strategy.UNSURE, seconds)
            proved = self.context.learning.learn(claims)
            self.found.proved.update({key: f"{by}, {self.words}" for key, by in proved.items()})

    def _faultless(self, codes: set[int], deadline: Deadline) -> set[int]:
        """Those of the faults that no step meets, as far as can be seen here."""
        asked = codes - self.transitions.reader.unknowns.missed - self.found.faultless
        good = set(asked)
        for block in (-1, *self.context.moving):
            step = self.transitions.begin() if block < 0 else self.transitions.step(block)
            for lit, fault in step.faults:
                brief = len(asked) - len(good) >= strategy.MISSED
                if fault in good and lit != FALSE and not self._impossible(block, lit, deadline, brief):
                    good.discard(fault)
        return good

    def _impossible(self, block: int, lit: Lit, deadline: Deadline, briefly: bool) -> bool:
        """Whether what is known at the stop excludes the literal: what is said there shortly, then, unless
        `briefly`, all, sums taken as free integers; then exactly."""
        facts, claims = self._again.get((block, lit), (0, 0))
        if self.context.knowledge.size < facts or len(self.found.proved) < claims:
            return False
        known = self.context.knowledge.facts_at(block)
        brief = [fact for fact in known if len(self.transitions.terms.cone([fact])) <= strategy.BRIEF]
        for used, exact in ((brief, False), (known, False), (known, True))[: 1 if briefly else 3]:
            if deadline.passed:
                return False
            key = block, len(used), exact
            if key not in self._readings or self._readings[key].grown:
                self._readings[key] = self._reading(block, exact)
            answer, _ = self._readings[key].ask({}, used, [-lit], deadline.part(strategy.STEP_THERE))
            if answer.status == "unsat":
                self.context.knowledge.rested.setdefault(block, set()).update(self._readings[key].facts)
                return True
        late = answer.status == "unknown"  # so much for one fact more; a claim may decide it
        self._again[block, lit] = self.context.knowledge.size + 1, len(self.found.proved) + late
        return False

    def _reading(self, block: int, exact: bool) -> Reading:
        terms, arrival = self.transitions.terms, self.transitions.arrival
        stands = [arrival(block).stands] if block >= 0 else []
        if exact:
            return Reading(Translator(terms), stands, True)
        ties = Ties(self.context.knowledge, None, ())
        return Reading(Translator(terms, True, ties.exact), stands, True, ties)
