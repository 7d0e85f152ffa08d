"""Sections of a bundle: the proofs on one reading of the program, of the whole state or of a part of it.

A section stands by itself, but for the claims that it takes over from sections before it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kemu_verifier.evidence.conditions import Condition, Conditions, Confirms
from kemu_verifier.goal.questions import Question
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.localization import A_PART, Shown
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.expressions import MOST_NODES
from kemu_verifier.symbolic.terms import Lit
from kemu_verifier.symbolic.transition import Step

WHOLE = "whole"
MOST = 400  # invariants of a section that rests on guesses


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claim that a section shows, by these conditions. `verdict` is what conditions call it."""

    verdict: str
    property: str
    form: str
    conditions: list[str]


@dataclass(slots=True)
class Section:
    """`words`: what the reading looks at, `hidden`: the variables that it does not look at. `conditions` are
    all its files, `symbols` what their symbols mean, `invariants` by stop, in words; `shows` the claims that
    it shows, and `avoids` the conditions that exclude these `faults`."""

    name: str
    words: str
    hidden: list[str]
    conditions: list[Condition] = field(default_factory=list)
    symbols: dict[str, dict[str, Any]] = field(default_factory=dict)
    invariants: dict[str, list[str]] = field(default_factory=dict)
    shows: list[Claimed] = field(default_factory=list)
    faults: list[int] = field(default_factory=list)
    avoids: list[str] = field(default_factory=list)

    def add(self, files: Iterable[Condition]) -> list[str]:
        """Adds conditions; their names."""
        named = [replace(each, name=f"{self.name}/{each.name}") for each in files]
        self.conditions += named
        return [each.name for each in named]


