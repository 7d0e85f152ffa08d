"""What the rulebook says, as somebody at the table asks for it: by its sections, numbers, or words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING

from kemu_grammar.game import rulebook
from kemu_grammar.game.beside import beside
from kemu_grammar.game.rulebook import Statement
from kemu_grammar.source.diagnostics import RulesError

from kemu.base.words import counted
from kemu.render.refusal import folded

if TYPE_CHECKING:
    from kemu_grammar.game.game import Game

MOST_LINES = 18  # that are told without being asked for a part


def rules_told(game: Game, asked: str, width: int) -> list[str]:
    """The statements beside a game's rules, if they are few, else its sections; of what is `asked` for, all.
    If there are none, what the rules file says of itself."""
    played = statements(game)
    if not played:
        return wrap(" ".join(game.doc.split()), width, break_on_hyphens=False)
    if asked:
        found = matching(played, asked)
        return written(found, width) if found else [f"no statement of the rules speaks of {asked!r}"]
    every = written(played, width)
    return every if len(every) <= MOST_LINES else contents(played, width)


def statements(game: Game) -> list[Statement]:
    """What play can show of the rulebook, worked examples left out."""
    path = beside(game.file)
    try:
        known = rulebook.load(path).statements if path else ()
    except (RulesError, OSError):
        known = ()
    return [each for each in known if not each.is_note and not each.is_example]


def matching(played: Sequence[Statement], asked: str) -> list[Statement]:
    """The statement of that number; else those of the section whose letter it is, or whose name begins so;
    else those that have the words."""
    wanted = asked.strip("[]").casefold()
    ways = (
        [each for each in played if each.number.casefold() == wanted],
        [each for each in played if each.section.casefold().partition(".")[0] == wanted],
        [each for each in played if len(wanted) > 1 and each.section.casefold().startswith(wanted)],
        [each for each in played if wanted in each.text.casefold()],
    )
    return next((found for found in ways if found), [])


def written(found: Sequence[Statement], width: int) -> list[str]:
    """The statements below the headings of their sections."""
    lines: list[str] = []
    for section, group in groupby(found, lambda each: each.section):
        lines += [f"{section}:"] if section else []
        for each in group:
            tags = f"({'; '.join(each.tags)}) " if each.tags else ""
            lines += folded(f"[{each.number}] {tags}{each.text}", width)
    return lines


def contents(played: Sequence[Statement], width: int) -> list[str]:
    """The sections, and how to read one."""
    counts: dict[str, int] = {}
    for each in played:
        counts[each.section] = counts.get(each.section, 0) + 1
    lines = [f"  {section} ({counted(count, 'statement')})" for section, count in counts.items()]
    first = played[0]
    one, all_ = f"`rules {first.number}` one statement", "`rules WORD` those that have the word"
    hint = f"`rules {first.section.partition('.')[0]}` tells that section, {one}, {all_}."
    return [*lines, *wrap(hint, width)]
