"""Findings as a page for the owner of a game: first the sentences that are worth printing, then for each the
question, a game that shows it, and how often it comes up; then what is small, none, or was assumed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from kemu_grammar.game import rulebook
from kemu_grammar.game.beside import FILE, beside
from kemu_grammar.game.game import Game as Rules
from kemu_grammar.game.rulebook import Statement

from kemu.base.library import BadInput
from kemu.base.words import counted
from kemu.findings.data import Choice, Cost, Findings, Gap, Setting
from kemu.findings.phrases import Phrases, phrases
from kemu.findings.wordings import NUMBER, Closing, Entry, Kind, Wording, closing
from kemu.render.findings_details import Games, anchor, has_details
from kemu.render.findings_games import Played, telling, told

FEW = 50  # of fewer games it is not told how often it comes up
EXAMPLE = "*Example.*"
INTRODUCTION = """\
We read the rulebooks word for word and found places where two players may honestly disagree. Each
comes with a sentence that you could print, and most with a game that you can set up on your board."""
COMES_UP = """\
*Comes up* says in how many games of players who move blindly the two answers led to something else:
another move is allowed, another player's turn, another outcome. People meet it more or less often."""
DIFFERS = """\
*Something differs* says in how many games of players who move blindly the two answers left anything
different at all, if only a number that is kept until it matters: another move or another outcome came
of it in as many games at most. People meet it more or less often."""
LUCK = """\
We do not say who would have won: after the question blind players go separate ways, and luck decides.
In a picture places in brackets look otherwise under the other answer."""
REST: dict[Kind, str] = {
    "small": "Small ones",
    "denied": "Not holes",
    "assumed": "What we had to assume",
}

Shown = Callable[[Played, str], Iterable[str]]
"""Writes down a game, and where it is played: the lines."""
HEADS: dict[Kind, str] = {"small": "*Print:*", "denied": "*No:*", "assumed": "*Assumed:*"}


def introduction(every: Iterable[Findings]) -> str:
    """What the page begins with; of what is counted on it it says what that is."""
    choices = [choice for found in every for gap in found.gaps for choice in gap.choices]
    counted_as = {choice.cost.met is not None for choice in choices if choice.cost is not None}
    counts = [text for met, text in ((True, COMES_UP), (False, DIFFERS)) if met in counted_as]
    return "\n\n".join([INTRODUCTION, *counts, LUCK])


@dataclass(frozen=True, slots=True)
class Book:
    """A rulebook in our words: its statements by number, how its gaps would be closed, moves in words."""

    statements: Mapping[str, Statement]
    closing: Closing
    phrases: Phrases


def book(rules: Rules) -> Book:
    """What lies beside a game's rules file. Raises BadInput if there is nothing."""
    path = beside(rules.file)
    if path is None:
        raise BadInput(f"{rules.title} has no {FILE}")
    text = path.read_text("utf-8-sig")
    statements = {each.number: each for each in rulebook.load(path).statements}
    return Book(statements, closing(text), phrases(text))


