"""A run of the verifier whose proofs are kept, and what is to be written of each verdict for others."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import z3
from kemu_engine.kernel.sight import secret
from kemu_engine.kernel.values import plain
from kemu_engine.play.game import Game
from kemu_engine.play.state import State

from kemu_verifier.evidence.conditions import Condition, Conditions, Confirms
from kemu_verifier.evidence.sections import WHOLE, Section, Writing, file_name, localized_section, needed
from kemu_verifier.goal.questions import SECRETS, Question, questions
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.termination.ranking import Ranking, components
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.verify import USUAL, Effort, Run, chosen
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.values import TooLarge
from kemu_verifier.symbolic.watchdog import Watchdog

CONFIRMING = 8.0  # seconds for z3 to confirm one file
TOGETHER, LEAST = 6, 40.0  # for all of them: so many times those of a question, and at least so many
PROVED = ("proved", "impossible")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What stands behind a verdict, for a manifest: `method` and what belongs to it (docs/evidence.md)."""

    verdict: Verdict
    about: dict[str, Any]


@dataclass(slots=True)
class Proofs:
    """`evidence` in the order of the verdicts; the sections that it rests on, each of which may take over
    what was shown in those before it."""

    evidence: list[Evidence]
    sections: list[Section] = field(default_factory=list)

    @property
    def conditions(self) -> list[Condition]:
        return [condition for section in self.sections for condition in section.conditions]

    @property
    def invariants(self) -> dict[str, list[str]]:
        """Those of the whole state, by stop, in words."""
        return next((each.invariants for each in self.sections if each.name == WHOLE), {})


