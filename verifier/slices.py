"""Proofs on a part of the state: claims that speak of few variables, where the others are hidden.

Most claims about a large game are kept by a few variables among themselves: that no shell is lost, that a
card lies in one place. The claims are parted by the variables that they look at; those whose variables
overlap are proved together, by induction on a reading in which all others are hidden (symbolic/hiding.py).
What is proved there is proved of the program. What is not may be for want of what is hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from engine import kernel as k
from verifier.bench import Bench
from verifier.engines.pool import Candidate
from verifier.questions import Question
from verifier.symbolic.deadline import Deadline
from verifier.symbolic.expressions import MOST_NODES
from verifier.symbolic.facts import Facts
from verifier.symbolic.hiding import Hiding
from verifier.symbolic.terms import FALSE, Lit
from verifier.symbolic.transition import Transitions
from verifier.symbolic.values import TooLarge

LESS = 2  # times as large has the reading of the whole state to be as that of a slice
WIDE = 4_000  # symbols of a variable, beyond which it stays hidden
SHARE = 0.5  # of the time that all questions share: for all slices
LONG = 64  # literals in a sum: claims that speak of longer ones come last
PART = 0.65  # of the time that is left of a slice: for what comes next
STEP = 3.0  # seconds for asking whether steps at one stop can meet some faults


@dataclass(slots=True)
class Sliced:
    """What slices have shown: the method by which a claim was proved, the faults that no step meets, and by
    the variables looked at the invariants that all this rests on."""

    proved: dict[str, str] = field(default_factory=dict)
    faultless: set[int] = field(default_factory=set)
    known: dict[str, str] = field(default_factory=dict)

    def told(self) -> str:
        """The invariants in words, those that are looked at together in one part."""
        return ". ".join(f"{words}: {invariants}" for words, invariants in self.known.items())


def sliced(bench: Bench, questions: Sequence[Question]) -> Sliced:
    """Tries every slice, within a share of the time that the questions have together."""
    program = bench.program
    facts = Facts(program)
    wide = frozenset(at for at, var in enumerate(program.vars) if width(var) > WIDE)
    claims = {q.key: q for q in questions if _is_claim(q)}
    looks = {key: _looks(program, facts, q, wide) for key, q in claims.items()}
    asserted = [q for q in questions if q.form == "assert"]
    found = Sliced()
    deadline = Deadline(SHARE * bench.shared)
    groups = components(looks[key] for key in claims if looks[key].isdisjoint(wide))
    for number, seen in enumerate(groups):
        mine = [q for key, q in claims.items() if looks[key] <= seen]
        part = deadline.part(deadline.left / (len(groups) - number))
        hidden = frozenset(range(len(program.vars))) - seen
        if hidden and not part.passed:
            try:
                _Slice(bench, hidden, part, found).run(mine)
            except TooLarge as error:
                bench.progress(str(error))
    for q in asserted:
        codes = {at for at, fault in enumerate(program.faults) if fault.name == q.name}
        if codes <= found.faultless:
            found.proved[q.key] = "invariants of the state before each step, other variables hidden"
    return found


def width(var: k.Var) -> int:
    """How many symbols the elements of a variable take; a number is one."""
    if isinstance(var.type, k.Set):
        size = var.type.size
    else:
        size = var.type.high - var.type.low + 1 if isinstance(var.type, k.Int) and var.texts else 1
    return size * (1 if var.length is None else var.length)


def components(sets: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """The sets, those that overlap joined; small ones first."""
    joined: list[frozenset[int]] = []
    for one in sets:
        apart = [other for other in joined if other.isdisjoint(one)]
        joined = [*apart, one.union(*(other for other in joined if not other.isdisjoint(one)))]
    return sorted((one for one in joined if one), key=lambda one: (len(one), sorted(one)))


def _is_claim(q: Question) -> bool:
    hoped = q.expected in (None, "proved", "any")
    return q.kind == "reach" and q.bad and hoped and bool(q.exprs) and q.goal is not None


def _looks(program: k.Program, facts: Facts, q: Question, wide: frozenset[int]) -> frozenset[int]:
    hiding = Hiding(program, facts, wide)
    return frozenset().union(*(hiding.looks(expr) for expr in q.exprs))


class _Slice:
    """One slice: a workbench on a reading in which variables are hidden."""

    def __init__(self, bench: Bench, hidden: frozenset[int], deadline: Deadline, found: Sliced) -> None:
        self.program = bench.program
        self.found = found
        self.deadline = deadline
        self.bench = Bench(bench.game, bench.seconds, bench.progress)
        transitions = Transitions(self.program, hidden=hidden, integers=True)
        transitions.reader.deadline = deadline
        self.transitions = self.bench.transitions = transitions
        self.whole = MOST_NODES if bench.trouble else len(bench.transitions.terms.kind)
        self.bench.plays = bench.plays
        names = [var.name for at, var in enumerate(self.program.vars) if at not in hidden and not var.local]
        self.words = f"looking at {', '.join(names)} only"

    def run(self, questions: Sequence[Question]) -> None:
        """Adds what it shows to what was found."""
        self.bench.progress(f"reading the program, {self.words}")
        claims = []
        for q in questions:
            assert q.goal is not None
            goal = q.goal(self.transitions)
            lits = {block: -lit for block, lit in goal.states.items()}
            claims.append(Candidate(q.key, lits, True, 0 if q.lemma else 1))
        self.bench.edges  # noqa: B018
        if self.transitions.unclosed or len(self.transitions.terms.kind) * LESS > self.whole:
            return
        longest = {claim: self._longest(claim) for claim in claims}
        self._learn([claim for claim in claims if longest[claim] == 0])
        self._learn([claim for claim in claims if 0 < longest[claim] <= LONG])
        asserted = [{at} for at, fault in enumerate(self.program.faults) if fault.name]
        for codes in [*asserted, set(range(len(self.program.faults)))]:
            part = self.deadline.part(self.deadline.left * (1 - PART))
            self.found.faultless |= self._faultless(codes, part)
        self._learn([claim for claim in claims if longest[claim] > LONG])
        self.found.known[self.words] = self.bench.knowledge.told()

    def _longest(self, claim: Candidate) -> int:
        """How many literals the longest sum has of which the claim speaks."""
        data = self.transitions.terms.data
        sums = self.bench.knowledge.sums(list(claim.lits.values()))
        return max((len(data[node]) for node in sums), default=0)

    def _learn(self, claims: Sequence[Candidate]) -> None:
        """Adds those that are proved to what was found."""
        self.bench.shared = self.deadline.left * PART
        proved = self.bench.learn(claims, lambda name: False) if claims else {}
        self.found.proved.update({key: f"{by}, {self.words}" for key, by in proved.items()})

    def _faultless(self, codes: set[int], deadline: Deadline) -> set[int]:
        """Those of the faults that no step meets, as far as can be seen here."""
        good = codes - self.transitions.reader.unknowns.missed - self.found.faultless
        for block in (-1, *self.bench.moving):
            step = self.transitions.begin() if block < 0 else self.transitions.step(block)
            met: dict[int, list[Lit]] = {}
            for lit, fault in step.faults:
                if fault in good:
                    met.setdefault(fault, []).append(lit)
            asked = {fault: self.transitions.terms.disj(lits) for fault, lits in met.items()}
            good -= self._met(block, asked, deadline)
        return good

    def _met(self, block: int, met: dict[int, Lit], deadline: Deadline) -> set[int]:
        """Those of the faults that steps at a stop may meet: one by one where not all are shown at once."""
        met = {fault: lit for fault, lit in met.items() if lit != FALSE}
        if not met or self._impossible(block, list(met.values()), deadline):
            return set()
        if len(met) == 1:
            return set(met)
        half = sorted(met)[: len(met) // 2]
        left = {fault: lit for fault, lit in met.items() if fault in half}
        right = {fault: lit for fault, lit in met.items() if fault not in half}
        return self._met(block, left, deadline) | self._met(block, right, deadline)

    def _impossible(self, block: int, lits: Sequence[Lit], deadline: Deadline) -> bool:
        knowledge, terms = self.bench.knowledge, self.transitions.terms
        step = self.transitions.begin() if block < 0 else self.transitions.step(block)
        asked = [*knowledge.at(block), *step.clauses, terms.disj(lits)]
        return not deadline.passed and knowledge.ask(None, asked, deadline.part(STEP))[0].status == "unsat"
