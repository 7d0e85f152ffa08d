"""Findings as a page for the owner of a game: what the rulebook leaves open, a game that shows it, what it
costs in play, and the wording that would close it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kemu_engine.play.state import State
from kemu_engine.play.trace import Trace
from kemu_grammar.game import rulebook
from kemu_grammar.game.game import Game as Rules
from kemu_grammar.game.rulebook import Statement
from kemu_grammar.syntax.ast import Option

from kemu.base.library import BadInput
from kemu.base.words import counted, listed
from kemu.findings.data import EFFECTS, KINDS, Choice, Claim, Cost, Findings, Gap, Kind, Setting, shows
from kemu.findings.wordings import Wording, wordings
from kemu.render.findings_details import WIDTH, Games, anchor
from kemu.render.trace import boards, filled, headlines, rounds, squeezed
from kemu.render.words import ending, ranked_by

MOVES = 10  # steps of a game that are told before a picture
FEW = 50  # games of which shares in a hundred are not told
SIMPLE = 90  # characters of a question that can be a heading
INTRODUCTION = """\
What the rulebooks leave open, what it comes to in play, and a sentence that would close it. Each
game was played by a program that knows the rules and nothing else; numbers such as D3 are those of
the statements in `rules.md`, which retell the rulebook in our words, and passages are quoted from
there.

*Comes up* counts games of players who move at random, in which the two answers lead to different
positions or different possibilities. *Another winner*: the same players go on at random under both
answers, and not the same one wins. People do not play at random; the counts say how near at hand a
hole is, not how often it will hurt. In a picture places in brackets look otherwise under the other
answer."""
STANDARD = {
    "terminates": "A game can go round for ever: here a position comes again.",
    "result_determined": "Several players can share the first place.",
}


@dataclass(frozen=True, slots=True)
class Book:
    """A rulebook in our words: its statements by number, and how its gaps would be closed."""

    statements: Mapping[str, Statement]
    wordings: Mapping[str, Wording]


def book(rules: Rules) -> Book:
    """What lies beside a game's rules file. Raises BadInput if there is nothing."""
    path = rulebook.beside(rules.file)
    if path is None:
        raise BadInput(f"{rules.title} has no {rulebook.FILE}")
    statements = {each.number: each for each in rulebook.load(path).statements}
    return Book(statements, wordings(path.read_text("utf-8-sig")))