class Examination:
    """A run of the verifier; once it is over, its proofs can be written."""

    def __init__(
        self,
        game: Game,
        names: Sequence[str] | None,
        seconds: float,
        progress: Callable[[str], None],
        standard: bool,
        effort: Effort = USUAL,
        shared: dict[str, float] | None = None,
    ) -> None:
        asked = chosen(questions(game.program, standard or names is not None), names)
        keys = {question.key for question in asked}
        lemmas = [q for q in questions(game.program, False) if q.lemma and q.key not in keys]
        self.game = game
        self.seconds = seconds
        self.context = ProofContext(game, seconds, progress)
        self.run = Run(self.context, asked, lemmas, True, effort, shared)
        self.run.case.localized.kept = []
        self.found: list[tuple[Question, Verdict]] = []

    def verdicts(self) -> Iterator[Verdict]:
        """The verdicts, as they are found."""
        for question, verdict in self.run.verdicts():
            self.found.append((question, verdict))
            yield verdict

    def proofs(self) -> Proofs:
        """What others can check of the verdicts found so far. Takes about as long as the proofs took."""
        if self.context.graph.complete:
            digest = digest_of(self.context.graph.states)
            whole = {"method": "exhaustive", "states": len(self.context.graph.states), "digest": digest}
            return Proofs([Evidence(v, whole if _proved(v, q) else _otherwise(v, q)) for q, v in self.found])
        return self._symbolic()

    # ------------------------------------------------------------------------------------------ symbolic

    def _symbolic(self) -> Proofs:
        proofs = Proofs([])
        localized, unread = self.run.case.localized, self.context.trouble or self.context.transitions.unclosed
        proved = [question for question, verdict in self.found if _proved(verdict, question)]
        claims, faults = set[str](), set[int]()
        for question in proved:
            claims |= {question.key} & localized.proved.keys()
            faults |= self._faults(question) & localized.faultless
        if not unread and any(question.key not in claims for question in proved):
            claims |= localized.proved.keys()  # known of the whole state
        deadline = Deadline(max(LEAST, TOGETHER * self.seconds))
        parts = needed(localized.kept or (), claims, faults)
        for number, wanted in enumerate(parts):
            until = deadline.part(deadline.left / (len(parts) - number + (not unread)))
            with suppress(TooLarge):
                name = f"part-{number + 1}"
                section = localized_section(name, wanted, proofs.sections, confirming(until), until)
                proofs.sections += [] if section is None else [section]
        abouts: dict[str, Any] = {}
        if not unread:
            with suppress(TooLarge):
                abouts = self._whole(proofs, deadline)
        for question, verdict in self.found:
            about = self._elsewhere(proofs, question, verdict) or abouts.get(question.key)
            about = about or self._unconfirmed(question, verdict) or _otherwise(verdict, question)
            proofs.evidence.append(Evidence(verdict, about))
        proofs.sections = used(proofs.sections, proofs.evidence)
        return proofs

    def _unconfirmed(self, question: Question, verdict: Verdict) -> dict[str, Any] | None:
        """What is said of a proof on a part of the state that could not be written down."""
        kept = self.run.case.localized.kept or ()
        mine = any(question.key in one.proved or self._faults(question) & one.faults for one in kept)
        return unconfirmed(verdict) if mine and _proved(verdict, question) else None

    def _faults(self, question: Question) -> set[int]:
        """The faults that a question asks for."""
        goal = self.run.case.goals.get(question.key)
        every = range(len(self.game.program.faults))
        return set() if goal is None or goal.faults is None else set(filter(goal.faults, every))

    def _elsewhere(self, proofs: Proofs, question: Question, verdict: Verdict) -> dict[str, Any] | None:
        """The evidence of what was shown on parts of the state."""
        if not _proved(verdict, question):
            return None
        if question.kind in SECRETS and nothing_hidden(self.game):
            return {"method": "nothing hidden"}
        parts = [each for each in proofs.sections if each.name != WHOLE]
        for section in parts:
            for claimed in section.shows:
                if claimed.verdict == question.key:
                    return {
                        "method": "invariants",
                        "sections": [section.name],
                        "conditions": claimed.conditions,
                    }
        codes = self._faults(question)
        some = [each for each in parts if not codes.isdisjoint(each.faults)]
        if codes and codes <= {code for each in some for code in each.faults}:
            files = [name for each in some for name in each.avoids]
            return {"method": "invariants", "sections": [each.name for each in some], "conditions": files}
        return None

    def _whole(self, proofs: Proofs, deadline: Deadline) -> dict[str, Any]:
        """Adds the section of the whole state, if something is shown there; the evidence by question."""
        context, localized = self.context, self.run.case.localized
        context.transitions.reader.deadline = Deadline(10 * self.seconds)
        section = Section(WHOLE, "the whole state", [])
        given = {
            q.key: q for q in self.run.case.questions if q.key in localized.proved and q.goal is not None
        }
        writing = Writing(section, context, given, proofs.sections, confirming(deadline), deadline)
        abouts: dict[str, Any] = {}
        for number, (question, verdict) in enumerate(self.found):
            if _proved(verdict, question) and self._elsewhere(proofs, question, verdict) is None:
                context.progress(f"writing down: {verdict.property}")
                file = f"{number:02}-{file_name(verdict.property)}"
                try:
                    about, files = self._proof(writing.made, question, verdict, file)
                except TooLarge as error:
                    about, files = {"method": "none", "reason": str(error)}, []
                if about["method"] != "none":
                    about |= {"sections": [WHOLE], "conditions": section.add(files)}
                abouts[question.key] = about
        if any("sections" in about for about in abouts.values()):
            writing.invariants(True)
            writing.sums()
            proofs.sections.append(section)
        return abouts

    def _proof(
        self, made: Conditions, question: Question, verdict: Verdict, file: str
    ) -> tuple[dict[str, Any], list[Condition]]:
        """The evidence on the whole state, and its files."""
        if question.kind == "terminates":
            return self._ranking(made)
        goal = self.run.case.goals.get(question.key)
        if question.kind != "reach" or goal is None:
            return {"method": "none", "reason": f"this kind of proof is not written down: {verdict.by}"}, []
        name = question.key
        files = [made.excludes(block, lit, name, file) for block, lit in sorted(goal.states.items())]
        files += [made.avoids(block, lit, name, file) for block, lit in sorted(goal.steps.items())]
        if files and all(each.confirmed for each in files):
            return {"method": "invariants"}, files
        return unconfirmed(verdict), []

    def _ranking(self, made: Conditions) -> tuple[dict[str, Any], list[Condition]]:
        """The files that show that the measures fall, in the rounds in which they are used."""
        ranking: Ranking | None = getattr(self.run.case.ending, "ranking", None)
        if ranking is None or ranking.preferred:
            return {"method": "none", "reason": "the ranking is not written down"}, []
        files: dict[str, Condition] = {}

        def falls(edge: Any, at: int, by: int) -> bool:
            name = f"{id(edge)}-{at}-{by}"
            if name not in files:
                files[name] = made.falls(edge, ranking.measures[at], at, by)
            return files[name].confirmed

        remaining = list(self.context.edges)
        while True:
            remaining = [edge for part in components(remaining) for edge in part]
            left = len(remaining)
            for part in components(remaining):
                for at, measure in enumerate(ranking.measures):
                    if not measure.covers(part):
                        continue
                    lowered = [edge for edge in part if falls(edge, at, 1)]
                    if lowered and all(edge in lowered or falls(edge, at, 0) for edge in part):
                        remaining = [edge for edge in remaining if edge not in lowered]
                        break
            if not remaining or len(remaining) == left:
                break
        kept = [each for each in files.values() if each.confirmed]
        if remaining:
            return {"method": "none", "reason": "z3 did not confirm the ranking in its plain form"}, []
        words = [measure.words for measure in ranking.measures]
        return {"method": "ranking", "measures": words}, kept