class Writing:
    """Writes one section. `before`: the sections that are there, from which claims may be taken over.
    `claims`: of what was proved on this reading only these are relied on."""

    def __init__(
        self,
        section: Section,
        context: ProofContext,
        given: Mapping[str, Question],
        before: Sequence[Section],
        confirms: Confirms,
        deadline: Deadline,
        claims: Collection[str] | None = None,
    ) -> None:
        self.section = section
        self.context = context
        self.deadline = deadline
        self.shown = {claim.verdict: one.name for one in before for claim in one.shows}
        self.goals = {key: dict(self._states(q)) for key, q in given.items()}
        shown: dict[int, dict[Lit, str]] = {}
        missing: dict[int, dict[Lit, str]] = {}
        for key, states in self.goals.items():
            for block, bad in states.items():
                (shown if key in self.shown else missing).setdefault(block, {}).setdefault(-bad, key)
        for fact in (fact for facts in context.knowledge.facts.values() for fact in facts):
            if claims is not None and fact.words not in claims and not fact.words.startswith(A_PART):
                missing.setdefault(fact.block, {}).setdefault(fact.lit, fact.words)
        self.made = Conditions(context, confirms, deadline, shown, missing)

    def _states(self, question: Question) -> dict[int, Lit]:
        """By stop, what a claim excludes."""
        assert question.goal is not None
        return question.goal(self.context.transitions).states

    def claim(self, question: Question) -> None:
        """Shows a claim, if that is confirmed."""
        states, file = sorted(self._states(question).items()), file_name(question.key)
        files = [self.made.excludes(block, lit, question.key, file) for block, lit in states]
        if all(each.confirmed for each in files):
            names = self.section.add(files)
            self.section.shows.append(Claimed(question.key, question.name, question.form, names))

    def exclude(self, faults: frozenset[int]) -> None:
        """Shows that no step meets one of these faults, nor one of which there is no talk, as far as that is
        confirmed."""
        transitions, moving = self.context.transitions, self.context.moving
        steps = {block: transitions.step(block) for block in moving} | {-1: transitions.begin()}
        met = {fault for step in steps.values() for _, fault in step.faults}
        quiet = set(range(len(self.context.program.faults))) - met - transitions.reader.unknowns.missed
        codes = sorted(faults | quiet)
        files = [each for step in steps.values() for each in self._avoided(step, codes)]
        open_ = {code for each, codes in files if not each.confirmed for code in codes}
        self.section.avoids = self.section.add(each for each, _ in files if each.confirmed)
        self.section.faults = [code for code in codes if code not in open_]

    def _avoided(self, step: Step, codes: list[int]) -> list[tuple[Condition, list[int]]]:
        """That no step from a stop meets one of these faults: in one file if that is easy, else in some."""
        bad = self.context.transitions.terms.disj([lit for lit, fault in step.faults if fault in codes])
        verdict = f"faults {', '.join(map(str, codes))}"
        found = self.made.avoids(step.block, bad, verdict, f"faults-{codes[0]}-to-{codes[-1]}")
        found = replace(found, role={**found.role, "faults": codes})
        if found.confirmed or len(codes) < 2 or self.deadline.passed:
            return [(found, codes)]
        middle = len(codes) // 2
        return [*self._avoided(step, codes[:middle]), *self._avoided(step, codes[middle:])]

    def invariants(self, whole: bool) -> bool:
        """Adds what everything rests on; whether all of that was confirmed. Unless it is to be there as a
        `whole` all the same, the first that is not confirmed ends it."""
        made, context, section = self.made, self.context, self.section
        for block in sorted({edge.target for edge in context.edges}):
            bad = {key: states[block] for key, states in self.goals.items() if block in states}
            section.add(made.carried(block, bad, self.shown))
        for edge in context.edges:
            context.progress(f"writing down: the invariants, {section.words}, {made.parts.edge(edge)}")
            section.add([*made.keeps(edge), *made.types(edge)])
            if not (whole or all(each.confirmed for each in section.conditions)):
                return False
        section.add(made.never())
        section.symbols = made.parts.symbols.meanings
        for block in {edge.target for edge in context.edges}:
            words = [words for _, words in made.parts.known(block).clauses]
            section.invariants[context.program.blocks[block].name] = words
        return all(each.confirmed for each in section.conditions)

    def sums(self) -> None:
        """Adds what was assumed of sums."""
        self.section.add(self.made.sums())


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a part showed that is to be written down: claims by their keys, and faults."""

    shown: Shown
    claims: frozenset[str]
    faults: frozenset[int]


def needed(kept: Sequence[Shown], claims: Iterable[str], faults: Iterable[int]) -> list[Wanted]:
    """What claims and faults rest on, by part in their order."""
    wanted, codes, found = set(claims), frozenset(faults), list[Wanted]()
    for one in reversed(kept):
        mine = wanted & one.proved.keys()
        if mine or codes & one.faults:
            found.append(Wanted(one, frozenset(mine), codes & one.faults))
            wanted |= one.given.keys()
    return found[::-1]


def localized_section(
    name: str, wanted: Wanted, before: Sequence[Section], confirms: Confirms, deadline: Deadline
) -> Section | None:
    """The section of a part: resting on its claims if that does, else on what was guessed besides; None if
    z3 does not confirm it."""
    first = _section(name, wanted, before, confirms, deadline, False)
    if first is not None and len(first.shows) == len(wanted.claims) and wanted.faults <= set(first.faults):
        return first
    if deadline.passed or sum(map(len, wanted.shown.context.knowledge.facts.values())) > MOST:
        return first
    second = _section(name, wanted, before, confirms, deadline, True)
    return max(first, second, key=lambda one: -1 if one is None else len(one.shows) + len(one.faults))


def _section(
    name: str,
    wanted: Wanted,
    before: Sequence[Section],
    confirms: Confirms,
    deadline: Deadline,
    guessed: bool,
) -> Section | None:
    shown, context = wanted.shown, wanted.shown.context
    hidden = [var.name for at, var in enumerate(context.program.vars) if at not in shown.seen]
    section = Section(name, shown.words, hidden)
    reader = context.transitions.reader
    reader.deadline, reader.most = None, MOST_NODES  # what there is to be read was read before
    claims = None if guessed else shown.proved.keys()
    writing = Writing(section, context, shown.given, before, confirms, deadline, claims)
    if not writing.invariants(False):
        return None
    for key, question in shown.proved.items():
        if key in wanted.claims:
            context.progress(f"writing down: {question.name}, {shown.words}")
            writing.claim(question)
    if wanted.faults:
        writing.exclude(wanted.faults)
    writing.sums()
    return section if section.shows or section.faults else None


def file_name(name: str) -> str:
    """A property's name as part of a file's name."""
    return re.sub(r"[^\w.#-]+", "_", name).strip("_") or "verdict"
