"""Proof conditions as SMT-LIB files: each says "this cannot be", so that "unsat" confirms it.

A file is made of parts, each under a line `;; name`. A part of a given name has the same text in every file
in which it stands (or that text primed), whoever proves or uses it: so a reader, or `kemu recheck`, can see
that what is assumed in one file is what is proved in another. docs/evidence.md describes the parts.

Long sums are hard for solvers, and mostly only how a step changes them matters. So a file is first written
with sums as free numbers, of which it assumes how the step changes them (which a file of its own shows); only
if that does not suffice with what they are the sums of. Both mean that "unsat" confirms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from kemu_verifier.evidence.parts import Given, Known, Part, Parts, ways
from kemu_verifier.evidence.smt import joined, primed
from kemu_verifier.evidence.sums import Lemmas, change_lemmas, identity_lemmas
from kemu_verifier.methods.termination.ranking import Measure
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.terms import Lit
from kemu_verifier.symbolic.transition import Edge

TYPES = 200  # things that a file asks of types

Confirms = Callable[[str], bool]
"""Whether a solver says "unsat" to the text of a file."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One file. `role` says to a program what it shows (docs/evidence.md), `words` to a person. `confirmed`:
    z3 said "unsat" when it was written."""

    name: str
    words: str
    role: dict[str, object]
    text: str
    confirmed: bool


class Conditions:
    """Writes the conditions that make up the proofs on one reading of the program."""

    def __init__(
        self,
        context: ProofContext,
        confirms: Confirms,
        deadline: Deadline | None = None,
        given: Given | None = None,
        left_out: Given | None = None,
    ) -> None:
        self.parts = Parts(context, given, left_out)
        self.confirms = confirms
        self.deadline = deadline  # after which no easier forms are looked for
        # by edge (id): the sums whose change was assumed, and those to which they were related
        self.summed: dict[int, tuple[Edge, set[int], set[int]]] = {}
        self.some: set[int] = set()  # the sums of which elements were assumed to count
        self.related: set[int] = set()  # the sums of which identities were assumed

    # ------------------------------------------------------------------------------------------ induction

    def keeps(self, edge: Edge) -> list[Condition]:
        """The edge leads to a state that has the invariants of its target: in one file if that is easy, else
        in several, of which each takes for granted the clauses of those before it."""
        known = self.parts.known(edge.target)
        first, last = len(known.given), len(known.clauses)
        return self._kept(edge, first, last) if first < last else []

    def _kept(self, edge: Edge, first: int, last: int) -> list[Condition]:
        whole = self._keeps(edge, first, last)
        if whole.confirmed or last - first < 2 or self._late:
            return [whole]
        middle = (first + last) // 2
        return [*self._kept(edge, first, middle), *self._kept(edge, middle, last)]

    @property
    def _late(self) -> bool:
        return self.deadline is not None and self.deadline.passed

    def _keeps(self, edge: Edge, first: int, last: int) -> Condition:
        """The clauses from the first to before the last."""
        before, after = self.parts.known(edge.source), self.parts.known(edge.target)
        clauses = [primed(symbol) for symbol, _ in after.clauses]
        granted = [f"(assert {clause})" for clause in clauses[:first]]
        words = f"From {self.parts.edge(edge)}: the invariants there hold afterwards"
        whole = first == len(after.given) and last == len(clauses)
        part = "" if whole else f"-clauses-{first}-to-{last - 1}"
        return self._after(
            edge,
            f"keeps-{_name(edge)}{part}",
            words,
            {"shows": "keeps", "first": first, "last": last},
            [after.part],
            "invariants",
            before,
            [*granted, f"(assert (not {joined('and', clauses[first:last], 'true')}))"],
            exact=last - first == 1 or edge.source < 0,
        )

    def types(self, edge: Edge) -> list[Condition]:
        """The edge leads to a state in which every variable has exactly one value, within its bounds: of so
        many variables in a file that a solver can take them together."""
        some: list[tuple[list[int], list[str]]] = [([], [])]
        for nodes, texts in self.parts.typed(self.parts.changing(edge)):
            if len(some[-1][1]) + len(texts) > TYPES:
                some.append(([], []))
            some[-1][0].extend(nodes)
            some[-1][1].extend(texts)
        return [self._types(edge, at, len(some), *each) for at, each in enumerate(some)]

    def _types(self, edge: Edge, at: int, of: int, nodes: list[int], texts: list[str]) -> Condition:
        """One of these files: with the invariants before the step only if they are needed."""
        goals = joined("and", [primed(text) for text in texts], "true")
        known = self.parts.known(edge.source)
        for before in (Known(Part("", ()), ()), known):
            found = self._after(
                edge,
                f"types-{_name(edge)}" + (f"-{at + 1}" if of > 1 else ""),
                f"From {self.parts.edge(edge)}: every variable has just one value afterwards",
                {"shows": "types", "part": at, "of": of},
                [Part("types", (), frozenset(nodes))],
                f"types {at + 1}",
                before,
                [f"(assert (not {goals}))"],
            )
            if found.confirmed or not known.clauses:
                break
        return found

    def never(self) -> list[Condition]:
        """Ways through the rules that the reading of the program found closed, whatever the state."""
        program = self.parts.context.program
        known = {(edge.source, edge.arm, edge.target) for edge in self.parts.context.edges}
        found = []
        for source, arm, target in sorted(ways(program) - known):
            words = f"From {self.parts.stop(source)}, arm {arm}, nothing leads to {self.parts.stop(target)}"
            text = self.parts.file(words, [], [], ["(assert false)"])
            role: dict[str, object] = {"shows": "never", "source": source, "arm": arm, "target": target}
            name = f"never-{'opening' if source < 0 else f'{source}-arm-{arm}'}-to-{target}"
            found.append(Condition(name, words, role, text, True))
        return found

    # ------------------------------------------------------------------------------------------ claims

    def carried(self, block: int, bad: Mapping[str, Lit], sections: Mapping[str, str]) -> list[Condition]:
        """What was shown on other readings is what these claims say of the stop: `bad` is what they exclude
        there, `sections` where that is shown."""
        known, stop = self.parts.known(block), self.parts.stop(block)
        found = []
        for at, (verdict, (symbol, _)) in enumerate(zip(known.given, known.clauses, strict=False)):
            parts = [known.part, self.parts.bad(bad[verdict], f"bad for {verdict} at {stop}")]
            words = f"{verdict}, shown elsewhere, says this of {stop}"
            role = {"shows": "carried", "stop": block, "clause": at, "verdict": verdict}
            role["section"] = sections[verdict]
            asked = [f"(assert (not {symbol}))", "(assert (not |bad|))"]
            text = self.parts.file(words, parts, [], asked)
            found.append(Condition(f"carried-{block}-{at}", words, role, text, self.confirms(text)))
        return found

    def excludes(self, block: int, lit: Lit, verdict: str, file: str) -> Condition:
        """No state at the stop that has the invariants is one where the literal holds."""
        known, stop = self.parts.known(block), self.parts.stop(block)
        bad = self.parts.bad(lit, f"bad for {verdict} at {stop}")
        words = f"{verdict}: no state at {stop} with the invariants is bad"
        role: dict[str, object] = {"shows": "excludes", "stop": block, "verdict": verdict}
        return self._here(f"{file}-{block}", words, role, [known.part, bad], known, ["(assert |bad|)"])

    def avoids(self, block: int, lit: Lit, verdict: str, file: str) -> Condition:
        """No step from a state at the stop that has the invariants does what the literal says."""
        known, stop = self.parts.known(block), self.parts.stop(block)
        bad = self.parts.bad(lit, f"bad for {verdict} in a step from {stop}")
        words = f"{verdict}: no step from {stop} is bad"
        role: dict[str, object] = {"shows": "avoids", "stop": block, "verdict": verdict}
        parts = [known.part, self.parts.choice(block), bad]
        name = f"{file}-step-{'opening' if block < 0 else block}"
        return self._here(name, words, role, parts, known, ["(assert |bad|)"])

    def falls(self, edge: Edge, measure: Measure, at: int, by: int) -> Condition:
        """The edge lowers the measure by at least so much (0: does not raise it)."""
        before, after = (self.parts.measure(measure, at, block) for block in (edge.source, edge.target))
        what = f"lowers {measure.words}" if by else f"does not raise {measure.words}"
        return self._after(
            edge,
            f"measure-{at}-{_name(edge)}-by-{by}",
            f"From {self.parts.edge(edge)}: this {what}",
            {"shows": "falls", "measure": at, "by": by},
            [after],
            f"measure {at}",
            self.parts.known(edge.source),
            [f"(assert (not (<= (+ |m{at}'| {by}) |m{at}|)))"],
            [before],
        )

    # ------------------------------------------------------------------------------------------ files

    def _after(
        self,
        edge: Edge,
        name: str,
        words: str,
        role: dict[str, object],
        goals: list[Part],
        purpose: str,
        before: Known,
        question: list[str],
        more: Sequence[Part] = (),
        exact: bool = True,
    ) -> Condition:
        """A condition on the state after an edge: `goals` speak of that state. `exact`: if free sums do not
        do, with what they are the sums of."""
        role = {**role, "source": edge.source, "arm": edge.arm, "target": edge.target}
        asked = [*_assumed(before), "(assert |taken|)", *question]
        used, after = _all(goal.used for goal in goals), _all(each.sums for each in goals)
        step = self.parts.step(edge, used, purpose)
        ahead = [before.part, self.parts.choice(edge.source), *more]
        behind = [goal.after() for goal in goals]
        here = _all(each.sums for each in [*ahead, step])
        changes, equations = self.parts.changes(edge, after, here)
        equations = [*equations, *self._identities(here | after, after)]
        text = self.parts.file(words, [*ahead, step, *changes, *behind], equations, asked)
        confirmed = self.confirms(text)
        if not confirmed and (here | after) and exact and not self._late:
            of_ones = [node for node in sorted(here | after) if self.parts.of_ones(node)]
            some = [self.parts.some(node) for node in of_ones]
            later = [self.parts.some(node) for node in of_ones if node in after]
            facts = [f"|some {node}|" for node in of_ones]
            facts += [f"|some {node}'|" for node in of_ones if node in after]
            wider = self.parts.step(edge, used | _all(each.used for each in later), f"{purpose}, some")
            parts = [*ahead, *some, wider, *changes, *behind, *(each.after() for each in later)]
            text = self.parts.file(words, parts, [*equations, *facts], asked)
            confirmed = self.confirms(text)
            self.some.update(of_ones if confirmed else ())
            if not confirmed:
                sums = self.parts.sums(_all(each.sums for each in [*ahead, step]))
                later = self.parts.sums(after)
                wider = self.parts.step(edge, used | _all(each.used for each in later), f"{purpose}, sums")
                parts = [*ahead, *sums, wider, *behind, *(each.after() for each in later)]
                text = self.parts.file(words, parts, [], asked)
                return Condition(name, words, role, text, self.confirms(text))
        if confirmed and after:
            self._note(edge, after, here)
        return Condition(name, words, role, text, confirmed)

    def _here(
        self,
        name: str,
        words: str,
        role: dict[str, object],
        parts: list[Part],
        known: Known,
        question: list[str],
    ) -> Condition:
        """A condition on a state, or on a state and a choice."""
        asked = [*_assumed(known), *question]
        sums = _all(each.sums for each in parts)
        text = self.parts.file(words, parts, self._identities(sums, ()), asked)
        confirmed = self.confirms(text)
        if confirmed or not sums:
            return Condition(name, words, role, text, confirmed)
        text = self.parts.file(words, [*self.parts.sums(sums), *parts], [], asked)
        return Condition(name, words, role, text, self.confirms(text))

    def _note(self, edge: Edge, after: frozenset[int], here: frozenset[int]) -> None:
        """The change of sums was assumed."""
        _, noted, there = self.summed.setdefault(id(edge), (edge, set(), set()))
        noted.update(after)
        there.update(here)

    def _identities(self, sums: frozenset[int], after: Iterable[int]) -> list[str]:
        """The equations between these sums, and between those after the step."""
        later = frozenset(after)
        found = []
        for text, inside in self.parts.identities(sums):
            found += [text] if inside <= sums else []
            found += [primed(text)] if inside <= later else []
            self.related |= inside if inside <= sums else frozenset()
        return found

    # ------------------------------------------------------------------------------------------ sums

    def sums(self) -> list[Condition]:
        """What was assumed of how steps change sums, and of sums whose elements have just one value: each in
        two files, of which the first shows what the second adds up."""
        found: list[Condition] = []
        for edge, after, here in self.summed.values():
            found += self._changed(edge, frozenset(after), frozenset(here))
        for node in sorted(self.some):
            words = "A sum of ones: where one is, it is at least 1; where one is missing, it is not full"
            parts, asked = (
                [*self.parts.sums([node]), self.parts.some(node)],
                [f"(assert (not |some {node}|))"],
            )
            text = self.parts.file(words, parts, [], asked)
            found.append(Condition(f"some-{node}", words, {"shows": "some"}, text, self.confirms(text)))
        for at, (text, inside) in enumerate(self.parts.identities(self.related)):
            words = "Every element of an array has one value, so that the numbers of elements add up"
            lemmas, parts = identity_lemmas(self.parts, inside), self.parts.sums(inside)
            found += self._two(f"identity-{at}", words, {"shows": "identity"}, parts, lemmas, [], [text])
        return [*found, *self._defined()]

    def _defined(self) -> list[Condition]:
        """What every sum that some file speaks of is the sum of; so it is within its bounds."""
        found: list[Condition] = []
        done: set[int] = set()
        while waiting := sorted(self.parts.mentioned - done):
            for node in waiting:
                done.add(node)
                name = f"|sum {node}|"
                words = f"Sum {node} is within its bounds"
                asked = [f"(assert (not (and {' '.join(self.parts.bounds(node, name))})))"]
                text = self.parts.file(words, [self.parts.sum(node)], [], asked, bounded=False)
                role: dict[str, object] = {"shows": "sum", "sum": node}
                found.append(Condition(f"sum-{node}", words, role, text, self.confirms(text)))
        return found

    def _changed(self, edge: Edge, nodes: frozenset[int], here: frozenset[int]) -> list[Condition]:
        """The equations that were assumed of sums before and after an edge."""
        words = f"From {self.parts.edge(edge)}: sums change as is assumed elsewhere"
        after = self.parts.sums(nodes)
        every = _all(each.sums for each in after)
        changes, equations = self.parts.changes(edge, every, here)
        became = {term for node in every if (v := self.parts.becomes(edge, node)) for _, term in v.terms}
        before = self.parts.sums(every | (became & here))
        step = self.parts.step(edge, _all(each.used for each in after), "sums")
        lemmas = change_lemmas(self.parts, edge, every, here)
        parts = [*before, self.parts.choice(edge.source), step, *(each.after() for each in after), *changes]
        role = {"shows": "changes", "source": edge.source, "arm": edge.arm, "target": edge.target}
        return self._two(f"sums-{_name(edge)}", words, role, parts, lemmas, ["(assert |taken|)"], equations)

    def _two(
        self,
        name: str,
        words: str,
        role: dict[str, object],
        parts: list[Part],
        lemmas: Lemmas,
        assumed: list[str],
        equations: list[str],
    ) -> list[Condition]:
        """A file for the lemmas, and one for the equations that follow."""
        asked = [*assumed, f"(assert (not {joined('and', lemmas.symbols, 'true')}))"]
        files = {
            "lemmas": self.parts.file(f"{words} (lemmas)", [*parts, lemmas.part], [], asked),
            "adding": lemmas.adding(f"{words} (adding up)", equations),
        }
        return [
            Condition(f"{name}-{part}", words, {**role, "part": part}, text, self.confirms(text))
            for part, text in files.items()
        ]


def _assumed(known: Known) -> list[str]:
    return [f"(assert {symbol})" for symbol, _ in known.clauses]


def _name(edge: Edge) -> str:
    source = "opening" if edge.source < 0 else f"{edge.source}-arm-{edge.arm}"
    return f"{source}-to-{edge.target}"


def _all(sets: Iterable[frozenset[int]]) -> frozenset[int]:
    return frozenset().union(*sets)