def _proved(verdict: Verdict, question: Question) -> bool:
    """Whether something is claimed of every play."""
    return verdict.kind in PROVED and getattr(question, "run", None) is None


def _otherwise(verdict: Verdict, question: Question) -> dict[str, Any]:
    """The evidence of a verdict that is no proof."""
    if getattr(question, "run", None) is not None:
        return {"method": "none", "reason": "a claim about a rule by itself is not written down"}
    if verdict.kind in ("refuted", "possible"):
        return {"method": "play"} if verdict.steps is not None else {"method": "none", "reason": "no play"}
    if verdict.kind in PROVED:
        return {"method": "none", "reason": f"this kind of proof is not written down: {verdict.by}"}
    return {"method": "nothing claimed"}


def unconfirmed(verdict: Verdict) -> dict[str, Any]:
    return {
        "method": "none",
        "reason": f"z3 did not confirm within the time what is written of: {verdict.by}",
    }


def nothing_hidden(game: Game) -> bool:
    """Whether all players see everything."""
    return not secret(game.program)


def confirms(text: str, seconds: float = CONFIRMING) -> bool:
    """Whether z3 says "unsat" to the text of a file."""
    solver = z3.Solver()
    solver.from_string(text)
    with Watchdog(solver, seconds):
        return str(solver.check()) == "unsat"


def used(sections: Sequence[Section], evidence: Iterable[Evidence]) -> list[Section]:
    """The sections in which verdicts stand, and those that these take something over from."""
    names = {name for each in evidence for name in each.about.get("sections", ())}
    for section in reversed(sections):
        roles = [each.role for each in section.conditions] if section.name in names else []
        names |= {str(role["section"]) for role in roles if role["shows"] == "carried"}
    return [section for section in sections if section.name in names]


def confirming(until: Deadline) -> Confirms:
    """z3, as long as there is time."""
    return lambda text: not until.passed and confirms(text, until.part(CONFIRMING).left)


def digest_of(states: Sequence[State]) -> str:
    """SHA-256 over the states' texts, one a line, sorted: the number of the stop, then all values in the
    order of the program's variables, then the live locals'."""
    lines = sorted(" ".join(map(str, (s.block, *map(plain, s.vars), *map(int, s.locals)))) for s in states)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
