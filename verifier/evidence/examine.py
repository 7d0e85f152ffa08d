"""A run of the verifier whose proofs are kept, and what is to be written of each verdict for others."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

from engine.game import Game
from engine.state import State
from verifier.bench import Bench
from verifier.engines.ranking import Ranking, components
from verifier.evidence.conditions import Condition, Conditions
from verifier.questions import Question, questions
from verifier.symbolic.deadline import Deadline
from verifier.symbolic.values import TooLarge
from verifier.verdict import Verdict
from verifier.verify import Run, chosen

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
    """`evidence` in the order of the verdicts; `conditions` all files, `symbols` what their symbols mean,
    `invariants` by stop, in words."""

    evidence: list[Evidence]
    conditions: list[Condition] = field(default_factory=list)
    symbols: dict[str, dict[str, Any]] = field(default_factory=dict)
    invariants: dict[str, list[str]] = field(default_factory=dict)


class Examination:
    """A run of the verifier; once it is over, its proofs can be written."""

    def __init__(
        self,
        game: Game,
        names: Sequence[str] | None,
        seconds: float,
        progress: Callable[[str], None],
        standard: bool,
    ) -> None:
        asked = chosen(questions(game.program, standard or names is not None), names)
        keys = {question.key for question in asked}
        lemmas = [q for q in questions(game.program, False) if q.lemma and q.key not in keys]
        self.game = game
        self.seconds = seconds
        self.bench = Bench(game, seconds, progress)
        self.run = Run(self.bench, asked, lemmas)
        self.found: list[tuple[Question, Verdict]] = []

    def verdicts(self) -> Iterator[Verdict]:
        """The verdicts, as they are found."""
        for question, verdict in zip(self.run.asked, self.run.verdicts(), strict=False):
            self.found.append((question, verdict))
            yield verdict

    def proofs(self) -> Proofs:
        """What others can check of the verdicts found so far. Takes about as long as the proofs took."""
        if self.bench.graph.complete:
            digest = digest_of(self.bench.graph.states)
            whole = {"method": "exhaustive", "states": len(self.bench.graph.states), "digest": digest}
            return Proofs([Evidence(v, whole if _proved(v, q) else _otherwise(v, q)) for q, v in self.found])
        if self.bench.trouble or self.bench.transitions.unclosed:
            return Proofs([Evidence(v, _otherwise(v, q)) for q, v in self.found])
        return self._symbolic()

    # ------------------------------------------------------------------------------------------ symbolic

    def _symbolic(self) -> Proofs:
        bench = self.bench
        bench.transitions.reader.deadline = Deadline(10 * self.seconds)
        deadline = Deadline(max(LEAST, TOGETHER * self.seconds))

        def confirming(text: str) -> bool:
            return not deadline.passed and confirms(text, deadline.part(CONFIRMING).left)

        made = Conditions(bench, confirming, deadline)
        proofs = Proofs([])
        for number, (question, verdict) in enumerate(self.found):
            about = _otherwise(verdict, question)
            if _proved(verdict, question):
                bench.progress(f"writing down: {verdict.property}")
                try:
                    about, files = self._proof(
                        made, question, verdict, f"{number:02}-{file_name(verdict.property)}"
                    )
                except TooLarge as error:
                    about, files = {"method": "none", "reason": str(error)}, []
                proofs.conditions += files
            proofs.evidence.append(Evidence(verdict, about))
        if proofs.conditions:
            for edge in bench.edges:
                bench.progress(f"writing down: the invariants, {made.parts.edge(edge)}")
                proofs.conditions += [*made.keeps(edge), made.types(edge)]
            proofs.conditions += [*made.never(), *made.sums()]
        proofs.symbols = made.parts.symbols.meanings
        for block in {edge.target for edge in bench.edges}:
            words = [words for _, words in made.parts.known(block).clauses]
            proofs.invariants[bench.program.blocks[block].name] = words
        return proofs

    def _proof(
        self, made: Conditions, question: Question, verdict: Verdict, file: str
    ) -> tuple[dict[str, Any], list[Condition]]:
        if question.kind == "terminates":
            return self._ranking(made)
        if question.kind == "leak" and nothing_hidden(self.game):
            return {"method": "nothing hidden"}, []
        goal = self.run.goals.get(question.key)
        if question.kind != "reach" or goal is None:
            return {"method": "none", "reason": f"this kind of proof is not written down: {verdict.by}"}, []
        name = question.key
        files = [made.excludes(block, lit, name, file) for block, lit in sorted(goal.states.items())]
        files += [made.avoids(block, lit, name, file) for block, lit in sorted(goal.steps.items())]
        if all(each.confirmed for each in files):
            return {"method": "invariants", "conditions": [each.name for each in files]}, files
        reason = f"z3 did not confirm within the time what is written down of: {verdict.by}"
        return {"method": "none", "reason": reason}, []

    def _ranking(self, made: Conditions) -> tuple[dict[str, Any], list[Condition]]:
        """The files that show that the measures fall, in the rounds in which they are used."""
        ranking: Ranking | None = getattr(self.run.ending, "ranking", None)
        if ranking is None or ranking.preferred:
            return {"method": "none", "reason": "the ranking is not written down"}, []
        files: dict[str, Condition] = {}

        def falls(edge: Any, at: int, by: int) -> bool:
            name = f"{id(edge)}-{at}-{by}"
            if name not in files:
                files[name] = made.falls(edge, ranking.measures[at], at, by)
            return files[name].confirmed

        remaining = list(self.bench.edges)
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
        return {"method": "ranking", "measures": words, "conditions": [each.name for each in kept]}, kept


def _proved(verdict: Verdict, question: Question) -> bool:
    """Whether something is claimed of every play."""
    return verdict.kind in PROVED and getattr(question, "run", None) is None


def _otherwise(verdict: Verdict, question: Question) -> dict[str, Any]:
    """The evidence of a verdict that is no proof."""
    if getattr(question, "run", None) is not None:
        return {"method": "none", "reason": "a claim about a rule by itself is not written down"}
    if verdict.steps is not None and verdict.kind in ("refuted", "possible"):
        return {"method": "play"}
    if verdict.kind in PROVED:
        return {"method": "none", "reason": f"this kind of proof is not written down: {verdict.by}"}
    return {"method": "nothing claimed"}


def nothing_hidden(game: Game) -> bool:
    """Whether all players see everything."""
    program = game.program
    return all(var.seen is None for var in program.vars) and not any(each.secret for each in program.locals)


def confirms(text: str, seconds: float = CONFIRMING) -> bool:
    """Whether z3 says "unsat" to the text of a file."""
    solver = z3.Solver()
    solver.set("timeout", int(seconds * 1000))
    solver.from_string(text)
    return str(solver.check()) == "unsat"


def digest_of(states: Sequence[State]) -> str:
    """SHA-256 over the states' texts, one a line, sorted: the number of the stop, then all values in the
    order of the program's variables, then the live locals'."""
    lines = sorted(
        " ".join(map(str, (s.block, *(_plain(cells) for cells in s.vars), *map(int, s.locals))))
        for s in states
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _plain(cells: Any) -> str:
    return ",".join(str(int(cell)) for cell in cells) if isinstance(cells, tuple) else str(int(cells))


def file_name(name: str) -> str:
    """A property's name as part of a file's name."""
    return re.sub(r"[^\w.-]+", "_", name).strip("_") or "verdict"