def page(rules: Rules, book: Book, findings: Findings, games: Games, link: str = "") -> str:
    """One game's findings; `link`: where the details are. Raises RulesError, SettingError, and RecordError
    if they are of other rules."""
    sheet = Sheet(rules, book, findings, link, games)
    by_kind: dict[Kind, list[Gap]] = {
        kind: [gap for gap in findings.gaps if gap.kind == kind] for kind in KINDS
    }
    shown = sorted(by_kind["shown"], key=lambda gap: weight(cost_of(gap)), reverse=True)
    out = [f"## {findings.title}", "", *sheet.table(shown)]
    for gap in shown:
        out += sheet.hole(gap)
    for kind in KINDS:
        if kind != "shown" and by_kind[kind]:
            out += ["", f"### {KINDS[kind]}", ""]
            out += [line for gap in by_kind[kind] for line in sheet.item(gap)]
    return "\n".join(out) + "\n"


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the lines of a page are written from."""

    rules: Rules
    book: Book
    findings: Findings
    link: str
    games: Games

    def table(self, gaps: list[Gap]) -> Iterator[str]:
        """All holes at a glance, the dearest first."""
        if gaps:
            yield "| | what is left open | comes up | another winner |"
            yield "| --- | --- | --- | --- |"
        for gap in gaps:
            cost = cost_of(gap)
            counts = [share(cost.up, cost.games), share(cost.winner, cost.games)] if cost else ["", ""]
            if cost and not gap_choices(gap):
                counts[1] = ""
            at = anchor(self.findings.rules, gap.number)
            yield f"| [{gap.number}](#{at}) | {self.title(gap)} | {counts[0]} | {counts[1]} |"

    def title(self, gap: Gap) -> str:
        """What a gap is about, in few words."""
        option = self.rules.options.get(gap.number)
        if option is not None and option.text and isinstance(option.values, tuple):
            *others, last = [str(value).replace("_", " ") for value in option.values]
            return f"{option.text[:1].upper()}{option.text[1:]}: {', '.join(others)} or {last}?"
        question = opened_up(gap.text)[0]
        first = re.split(r"(?<=[?.:]) ", question)[0]
        return first if len(first) <= SIMPLE else f"{' '.join(first.split()[:9])} ..."

    def hole(self, gap: Gap) -> Iterator[str]:
        """A hole whole."""
        question, reading = opened_up(gap.text)
        yield from ("", f'<a id="{anchor(self.findings.rules, gap.number)}"></a>')
        yield from (f"### {gap.number}: {self.title(gap)}", "")
        yield from self.passages(gap)
        yield f"**Left open.** {question}" + (f" *We play:* {reading}" if reading else "")
        choices = gap_choices(gap)
        if choices:
            yield from self.parted(choices[0])
        else:
            yield from self.happened(min(filter(shows, gap.claims), key=plainest))
        yield from self.costs(gap)
        yield from self.proofs(gap)
        yield from self.closing(gap)
        if self.link:
            yield f"[Details]({self.link}#{anchor(self.findings.rules, gap.number)})"

    def passages(self, gap: Gap) -> Iterator[str]:
        """The printed passages that leave it open."""
        wording = self.book.wordings.get(gap.number)
        for number in wording.passages if wording else ():
            yield f"> **{number}** {self.book.statements[number].text}"
            yield ">"
        if wording and wording.passages:
            yield ""

    def parted(self, choice: Choice) -> Iterator[str]:
        """The game after which two readings part, with the picture at that moment."""
        option = self.rules.options[choice.option]
        left = self.played(choice.left, choice.steps)
        right = self.played(choice.right, choice.steps)
        over = choice.unlike is not None and choice.unlike.kind == "result"
        at = choice.fork if over or choice.effect == "board" else len(choice.steps)
        yield from ("", f"**A game** ({self.where(choice.left)}). {told_before(at)}", "")
        yield from drawn(left, at, right.states[at] if at < len(right.states) else None)
        rest = len(choice.steps) - at
        if over and rest:
            yield from ("", f"The same {counted(rest, 'step')} follow under both answers:")
        yield ""
        yield f"- {answer(option, self.ours(choice))} (as we play it): {outcome(choice, left, 0)}"
        yield f"- {answer(option, choice.value)}: {outcome(choice, right, 1)}"

    def played(self, setting: Setting, steps: tuple[str, ...]) -> Trace:
        return self.games.traced(self.games.made(self.rules, setting), steps)

    def ours(self, choice: Choice) -> str:
        return str(choice.left.settings[choice.option])

    def happened(self, claim: Claim) -> Iterator[str]:
        """The game that shows a claim about a gap to be true, or false."""
        said = sentence(claim.doc) or STANDARD.get(claim.property, "")
        steps = claim.steps or ()
        played = self.played(claim.instance, steps)
        yield from ("", f"**A game** ({self.where(claim.instance)}). {said} {told_before(len(steps))}", "")
        yield from drawn(played, len(steps), None)
        final = played.final
        if final is not None and final.result is not None:
            yield from ("", f"The game is over: {ending(final.result, ranked_by(final))}.")

    def where(self, setting: Setting) -> str:
        size = counted(setting.players, "player")
        return f"{named(setting.name)}, {size}" + (
            "" if setting.printed else "; not the printed game as we read it"
        )

    def costs(self, gap: Gap) -> Iterator[str]:
        """How often it matters when players move at random."""
        for choice in gap_choices(gap):
            if choice.cost is not None:
                other = answer(self.rules.options[choice.option], choice.value)
                which = f", against {other}" if len(gap_choices(gap)) > 1 else ""
                yield from ("", f"**In play**{which}. {frequency(choice.cost)}")
        for claim in [] if gap_choices(gap) else gap.claims:
            if claim.cost is not None:
                often = share(claim.cost.up, claim.cost.games)
                yield from ("", f"**In play**. In {claim.cost.games} games at random it happens in {often}.")
                break

    def proofs(self, gap: Gap) -> Iterator[str]:
        """What no game can show, for the printed boards of which it was proved."""
        printed = {want.name for want in self.rules.instances.values() if want.span.file != self.rules.proofs}
        for claim in gap.claims:
            names = [n for n in claim.verdicts.get("proved", ()) if n in printed or not n.isidentifier()]
            if names and claim.doc and not claim.model:
                places = listed([named(name) for name in names])
                yield from ("", f"**In every game** ({places}): {sentence(claim.doc)}")

    def closing(self, gap: Gap) -> Iterator[str]:
        """The sentence that would close it."""
        wording = self.book.wordings.get(gap.number)
        if wording is not None:
            yield from ("", f"**A wording that closes it.** {wording.words}", "")

    def item(self, gap: Gap) -> Iterator[str]:
        """A gap in a line or two."""
        wording = self.book.wordings.get(gap.number)
        question, reading = opened_up(gap.text)
        about = f" ({', '.join(wording.passages)})" if wording and wording.passages else ""
        if wording is not None and wording.denied:
            yield f"- **{gap.number}**{about} {question} *No:* {wording.words}"
            return
        parts = [f"- **{gap.number}**{about} {question}"]
        parts += [f"*We play:* {reading}"] if reading else []
        parts += [line for line in self.proofs(gap) if line]
        parts += [f"*A wording:* {wording.words}"] if wording else []
        yield " ".join(parts)


# ------------------------------------------------------------------------------------------------ parts


def named(instance: str) -> str:
    return instance.replace("_", " ") if instance.isidentifier() else "the game as it stands"


def gap_choices(gap: Gap) -> list[Choice]:
    """The other answers that a game tells from ours, the gravest first, then the one that matters most
    often."""
    found = [choice for choice in gap.choices if choice.verdict == "different" and choice.effect]
    return sorted(found, key=lambda each: (EFFECTS.index(each.effect or "board"), *heavier(each.cost)))


def heavier(cost: Cost | None) -> tuple[float, float]:
    winner, up = weight(cost)
    return -winner, -up


def weight(cost: Cost | None) -> tuple[float, float]:
    """Of a hole, by what it costs in play."""
    return (cost.winner / cost.games, cost.up / cost.games) if cost else (0.0, 0.0)


def cost_of(gap: Gap) -> Cost | None:
    """The highest of its costs."""
    costs = [each.cost for each in gap_choices(gap) or gap.claims if each.cost is not None]
    return max(costs, key=weight, default=None)


def plainest(claim: Claim) -> tuple[bool, bool, int]:
    return not claim.instance.printed, claim.standard, len(claim.steps or ())


def opened_up(text: str) -> tuple[str, str]:
    """A statement about a gap as what is open and how we read it, without what is said about the rules
    file."""
    question, _, rest = text.partition("*Reading:*")
    return plain(question), plain(rest)


def plain(text: str) -> str:
    """The sentences that speak of the game, not of the rules file."""
    told = re.split(r"\*?(?:Declared|No option)\b", text)[0].strip()
    return " ".join(each for each in re.split(r"(?<=[.?!]) (?=[A-Z])", told) if "`" not in each)


def sentence(doc: str) -> str:
    """The first sentence of what is said of a claim."""
    first = re.split(r"(?<=[.?!]) (?=[A-Z])", doc.strip())[0]
    return first if not first or first[-1] in ".?!" else first + "."


def answer(option: Option, value: str) -> str:
    """A value of a reading in words."""
    return f"*{option.text}: {value.replace('_', ' ')}*"


def share(part: int, whole: int) -> str:
    """A part of so many games, and what that is in a hundred."""
    if part == 0 or part == whole:
        return "all" if part else "none"
    percent = 100 * part / whole
    often = "under 1" if percent < 1 else f"{percent:.0f}"
    return f"{part} ({often} in 100)" if whole >= FEW else f"{part} of {whole}"


def frequency(cost: Cost) -> str:
    """What a hole comes to in random games."""
    if cost.up == 0:
        return f"It came up in none of {counted(cost.games, 'game')} at random."
    said = f"In {counted(cost.games, 'game')} at random it comes up in {share(cost.up, cost.games)}"
    more = f"another player wins in {share(cost.winner, cost.games)}" if cost.winner else "nobody else wins"
    ours, theirs = cost.endless
    endless = ""
    if ours != theirs:
        endless = f" Games that do not end: {ours} as we play it, {theirs} with the other answer."
    return f"{said}; {more}.{endless}"


def told_before(steps: int) -> str:
    if steps == 0:
        return "Before the first step:"
    return f"After {counted(steps, 'step')}" + (f", the last {MOVES} of them here:" if steps > MOVES else ":")


def drawn(played: Trace, at: int, other: State | None) -> Iterator[str]:
    """The last steps up to there and the picture; in brackets what looks otherwise in the `other` state."""
    heads = headlines(rounds(played.steps[:at]), 1)[-MOVES:]
    yield from ("```", *filled(heads, WIDTH))
    if at < len(played.states):
        picture = boards(played.states[at], other, width=WIDTH)
        yield from (part.rstrip() for line in picture for part in squeezed(line, WIDTH))
    yield "```"


def outcome(choice: Choice, played: Trace, side: int) -> str:
    """What happens under one of two answers at the end of the steps."""
    unlike, final = choice.unlike, played.final
    if played.fault is not None or final is None:
        return "the rules say nothing here; play cannot go on."
    if final.result is not None:
        return f"the game is over: {ending(final.result, ranked_by(final))}."
    if unlike is None:
        return "as drawn." if side == 0 else "what stands in brackets is not so."
    if unlike.kind == "over":
        return "the game goes on."
    if unlike.kind == "actor":
        label = "" if final.label == "choose" else f" ({final.label.replace('_', ' ')})"
        return f"{(unlike.left, unlike.right)[side][0]} is to decide now{label}."
    mine, theirs = (unlike.left, unlike.right) if side == 0 else (unlike.right, unlike.left)
    return f"possible: {some(mine)}." if mine else f"not possible: {some(theirs)}."


def some(texts: tuple[str, ...], most: int = 4) -> str:
    rest = len(texts) - most
    return ", ".join(f"`{text}`" for text in texts[:most]) + (f" and {rest} more" if rest > 0 else "")
