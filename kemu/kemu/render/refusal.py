"""Why an action is not legal, in a sentence; and the lines of the rules about it, with what they retell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from textwrap import dedent, wrap

from kemu_engine.kernel import nodes as k
from kemu_engine.play.refusal import Refusal
from kemu_grammar.game import rulebook
from kemu_grammar.game.beside import beside
from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.source.keywords import MARK

from kemu.base.words import listed
from kemu.render.definitions import definitions

GAP = re.compile(r" {3,}#")
MOST_FACTS = 4
MOST_DEFINITIONS = 4


def refused(program: k.Program, refusal: Refusal) -> str:
    """`(1, 1) is not in Cell, the hollows (line 160) [C4]`; or that a condition does not hold, and why."""
    place = f"(line {refusal.origin.span.line}) {cited(refusal.origin.cites)}".rstrip()
    if refusal.stray:
        found = [each for each in definitions(program.sources, refusal.condition)[:1] if each.gloss]
        gloss = f", {found[0].gloss}" if found and found[0].name == refusal.condition else ""
        return f"{refusal.stray} is not in `{refusal.condition}`{gloss} {place}"
    now = "would be" if refusal.tried else "is"
    facts = [f"{name} {now} {value}" for name, value in refusal.facts[:MOST_FACTS]]
    since = f", since {listed(facts)}" if facts else ""
    return f"`{refusal.condition}` does not hold{since} {place}"


def cited(numbers: Sequence[str]) -> str:
    return "".join(f"[{number}]" for number in numbers)


def explained(
    program: k.Program,
    arms: Sequence[k.Arm],
    refusal: Refusal | None,
    width: int,
    most: int = MOST_DEFINITIONS,
) -> list[str]:
    """The actions as the rules file has them, with what the names in there mean (`most` of them), and the
    statements of the rulebook that are cited. Of a refused one, the names of the condition."""
    offered = dict.fromkeys(offer(program, arm) for arm in arms if arm.origin >= 0)
    text = (
        refusal.condition if refusal is not None else " ".join(line for each in offered for line in each[1])
    )
    found = definitions(program.sources, text)[:most]
    quoted = [*offered, *((each.line, each.lines) for each in found)]
    marks = [mark.group(1) for _, lines in quoted for line in lines for mark in MARK.finditer(line)]
    numbers = list(dict.fromkeys([*(refusal.origin.cites if refusal is not None else ()), *marks]))
    shown = [part for line, lines in quoted for part in quote(line, lines, width)]
    return [*shown, *statements(program.sources, numbers, width)]


def offer(program: k.Program, arm: k.Arm) -> tuple[int, tuple[str, ...]]:
    """The lines in which the rules file offers an action and says what is asked of it, and the first of their
    numbers."""
    span = program.origins[arm.origin].span
    last = max([span.line, *(program.origins[each.origin].span.end_line for each in arm.conditions[-1:])])
    return span.line, tuple(program.sources.get(span.file, "").splitlines()[span.line - 1 : last])


def quote(number: int, lines: Sequence[str], width: int) -> list[str]:
    first, *rest = dedent("\n".join(lines)).split("\n")
    named = [f"line {number}: {first}", *(f"    {line}" for line in rest)]
    return [part for line in named for part in folded(GAP.sub("  #", line), width)]


def statements(files: Iterable[str], numbers: Sequence[str], width: int) -> list[str]:
    """The statements of these numbers, as the file beside the rules has them; nothing if there is none."""
    out = []
    for path in dict.fromkeys(map(beside, files)):
        try:
            known = {each.number: each for each in rulebook.load(path).statements} if path else {}
        except (RulesError, OSError):
            known = {}
        for number in numbers:
            if number in known:
                out += folded(f"[{number}] {known[number].text}", width)
    return out


def folded(text: str, width: int) -> list[str]:
    indent = " " * (len(text) - len(text.lstrip()))
    return wrap(text, width, subsequent_indent=f"{indent}    ", break_on_hyphens=False) or [""]
