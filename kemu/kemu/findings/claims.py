"""The claims that cite the gaps of a rulebook, each with what is known of it in all declared instances."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from kemu_engine.play.game import Game as Playable
from kemu_grammar.game.beside import beside
from kemu_grammar.game.game import Game
from kemu_grammar.source.keywords import MARK
from kemu_verifier.goal.questions import Question, asked_hash, family, questions
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.symbolic.deadline import Deadline

from kemu.base.library import games_in
from kemu.base.opening import Wanted, declared, made, opened
from kemu.findings.data import Claim, Cost, Setting, shows
from kemu.findings.play import happening
from kemu.findings.readings import Plays, setting
from kemu.service.instances import named
from kemu.service.survey import Asked, survey

WORSE = ("refuted", "impossible", "possible", "proved")  # of several verdicts on a claim the first is told

Given = defaultdict[str, defaultdict[str, list[tuple[str, str]]]]
"""By family and instance: the claims, each with the verdict in a word."""


@dataclass(frozen=True, slots=True)
class Budget:
    """`minutes` for the claims of a game; `seconds` for each comparison of two readings, and for counting how
    often a claim is broken."""

    minutes: float
    seconds: float
    processes: int


def claimed(
    rules: Game,
    name: str,
    wants: Sequence[Wanted],
    games: Sequence[Playable],
    numbers: set[str],
    budget: Budget,
) -> tuple[dict[str, list[Claim]], Plays]:
    """For each number the claims that cite it, each with its worst verdict in any instance; the games that
    show them."""
    asked = []
    for want, game in zip(wants, games, strict=True):
        every = [q.name for q in questions(game.program, True) if speaks(q, numbers)]
        if every:
            titles = tuple(dict.fromkeys(every))
            asked.append(Asked(want, f"{asked_hash(game.program)} {titles}", titles))
    by_name = {want.name: game for want, game in zip(wants, games, strict=True)}
    docs = {claim.name: MARK.sub("", claim.doc or "").split() for claim in rules.properties}
    told: dict[tuple[str, str], Claim] = {}
    where: Given = defaultdict(lambda: defaultdict(list))
    plays: Plays = defaultdict(list)
    last = {one.want.name: one for one in survey(name, asked, budget.minutes, budget.processes)}
    if last and all(one.error and not one.verdicts for one in last.values()):
        raise RuntimeError("; ".join(f"{one.want.name}: {one.error}" for one in last.values()))
    for each in asked:
        answered = {verdict.property for verdict in last[each.want.name].verdicts}
        for question in each.names or ():
            if question not in answered:
                where[family(question)][each.want.name].append((question, "unknown"))
    for one in last.values():
        for verdict in one.verdicts:
            title = family(verdict.property)
            where[title][one.want.name].append((verdict.property, in_a_word(verdict)))
            for number in numbers & set(verdict.origin.cites):
                plays[number, one.want.name] += [verdict.steps] if verdict.steps and not verdict.start else []
                said = " ".join(docs.get(title, ()))
                claim = _claim(verdict, said, setting(rules, one.want.name, by_name[one.want.name]))
                before = told.get((number, title))
                if before is None or rank(claim) < rank(before):
                    told[number, title] = claim
    found: dict[str, list[Claim]] = defaultdict(list)
    for (number, title), claim in told.items():
        given = {name: where[title][name] for name in by_name if name in where[title]}
        kinds = spread({name: min((kind for _, kind in every), key=gravity) for name, every in given.items()})
        counted = number not in rules.options  # else its readings are counted
        cost = _cost(by_name[claim.instance.name], claim, budget.seconds / 2) if counted else None
        claim = msgspec.structs.replace(claim, verdicts=kinds, cost=cost, members=members(given))
        found[number].append(claim)
    return found, dict(plays)


def in_a_word(verdict: Verdict) -> str:
    """The verdict, and whether it is one only because no state is such."""
    return f"{verdict.kind} ({verdict.vacuous})" if verdict.vacuous else verdict.kind


def spread(kinds: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """For each verdict the instances that have it."""
    found: dict[str, tuple[str, ...]] = {}
    for instance, kind in kinds.items():
        found[kind] = (*found.get(kind, ()), instance)
    return found


def members(given: Mapping[str, Sequence[tuple[str, str]]]) -> dict[str, dict[str, tuple[str, ...]]]:
    """The verdicts on each claim of a family, if they are not alike in every instance."""
    if all(len({kind for _, kind in every}) == 1 for every in given.values()):
        return {}
    found: dict[str, dict[str, str]] = {}
    for instance, every in given.items():
        for name, kind in every:
            found.setdefault(name, {})[instance] = kind
    return {name: spread(kinds) for name, kinds in found.items()}


@dataclass(frozen=True, slots=True)
class Model:
    """A game that lies within another game's folder, at `path` in it, and has no statements of its own: it
    speaks of theirs, and says something of a part of that game."""

    path: str
    rules: Game
    wants: tuple[Wanted, ...]
    instances: tuple[Playable, ...]

    def claims(self, numbers: set[str], budget: Budget) -> dict[str, list[Claim]]:
        """For each number the model's claims that cite it."""
        found, _ = claimed(self.rules, str(self.rules.file), self.wants, self.instances, numbers, budget)
        return {
            number: [msgspec.structs.replace(claim, model=self.path) for claim in claims]
            for number, claims in found.items()
        }


def modelled(folder: Path) -> Iterator[Model]:
    """The models in a game's folder. Raises RulesError, SettingError."""
    for file in games_in(folder, 1).values():
        if beside(file) is None:
            rules = opened(str(file))
            wants = tuple(named(want) for want in declared(rules))
            instances = tuple(made(rules, want) for want in wants)
            yield Model(file.relative_to(folder).as_posix(), rules, wants, instances)


def speaks(question: Question, numbers: set[str]) -> bool:
    """Whether the author speaks of a gap in it: a claim of his own, or what he expects of a standard one (of
    those about single actions and lines none: they are about the instance)."""
    own = not question.standard or (question.expected is not None and "(" not in question.name)
    return own and bool(numbers & set(question.origin.cites))


def rank(claim: Claim) -> tuple[int, int, bool, int]:
    """What is decided on the printed board comes first, then what is decided anywhere; of that what is worse,
    the author's own claim, the shorter game."""
    decided = claim.verdict in WORSE
    at = WORSE.index(claim.verdict) if decided else len(WORSE)
    return (not claim.instance.printed if decided else 2), at, claim.standard, len(claim.steps or ())


def gravity(kind: str) -> int:
    """Of verdicts on several parts of a claim the least counts for it: it is proved if all are, and open if
    one is."""
    if kind.endswith("vacuous)"):
        return 5
    return {"refuted": 0, "impossible": 1, "possible": 3, "proved": 4}.get(kind, 2)


def _cost(game: Playable, claim: Claim, seconds: float) -> Cost | None:
    """How often random games show what a game shows."""
    if not shows(claim) or not claim.instance.printed:
        return None
    asked = (claim.property, claim.standard)
    question = next(q for q in questions(game.program, True) if (q.name, q.standard) == asked)
    return happening(game, question, Deadline(seconds))


def _claim(verdict: Verdict, doc: str, instance: Setting) -> Claim:
    said = verdict.property, verdict.standard, verdict.form, verdict.kind, verdict.wanted, verdict.by
    return Claim(*said, instance, {}, doc, verdict.steps if verdict.start is None else None)
