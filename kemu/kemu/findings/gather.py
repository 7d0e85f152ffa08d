"""Finding out about the gaps of a rulebook: the claims that cite them, and readings compared in play."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec
from kemu_engine.lower.settings import SettingError
from kemu_engine.play.game import Game as Playable
from kemu_engine.play.replay import ReplayError
from kemu_engine.static.values import text_of
from kemu_engine.support.process_pool import Failed, outcomes
from kemu_grammar.game import rulebook
from kemu_grammar.game.game import Game
from kemu_grammar.game.rulebook import CLAIMS, Citation
from kemu_grammar.source.keywords import MARK
from kemu_grammar.syntax.parser import parse
from kemu_verifier.diff.compare import compare, confirmed
from kemu_verifier.goal.questions import Question, asked_hash, questions
from kemu_verifier.goal.verdict import Verdict

from kemu.base.library import BadInput, games_in
from kemu.base.opening import Value, Wanted, declared, made, opened
from kemu.findings.data import EDITION, Choice, Claim, Findings, Gap, Setting, kind_of
from kemu.service.instances import alternatives, named
from kemu.service.survey import Asked, survey

SECTION = "gaps"  # what the heading of a section on gaps begins with
Plays = dict[tuple[str, str], list[tuple[str, ...]]]
"""By number of a gap and name of an instance the games that show claims about it."""
WORSE = ("refuted", "impossible", "possible", "proved")  # of several verdicts on a claim the first is told


@dataclass(frozen=True, slots=True)
class Budget:
    """`minutes` for the claims of a game; `seconds` for each comparison of two readings in one instance."""

    minutes: float
    seconds: float
    processes: int


def gather(
    name: str, budget: Budget, progress: Callable[[str], None], before: Findings | None = None
) -> Findings:
    """Everything that can be found out in the time; readings that matter by a game found `before` are not
    compared anew if that game still shows it. Raises RulesError, BadInput (a game without rules.md).
    """
    rules = opened(name)
    path = rulebook.beside(rules.file)
    if path is None:
        raise BadInput(f"{rules.title} has no {rulebook.FILE}, which would name the gaps of its rulebook")
    texts = [parse(rules.sources[file], file) for file in (rules.file, rules.proofs) if file]
    traced = rulebook.compared(rulebook.load(path), *texts)
    gaps = [s for s in traced.account.statements if s.section.lower().startswith(SECTION)]
    numbers = {gap.number for gap in gaps}
    options = {number: options_of(number, traced.by_number[number]) for number in numbers}
    wants = [named(want) for want in declared(rules)]
    instances = [made(rules, want) for want in wants]
    models = list(modelled(path.parent))
    progress("claims")
    claims, plays = claimed(rules, name, wants, instances, numbers, budget)
    for model in models:
        progress(f"claims of {model.rules.title}")
        for number, more in model.claims(numbers, budget).items():
            claims[number] = [*claims.get(number, ()), *more]
    choices: dict[str, list[Choice]] = defaultdict(list)
    for choice in [] if before is None else still(rules, before):
        choices[choice.option].append(choice)
    done = {(choice.option, choice.value) for known in choices.values() for choice in known}
    asked = {option for some in options.values() for option in some}
    for choice in chosen(name, rules, wants, asked, plays, budget, done, progress):
        choices[choice.option].append(choice)
    found = []
    for gap in gaps:
        citations = traced.by_number[gap.number]
        own = tuple(claims.get(gap.number, ()))
        others = tuple(choice for option in options[gap.number] for choice in choices[option])
        tried = any(citation.kind in CLAIMS for citation in citations)
        examples = tuple(dict.fromkeys(c.name for c in citations if c.kind == "example"))
        kind = kind_of(gap.is_note, own, others, tried)
        found.append(Gap(gap.number, gap.text, kind, own, others, examples))
    return Findings(name, rules.title, tuple(found))


def options_of(number: str, citations: Sequence[Citation]) -> tuple[str, ...]:
    """The options whose other values answer a gap otherwise: the reading of this number, the edition if it
    cites it."""
    return (number, *{EDITION for c in citations if (c.kind, c.name) == ("option", EDITION)})


# ------------------------------------------------------------------------------------------------ claims


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
    where: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    plays: Plays = defaultdict(list)
    last = {one.want.name: one for one in survey(name, asked, budget.minutes, budget.processes)}
    if last and all(one.error and not one.verdicts for one in last.values()):
        raise RuntimeError("; ".join(f"{one.want.name}: {one.error}" for one in last.values()))
    for each in asked:
        answered = {_title(verdict.property) for verdict in last[each.want.name].verdicts}
        for title in dict.fromkeys(_title(question) for question in each.names or ()):
            if title not in answered:
                where[title]["unknown"].append(each.want.name)
    for one in last.values():
        for verdict in one.verdicts:
            title = _title(verdict.property)
            names = where[title][verdict.kind]
            names += [] if one.want.name in names else [one.want.name]
            for number in numbers & set(verdict.origin.cites):
                plays[number, one.want.name] += [verdict.steps] if verdict.steps and not verdict.start else []
                said = " ".join(docs.get(title, ()))
                claim = _claim(verdict, said, setting(one.want.name, by_name[one.want.name]))
                before = told.get((number, title))
                if before is None or rank(claim) < rank(before):
                    told[number, title] = claim
    found: dict[str, list[Claim]] = defaultdict(list)
    for (number, title), claim in told.items():
        kinds = {kind: tuple(names) for kind, names in where[title].items()}
        found[number].append(msgspec.structs.replace(claim, verdicts=kinds))
    return found, dict(plays)


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
        if rulebook.beside(file) is None:
            rules = opened(str(file))
            wants = tuple(named(want) for want in declared(rules))
            instances = tuple(made(rules, want) for want in wants)
            yield Model(file.relative_to(folder).as_posix(), rules, wants, instances)


def speaks(question: Question, numbers: set[str]) -> bool:
    """Whether the author speaks of a gap in it: a claim of his own, or what he expects of a standard one (of
    those about single actions and lines none: they are about the instance)."""
    own = not question.standard or (question.expected is not None and "(" not in question.name)
    return own and bool(numbers & set(question.origin.cites))


def rank(claim: Claim) -> tuple[int, int]:
    """What is worse comes first, of what is equally bad the shorter game."""
    at = WORSE.index(claim.verdict) if claim.verdict in WORSE else len(WORSE)
    return at, len(claim.steps or ())


def _title(name: str) -> str:
    """Of a question; those with a value in brackets are told together."""
    return name.split("(")[0]


def _claim(verdict: Verdict, doc: str, instance: Setting) -> Claim:
    said = verdict.property, verdict.standard, verdict.form, verdict.kind, verdict.wanted, verdict.by
    return Claim(*said, instance, {}, doc, verdict.steps if verdict.start is None else None)


def setting(name: str, game: Playable) -> Setting:
    return Setting(name, dict(game.settings), len(game.players))


# ---------------------------------------------------------------------------------------------- readings


def still(rules: Game, before: Findings) -> Iterator[Choice]:
    """The readings that matter by a game that was found before, if it still shows it."""
    kept = {(choice.option, choice.value): choice for gap in before.gaps for choice in gap.choices}
    for choice in kept.values():
        try:
            if choice.verdict == "different" and differs(rules, choice):
                yield choice
        except (SettingError, ReplayError):
            continue


def differs(rules: Game, choice: Choice) -> bool:
    """Whether the interpreter sees the difference. Raises SettingError, ReplayError."""
    sides = [made(rules, Wanted(dict(side.settings), side.players)) for side in (choice.left, choice.right)]
    return confirmed(sides[0], sides[1], choice.steps) is not None


def chosen(
    name: str,
    rules: Game,
    wants: Sequence[Wanted],
    asked: set[str],
    plays: Plays,
    budget: Budget,
    done: set[tuple[str, str]],
    progress: Callable[[str], None],
) -> Iterator[Choice]:
    """For every other value of these options that is not `done` what becomes of it."""
    tasks = [
        (name, option.name, value, tuple(wants), plays, budget.seconds)
        for option in rules.options.values()
        if option.name in asked
        for value in alternatives(rules, option)
        if (option.name, text_of(value)) not in done
    ]
    found: dict[int, Choice | None] = {}
    with closing(outcomes(budget.processes, _choice, tasks)) as coming:
        for at, choice in coming:
            if isinstance(choice, Failed):
                _, option, value, *_ = tasks[at]
                nowhere = Setting("", {}, 0)
                choice = Choice(option, text_of(value), "unknown", nowhere, nowhere, words=choice.error)
            found[at] = choice
            progress(f"readings: {len(found)} of {len(tasks)}")
    yield from (choice for _, choice in sorted(found.items()) if choice is not None)


def _choice(
    tell: object,
    name: str,
    option: str,
    value: Value,
    wants: Sequence[Wanted],
    plays: Plays,
    seconds: float,
) -> Choice | None:
    """The first instance in which the value makes a difference, else what is least known; None if no declared
    instance allows the value."""
    rules = opened(name)
    known: set[tuple[str, str]] = set()
    unknown: Choice | None = None
    same: Choice | None = None
    for want in wants:
        if option in want.settings:
            want = Wanted({k: v for k, v in want.settings.items() if k != option}, want.players, want.name)
        try:
            left = made(rules, want)
            right = made(rules, Wanted({**want.settings, option: value}, want.players, want.name))
        except SettingError:
            continue
        if (left.hash, right.hash) in known:
            continue
        known.add((left.hash, right.hash))
        near = plays.get((option, want.name), [])
        choice = _compared(left, right, option, text_of(value), want.name, seconds, near)
        if choice.verdict == "different":
            return choice
        if choice.verdict == "unknown":
            unknown = unknown or choice
        elif same is None or same.left.name == same.right.name:
            same = choice
    return unknown or same


def _compared(
    left: Playable,
    right: Playable,
    option: str,
    value: str,
    name: str,
    seconds: float,
    plays: Sequence[tuple[str, ...]],
) -> Choice:
    found = compare(left, right, seconds, plays=plays)
    mine, theirs = text_of(left.settings[option]), value
    words = found.difference.words(f"{option}={mine}", f"{option}={theirs}") if found.difference else ""
    sides = setting(name, left), setting(name, right)
    return Choice(option, value, found.kind, *sides, found.by, words, found.steps, found.shortest)