def page(
    rules: Rules, book: Book, findings: Findings, games: Games, link: str = "", show: Shown = told
) -> str:
    """One game's findings, as Markdown; `link`: where the details are; `show` writes down the game of an
    example. Raises RulesError, SettingError, and RecordError if they are of other rules."""
    sheet = Sheet(rules, book, findings, link, games, show)
    out = [f"## {findings.title}", "", book.closing.opening, "", *sheet.table()]
    for entry in book.closing.entries:
        out += sheet.hole(entry)
    for kind, title in REST.items():
        rows = {number: row for number, row in book.closing.rows.items() if row.kind == kind}
        if rows:
            out += ["", f"### {title}", "", *(sheet.item(*each) for each in rows.items())]
    return "\n".join(out) + "\n"


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the lines of a page are written from."""

    rules: Rules
    book: Book
    findings: Findings
    link: str
    games: Games
    show: Shown = told

    def table(self) -> Iterator[str]:
        """All that is worth a sentence, on one page."""
        yield from ("| question | in the rulebook | a sentence to print |", "| --- | --- | --- |")
        for entry in self.book.closing.entries:
            yield f"| [{entry.question}](#{self.anchor(entry)}) | {entry.place} | {entry.words} |"

    def anchor(self, entry: Entry) -> str:
        return anchor(self.findings.rules, entry.numbers[0])

    def hole(self, entry: Entry) -> Iterator[str]:
        """An entry whole."""
        choices = [choice for number in entry.numbers for choice in parted(self.gap(number))]
        yield from ("", f'<a id="{self.anchor(entry)}"></a>')
        yield from (f"### {entry.question}", "", f"In the rulebook: {entry.place}.")
        yield from ("", entry.doubt) if entry.doubt else ()
        choice = choices[0] if choices else None
        if choice is not None and EXAMPLE not in entry.doubt:
            yield from self.example(choice, entry)
        else:
            yield from self.answers(entry, None)
        yield from ("", f"*Print:* {entry.words}")
        last = " ".join(self.closing(entry, choice))
        yield from ("", last) if last else ()

    def closing(self, entry: Entry, choice: Choice | None) -> Iterator[str]:
        """How often it comes up, and where more is told."""
        cost = choice.cost if choice is not None else None
        if cost is not None and cost.games >= FEW:
            yield frequency(cost)
        detailed = [number for number in entry.numbers if has_details(self.gap(number))]
        if self.link and detailed:
            yield f"[Details]({self.link}#{anchor(self.findings.rules, detailed[0])})"

    def gap(self, number: str) -> Gap:
        found = (gap for gap in self.findings.gaps if gap.number == number)
        return next(found, Gap(number, self.book.statements[number].text))

    def example(self, choice: Choice, entry: Entry) -> Iterator[str]:
        """The game after which two answers part, and what each comes to."""
        left, right = (
            self.games.traced(self.games.made(self.rules, setting), choice.steps)
            for setting in (choice.left, choice.right)
        )
        game = Played(choice, left, right, self.book.phrases)
        yield from ("", *self.show(game, self.where(choice.left)))
        yield from self.answers(entry, game)

    def where(self, setting: Setting) -> str:
        """The instance, if the rules file itself calls it so, and how many play."""
        want = self.rules.instances.get(setting.name)
        named = want is not None and want.span.file != self.rules.proofs
        name = f"{setting.name.replace('_', ' ')}, " if named else ""
        return name + counted(setting.players, "player")

    def answers(self, entry: Entry, game: Played | None) -> Iterator[str]:
        """How we play it, and what else one could, with what that comes to in the game."""
        told = set[str]()  # the first answer of a reading is ours
        for (option, value), words in entry.answers.items():
            ours = option not in told
            told.add(option)
            head = "*We play:*" if ours else "*Or:*"
            yield from ("", f"{head} {words}{'' if game is None else comes_to(game, option, value, ours)}.")

    def item(self, number: str, row: Wording) -> str:
        """A gap in a line or two."""
        question = plain(self.book.statements[number].text)
        sections = dict.fromkeys(self.section(each) for each in row.passages)
        place = f" ({', '.join(sections)})" if sections else ""
        return f"- {question}{place} {HEADS[row.kind]} {row.words}"

    def section(self, number: str) -> str:
        """The part of the rulebook in which a statement stands."""
        return re.sub(r"^[A-Z]+\. ", "", self.book.statements[number].section)


# ------------------------------------------------------------------------------------------------ parts


def comes_to(game: Played, option: str, value: str, ours: bool) -> str:
    """What an answer comes to in the game, if the game is about it."""
    if option != game.choice.option or not (ours or value == game.choice.value):
        return ""
    return telling(game, 0 if ours else 1)


def parted(gap: Gap) -> list[Choice]:
    """The other answers that a game tells from ours on the printed board: the shortest game first, but
    pictures alone last."""
    found = [choice for choice in gap.choices if choice.verdict == "different" and choice.left.printed]
    told = [choice for choice in found if choice.effect in ("winner", "course", "board")]
    return sorted(told, key=lambda each: (each.effect == "board", len(each.steps)))


def plain(text: str) -> str:
    """What is open: the sentences that speak of the game, without the numbers of other statements."""
    question = re.split(r"\*(?:Reading|Declared|No option)\b", text)[0].strip()
    bare = re.sub(rf" \((?:see )?{NUMBER}(?:, {NUMBER})*\)", "", question)
    sentences = re.split(r"(?<=[.?!]) (?=[A-Z])", bare)
    return " ".join(each for each in sentences if "`" not in each and not re.search(rf"\b{NUMBER}\b", each))


def frequency(cost: Cost) -> str:
    """In how many games it came up; where that was not counted, in how many anything differed."""
    head, count = ("*Something differs*", cost.up) if cost.met is None else ("*Comes up*", cost.met)
    often = "none" if count == 0 else "all" if count == cost.games else f"{count}"
    return f"{head} in {often} of {cost.games} games."
